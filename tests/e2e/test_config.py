"""The configuration file: where it is, what wins over it, what is wrong with it."""

import json
import os
import subprocess

import pytest

from support import BINARY, history
from support.session import Session


@pytest.fixture
def configured(desktop, tmp_path):
    """Runs handeye with a configuration file of this text."""
    def run(text, *words, env=None):
        folder = tmp_path / "handeye"
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text(text)
        # The desktop of the tests has a folder of its own for screenshots, by a variable, which would win.
        base = {name: value for name, value in desktop.env.items() if name != "HANDEYE_SCREENSHOT_DIR"}
        return history.run([BINARY, *words], env={**base, "XDG_CONFIG_HOME": str(tmp_path), **(env or {})},
                           capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    return run


def test_the_format_of_answers(configured):
    assert isinstance(json.loads(configured("[cli]\nformat = 'json'\n", "apps").stdout), list)
    assert configured("[cli]\nformat = 'json'\n", "apps", "--format", "quiet").stdout == ""
    assert configured("[cli]\nformat = 'json'\n", "apps", env={"HANDEYE_FORMAT": "quiet"}).stdout == ""


def test_where_screenshots_go(configured, gtk3_shared, tmp_path):
    shots = tmp_path / "shots"
    result = configured(f"[screenshots]\ndir = '{shots}'\nkeep = 2\n", "screenshot", "--app", gtk3_shared.app)
    assert result.returncode == 0, result.stderr
    assert len(os.listdir(shots)) == 1
    in_home = configured("[screenshots]\ndir = '~/pictures'\n", "screenshot", "--app", gtk3_shared.app,
                         env={"HOME": str(tmp_path)})
    assert in_home.returncode == 0, in_home.stderr
    assert len(os.listdir(tmp_path / "pictures")) == 1


def test_a_server_reads_it_and_flags_win(desktop, tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("[server]\ntoolsets = ['find']\nexclude_tools = 'ax_find'\n")
    env = {**desktop.env, "HANDEYE_CONFIG": str(path)}
    for arguments, expected in [([], {"ax_get_tree", "ax_get_attributes"}),
                                (["--toolsets", "connect"], {"ax_is_accessible", "ax_connect", "ax_list_apps"})]:
        session = Session(env, arguments=arguments)
        try:
            assert set(session.tools()) == expected
        finally:
            session.close()


@pytest.mark.parametrize(("text", "named"), [
    ("[server]\n\ntolsets = ['find']\n", ["line 3", "server.tolsets", "server.toolsets"]),
    ("[cli]\ntimeout = 'soon'\n", ["line 2", "cli.timeout", "a number"]),
    ("[cli]\ntimeout = -3\n", ["line 2", "cli.timeout"]),
    ("[cli\n", ["line 1"]),
    ("[ai]\nopenai_api_key = 's3cret'\n", ["line 2", "environment variables alone"]),
    ("x" * 70_000, ["larger than 64 KiB"]),
    ("[[server]]\n", ["line 1", "server"]),
])
def test_faults_are_told_with_their_line(configured, text, named):
    result = configured(text, "apps")
    assert result.returncode == 2, result
    for part in named:
        assert part in result.stderr
    assert "s3cret" not in result.stderr and len(result.stderr) < 2_000


def test_a_server_with_a_faulty_file_does_not_start(configured):
    result = configured("[server]\ntoolsets = ['fnd']\n", "mcp", "serve")
    assert result.returncode == 2 and "find" in result.stderr, result


def test_a_file_that_is_named_must_be_there(configured, tmp_path):
    result = configured("", "apps", env={"HANDEYE_CONFIG": str(tmp_path / "none.toml")})
    assert result.returncode == 2 and "none.toml" in result.stderr
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    assert configured("", "apps", env={"HANDEYE_CONFIG": str(fifo)}).returncode == 2
    assert configured("", "apps", env={"HANDEYE_CONFIG": "/dev/null"}).returncode == 0


@pytest.mark.parametrize(("name", "value", "code"), [
    ("SECURITY_MODE", "nromal", 2), ("RATE_LIMIT_RPS", "0", 2), ("RATE_LIMIT_RPS", "many", 2), ("CONCURRENCY", "-1", 2),
    ("ALLOWED_APPS", "exe:kcalc", 2), ("VLM_BACKEND", "mlx", 2), ("SECURITY_MODE", "normal", 0), ("CONFIRM_DESTRUCTIVE", "true", 0),
])
def test_a_restriction_that_cannot_be_understood_ends_it_at_the_start(desktop, name, value, code):
    base = {known: set_to for known, set_to in desktop.env.items() if known != f"HANDEYE_{name}"}
    done = history.run([BINARY, "apps", "--no-daemon"], env={**base, f"AXTERMINATOR_{name}": value}, capture_output=True,
                       text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == code, done.stderr
    assert code == 0 or f"AXTERMINATOR_{name}" in done.stderr, done.stderr


def test_the_file_of_axterminator_is_read_where_there_is_no_other(desktop, tmp_path):
    folder = tmp_path / "axterminator"
    folder.mkdir()
    env = {**desktop.env, "XDG_CONFIG_HOME": str(tmp_path)}

    def apps(text):
        (folder / "config.toml").write_text(text, encoding="utf-8")
        return history.run([BINARY, "apps"], env=env, capture_output=True, text=True, timeout=60, check=False,
                           stdin=subprocess.DEVNULL)
    done = apps("[server]\nlog_level = 'warn'\nconfirm_destructive = true\n[cache]\ntree_ttl_ms = 500\n")
    assert done.returncode == 0, done.stderr
    done = apps("[security]\nallowed_apps = ['kcalc']\n")
    assert done.returncode == 0 and "fixture" not in done.stdout, "only kcalc is allowed"


def shown(run):
    assert run.returncode == 0, run.stderr
    fields = json.loads(run.stdout)
    return fields, {field["setting"]: field for field in fields["settings"]}


def test_what_holds_and_where_it_comes_from(configured, tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text("# the user's own\nmode = 'safe'\n")
    rules.chmod(0o600)
    text = ("[server]\nlog_level = 'debug'\n[http]\nport = 9100\n[rate_limits]\nrps = 7\nrpm = 70\n"
            "[ai.base_url]\nvllm = 'http://me:s3cret-passw0rd@gpu:8000/v1'\n")
    run = configured(text, "config", "show", "--origin", "--format", "json", "--http", "--port", "9000",
                     "--security-mode", "normal", env={
                         "HANDEYE_RATE_LIMIT_RPS": "", "AXTERMINATOR_RATE_LIMIT_RPS": "9", "HANDEYE_RATE_LIMIT_RPM": "",
                         "HANDEYE_SECURITY_FILE": str(rules), "HANDEYE_DENIED_APP": "Vault", "HANDEYE_HTTP_TOKEN": "",
                         "AXTERMINATOR_HTTP_TOKEN": "s3cret" * 8, "OPENAI_API_KEY": "sk-s3cret", "GEMINI_API_KEY": "",
                         "GOOGLE_API_KEY": "", "HANDEYE_VLLM_API_KEY": "s3cret", "HANDEYE_LOG_LEVEL": "",
                         "HANDEYE_READ_ONLY": "on", "HANDEYE_AI_PROVIDERS": "openai/ghp_" + "s3cretA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5"})
    fields, settings = shown(run)
    file = str(tmp_path / "handeye" / "config.toml")
    assert settings["HANDEYE_HTTP_PORT"] == {
        "setting": "HANDEYE_HTTP_PORT", "value": 9000, "origin": {"from": "flag", "name": "--port"},
        "overridden": [{"from": "file", "name": "http.port", "path": file, "line": 4}]}
    assert settings["HANDEYE_RATE_LIMIT_RPS"]["value"] == 9
    assert settings["HANDEYE_RATE_LIMIT_RPS"]["origin"] == {"from": "variable", "name": "AXTERMINATOR_RATE_LIMIT_RPS"}
    assert settings["HANDEYE_RATE_LIMIT_RPM"]["origin"] == {
        "from": "file", "name": "rate_limits.rpm", "path": file, "line": 7}
    assert settings["HANDEYE_READ_ONLY"]["value"] is True
    assert settings["HANDEYE_CONFIRM"] == {"setting": "HANDEYE_CONFIRM", "value": "auto", "origin": {"from": "default"}}
    mode = settings["HANDEYE_SECURITY_MODE"]
    assert mode["value"] == "safe", "the tightest of all"
    assert mode["origin"] == {"from": "file", "name": "mode", "path": str(rules), "line": 2}
    assert mode["overridden"] == [{"from": "flag", "name": "--security-mode"}]
    assert settings["HANDEYE_HTTP_TOKEN"] == {
        "setting": "HANDEYE_HTTP_TOKEN", "secret": True, "set": True,
        "origin": {"from": "variable", "name": "AXTERMINATOR_HTTP_TOKEN"}}
    assert settings["OPENAI_API_KEY"]["set"] and not settings["GEMINI_API_KEY"]["set"]
    assert settings["HANDEYE_VLLM_API_KEY"]["set"] and "gpu:8000" in settings["HANDEYE_VLLM_BASE_URL"]["value"]
    assert {"variable": "HANDEYE_DENIED_APP", "near": "HANDEYE_DENIED_APPS"} in fields["unknown"]
    assert {"what": "Configuration", "path": file, "read": True} in fields["files"]
    assert {"what": "Rules", "path": str(rules), "read": True} in fields["files"]
    assert "s3cret" not in run.stdout + run.stderr


def test_what_is_shown_to_people(configured):
    run = configured("[cli]\ntimeout = 7\n", "config", "show", "--origin", env={"OPENAI_API_KEY": "s3cret"})
    assert run.returncode == 0, run.stderr
    lines = {line.split()[0]: line for line in run.stdout.splitlines() if line}
    assert "cli.timeout, line 2 of" in lines["HANDEYE_TIMEOUT"] and " 7 " in lines["HANDEYE_TIMEOUT"]
    assert lines["OPENAI_API_KEY"].split()[1:] == ["(set)", "OPENAI_API_KEY"]
    assert "s3cret" not in run.stdout


@pytest.mark.parametrize(("text", "env", "named"), [
    ("[server]\ntolsets = 'find'\n", {}, ["line 2", "server.tolsets"]),
    ("[rate_limits]\nrps = 0\n", {"HANDEYE_RATE_LIMIT_RPS": ""}, ["rate_limits.rps", "line 2"]),
    ("", {"HANDEYE_ASK_TIMEOUT": "soon"}, ["HANDEYE_ASK_TIMEOUT"]),
    ("", {"HANDEYE_HTTP_TOKEN": "s3cret"}, ["HANDEYE_HTTP_TOKEN"]),
])
def test_what_is_malformed_is_reported_where_it_stands(configured, text, env, named):
    run = configured(text, "config", "show", "--origin", env=env)
    assert run.returncode == 2, run
    for part in named:
        assert part in run.stderr
    assert "s3cret" not in run.stderr

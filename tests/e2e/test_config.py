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

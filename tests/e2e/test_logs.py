"""Logs of a server: Peekaboo 1.1.2, sections I.B.4 and 5; and what must never be in them."""

import base64
import os
import re
import subprocess

import pytest

from support import BINARY, history, wait_for
from support.files import in_own_mounts
from support.provider import KEYS, Provider
from support.session import Session

MIB = 1024 * 1024
NAME = "handeye/handeye-mcp.log"  # below the folder for state
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z \[(\d+)\] +(ERROR|WARN|INFO|DEBUG|TRACE) ")


def text(path):
    """The text of a file, or nothing where there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


@pytest.fixture
def serve(desktop, tmp_path):
    """Starts servers with more in their environment; standard error goes to `stderr` in the test's folder."""
    sessions = []

    def start(**more):
        # An empty variable counts as unset.
        env = {**desktop.env, "HANDEYE_LOG_FILE": "", "XDG_STATE_HOME": str(tmp_path), **more}
        sessions.append(Session(env, log=str(tmp_path / "stderr")))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()


def logged(path, what="handeye::audit"):
    """Waits until the log says something, and returns the log."""
    return wait_for(f"{path} to have {what}", lambda: what in text(path) and text(path))


def test_peekaboo_1_1_2_I_B_4_the_default_is_a_file_in_the_folder_for_state(serve, tmp_path):
    """The specification names the shared temporary folder, where others can take the name: decision 0048."""
    session = serve()
    session.do("ax_list_apps")
    path = tmp_path / NAME
    log = logged(path)
    assert LINE.match(log) and f"[{session.process}]" in log
    assert "ax_list_apps" in log
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert text(tmp_path / "stderr") == "", "nothing goes to standard error"


@pytest.mark.parametrize("variable", ["HANDEYE_LOG_FILE", "PEEKABOO_LOG_FILE"])
def test_peekaboo_1_1_2_I_B_5_the_path_is_a_variable_and_its_folder_is_made(serve, tmp_path, variable):
    path = tmp_path / "made" / "on the way" / "server.log"
    serve(**{variable: str(path)}).do("ax_list_apps")
    logged(path)
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize("variable", ["HANDEYE_LOG_LEVEL", "PEEKABOO_LOG_LEVEL", "AXTERMINATOR_LOG_LEVEL"])
@pytest.mark.parametrize("level,heard", [("trace", {"INFO", "DEBUG"}), ("info", {"INFO"}), ("warn", set()), ("fatal", set())])
def test_peekaboo_1_1_2_I_B_4_the_level_is_a_variable(serve, tmp_path, variable, level, heard):
    session = serve(**{variable: level})
    session.do("ax_list_apps")
    session.call("ax_get_tree", app="no-such-app")
    path = tmp_path / NAME
    if heard:
        logged(path)
    session.close()
    levels = {match[1] for match in LINE.findall(text(path))}
    assert heard <= levels and ("DEBUG" in levels) == ("DEBUG" in heard) and ("INFO" in levels) == ("INFO" in heard)


@pytest.mark.parametrize("variable", ["HANDEYE_CONSOLE_LOGGING", "PEEKABOO_CONSOLE_LOGGING", "PEEKABOO_MCP_CONSOLE_LOGGING"])
def test_peekaboo_1_1_2_I_B_4_the_console_is_added_where_it_is_asked_for(serve, tmp_path, variable):
    serve(**{variable: "true"}).do("ax_list_apps")
    logged(tmp_path / "stderr")
    logged(tmp_path / NAME)


def test_a_client_that_never_reads_standard_error_holds_no_call_up(desktop, tmp_path):
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)
        # Full: a process that writes to it waits.
        with pytest.raises(BlockingIOError):
            while True:
                os.write(writer, b"x" * 4096)
        os.set_blocking(writer, True)
        env = {**desktop.env, "HANDEYE_LOG_FILE": str(tmp_path / "log"), "HANDEYE_CONSOLE_LOGGING": "true",
               "HANDEYE_LOG_LEVEL": "trace"}
        session = Session(env, log=f"/proc/self/fd/{writer}")
        for _ in range(50):
            session.do("ax_list_apps")
        logged(tmp_path / "log")
        session.close()
    finally:
        os.close(reader)
        os.close(writer)


def test_a_log_that_cannot_be_opened_is_told_and_the_server_serves(serve, tmp_path):
    (tmp_path / "file").write_text("no folder")
    serve(HANDEYE_LOG_FILE=str(tmp_path / "file" / "server.log")).do("ax_list_apps")
    told = text(tmp_path / "stderr")
    assert "server.log" in told and "without a log file" in told


@pytest.mark.parametrize("path", ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"])
def test_peekaboo_1_1_2_I_B_4_standard_output_is_never_a_log(serve, tmp_path, path):
    session = serve(HANDEYE_LOG_FILE=path, HANDEYE_LOG_LEVEL="trace")
    for _ in range(3):
        session.do("ax_list_apps")
    assert "without a log file" in text(tmp_path / "stderr")


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_is_not_followed(serve, tmp_path, what):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "handeye-mcp.log").write_text("mine")
    if what == "folder":
        (tmp_path / "handeye").symlink_to(victim)
    else:
        (tmp_path / "handeye").mkdir()
        (tmp_path / NAME).symlink_to(victim / "handeye-mcp.log")
    serve().do("ax_list_apps")
    wait_for("the server to say that it has no log", lambda: "without a log file" in text(tmp_path / "stderr"))
    assert (victim / "handeye-mcp.log").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_another_user_has_made_is_not_written_to(serve, tmp_path):
    foreign = tmp_path / NAME
    foreign.parent.mkdir()
    foreign.write_text("theirs")
    os.chown(foreign.parent, 65534, 65534)
    serve().do("ax_list_apps")
    os.chown(foreign.parent, 0, 0)
    os.chown(foreign, 65534, 65534)
    foreign.chmod(0o666)
    serve().do("ax_list_apps")
    wait_for("both to say that they have no log", lambda: text(tmp_path / "stderr").count("without a log file") == 2)
    assert foreign.read_text() == "theirs"


@pytest.mark.parametrize("prepared,kept", [
    ("true", True), ("mkdir {mine} && chmod 755 {mine}", True), ("mkdir {mine} && chown 65534 {mine}", False),
    ("ln -s /var {mine}", False), ("touch {mine}", False),
])
def test_without_a_home_the_log_is_in_a_folder_of_the_user_s_own(prepared, kept):
    """In a /tmp of its own, in which another process may have taken the name first."""
    mine = f"/tmp/handeye-state-{os.geteuid()}"
    script = (f'mount -t tmpfs none /tmp && {prepared.format(mine=mine)} && "$@" < /dev/null; '
              f"stat -c %a {mine}/handeye-mcp.log {mine} 2>/dev/null")
    done = subprocess.run([*in_own_mounts(script), BINARY, "mcp", "serve"], env={"PATH": os.environ["PATH"]},
                          capture_output=True, text=True, timeout=120)
    assert (done.stdout.split() == ["600", "700"]) == kept, done
    assert ("without a log file" in done.stderr) != kept, done


def is_new(path, turn):
    return path.exists() and f"turn {turn} " not in text(path)


def writes(servers, path):
    return all(f"[{server.process}]" in text(path) for server in servers)


def test_a_full_log_is_put_aside_and_three_are_kept(serve, tmp_path):
    path = tmp_path / NAME
    servers = [serve(), serve()]
    for turn in range(5):
        with open(path, "a", encoding="utf-8") as log:
            log.write(f"turn {turn} " + "x" * 4 * MIB + "\n")
        for server in servers:
            server.do("ax_list_apps")
        # The full file has lines of both too, from the turn before.
        wait_for("both servers to write the new file", lambda: is_new(path, turn) and writes(servers, path))
    kept = sorted(name for name in os.listdir(tmp_path / "handeye") if name.startswith("handeye-mcp.log"))
    assert kept == [path.name, *(f"{path.name}.{number}" for number in (1, 2, 3))]
    for number, turn in ((1, 4), (2, 3), (3, 2)):
        assert f"turn {turn} " in text(f"{path}.{number}")
        assert os.stat(f"{path}.{number}").st_mode & 0o777 == 0o600
    assert path.stat().st_size < MIB


def test_two_servers_write_one_log_and_tear_no_line(serve, tmp_path):
    servers = [serve(HANDEYE_LOG_LEVEL="debug"), serve(HANDEYE_LOG_LEVEL="debug")]
    running = [server.start("ax_list_apps") for _ in range(50) for server in servers]
    for call in running:
        call.result(60)
    path = tmp_path / NAME
    wait_for("all calls to be logged", lambda: text(path).count("handeye::audit") >= len(running))
    assert all(LINE.match(line) for line in text(path).splitlines())


def test_no_secret_is_logged_at_any_level(serve, desktop, gtk3, tmp_path):
    provider = Provider()
    provider.answer = "the-answer-7301"
    typed, value, question, secret = "typed-text-9481", "set-text-2210", "asked-question-5512", "correct-horse-battery"
    try:
        for filter_ in ("trace", "trace,rmcp=trace,zbus=trace,genai=trace,hyper=trace,reqwest=trace,rustls=trace,x11rb=trace"):
            session = serve(HANDEYE_LOG_LEVEL=filter_, HANDEYE_CONSOLE_LOGGING="true", HANDEYE_IMAGE_RESPONSES="inline",
                            **provider.environment("openai/gpt-4o", "anthropic/claude"))
            session.do("ax_type", app=gtk3.app, query="Name", text=typed, clear_first=True)
            gtk3.wait("name", typed)
            session.do("ax_set_value", app=gtk3.app, query="Name", value=value)
            session.do("ax_type", app=gtk3.app, query="Secret", text=secret, clear_first=True)
            gtk3.wait("secret", secret)
            session.do("ax_type", app=gtk3.app, query="Name", text=typed, clear_first=True, mode="focus")
            session.call("ax_get_tree", app=gtk3.app, max_depth=30)
            picture = session.do("image", app_target=f"PID:{gtk3.app}", format="data").pictures[0].data
            shot = tmp_path / "shot.png"
            session.do("image", app_target=f"PID:{gtk3.app}", path=str(shot), question=question)
            session.do("analyze", image_path=str(shot), question=question)
            session.do("analyze", image_path=str(shot), question=question, provider_config={"type": "anthropic"})
            provider.failure = (401, {"content-type": "application/json"}, f'{{"error": "bad key {KEYS["openai"]}"}}')
            assert session.call("analyze", image_path=str(shot), question=question).is_error
            provider.failure = None
            logged(tmp_path / NAME, '"analyze"')
            session.close()
            file = base64.b64encode(shot.read_bytes()).decode()
            for path in (tmp_path / NAME, tmp_path / "stderr"):
                log = text(path)
                assert "TRACE" in log or "DEBUG" in log, f"{path} has no details at all"
                hidden = {"what was typed": typed, "what was set": value, "a password": secret, "a question": question,
                          "an answer": provider.answer, "a key": KEYS["openai"], "another key": KEYS["anthropic"],
                          "a picture in an answer": picture[:64], "a picture for a model": file[:64],
                          "the head of a PNG": "iVBORw0KGgo", "the head of a JPEG": "/9j/4AAQ", "a header": "Bearer "}
                assert [what for what, said in hidden.items() if said in log] == [], path
    finally:
        provider.stop()


def test_at_no_level_the_log_has_what_was_asked_or_is_shown(serve, gtk3, tmp_path):
    """Queries, names of elements, URIs, texts in wrong parameters and in requests that are not requests."""
    session = serve(HANDEYE_LOG_LEVEL="trace")
    secrets = {name: f"zq{name}xw{os.urandom(4).hex()}" for name in
               ["query", "value", "typed", "condition", "regex", "alias", "uri", "parameter", "wrong", "shape", "prompt", "key"]}
    app = gtk3.app
    session.do("ax_get_tree", app=app)
    asked = [
        ("ax_find", {"app": app, "query": secrets["query"]}), ("ax_click", {"app": app, "query": secrets["query"]}),
        ("ax_find", {"app": app, "query": f"name:/{secrets['regex']}[/"}),
        ("ax_get_tree", {"app": app, "root_query": secrets["query"]}),
        ("ax_set_value", {"app": app, "query": secrets["query"], "value": secrets["value"]}),
        ("ax_type", {"app": app, "query": secrets["query"], "text": secrets["typed"]}),
        ("ax_find", {"app": app, "query": f"//*[@name='{secrets['condition']}']"}),
        ("ax_connect", {"app": app, "alias": secrets["alias"]}),
        ("ax_key_press", {"app": app, "key": secrets["key"]}),
        ("ax_find", {"app": app, "query": "x", secrets["parameter"]: secrets["wrong"]}),
        ("ax_find", {"app": app, "query": {"a": secrets["shape"]}}),
    ]
    for tool, arguments in asked:
        session.call(tool, **arguments)
    for ask in [("read_resource", f"handeye://app/x/{secrets['uri']}"), ("get_prompt", secrets["prompt"]),
                ("read_resource", f"handeye://{secrets['uri']}")]:
        with pytest.raises(Exception):
            session.ask(*ask)
    log = logged(tmp_path / NAME, "ax_key_press")
    session.close()
    log = text(tmp_path / NAME)
    assert "TRACE" in log and "DEBUG" in log
    assert [name for name, secret in secrets.items() if secret in log] == []


def test_peekaboo_1_1_2_II_A_7_a_command_logs_to_standard_error(desktop, tmp_path):
    def run(**more):
        env = {**desktop.env, "HANDEYE_LOG_FILE": "", "XDG_STATE_HOME": str(tmp_path), **more}
        result = history.run([BINARY, "apps"], env=env, capture_output=True, text=True, timeout=60, check=True)
        return result.stderr
    assert run() == "", "warnings and errors alone, when nobody says otherwise"
    assert "handeye::audit" in run(HANDEYE_LOG_LEVEL="info")
    assert os.listdir(tmp_path) == [], "no file"


def test_a_wrong_level_is_told_and_the_default_holds(serve, tmp_path):
    serve(HANDEYE_LOG_LEVEL="handeye=loud").do("ax_list_apps")
    assert "is not a log filter" in logged(tmp_path / NAME)

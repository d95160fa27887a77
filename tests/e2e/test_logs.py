"""Logs of a server: Peekaboo 1.1.2, sections I.B.4 and 5; and what must never stand in them."""

import base64
import os
import re
import subprocess

import pytest

from support import BINARY, wait_for
from support.provider import KEYS, Provider
from support.session import Session

MIB = 1024 * 1024
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z \[(\d+)\] +(ERROR|WARN|INFO|DEBUG|TRACE) ")


def text(path):
    """What a file says, or nothing where there is none."""
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
        # An empty variable is none.
        env = {**desktop.env, "HANDEYE_LOG_FILE": "", "TMPDIR": str(tmp_path), **more}
        sessions.append(Session(env, log=str(tmp_path / "stderr")))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()


def logged(path, what="handeye::audit"):
    """Waits until the log says something, and returns the log."""
    return wait_for(f"{path} to have {what}", lambda: what in text(path) and text(path))


def test_peekaboo_1_1_2_I_B_4_the_default_is_a_file_in_the_temporary_folder(serve, tmp_path):
    session = serve()
    session.do("ax_list_apps")
    path = tmp_path / "handeye-mcp.log"
    log = logged(path)
    assert LINE.match(log) and f"[{session.process}]" in log
    assert "ax_list_apps" in log
    assert path.stat().st_mode & 0o777 == 0o600
    assert text(tmp_path / "stderr") == "", "nothing goes to standard error"


@pytest.mark.parametrize("variable", ["HANDEYE_LOG_FILE", "PEEKABOO_LOG_FILE"])
def test_peekaboo_1_1_2_I_B_5_the_path_is_a_variable_and_its_folder_is_made(serve, tmp_path, variable):
    path = tmp_path / "made" / "on the way" / "server.log"
    serve(**{variable: str(path)}).do("ax_list_apps")
    logged(path)
    assert not (tmp_path / "handeye-mcp.log").exists()


@pytest.mark.parametrize("variable", ["HANDEYE_LOG_LEVEL", "PEEKABOO_LOG_LEVEL", "AXTERMINATOR_LOG_LEVEL"])
@pytest.mark.parametrize("level,heard", [("trace", {"INFO", "DEBUG"}), ("info", {"INFO"}), ("warn", set()), ("fatal", set())])
def test_peekaboo_1_1_2_I_B_4_the_level_is_a_variable(serve, tmp_path, variable, level, heard):
    session = serve(**{variable: level})
    session.do("ax_list_apps")
    session.call("ax_get_tree", app="no-such-app")
    path = tmp_path / "handeye-mcp.log"
    if heard:
        logged(path)
    session.close()
    levels = {match[1] for match in LINE.findall(text(path))}
    assert heard <= levels and ("DEBUG" in levels) == ("DEBUG" in heard) and ("INFO" in levels) == ("INFO" in heard)


@pytest.mark.parametrize("variable", ["HANDEYE_CONSOLE_LOGGING", "PEEKABOO_CONSOLE_LOGGING", "PEEKABOO_MCP_CONSOLE_LOGGING"])
def test_peekaboo_1_1_2_I_B_4_the_console_is_added_where_it_is_asked_for(serve, tmp_path, variable):
    serve(**{variable: "true"}).do("ax_list_apps")
    logged(tmp_path / "stderr")
    logged(tmp_path / "handeye-mcp.log")


def test_a_client_that_never_reads_standard_error_holds_no_call_up(desktop, tmp_path):
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)
        # Full: whoever writes to it waits.
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


def test_a_link_in_a_shared_folder_is_not_followed(serve, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "handeye-mcp.log").symlink_to(victim)
    serve().do("ax_list_apps")
    logged(tmp_path / f"handeye-mcp-{os.geteuid()}.log")
    assert victim.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_written_to(serve, tmp_path):
    foreign = tmp_path / "handeye-mcp.log"
    foreign.write_text("theirs")
    os.chown(foreign, 65534, 65534)
    foreign.chmod(0o666)
    serve().do("ax_list_apps")
    logged(tmp_path / f"handeye-mcp-{os.geteuid()}.log")
    assert foreign.read_text() == "theirs"


def is_new(path, turn):
    return path.exists() and f"turn {turn} " not in text(path)


def writes(servers, path):
    return all(f"[{server.process}]" in text(path) for server in servers)


def test_a_full_log_is_put_aside_and_three_are_kept(serve, tmp_path):
    path = tmp_path / "handeye-mcp.log"
    servers = [serve(), serve()]
    for turn in range(5):
        with open(path, "a", encoding="utf-8") as log:
            log.write(f"turn {turn} " + "x" * 4 * MIB + "\n")
        for server in servers:
            server.do("ax_list_apps")
        # The full file has lines of both too, from the turn before.
        wait_for("both servers to write the new file", lambda: is_new(path, turn) and writes(servers, path))
    kept = sorted(name for name in os.listdir(tmp_path) if name.startswith("handeye-mcp.log"))
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
    path = tmp_path / "handeye-mcp.log"
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
            logged(tmp_path / "handeye-mcp.log", '"analyze"')
            session.close()
            file = base64.b64encode(shot.read_bytes()).decode()
            for path in (tmp_path / "handeye-mcp.log", tmp_path / "stderr"):
                log = text(path)
                assert "TRACE" in log or "DEBUG" in log, f"{path} has no details at all"
                hidden = {"what was typed": typed, "what was set": value, "a password": secret, "a question": question,
                          "an answer": provider.answer, "a key": KEYS["openai"], "another key": KEYS["anthropic"],
                          "a picture in an answer": picture[:64], "a picture for a model": file[:64],
                          "the head of a PNG": "iVBORw0KGgo", "the head of a JPEG": "/9j/4AAQ", "a header": "Bearer "}
                assert [what for what, said in hidden.items() if said in log] == [], path
    finally:
        provider.stop()


def test_peekaboo_1_1_2_II_A_7_a_command_logs_to_standard_error(desktop, tmp_path):
    def run(**more):
        env = {**desktop.env, "HANDEYE_LOG_FILE": "", "TMPDIR": str(tmp_path), **more}
        result = subprocess.run([BINARY, "apps"], env=env, capture_output=True, text=True, timeout=60, check=True)
        return result.stderr
    assert run() == "", "warnings and errors alone, when nobody says otherwise"
    assert "handeye::audit" in run(HANDEYE_LOG_LEVEL="info")
    assert os.listdir(tmp_path) == [], "no file"


def test_a_wrong_level_is_told_and_the_default_holds(serve, tmp_path):
    serve(HANDEYE_LOG_LEVEL="handeye=loud").do("ax_list_apps")
    assert "is no log filter" in logged(tmp_path / "handeye-mcp.log")

"""Scripts: approved by a person who has read the whole, ended with all that they start, as /proc shows it."""

import contextlib
import os
import signal
import subprocess
import time

import pytest

from support import BINARY, history, wait_for
from support.people import MODERN, Asked, accept, decline
from support.terminal import Terminal

ON = ["--tools", "ax_run_script"]
REFUSED, NO_PERSON = 5, 9


@pytest.fixture
def asked(desktop):
    """Makes clients whose person answers, and ends them."""
    clients = []

    def make(answers, revision="2025-11-25", env=None):
        clients.append(Asked({**desktop.env, **(env or {})}, revision, ON, answers=answers))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def mark(tmp_path):
    """A folder that no other test has: what runs there is this test's."""
    return tmp_path


def processes(folder):
    """The processes that began in this folder, or are in it."""
    found = {}
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{process}/cwd") == str(folder):
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    found[int(process)] = file.read()
    return found


def run(client, script, folder, **more):
    """Runs a script; returns the result of the call."""
    return client.call("ax_run_script", script=script, cwd=str(folder), **more)["result"]


def fields(result):
    """The fields of a script that ran."""
    assert not result.get("isError"), result
    return result["structuredContent"]


def error(result):
    """The error of a call that failed."""
    assert result["isError"], result
    return result["structuredContent"]["error"]


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25", MODERN])
def test_a_yes_runs_it_once(asked, mark, revision):
    client = asked(accept(approve=True), revision)
    script = "echo out; echo err >&2; cat; pwd; echo x >> made; exit 3"
    result = fields(run(client, script, mark))
    assert (result["exit_code"], result["stderr"]) == (3, "err\n")
    assert result["stdout"] == f"out\n{mark}\n", "standard input is empty"
    assert (mark / "made").read_text() == "x\n"
    [question] = client.questions
    params = question["params"]
    assert params["message"].startswith("Review this shell script before execution.") and params["message"].endswith(script)
    assert params["requestedSchema"] == {
        "type": "object", "required": ["approve"],
        "properties": {"approve": {"type": "boolean", "title": "Execute this script?", "default": False},
                       "timeout_seconds": {"type": "integer", "title": "Timeout (seconds)", "default": 10, "minimum": 1,
                                           "maximum": 60}}}


def test_without_a_yes_nothing_runs(asked, desktop, mark):
    for answers in (decline(), accept(approve=False), accept()):
        client = asked(answers)
        assert error(run(client, "touch made", mark))["code"] in ("declined", "invalid_parameter")
    client = Asked(desktop.env, "2025-11-25", ON, capabilities={})
    try:
        assert error(run(client, "touch made", mark))["code"] == "blocked"
    finally:
        client.close()
    assert os.listdir(mark) == []


def test_administrators_rights_are_asked_about_first(asked, mark):
    client = asked({"elicitation/create": lambda params: {"action": "accept", "content": {
        name: True for name in params["requestedSchema"]["properties"] if name in ("proceed", "approve")}}}, MODERN)
    assert fields(run(client, "command -v sudo; touch made", mark))["exit_code"] == 0
    asked_for = [next(iter(question["params"]["requestedSchema"]["properties"])) for question in client.questions]
    assert asked_for == ["proceed", "approve"]
    client = asked(accept(proceed=False))
    assert error(run(client, "sudo touch other", mark))["code"] == "declined"
    assert os.listdir(mark) == ["made"]


@pytest.mark.parametrize("script", [
    "trap '' TERM HUP INT; while :; do sleep 1; done",
    "for i in 1 2 3; do (trap '' TERM; while :; do sleep 1; done) & done; wait",
    "setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' & sleep 60",
    "(setsid sh -c '(env -i sleep 61 &) ; env -i sleep 62' >/dev/null 2>&1 </dev/null &); sleep 60",
    "while :; do echo yes; done",
    "yes >&2",
    "kill -STOP $$",
], ids=["ignores", "forks", "session", "double", "prints", "errors", "stops"])
def test_the_deadline_ends_all_of_it(asked, mark, script):
    client = asked(accept(approve=True))
    began = time.monotonic()
    problem = error(run(client, script, mark, timeout_ms=700))
    assert problem["code"] == "script_timeout" and "700 ms" in problem["message"], problem
    assert time.monotonic() - began < 15
    assert processes(mark) == {}


def test_what_is_left_running_is_ended_and_counted(asked, mark):
    client = asked(accept(approve=True))
    began = time.monotonic()
    daemon = "(setsid sleep 300 >/dev/null 2>&1 </dev/null &) ; sleep 301 & echo started"
    result = fields(run(client, daemon, mark))
    assert (result["exit_code"], result["stdout"], result["left_running"]) == (0, "started\n", 2)
    assert time.monotonic() - began < 10 and processes(mark) == {}


def test_a_long_output_is_counted_and_does_not_stop_the_script(asked, mark):
    client = asked(accept(approve=True))
    result = run(client, "head -c 3000000 /dev/zero | tr '\\0' x; printf done >&2", mark)
    assert (fields(result)["stdout_bytes"], fields(result)["stderr"]) == (3_000_000, "done")
    assert "stdout" not in fields(result)
    text = result["content"][0]["text"]
    assert "[left out: 2994000 of 3000000 bytes]" in text and len(text) < 10_000


def test_an_end_by_a_signal_and_an_unknown_program_are_reported(asked, mark):
    client = asked(accept(approve=True))
    result = fields(run(client, "kill -9 $$", mark))
    assert result["signal"] == 9 and "exit_code" not in result
    result = fields(run(client, "no-such-program", mark))
    assert result["exit_code"] == 127 and "not found" in result["stderr"]


def test_no_key_and_no_setting_reaches_it(asked, desktop, mark):
    client = asked(accept(approve=True), env={"ANTHROPIC_API_KEY": "sk-1", "HANDEYE_AI_TIMEOUT": "9", "OTHER_TOKEN": "t"})
    printed = fields(run(client, "env", mark))["stdout"]
    for secret in ("sk-1", "HANDEYE_AI", "OTHER_TOKEN"):
        assert secret not in printed
    assert f"DISPLAY={desktop.env['DISPLAY']}\n" in printed and "DBUS_SESSION_BUS_ADDRESS=" in printed


def test_a_script_that_attacks_its_watcher_leaves_nothing(asked, mark):
    client = asked(accept(approve=True))
    for attack in ("kill -9 $PPID; sleep 300", "setsid sleep 300 & kill -9 $PPID; sleep 301"):
        assert error(run(client, attack, mark))["code"] == "action_failed"
        assert processes(mark) == {}


def test_nothing_outlives_the_server_or_a_cancelled_call(asked, mark):
    client = asked(accept(approve=True))
    number = client.send("tools/call", name="ax_run_script", arguments={
        "script": "setsid sleep 300 & sleep 301", "cwd": str(mark), "timeout_ms": 50_000})
    question = client.question()
    client.write({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"approve": True}}})
    wait_for("the script to run", lambda: len(processes(mark)) >= 3)
    client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    wait_for("the script to end", lambda: processes(mark) == {})
    client.send("tools/call", name="ax_run_script", arguments={
        "script": "setsid sleep 300 & sleep 301", "cwd": str(mark), "timeout_ms": 50_000})
    question = client.question()
    client.write({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"approve": True}}})
    wait_for("the script to run", lambda: len(processes(mark)) >= 3)
    os.kill(client.process.pid, signal.SIGKILL)
    wait_for("the script to end", lambda: processes(mark) == {})


def test_bad_input_is_explained_and_nobody_is_asked(asked, mark):
    client = asked(accept(approve=True))
    for script, more, code in [("", {}, "invalid_parameter"), (" \n", {}, "invalid_parameter"), ("x" * 1_000_000, {}, "too_large"),
                               ("a\x1b[8m", {}, "invalid_parameter"), ("x", {"language": "jxa"}, "not_supported"),
                               ("x", {"timeout_ms": 0}, "invalid_parameter"), ("x", {"timeout_ms": 10**9}, "invalid_parameter")]:
        assert error(run(client, script, mark, **more))["code"] == code, script[:20]
    assert error(client.call("ax_run_script", script="x", cwd="/no/such")["result"])["code"] == "invalid_parameter"
    assert client.questions == []


def test_it_is_off_unless_it_is_named(desktop):
    for arguments, is_on in [([], False), (["--toolsets", "all"], False), (["--toolsets", "default,script"], True), (ON, True),
                             ([*ON, "--toolsets", "find", "--read-only"], False)]:
        client = Asked(desktop.env, "2025-11-25", arguments)
        try:
            tools = {tool["name"] for tool in client.receive(client.send("tools/list"))["result"]["tools"]}
        finally:
            client.close()
        assert ("ax_run_script" in tools) == is_on, arguments


def test_a_command_asks_at_its_terminal_and_shows_the_lines(desktop, mark):
    terminal = Terminal(desktop.env, "script", "echo one\necho two > made", "--cwd", str(mark))
    shown = terminal.until("[y/N] ")
    assert "\n\necho one\necho two > made\n" in shown
    terminal.type("y\n")
    terminal.until("Timeout (seconds)")
    terminal.type("\n")
    assert terminal.end() == 0, terminal.shown
    assert (mark / "made").read_text() == "two\n" and "stdout:\none" in terminal.shown
    terminal.close()
    piped = history.run([BINARY, "script", "touch other"], env=desktop.env, stdin=subprocess.DEVNULL, capture_output=True,
                        text=True, timeout=60, check=False)
    assert piped.returncode == NO_PERSON and "blocked" in piped.stderr
    terminal = Terminal(desktop.env, "script", "exit 4", "--cwd", str(mark))
    terminal.until("[y/N] ")
    terminal.type("y\n")
    terminal.until("Timeout (seconds)")
    terminal.type("\n")
    assert terminal.end() == REFUSED and "Exit code 4" in terminal.shown
    terminal.close()

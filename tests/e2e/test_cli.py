"""The command line as a shell uses it: what it prints, in which format, and how it ends."""

import json
import os
import pty
import re
import shlex
import subprocess
import time

import pytest

from support import BINARY, PATIENCE, history, quick_once, wait_for

OK, USAGE, NO_APP, NO_ELEMENT, REFUSED, IMPOSSIBLE, LATE = 0, 2, 3, 4, 5, 6, 7


@pytest.fixture
def handeye(desktop):
    """Runs handeye in the desktop: (exit code, standard output, standard error)."""
    def run(*words, env=None):
        result = history.run([BINARY, *words], env={**desktop.env, **(env or {})}, capture_output=True, text=True,
                             timeout=60, check=False, stdin=subprocess.DEVNULL)
        return result.returncode, result.stdout, result.stderr
    return run


@pytest.fixture
def ok(handeye):
    """The same where it has to succeed: standard output."""
    def run(*words):
        code, output, errors = handeye(*words)
        assert code == OK, f"{words} ended with {code}: {output}{errors}"
        return output
    return run


def test_apps(ok, gtk3):
    assert "fixture-gtk3" in ok("apps")
    listed = json.loads(ok("apps", "--format", "json"))
    apps = listed["apps"] if isinstance(listed, dict) else listed
    assert int(gtk3.app) in [app["pid"] for app in apps]
    assert ok("apps", "--format", "quiet") == ""


def test_windows(ok, gtk3):
    assert gtk3.title in ok("windows", "--app", gtk3.app)
    assert gtk3.title in json.dumps(json.loads(ok("windows", "--format", "json")))


def test_tree(ok, gtk3):
    outline = ok("tree", "--app", gtk3.app, "--depth", "20")
    assert re.search(r'- button "Count"', outline), outline
    assert "\x1b" not in outline, "a pipe gets no colours"
    shallow = ok("tree", "--app", gtk3.app, "--depth", "1")
    assert len(shallow) < len(outline)
    json.loads(ok("tree", "--app", gtk3.app, "--format", "json"))


def on_terminal(desktop, words, **env):
    """What a command writes to a terminal."""
    reader, terminal = pty.openpty()
    child = subprocess.Popen([BINARY, *words], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                             env={**desktop.env, "TERM": "xterm-256color", **env})
    os.close(terminal)
    output = b""
    while True:
        try:
            part = os.read(reader, 65536)
        except OSError:  # how a terminal says that the other side is closed
            break
        if not part:
            break
        output += part
    os.close(reader)
    child.wait(PATIENCE)
    return output


def test_colours_only_on_a_terminal(desktop, gtk3):
    words = ["tree", "--app", gtk3.app]
    assert b"\x1b[" in on_terminal(desktop, words)
    assert b"\x1b[" not in on_terminal(desktop, words, NO_COLOR="1")


@pytest.mark.parametrize("alone", [[], ["--no-daemon"]], ids=["by the daemon", "alone"])
def test_a_person_sees_that_a_command_waits(desktop, handeye, gtk3, alone):
    words = ["wait", "--app", gtk3.app, "--poll-ms", "2500", *alone]
    seen = on_terminal(desktop, words)
    waits, _, answer = seen.rpartition(b"\r\x1b[K")
    assert b"Waiting for 1 s" in waits and b"Waiting" not in answer and answer.strip(), seen
    assert not handeye(*words)[2], "a pipe gets the answer alone"


def test_find(handeye, ok, gtk3):
    assert "Count" in ok("find", "role:button Count", "--app", gtk3.app)
    found = json.loads(ok("find", "Name", "--app", gtk3.app, "--format", "json"))
    assert found["found"] is True and found["role"] == "textbox"
    code, output, errors = handeye("find", "No such element", "--app", gtk3.app)
    assert code == NO_ELEMENT and output == "" and errors
    code, output, errors = handeye("find", "No such element", "--app", gtk3.app, "--format", "quiet")
    assert (code, output, errors) == (NO_ELEMENT, "", "")


def test_click_type_set_value_key(ok, gtk3):
    ok("click", "role:button Count", "--app", gtk3.app)
    gtk3.wait("count", 1)
    ok("type", "from the shell é", "--app", gtk3.app, "--element", "Name")
    gtk3.wait("name", "from the shell é")
    assert "from the shell é" in ok("get", "Name", "--app", gtk3.app)
    ok("set-value", "role:slider Volume", "61", "--app", gtk3.app)
    gtk3.wait("volume", 61)
    ok("click", "role:button Multi", "--app", gtk3.app, "--click-type", "double", "--mode", "focus")
    gtk3.wait("double", 1)
    ok("key", "ctrl+k", "--app", gtk3.app, "--mode", "focus")
    gtk3.wait("chord", "ctrl+k")
    ok("scroll", "down", "--app", gtk3.app, "--element", "role:listbox Items", "--mode", "focus")
    ok("wait", "--app", gtk3.app)
    assert "Count" in ok("attributes", "role:button Count", "--app", gtk3.app)


def test_screenshot(ok, desktop, gtk3):
    path = desktop.path("shot.png")
    ok("screenshot", "--app", gtk3.app, "--output", path)
    with open(path, "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    assert "PNG" in desktop.run(["identify", path])


@pytest.mark.parametrize("words,code", [
    (["find", "x", "--app", "no-such-app"], NO_APP),
    (["find", "//[", "--strategy", "xpath", "--app", "{app}"], USAGE),
    (["find", "--app", "{app}"], USAGE),
    (["frobnicate"], USAGE),
    (["apps", "--format", "yaml"], USAGE),
    (["click", "No such element", "--app", "{app}"], NO_ELEMENT),
])
def test_exit_codes(handeye, gtk3_shared, words, code):
    ended, output, errors = handeye(*[word.format(app=gtk3_shared.app) for word in words])
    assert ended == code, (output, errors)
    assert output == "" and errors.strip(), "errors go to standard error"


def test_errors_as_json(handeye, gtk3_shared):
    code, output, _ = handeye("find", "x", "--app", "no-such-app", "--format", "json")
    assert code == NO_APP
    assert json.loads(output)["error"]["code"] == "app_not_found"


def test_a_script_makes_the_calls_of_an_error(handeye, gtk3_shared):
    code, output, _ = handeye("get", "No such element", "--app", gtk3_shared.app, "--format", "json")
    error = json.loads(output)["error"]
    assert code == NO_ELEMENT and error["next_calls"], error
    for call in error["next_calls"]:
        flags = [word for name, value in call["arguments"].items() for word in (f"--{name}", str(value))]
        code, output, errors = handeye(call["command"], *flags)
        assert code == OK and gtk3_shared.title in output, (call, output, errors)


def test_no_display(handeye):
    code, _, errors = handeye("screenshot", "--output", "/dev/null", env={"DISPLAY": ":9999"})
    assert code == IMPOSSIBLE
    assert "display" in errors.lower()


def test_check(ok):
    assert ok("check").strip()
    assert json.loads(ok("check", "--format", "json"))["enabled"] is True


def test_doctor(ok, handeye, desktop):
    # Each probe has 400 ms, which a busy machine may overrun: then it is reported as failed.
    wait_for("a doctor that finds all well", lambda: handeye("doctor")[0] == OK)

    def seconds():
        start = time.monotonic()
        code, report, _ = handeye("doctor", "--format", "json")
        took = time.monotonic() - start
        assert json.loads(report)
        return took if code == OK else None
    quick_once("doctor, which promises 500 ms,", 1.0, seconds, tries=20)
    assert "accessib" in handeye("doctor")[1].lower()
    code, output, errors = handeye("doctor", env={"DISPLAY": ":9999"})
    assert code == IMPOSSIBLE or "fail" in (output + errors).lower()


def test_a_users_shell_runs_nothing_of_its_own_for_a_keeper(desktop, tmp_path):
    """A keeper is started by a shell where a file is inherited that has to be closed: `(flock 9; handeye doctor) 9>lock`."""
    ran = tmp_path / "ran"
    (tmp_path / ".bashrc").write_text(f"touch {ran}\n", encoding="utf-8")
    held, inherited = os.pipe()
    env = {**desktop.env, "HOME": str(tmp_path), "BASH_ENV": str(tmp_path / ".bashrc")}

    def tries_a_seat():
        done = history.run([BINARY, "doctor", "--format", "json"], env=env, capture_output=True, text=True, timeout=PATIENCE,
                           check=False, stdin=subprocess.DEVNULL, pass_fds=[inherited])
        return any(probe["name"] == "agent_seat" and probe["status"] == "ok" for probe in json.loads(done.stdout)["probes"])
    try:
        # Each probe has 400 ms, which a busy machine may overrun.
        wait_for("a doctor that tries a seat", tries_a_seat)
    finally:
        os.close(inherited)
        os.close(held)
    assert not ran.exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions(ok, shell):
    script = ok("completions", shell)
    assert "handeye" in script and "screenshot" in script


@pytest.mark.parametrize(("words", "is_offered"), [
    (["--app", ""], True), (["--app", "fixture-g"], True), (["--app", "fixture\\-g"], True), (["--app", "nothing-"], False),
    # As bash splits --app= and --app=fixture.
    (["--app", "="], True), (["--app", "=", "fixture"], True)])
def test_bash_completes_applications(desktop, gtk3, words, is_offered):
    """What bash offers after `--app`, in the place of a person who presses Tab."""
    typed = " ".join(shlex.quote(word) for word in words)
    script = f"""
        export PATH={os.path.dirname(BINARY)}:$PATH
        source <(handeye completions bash)
        COMP_WORDS=(handeye tree {typed}) COMP_CWORD={1 + len(words)}
        _handeye_or_applications handeye "${{COMP_WORDS[-1]}}" "${{COMP_WORDS[-2]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
        COMP_WORDS=(handeye tre) COMP_CWORD=1
        _handeye_or_applications handeye tre handeye
        printf 'commands: %s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], env=desktop.env, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert ("fixture-gtk3" in done.stdout.split()) == is_offered, done.stdout
    assert "commands: tree" in done.stdout and not done.stderr, done


def test_closed_pipe_is_no_fault(desktop):
    result = subprocess.run(["bash", "-c", f"{BINARY} apps --format json | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}"],
                            env=desktop.env, capture_output=True, text=True, timeout=30, check=False)
    assert "panic" not in result.stderr

"""The report of a failing test names the application with its version, handeye's, and the last calls with their answers."""

import os
import re
import subprocess

import pytest

from support import BINARY, TESTS, wait_for
from support.failure_report import TITLE
from support.history import LONGEST, MOST_CALLS, History, package_version, session_files, short

pytest_plugins = ["pytester"]

INNER = """
import subprocess, time
import pytest
from support import history, wait_for
from support.history import HISTORY
from support.wire import Wire

LOOP = "import gi; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk; print('up', flush=True); input()"

@pytest.fixture(scope="module")
def app():
    words = ["/usr/bin/python3", "-c", LOOP, "the program"]
    child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    HISTORY.started(words, child)
    assert child.stdout.readline() == b"up\\n"
    yield child
    child.communicate(b"\\n")

def test_before(app):
    history.run([history.BINARY, "--version"], check=True, stdout=subprocess.DEVNULL)

def test_of_the_protocol(app, tmp_path):
    server = Wire({"PATH": "/usr/bin", "HOME": str(tmp_path), "HANDEYE_LOG_FILE": "/dev/null"})
    server.initialize()
    server.call("ax_click", app="nobody at all", query="x" * 5_000)
    server.close()
    assert False

def test_of_commands(app):
    for _ in range(20):
        history.run([history.BINARY, "--version"], check=True, capture_output=True)
    done = history.run([history.BINARY, "no-such-command"], capture_output=True, text=True)
    assert done.returncode == 0
"""


@pytest.fixture
def reports(pytester):
    """What pytest prints for each failing test of INNER, below the title of the report."""
    pytester.makepyfile(INNER)
    environment = {"PYTHONPATH": f"{TESTS}:{TESTS / 'e2e'}", "HANDEYE_BINARY": BINARY}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        result = pytester.runpytest_subprocess("-p", "support.failure_report", "-p", "no:xdist", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=2)
    text = re.sub(r"\x1b\[[\d;]*m", "", result.stdout.str())
    found = re.split(rf"-+ {TITLE} -+\n", text)[1:]
    assert len(found) == 2, text
    return [re.split(r"\n[_=]{5,}", each)[0] for each in found]


def test_a_failure_names_what_was_under_test_and_what_was_sent(reports):
    of_protocol, of_commands = reports
    for report in reports:
        assert re.search(r"^handeye: handeye \d+\.\d+\.\d+ at commit [0-9a-f]{12}", report, re.M), report
        application = next(line for line in report.splitlines() if line.startswith("application: "))
        assert "the program" in application and "started before this test" in application, application
        assert re.search(r"python3\.\d+-minimal 3\.\d", application) and re.search(r"libgtk-3-0\S* 3\.\d", application), application
    assert "calls: 2" in of_protocol and "ax_click" in of_protocol and "nobody at all" in of_protocol, of_protocol
    assert "characters…" in of_protocol and "x" * LONGEST not in of_protocol, "long arguments are cut, and that shows"
    assert re.search(r"ax_click.*\n +\d+\.\d\d s: .*isError", of_protocol), of_protocol
    assert "--version" not in of_protocol, "calls of the test before"
    assert f"calls: 21, the last {MOST_CALLS}:" in of_commands and of_commands.count("$ handeye") == MOST_CALLS, of_commands
    assert re.search(r"\$ handeye no-such-command\n +\d+\.\d\d s: exit code 2: .*no-such-command", of_commands), of_commands


def test_a_call_without_an_answer_shows_as_such():
    history = History()
    history.call("ax_find", {"app": "x"})
    assert re.search(r'ax_find \{"app": "x"\}\n +no answer after \d', history.text())


def test_an_application_that_the_test_itself_ended_keeps_its_version():
    history = History()
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    history.started(["a-script-that-starts-it"], child)
    wait_for("sleep to run", lambda: "/sleep" in "".join(session_files(child.pid)))
    history.ending(child)
    child.kill()
    child.wait()
    assert re.search(r"^application: a-script-that-starts-it \(ended with -9\): coreutils \d", history.text(), re.M), history.text()


def test_what_is_shown_is_one_short_line():
    assert short({"text": "a\nb"}) == '{"text": "a\\nb"}' and short("a\nb") == "a⏎b"
    assert short("\ud800") == "\\ud800"
    long = short("a" * 5_000 + "b" * 100)
    assert len(long) < LONGEST + 60 and "[…4700 characters…]" in long and long.endswith("b" * 100)
    assert package_version("/no/such/file") == "/no/such/file"
    assert package_version(os.path.realpath("/usr/bin/python3")).startswith("python3")

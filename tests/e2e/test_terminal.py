"""Questions to the person at the terminal of a command, with the daemon and without it; the application says what was done."""

import os
import re
import signal
import subprocess
import time

import pytest

from support import BINARY, applications, history, wait_for
from support.terminal import Terminal

OK, NO_APP, LATE, CANCELLED, REFUSED, AMBIGUOUS = 0, 3, 7, 8, 9, 10
YES_OR_NO, DELETE = "[y/N] ", "Delete All Data"


class Commands:
    """Commands of one kind on a desktop: each by itself, or all with its daemon."""

    def __init__(self, desktop, shares):
        self.shares, self.terminals = shares, []
        self.env = {name: value for name, value in desktop.env.items() if name != "HANDEYE_NO_DAEMON" or not shares}

    def at_terminal(self, *words, env=None, **options):
        """Starts a command at a terminal of its own."""
        self.terminals.append(Terminal({**self.env, **(env or {})}, *words, **options))
        return self.terminals[-1]

    def piped(self, *words, env=None):
        """Runs a command in a pipe: (exit code, standard output, standard error)."""
        run = history.run([BINARY, *words], env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)
        return run.returncode, run.stdout, run.stderr

    def rest(self):
        """Waits until the daemon works on nothing."""
        if self.shares:
            wait_for("the daemon to work on nothing",
                     lambda: '"calls": 0' in self.piped("daemon", "status", "--json")[1])

    def stop(self):
        """Ends what is left."""
        for terminal in self.terminals:
            terminal.close()
        if self.shares:
            self.piped("daemon", "stop")


@pytest.fixture(params=["daemon", "alone"])
def commands(request, desktop):
    own = Commands(desktop, request.param == "daemon")
    yield own
    own.stop()


@pytest.fixture
def danger(desktop):
    app = applications.start(desktop, "danger", commands=True)
    yield app
    app.stop()


def answered(terminal, *lines):
    """Types lines, each after a prompt of its own; returns the exit code and all that was shown."""
    for count, line in enumerate(lines, 1):
        terminal.until(YES_OR_NO, times=count)
        terminal.type(line)
    return terminal.end(), terminal.shown


def saves(commands, danger):
    """What is not asked about is still done: nothing is held up by a question before."""
    before = danger.state()["saved"]
    code, _, errors = commands.piped("click", "Save", "--app", danger.app)
    assert code == OK, errors
    danger.wait("saved", before + 1)


@pytest.mark.parametrize("yes", ["y\n", "YES\n", " yes \n"])
def test_a_yes_does_it_once_and_nothing_is_done_before(commands, danger, yes):
    terminal = commands.at_terminal("click", DELETE, "--app", danger.app)
    shown = terminal.until(YES_OR_NO)
    assert f"handeye asks: This will click '{DELETE}' in " in shown
    assert "This action may be irreversible.\nConfirm destructive action? [y/N] " in shown
    assert danger.state()["deleted"] == 0
    terminal.type(yes)
    assert terminal.end() == OK, terminal.shown
    danger.wait("deleted", 1)
    assert terminal.shown.count("handeye asks:") == 1


@pytest.mark.parametrize("lines", [["n\n"], ["\n"], ["no\n"], ["\x04"], ["maybe\n", "yn\n", "yes please\n"]],
                         ids=["n", "nothing", "no", "end of input", "nonsense"])
def test_everything_else_does_nothing(commands, danger, lines):
    code, shown = answered(commands.at_terminal("click", DELETE, "--app", danger.app), *lines)
    assert code == REFUSED and "error[declined]" in shown, shown
    saves(commands, danger)
    assert danger.state()["deleted"] == 0


def test_a_wrong_answer_is_asked_for_again(commands, danger):
    code, shown = answered(commands.at_terminal("click", DELETE, "--app", danger.app), "maybe\n", "y\n")
    assert code == OK and "Please type y for yes or n for no." in shown, shown
    danger.wait("deleted", 1)


def test_what_was_typed_before_the_question_is_no_answer(commands, danger):
    terminal = commands.at_terminal("click", DELETE, "--app", danger.app)
    terminal.type("y\ny\n")
    code, shown = answered(terminal, "n\n")
    assert code == REFUSED, shown
    assert danger.state()["deleted"] == 0


def test_the_dialog_is_told_and_no_needs_nobody(commands, danger):
    danger.command(do="ask")
    code, shown = answered(commands.at_terminal("click", "role:button OK", "--app", danger.app), "n\n")
    assert code == REFUSED and "Erase everything?" in shown, shown
    terminal = commands.at_terminal("click", "role:button Cancel", "--app", danger.app)
    assert terminal.end() == OK and "handeye asks" not in terminal.shown, terminal.shown
    danger.wait("dialog", False)
    assert danger.state()["erased"] == 0


@pytest.mark.parametrize("end", ["ctrl-c", "terminate", "kill", "closed terminal"])
def test_a_command_that_ends_while_it_asks_does_nothing(commands, danger, end):
    terminal = commands.at_terminal("click", DELETE, "--app", danger.app)
    terminal.until(YES_OR_NO)
    if end == "ctrl-c":
        terminal.type("\x03")
    elif end == "terminate":
        terminal.signal(signal.SIGTERM)
    elif end == "kill":
        terminal.signal(signal.SIGKILL)
    else:
        terminal.hang_up()
    code = terminal.end()
    expected = {"kill": -signal.SIGKILL, "closed terminal": -signal.SIGHUP}.get(end, CANCELLED)
    assert code == expected, terminal.shown
    if code == CANCELLED:
        assert re.search(r"\[y/N\] (\^C)?\nerror\[cancelled\]", terminal.shown), terminal.shown
    commands.rest()
    saves(commands, danger)
    assert danger.state()["deleted"] == 0


@pytest.mark.parametrize("limit", [{"env": {"HANDEYE_ASK_TIMEOUT": "1"}}, {"words": ["--timeout", "10"]}],
                         ids=["of the question", "of the command"])
def test_nobody_answers(commands, danger, limit):
    terminal = commands.at_terminal("click", DELETE, "--app", danger.app, *limit.get("words", []), env=limit.get("env"))
    terminal.until(YES_OR_NO)
    assert terminal.end() == LATE and "error[timeout]: nobody answered the question" in terminal.shown, terminal.shown
    commands.rest()
    saves(commands, danger)
    assert danger.state()["deleted"] == 0


def test_a_command_that_is_stopped_holds_up_nobody(commands, danger):
    terminal = commands.at_terminal("click", DELETE, "--app", danger.app, env={"HANDEYE_ASK_TIMEOUT": "1"})
    terminal.until(YES_OR_NO)
    terminal.signal(signal.SIGSTOP)
    commands.rest()
    saves(commands, danger)
    # So that its own time is over too, where no daemon has kept it.
    time.sleep(1)
    terminal.signal(signal.SIGCONT)
    assert terminal.end() == LATE, terminal.shown
    assert danger.state()["deleted"] == 0


def test_a_daemon_that_is_killed_while_it_asks_does_nothing(desktop, danger):
    commands = Commands(desktop, shares=True)
    try:
        terminal = commands.at_terminal("click", DELETE, "--app", danger.app)
        terminal.until(YES_OR_NO)
        pid = re.search(r'"pid": (\d+)', commands.piped("daemon", "status", "--json")[1])[1]
        os.kill(int(pid), signal.SIGKILL)
        assert terminal.end() == 1 and "the daemon was lost" in terminal.shown, terminal.shown
        saves(commands, danger)
        assert danger.state()["deleted"] == 0
    finally:
        commands.stop()


def test_each_answer_goes_to_its_own_question(commands, desktop, danger):
    other = applications.start(desktop, "danger", commands=True)
    try:
        first, second = (commands.at_terminal("click", DELETE, "--app", app.app) for app in (danger, other))
        for terminal in (first, second):
            terminal.until(YES_OR_NO)
        second.type("y\n")
        assert second.end() == OK, second.shown
        first.type("n\n")
        assert first.end() == REFUSED, first.shown
        other.wait("deleted", 1)
        assert danger.state()["deleted"] == 0
    finally:
        other.stop()


def test_a_yes_is_for_what_was_asked_about(commands, danger):
    terminal = commands.at_terminal("click", "role:button Delete", "--app", danger.app)
    terminal.until(YES_OR_NO)
    danger.command(do="rename", name="Delete Account")
    terminal.type("y\n")
    terminal.until("'Delete Account'")
    terminal.until(YES_OR_NO, times=2)
    terminal.type("n\n")
    assert terminal.end() == REFUSED, terminal.shown
    assert danger.state()["deleted"] == 0


@pytest.fixture(scope="module")
def pair(desktop):
    """Two applications of one name, and one of a name that is much like theirs."""
    apps = [applications.start(desktop, toolkit) for toolkit in ("gtk3", "gtk3", "qt5")]
    yield apps
    for app in apps:
        app.stop()


def number_of(shown, app):
    """The number under which an application is offered."""
    return re.search(rf"^  (\d+)\) .*\(pid {app.process}\)", shown, re.MULTILINE)[1]


def test_the_person_chooses_the_application(commands, pair):
    first, second, _ = pair
    before = [app.state()["count"] for app in (first, second)]
    terminal = commands.at_terminal("click", "role:button Count", "--app", "fixture-gtk3")
    shown = terminal.until("Select application [1 to 2, Enter to cancel]: ")
    assert "handeye asks: Multiple apps match 'fixture-gtk3'. Which one?" in shown
    assert f'window "{second.title}"' in shown
    terminal.type(f"{number_of(shown, second)}\n")
    assert terminal.end() == OK, terminal.shown
    second.wait("count", before[1] + 1)
    assert first.state()["count"] == before[0]
    assert f"name it by --app {second.app}" in terminal.shown


@pytest.mark.parametrize("lines", [["\n"], ["\x04"], ["0\n", "3\n", "fixture-gtk3\n"]], ids=["nothing", "end of input", "nonsense"])
def test_nobody_is_chosen(commands, pair, lines):
    before = [app.state()["count"] for app in pair[:2]]
    terminal = commands.at_terminal("click", "role:button Count", "--app", "fixture-gtk3")
    for count, line in enumerate(lines, 1):
        terminal.until("Select application [", times=count)
        terminal.type(line)
    assert terminal.end() == REFUSED and "error[declined]" in terminal.shown, terminal.shown
    assert [app.state()["count"] for app in pair[:2]] == before


def test_peekaboos_commands_ask_too(commands, pair, tmp_path):
    picture = tmp_path / "a.png"
    app = pair[2]
    for words in (["list", "windows", "--app", "fixture"], ["image", "--app", "fixture", "--path", str(picture)]):
        code, _, errors = commands.piped(*words)
        assert code == AMBIGUOUS and app.app in errors, errors
        terminal = commands.at_terminal(*words)
        shown = terminal.until("Select application [")
        assert not picture.exists()
        terminal.type(f"{number_of(shown, app)}\n")
        assert terminal.end() == OK, terminal.shown
        assert app.title in terminal.shown.split("Select application")[1], terminal.shown
    assert picture.exists()


def test_the_person_describes_the_element(commands, pair):
    app = pair[0]
    before = app.state()["count"]
    terminal = commands.at_terminal("click", "Zyxwvut", "--app", app.app)
    terminal.until("Could not find 'Zyxwvut' in ")
    terminal.until("Alternative description [Enter to cancel]: ")
    terminal.type("role:button Count\n")
    assert terminal.end() == OK, terminal.shown
    app.wait("count", before + 1)
    terminal = commands.at_terminal("click", "Zyxwvut", "--app", app.app)
    terminal.until("Alternative description [")
    terminal.type("\n")
    assert terminal.end() == REFUSED, terminal.shown


@pytest.mark.parametrize("quiet", [
    {"words": ["--no-input"]}, {"env": {"HANDEYE_NO_INPUT": "1"}}, {"words": ["--format", "json"]}, {"words": ["--format", "quiet"]},
    {"words": ["--json-output"]}, {"owned": False},
], ids=["flag", "variable", "json", "quiet", "envelope", "not its terminal"])
def test_nobody_is_asked_who_should_not_be(commands, danger, quiet):
    words = ["click", DELETE, "--app", danger.app, *quiet.get("words", [])]
    terminal = commands.at_terminal(*words, env=quiet.get("env"), owned=quiet.get("owned", True))
    assert terminal.end() == OK, terminal.shown
    danger.wait("deleted", 1)
    assert "handeye asks" not in terminal.shown


def test_in_a_pipe_it_is_as_specified(commands, danger):
    code, output, _ = commands.piped("click", DELETE, "--app", danger.app)
    assert code == OK and "Nobody could be asked before this" in output
    danger.wait("deleted", 1)
    code, _, errors = commands.piped("click", DELETE, "--app", danger.app, env={"HANDEYE_CONFIRM": "always"})
    assert code == REFUSED and "error[blocked]" in errors, errors
    assert danger.state()["deleted"] == 1


def test_the_answer_may_go_elsewhere(commands, danger, tmp_path):
    with open(tmp_path / "answer", "wb") as answer:
        code, shown = answered(commands.at_terminal("click", DELETE, "--app", danger.app, stdout=answer), "y\n")
    assert code == OK, shown
    danger.wait("deleted", 1)
    assert (tmp_path / "answer").read_text().startswith("Clicked ") and "Clicked" not in shown


def test_where_a_person_has_to_confirm_a_terminal_is_not_enough(commands, danger):
    strict = {"HANDEYE_CONFIRM": "always"}
    terminal = commands.at_terminal("click", DELETE, "--app", danger.app, env=strict)
    assert terminal.end() == REFUSED and "error[blocked]" in terminal.shown, terminal.shown
    assert "handeye asks" not in terminal.shown
    trusted = commands.at_terminal("click", DELETE, "--app", danger.app, env={**strict, "HANDEYE_TRUST_TERMINAL": "true"})
    trusted.until(YES_OR_NO)
    assert danger.state()["deleted"] == 0
    trusted.type("y\n")
    assert trusted.end() == OK, trusted.shown
    danger.wait("deleted", 1)


def test_never_asks_nobody(commands, danger):
    terminal = commands.at_terminal("click", DELETE, "--app", danger.app, env={"HANDEYE_CONFIRM": "never"})
    assert terminal.end() == OK and "handeye asks" not in terminal.shown, terminal.shown
    danger.wait("deleted", 1)


def test_what_an_application_says_cannot_steer_the_terminal(commands, danger):
    danger.command(do="rename", name="Delete \x1b[2J\x1b]0;x\x07\u202eeverything\nConfirm? [Y/n] y")
    code, shown = answered(commands.at_terminal("click", "role:button Delete", "--app", danger.app), "n\n")
    assert code == REFUSED, shown
    question = shown.split("n\nerror[")[0]
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", question.replace("\r", "")), repr(shown)
    assert "\x1b" not in shown and question.count("\n") == 1, "a line of the application looks like one of handeye"


def test_a_missing_key_shows_where_to_get_one_and_takes_none(commands, desktop, pair, tmp_path):
    picture = tmp_path / "a.png"
    assert commands.piped("image", "--app", pair[0].app, "--path", str(picture))[0] == OK
    env = {"HANDEYE_AI_PROVIDERS": "openai/gpt-4o", "OPENAI_API_KEY": ""}
    terminal = commands.at_terminal("analyze", str(picture), "What is shown?", env=env)
    assert terminal.end() != OK
    assert re.search(r"handeye: openai needs an API key .*OPENAI_API_KEY.*\n  https://\S+\n", terminal.shown), terminal.shown
    assert "OPENAI_API_KEY is not set" in terminal.shown

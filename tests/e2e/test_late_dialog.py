"""Modal dialogs of GTK 3 that outlive the client that opened them, or open some time after its action.

GTK 3 freezes for good at the next key press if the connection on which the action was asked for is closed, or used again, before the
dialog is closed, as long as another client, here another handeye, looks at the application too.
"""

import itertools
import os
import signal
import subprocess

import pytest

from support import BINARY, PATIENCE, TESTS, applications, history, wait_for
from support.seat import keepers
from support.session import Session

_numbers = itertools.count(1)
# How long a keeper holds lines after an application went quiet, and some time for a busy machine.
QUIET = 10 + PATIENCE


@pytest.fixture
def app(desktop, client):
    title = f"Asks {next(_numbers)}"
    app = applications.Application(desktop, ["/usr/bin/python3", str(TESTS / "apps" / "late_dialog.py"), title], title)
    client.do("ax_connect", app=app.app)
    yield app
    app.stop()


def titles(desktop):
    return [title for _window, _process, title in desktop.windows()]


def still_takes_keys(desktop, app):
    """Answers the dialog by a key, as a user does, and types."""
    dialog, *_ = desktop.window("Question")
    wait_for("the dialog to have the focus", lambda: desktop.active_window() == dialog)
    desktop.run(["xdotool", "key", "Escape"])
    wait_for("the dialog to close", lambda: "Question" not in titles(desktop))
    wait_for("the window to have the focus", lambda: desktop.active_window() == app.window)
    desktop.run(["xdotool", "key", "a"])
    wait_for("the key to arrive", lambda: f"{app.title}: a" in titles(desktop))


def end(client, how):
    if how == "end of input":
        client.close()
        return
    os.kill(client.process, getattr(signal, how))
    wait_for("the server to end", lambda: ended(client.process))
    try:
        client.close()
    except BaseException:  # noqa: BLE001, S110: the server is gone, which the client may complain of
        pass


def ended(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "end of input"])
@pytest.mark.parametrize("button", ["At once", "Later", "Slow"])
def test_a_server_that_ends_leaves_the_application_alive(desktop, app, button, how):
    client = Session(desktop.env)
    client.call("ax_click", app=app.app, query=f'button "{button}"')
    if button == "At once":
        desktop.window("Question")
    end(client, how)
    still_takes_keys(desktop, app)
    wait_for("the keeper to end", lambda: not keepers(desktop), QUIET)
    desktop.run(["xdotool", "key", "b"])
    wait_for("the key to arrive", lambda: f"{app.title}: ab" in titles(desktop))


@pytest.mark.parametrize("button", ["At once", "Later", "Slow"])
def test_a_command_leaves_the_application_alive(desktop, app, button):
    history.run([BINARY, "click", f'button "{button}"', "--app", app.app], env=desktop.env, check=False, timeout=60,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    still_takes_keys(desktop, app)
    wait_for("the keeper to end", lambda: not keepers(desktop), QUIET)


@pytest.mark.parametrize("button", ["Later", "Slow"])
def test_actions_after_a_late_dialog_are_answered(desktop, app, button):
    """The connection that the dialog blocks is not used for what is done in it."""
    client = Session(desktop.env)
    try:
        client.call("ax_click", app=app.app, query=f'button "{button}"')
        desktop.window("Question")
        client.do("ax_click", app=app.app, query='button "Cancel"')
        wait_for("the dialog to close", lambda: "Question" not in titles(desktop))
        client.call("ax_click", app=app.app, query=f'button "{button}"')
        still_takes_keys(desktop, app)
    finally:
        client.close()


def test_a_keeper_ends_with_the_application(desktop, app):
    # Those of the tests before hold their lines for some time.
    wait_for("other keepers to end", lambda: not keepers(desktop), QUIET)
    client = Session(desktop.env)
    client.call("ax_click", app=app.app, query='button "At once"')
    desktop.window("Question")
    end(client, "SIGKILL")
    assert len(keepers(desktop)) == 1
    app.stop()
    wait_for("the keeper to end", lambda: not keepers(desktop), 8)

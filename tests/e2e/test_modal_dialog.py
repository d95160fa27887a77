"""A modal dialog that an action opens. GTK 3 freezes for good if the connection behind it is used again, or closed, and a key is pressed."""

import os
import signal
import subprocess

import pytest

from support import BINARY, history, wait_for
from support.desktop import Desktop
from support.session import Session


@pytest.fixture
def desktop():
    desktop = Desktop()
    desktop.start(["mousepad", "--disable-server"], "mousepad")
    desktop.window("Mousepad")
    yield desktop
    desktop.stop()


def save_as(desktop):
    """Waits until the dialog is there and keys go to it."""
    window, *_ = desktop.window("Save As")
    wait_for("the dialog to have the focus", lambda: desktop.active_window() == window)


def titles(desktop):
    """The titles of the managed windows, according to wmctrl."""
    return [title for _window, _process, title in desktop.windows()]


def test_a_server_answers_a_dialog_by_a_button_and_by_a_key(desktop):
    client = Session(desktop.env)
    try:
        for answer in (("ax_click", {"query": "button Cancel"}), ("ax_key_press", {"key": "escape", "mode": "focus"})):
            client.do("ax_click", app="mousepad", query='menuitem "Save As..."')
            save_as(desktop)
            tool, arguments = answer
            client.do(tool, app="mousepad", **arguments)
            wait_for("the dialog to close", lambda: "Save As" not in titles(desktop))
        client.do("ax_key_press", app="mousepad", key="a", mode="focus")
        wait_for("the key to arrive", lambda: any(title.startswith("*") for title in titles(desktop)))
    finally:
        client.close()


def test_a_command_leaves_a_dialog_that_keys_can_answer(desktop):
    def handeye(*words):
        history.run([BINARY, *words, "--app", "mousepad"], env=desktop.env, check=True, timeout=60,
                    stdout=subprocess.DEVNULL)
    handeye("click", 'menuitem "Save As..."')
    save_as(desktop)
    handeye("key", "escape", "--mode", "focus")
    wait_for("the dialog to close", lambda: "Save As" not in titles(desktop))
    handeye("key", "a", "--mode", "focus")
    wait_for("the key to arrive", lambda: any(title.startswith("*") for title in titles(desktop)))


def test_a_server_that_is_killed_leaves_a_dialog_that_keys_can_answer(desktop):
    watcher, client = Session(desktop.env), Session(desktop.env)
    # GTK listens to keys for accessibility as long as a client is connected.
    watcher.do("ax_connect", app="mousepad")
    client.do("ax_click", app="mousepad", query='menuitem "Save As..."')
    save_as(desktop)
    os.kill(client.process, signal.SIGKILL)
    try:
        client.close()
    except BaseException:  # noqa: BLE001, S110: the server is gone, which the client may complain of
        pass
    desktop.run(["xdotool", "key", "Escape"])
    wait_for("the dialog to close", lambda: "Save As" not in titles(desktop))
    # The window manager gives the focus back a moment later.
    desktop.activate(desktop.window("Mousepad")[0])
    desktop.run(["xdotool", "key", "a"])
    wait_for("the key to arrive", lambda: any(title.startswith("*") for title in titles(desktop)))
    watcher.close()

"""What handeye holds on the seat is released when it ends, however it ends."""

import os
import signal
import subprocess

import pytest

from support import BINARY, TESTS, wait_for
from support.seat import held, keepers
from support.session import Session

# Longer than any test waits for the button, so that no drag ends by itself.
LONG = 9_500
DRAG = {"from_x": 600, "from_y": 500, "to_x": 900, "to_y": 560, "duration_ms": LONG, "mode": "focus"}


@pytest.fixture(scope="module")
def window(desktop):
    child = desktop.start(["/usr/bin/python3", str(TESTS / "apps" / "bystander.py")], "bystander")
    found = desktop.window("Bystander")
    desktop.activate(found[0])
    yield found
    child.terminate()


def ends(how, client):
    """Ends a server."""
    if how == "end of input":
        # The client gives up its call with the connection.
        client.close()
    else:
        os.kill(client.process, getattr(signal, how))


def nothing_is_held(desktop):
    wait_for("button and keys to be released", lambda: held(desktop) == (0, 0), 8)
    wait_for("the keeper to end", lambda: not keepers(desktop))


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "end of input"])
def test_a_server_that_ends_in_a_drag_releases_the_button(desktop, window, how):
    client = Session(desktop.env)
    try:
        client.start("ax_drag", app=str(window[1]), **DRAG)
        wait_for("the button to be pressed", lambda: held(desktop)[0] == 1)
        ends(how, client)
        nothing_is_held(desktop)
    finally:
        if how != "end of input":
            try:
                client.close()
            except BaseException:  # noqa: BLE001, S110: the server is gone, which the client may complain of
                pass


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_a_command_that_ends_in_a_drag_releases_the_button(desktop, window, how):
    words = [f"--{name.replace('_', '-')}={value}" for name, value in DRAG.items()]
    command = subprocess.Popen([BINARY, "drag", "--app", str(window[1]), *words], env=desktop.env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for("the button to be pressed", lambda: held(desktop)[0] == 1)
    command.send_signal(getattr(signal, how))
    command.wait(30)
    nothing_is_held(desktop)


def test_a_command_that_is_killed_while_it_types_gives_the_keys_back(desktop, window):
    before = desktop.run(["xmodmap", "-pke"])
    text = "".join(chr(0x4E00 + number) for number in range(1500))
    command = subprocess.Popen([BINARY, "type", text, "--app", str(window[1]), "--mode", "focus"], env=desktop.env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for("keys to be lent", lambda: desktop.run(["xmodmap", "-pke"]) != before)
    command.kill()
    command.wait(30)
    wait_for("the keys to be given back", lambda: desktop.run(["xmodmap", "-pke"]) == before)
    nothing_is_held(desktop)


def test_a_keeper_that_is_killed_is_replaced(desktop, window):
    client = Session(desktop.env)
    try:
        for _ in range(2):
            client.do("ax_click_at", x=700, y=520, mode="focus")
            keeper, = keepers(desktop)
            os.kill(keeper, signal.SIGKILL)
            wait_for("it to end", lambda gone=keeper: gone not in keepers(desktop))
        client.start("ax_drag", app=str(window[1]), **DRAG)
        wait_for("the button to be pressed", lambda: held(desktop)[0] == 1)
        os.kill(client.process, signal.SIGKILL)
        nothing_is_held(desktop)
    finally:
        try:
            client.close()
        except BaseException:  # noqa: BLE001, S110: the server is gone, which the client may complain of
            pass

"""What an application names as its own address: whatever is there, other calls go on, deadlines hold and the server ends when asked to."""

import os
import signal
import socket
import threading

import pytest

from support import quick_once, wait_for
from support.hostile import Hostile
from support.session import Session
from support.wire import Wire

# The end of a server that waits for nothing, on a busy machine.
END = 20


@pytest.fixture
def hostile(desktop):
    started = []
    yield lambda *kind: started.append(Hostile(desktop, *kind)) or started[-1]
    for app in started:
        app.stop()


def is_listed(client, foe):
    wait_for("the foe to be listed", lambda: any(
        str(app.get("pid")) == foe.app for app in client.do("ax_list_apps").fields["apps"]))


def is_harmless(desktop, foe, friend):
    """Connects to the foe while a friend is asked, on a server that is new: the bus has to do."""
    def friends_call():
        session = Session(desktop.env, log=desktop.path("server.log"))
        try:
            is_listed(session, foe)
            session.do("ax_find", app=friend.app, query="role:button Count")
            tree = session.start("ax_get_tree", app=foe.app)
            seconds = session.do("ax_find", app=friend.app, query="role:button Count").seconds
            answer = tree.result(40)
            assert not answer.is_error and '"Trap"' in answer.text, answer
            return seconds
        finally:
            session.close()
    quick_once("a friend's call beside the foe", 2, friends_call, tries=4)


@pytest.mark.parametrize("kind", ["full", "mute"])
def test_a_socket_that_nobody_serves_stalls_nobody(desktop, gtk3_shared, hostile, kind):
    is_harmless(desktop, hostile(kind), gtk3_shared)


@pytest.mark.parametrize("kind", ["full", "mute"])
@pytest.mark.parametrize("end", ["terminate", "end of input"])
def test_a_server_that_waits_for_an_application_ends(desktop, hostile, kind, end):
    foe = hostile(kind)
    wire = Wire(desktop.env)
    try:
        wire.initialize()
        wait_for("the foe to be listed", lambda: foe.app in str(wire.call("ax_list_apps")))
        wire.send("tools/call", name="ax_get_tree", arguments={"app": foe.app})
        wait_for("the foe to be asked for its address",
                 lambda: any(member == "GetApplicationBusAddress" for _, member in foe.calls()))
        if end == "terminate":
            wire.process.send_signal(signal.SIGTERM)
        else:
            wire.process.stdin.close()
        assert wire.process.wait(END) in (0, 143)
    finally:
        wire.process.kill()
        wire.process.wait()


def test_the_socket_of_another_process_is_not_spoken_to(desktop, gtk3_shared, hostile):
    """It would receive what is asked of the application, and could answer in its place."""
    heard = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(desktop.path("other.socket"))
    listener.listen(100)

    def accept():
        while True:
            connection, _ = listener.accept()
            heard.append(connection.recv(100))
            connection.close()
    threading.Thread(target=accept, daemon=True).start()
    is_harmless(desktop, hostile("told", f"unix:path={desktop.path('other.socket')}"), gtk3_shared)
    assert set(heard) <= {b""}, heard


@pytest.mark.parametrize("address", [
    "unixexec:path=/usr/bin/touch,argv1={folder}/touched", "tcp:host=127.0.0.1,port={port}",
    "tcp:host=127.0.0.1,port={port};unix:path={folder}/pipe", "unix:path={folder}/pipe", "unix:path={folder}/nothing",
    "unix:path={folder}", "launchd:env=HOME", "autolaunch:", "nonsense", "unix:abstract=" + "x" * 5000, "unix:path=\x01"])
def test_any_other_address_is_left_alone(desktop, gtk3_shared, hostile, address):
    folder = desktop.path("addresses")
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(f"{folder}/pipe"):
        os.mkfifo(f"{folder}/pipe")
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0)
    try:
        is_harmless(desktop, hostile("told", address.format(folder=folder, port=listener.getsockname()[1])), gtk3_shared)
        assert not os.path.exists(f"{folder}/touched"), "an application's address started a program"
        with pytest.raises(BlockingIOError):
            listener.accept()
    finally:
        listener.close()

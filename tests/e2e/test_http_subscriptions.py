"""Subscriptions over HTTP in both eras: notified on the stream that is for it and on no other, and clients that leave in the middle
leave nothing behind."""

import contextlib
import itertools
import os

import pytest

from support import wait_for
from support.http import LATEST, HttpServer
from support.listening import UPDATED, Listening
from support.updates import Flood

OLDER = "2025-11-25"
# More than there may be at once.
MANY_CLIENTS = 300
PATIENCE = 60
# Files that the server opens for itself, far fewer than clients come.
FEW = 8
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


@pytest.fixture(scope="module")
def server(desktop):
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": desktop.path("http.log")})
    yield own
    assert own.stop() == 0


@pytest.fixture(params=[OLDER, LATEST])
def speak(request, server):
    """Makes clients of one revision; their sessions end with the test."""
    speakers = []

    def make():
        speakers.append(server.speak(request.param))
        return speakers[-1]

    make.revision = request.param
    yield make
    for speaker in speakers:
        if request.param == OLDER:
            speaker.end()
        speaker.close()


@pytest.fixture
def listen():
    """Opens streams, and closes them."""
    streams = []

    def begin(*words, **options):
        streams.append(Listening(*words, **options))
        return streams[-1]

    yield begin
    for stream in streams:
        stream.drop()


class Changes:
    """Changes of an application by another party."""

    def __init__(self, app):
        self.app, self.tree = app, f"handeye://app/{app.app}/tree"
        self._numbers = itertools.count(1)

    def until_told(self, *streams):
        """Changes it until all of these are notified. One that has just begun to listen may miss the first change."""
        before = [(stream, stream.told(self.tree)) for stream in streams]

        def told():
            self.app.command(do="set_name", text=f"changed {next(self._numbers)}")
            return all(stream.told(self.tree) > count for stream, count in before)

        wait_for("an update for each", told, PATIENCE, every=1)


def files(server):
    """How many files and sockets the server has open."""
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def connections(server):
    """How many clients are connected to the server, by its own sockets."""
    own = set()
    for file in os.listdir(f"/proc/{server.process.pid}/fd"):
        with contextlib.suppress(OSError):
            own.add(os.readlink(f"/proc/{server.process.pid}/fd/{file}"))
    with open(f"/proc/{server.process.pid}/net/tcp", encoding="utf-8") as table:
        return sum(f"socket:[{line.split()[9]}]" in own for line in list(table)[1:])


def test_an_update_comes_on_the_stream_for_it(speak, listen, gtk3):
    changes = Changes(gtk3)
    subscriber, other = speak(), speak()
    stream = listen(subscriber, changes.tree)
    elsewhere = listen(other, "handeye://clipboard")
    changes.until_told(stream)
    updates = [message for message in stream.heard if message.get("method") == UPDATED]
    for update in updates:
        assert update["params"]["uri"] == changes.tree and "id" not in update, update
        if speak.revision == LATEST:
            assert update["params"]["_meta"][SUBSCRIPTION] == stream.number, update
    answer = subscriber.request("resources/read", uri=changes.tree)
    assert "changed" in answer.result["contents"][0]["text"]
    assert len(answer.messages) == 1, "nothing but the answer comes with an answer"
    assert not elsewhere.told(changes.tree)


def test_who_listens_no_more_is_told_no_more(speak, listen, gtk3):
    changes = Changes(gtk3)
    subscriber, witness = speak(), listen(speak(), changes.tree)
    stream = listen(subscriber, changes.tree)
    changes.until_told(stream, witness)
    if speak.revision == LATEST:
        stream.drop()
        assert stream.has_ended()
    else:
        assert subscriber.request("resources/unsubscribe", uri=changes.tree).result == {}
    rested = stream.told(changes.tree)
    # What was on its way has come when the witness is notified of a change after it.
    for _ in range(3):
        changes.until_told(witness)
    assert stream.told(changes.tree) <= rested + 1


def test_an_older_client_that_lost_its_stream_hears_on_the_next_one(server, listen, gtk3):
    changes = Changes(gtk3)
    subscriber = server.speak(OLDER)
    stream = listen(subscriber, changes.tree)
    changes.until_told(stream)
    stream.drop()
    gtk3.command(do="set_name", text="while nobody listens")
    changes.until_told(listen(subscriber))
    assert subscriber.end().status == 204


def test_an_older_client_goes_on_after_the_last_event_that_it_has(server, listen, gtk3):
    changes = Changes(gtk3)
    subscriber = server.speak(OLDER)
    first = listen(subscriber, changes.tree)
    wait_for("the event that begins the stream", lambda: first.names)
    first.drop()
    # Nothing that counts came before; it waits for what comes.
    second = listen(subscriber, last=first.names[0])
    changes.until_told(second)
    assert not second.has_ended()
    second.drop()
    third = listen(subscriber, last=second.names[-1])
    changes.until_told(third)
    assert subscriber.end().status == 204
    wait_for("the end of the stream", third.has_ended)


def test_the_end_of_a_session_ends_its_stream(server, listen, gtk3):
    changes = Changes(gtk3)
    subscriber, witness = server.speak(OLDER), listen(server.speak(LATEST), changes.tree)
    stream = listen(subscriber, changes.tree)
    changes.until_told(stream)
    assert subscriber.end().status == 204
    wait_for("the end of the stream", stream.has_ended)
    changes.until_told(witness)


def leave_in_the_middle(speak, listen, view, uris):
    """Some clients listen, are notified, and are gone."""
    leaving = [listen(speak(), *uris) for _ in range(4)]
    leaving[0].wait(view)
    for stream in leaving:
        stream.drop()
        stream.speaker.close()


def test_clients_that_leave_in_the_middle_leave_nothing_behind(server, speak, listen, desktop, gtk3):
    changes, flood = Changes(gtk3), Flood(desktop, speak.revision)
    views = [f"handeye://app/{flood.app}/{view}" for view in ("events", "tree", "state")]
    try:
        witness = listen(speak(), changes.tree)
        changes.until_told(witness)
        open_before = connections(server)
        leave_in_the_middle(speak, listen, views[0], views)
        wait_for("their connections to be closed", lambda: connections(server) <= open_before, PATIENCE)
        # With those to the application, which the first ones have brought about.
        before = files(server)
        for _ in range(10):
            leave_in_the_middle(speak, listen, views[0], views)
        wait_for("their connections to be closed", lambda: connections(server) <= open_before, PATIENCE)
        wait_for("their files to be closed", lambda: files(server) <= before + FEW, PATIENCE)
        changes.until_told(witness)
    finally:
        flood.stop()
    changes.until_told(listen(speak(), changes.tree))


def test_more_clients_come_and_leave_than_there_is_room_for(server, speak, listen, gtk3):
    """Each takes one of 256 places; a client that left one behind would run out of them."""
    changes = Changes(gtk3)
    witness = listen(speak(), changes.tree)
    changes.until_told(witness)
    open_before, before = connections(server), files(server)
    for _ in range(MANY_CLIENTS):
        speaker = server.speak(speak.revision)
        if speak.revision == LATEST:
            Listening(speaker, changes.tree).drop()
        else:
            # The place of one that ended is free a second later at the latest.
            wait_for("a place", lambda: "result" in speaker.request("resources/subscribe", uri=changes.tree).last)
            assert speaker.end().status == 204
        speaker.close()
    wait_for("their connections to be closed", lambda: connections(server) <= open_before, PATIENCE)
    wait_for("their files to be closed", lambda: files(server) <= before + FEW, PATIENCE)
    changes.until_told(witness, listen(speak(), changes.tree))

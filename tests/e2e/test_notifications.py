"""Notifications that applications send to the desktop are events of the application that sent them."""

import json

import pytest

from support import applications, wait_for
from support.session import Session
from support.updates import ERAS, Subscriber

SERVICE = "org.freedesktop.Notifications"


@pytest.fixture
def service(desktop):
    """Starts the service that shows notifications."""
    def owned():
        return SERVICE in desktop.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/",
                                       "--method", "org.freedesktop.DBus.ListNames"])

    child = desktop.start(["dunst"], "dunst")
    wait_for("the service of notifications", owned)
    yield child
    child.terminate()
    child.wait()
    wait_for("the end of the service", lambda: not owned())


def uri(app):
    return f"handeye://app/{app.app}/events"


def notified(client, app):
    """What the log of an application holds of notifications, as (title, text, times)."""
    content = client.read(uri(app)) if isinstance(client, Subscriber) else client.ask("read_resource", uri(app)).contents[0]
    events = json.loads(content.text)["events"]
    kept = [event for event in events if event["type"] == "notification_appeared"]
    return [(event["title"], event.get("value"), event.get("times", 1)) for event in kept]


@pytest.mark.parametrize("era", ERAS)
def test_a_subscriber_learns_of_a_notification_and_of_whom_it_is(desktop, service, gtk3, era):
    other = applications.start(desktop, "gtk3", commands=True)
    client = Subscriber(desktop.env, era)
    try:
        assert notified(client, gtk3) == [] and notified(client, other) == []
        client.subscribe(uri(gtk3))
        rested = client.settle(uri(gtk3))
        gtk3.command(do="notify", title="Backup finished", body="12 files\nin /home")
        client.wait(uri(gtk3), more_than=rested[uri(gtk3)])
        [(title, text, times)] = notified(client, gtk3)
        assert (title, times) == ("Backup finished", 1) and "12 files" in text and "\n" not in text
        # A program that the application starts speaks for it.
        gtk3.command(do="notify_by_child", title="From a child")
        wait_for("the second one", lambda: [title for title, *_ in notified(client, gtk3)] == ["Backup finished", "From a child"])
        assert notified(client, other) == []
        # One that nobody sent who is looked at.
        desktop.run(["notify-send", "From a script"])
        assert [title for title, *_ in notified(client, gtk3)] == ["Backup finished", "From a child"]
    finally:
        client.close()
        other.stop()


def test_one_that_nobody_showed_is_no_event(desktop, gtk3):
    """Without a service the call fails: nothing appeared."""
    session = Session(desktop.env)
    try:
        assert notified(session, gtk3) == []
        with pytest.raises(AssertionError, match="notify"):
            gtk3.command(do="notify", title="Nobody sees this", body="")
        gtk3.command(do="set_name", text="later")
        wait_for("the change after it", lambda: "later" in session.ask("read_resource", uri(gtk3)).contents[0].text)
        assert notified(session, gtk3) == []
    finally:
        session.close()


def test_one_with_a_large_picture_and_one_that_replaces_another(desktop, service, gtk3):
    session = Session(desktop.env)
    try:
        assert notified(session, gtk3) == []
        gtk3.command(do="notify", title="Photo", body="x" * 2_000, picture=1_000_000)
        [(title, text, _)] = wait_for("the one with a picture", lambda: notified(session, gtk3))
        assert title == "Photo" and 200 < len(text) < 400
        for part in (10, 50, 90):
            gtk3.command(do="notify", title=f"{part} %", body="", replaces=part > 10)
        wait_for("one for the three that replace each other", lambda: notified(session, gtk3)[1:] == [("90 %", None, 3)])
    finally:
        session.close()

"""Subscriptions: clients are notified when something has changed, not otherwise, and are never flooded; in both eras of the protocol."""

import json
import subprocess
import time

import pytest

from support import applications, quick_once, wait_for
from support.updates import ERAS, LISTS, Flood, Subscriber
from support.wire import Wire

TOOLKITS = ["gtk3", "gtk4", "qt5"]


@pytest.fixture(params=ERAS)
def subscriber(request, desktop):
    own = Subscriber(desktop.env, request.param)
    yield own
    own.close()


@pytest.fixture(params=TOOLKITS)
def app(request, desktop):
    own = applications.start(desktop, request.param, commands=True)
    yield own
    own.stop()


def uri(app, view):
    return f"handeye://app/{app.app}/{view}"


def test_views_of_an_application(subscriber, app):
    views = [uri(app, view) for view in ("tree", "state", "events", "window/0/tree")]
    subscriber.subscribe(*views)
    rested = subscriber.settle(*views)
    subscriber.quiet(views, 0.5)

    app.command(do="set_name", text="Ada")
    for view in (uri(app, "tree"), uri(app, "events"), uri(app, "window/0/tree")):
        subscriber.wait(view, more_than=rested[view])
    assert "Ada" in subscriber.read(uri(app, "tree")).text
    rested = subscriber.settle(*views)

    app.command(do="dialog", on=True)
    for view in (uri(app, "tree"), uri(app, "events"), uri(app, "state")):
        subscriber.wait(view, more_than=rested[view])
    wait_for("the dialog", lambda: json.loads(
        subscriber.read(uri(app, "state")).text)["detected_state"] == "modal_dialog")
    app.command(do="dialog", on=False)
    subscriber.settle(*views)

    subscriber.unsubscribe(*views)
    app.command(do="set_name", text="Grace")
    subscriber.quiet([uri(app, "tree")], 2)


def test_focus_changes_the_state(subscriber, desktop, gtk3):
    subscriber.subscribe(uri(gtk3, "state"))
    desktop.activate(gtk3.window)
    subscriber.settle(uri(gtk3, "state"))
    before, seen = json.loads(subscriber.read(uri(gtk3, "state")).text), len(subscriber.told(uri(gtk3, "state")))
    desktop.run(["xdotool", "key", "Tab"])
    subscriber.wait(uri(gtk3, "state"), more_than=seen)
    assert json.loads(subscriber.read(uri(gtk3, "state")).text)["focused_element"] != before["focused_element"]


def test_applications_come_and_go(subscriber, desktop):
    subscriber.subscribe("handeye://apps", lists=True)
    subscriber.settle("handeye://apps")
    seen = {what: len(subscriber.told(what)) for what in ("handeye://apps", LISTS)}
    app = applications.start(desktop, "gtk3")

    def listed():
        return app.process in [entry["pid"] for entry in json.loads(subscriber.read("handeye://apps").text)["apps"]]

    try:
        for what, before in seen.items():
            subscriber.wait(what, more_than=before)
        wait_for("the application", listed)
        seen = subscriber.settle(*seen)
    finally:
        app.stop()
    for what, before in seen.items():
        subscriber.wait(what, more_than=before)
    wait_for("the application to be gone", lambda: not listed())


def test_the_clipboard(subscriber, desktop):
    subscriber.subscribe("handeye://clipboard")
    seen = subscriber.settle("handeye://clipboard")["handeye://clipboard"]
    for text in ("first", "second"):
        owner = subprocess.Popen(["xclip", "-quiet", "-selection", "clipboard"], env=desktop.env,
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        owner.stdin.write(text.encode())
        owner.stdin.close()
        subscriber.wait("handeye://clipboard", more_than=seen)
        assert json.loads(subscriber.read("handeye://clipboard").text)["text"] == text
        seen = subscriber.settle("handeye://clipboard")["handeye://clipboard"]


def test_the_end_of_an_application_is_told_and_its_return(subscriber, desktop):
    app = applications.start(desktop, "gtk3")
    name = next(entry["name"] for entry in json.loads(subscriber.read("handeye://apps").text)["apps"]
                if entry["pid"] == app.process)
    state = f"handeye://app/{name}/state"
    subscriber.subscribe(state)
    seen = subscriber.settle(state)[state]
    app.stop()
    subscriber.wait(state, more_than=seen)
    with pytest.raises(Exception, match="no running application"):
        subscriber.read(state)
    seen = subscriber.settle(state)[state]
    again = applications.start(desktop, "gtk3", title=app.title)
    try:
        subscriber.wait(state, more_than=seen)
        assert json.loads(subscriber.read(state).text)["pid"] == again.process
    finally:
        again.stop()


def test_a_flood_reaches_no_client_and_grows_nothing(subscriber, desktop):
    app = Flood(desktop, subscriber.era)
    try:
        views = {view: uri(app, view) for view in ("tree", "state", "events")}
        subscriber.subscribe(*views.values())
        # The measurement begins after the start has been digested: the window has the focus, and updates come.
        subscriber.settle(views["state"])
        wait_for("several updates", lambda: len(subscriber.told(views["tree"])) >= 5 <= len(subscriber.told(views["events"])))
        begun, changes = time.monotonic(), app.count()
        told = {view: len(subscriber.told(address)) for view, address in views.items()}
        before = resident(subscriber)
        other_calls = []

        def has_seen_enough():
            # A busy machine changes less in the same time, and is given more of it.
            other_calls.append(subscriber.session.do("ax_list_apps").seconds)
            return time.monotonic() - begun >= 12 and app.count() - changes >= 6000

        wait_for("12 s and 6,000 changes", has_seen_enough, 240, every=0.25)
        seconds, changes = time.monotonic() - begun, app.count() - changes
        told = {view: len(subscriber.told(address)) - told[view] for view, address in views.items()}
        grown = resident(subscriber) - before
        other_calls.sort()
        print(f"{subscriber.era}: {changes / seconds:.0f} changes a second; notifications in {seconds:.0f} s: {told}; "
              f"grown by {grown} KiB; another call {other_calls[len(other_calls) // 2] * 1000:.0f} ms, "
              f"at most {other_calls[-1] * 1000:.0f} ms")
        assert 3 <= told["tree"] <= 2.2 * seconds and 3 <= told["events"] <= 2.2 * seconds, told
        assert told["state"] == 0
        assert grown < 16 * 1024
        assert other_calls[len(other_calls) // 2] < 2, other_calls
    finally:
        app.stop()


def resident(subscriber):
    """Memory of the server, in KiB."""
    with open(f"/proc/{subscriber.session.process}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def test_a_hundred_subscriptions(subscriber, desktop, gtk3):
    names = [gtk3.app, *(f"nobody-{number}" for number in range(33))] if subscriber.era == "listen" else [gtk3.app]
    uris = [f"handeye://app/{name}/{view}" for name in names for view in ("tree", "state", "events")]
    uris += [f"handeye://app/{gtk3.app}/window/{index}/tree" for index in range(103 - len(uris))][1:]
    subscriber.subscribe(*uris)
    seen = subscriber.settle(uri(gtk3, "events"))[uri(gtk3, "events")]
    gtk3.command(do="set_name", text="one of many")
    subscriber.wait(uri(gtk3, "events"), more_than=seen)
    quick_once("another call", 3, lambda: subscriber.session.do("ax_list_apps").seconds)


def test_what_cannot_be_subscribed_to(desktop, gtk3):
    wire = Wire(desktop.env)
    wire.initialize()
    for name in (uri(gtk3, "screenshot"), "handeye://app/frontmost/state"):
        error = wire.request("resources/subscribe", uri=name)["error"]
        assert error["code"] == -32602 and error["data"]["error"]["code"] == "not_supported", error
    assert wire.request("resources/unsubscribe", uri="handeye://app/never/state")["result"] == {}
    for number in range(256):
        assert "result" in wire.request("resources/subscribe", uri=f"handeye://app/{gtk3.app}/window/{number}/tree")
    assert wire.request("resources/subscribe", uri="handeye://apps")["error"]["code"] == -32602
    assert wire.request("ping")["result"] == {}
    assert wire.close() == 0


def test_a_client_that_does_not_read_and_leaves_in_the_middle(desktop):
    app = Flood(desktop, "unread")
    wire = Wire(desktop.env)
    try:
        wire.initialize()
        for view in ("tree", "events", "state"):
            assert "result" in wire.request("resources/subscribe", uri=uri(app, view))
        # The pipe is filled by answers that are not read; updates come on top of that.
        for number in range(1000, 1040):
            wire._send({"jsonrpc": "2.0", "id": number, "method": "resources/read", "params": {"uri": uri(app, "tree")}})
        def memory():
            with open(f"/proc/{wire.process.pid}/status", encoding="utf-8") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        def grows():
            before = memory()
            time.sleep(3)
            return memory() - before
        wait_for("the answers that fit to be made", lambda: grows() < 1024)
        before = memory()
        time.sleep(5)
        assert memory() - before < 8 * 1024
        assert wire.close() == 0
    finally:
        app.stop()

"""Applications that hang or die, a lost accessibility bus, a lost display, many calls at once."""

import os
import signal
import time

import pytest

from support import applications, quick_once, wait_for
from support.desktop import Desktop
from support.session import Session
from support.wire import Wire

LOST = {"app_gone", "app_not_responding", "app_not_accessible", "app_not_found", "timeout"}
# Longest time that a call about a hung application may take; the slowest operation's own deadline and a bit.
LONGEST = 40


@pytest.fixture
def pair(desktop):
    """Two applications."""
    both = applications.start(desktop, "gtk3"), applications.start(desktop, "gtk3")
    yield both
    for app in both:
        app.stop()


@pytest.mark.parametrize("tool,arguments", [
    ("ax_get_tree", {}),
    ("ax_click", {"query": "role:button Count"}),
    ("ax_type", {"query": "Name", "text": "lost"}),
    ("ax_connect", None),
])
@pytest.mark.parametrize("known", [True, False], ids=["connected", "unknown"])
def test_hung_application_costs_only_its_own_call(client, pair, tool, arguments, known):
    hung, well = pair
    if known:
        client.do("ax_get_tree", app=hung.app)
    client.do("ax_find", app=well.app, query="Name")
    hung.freeze()
    late = []

    def median_beside_it():
        slow = client.start(tool, app=hung.app, **(arguments or {}))
        quick = [client.call("ax_find", app=well.app, query="role:button Count") for _ in range(10)]
        answered_meanwhile = not slow.done()
        late.append(slow.result(LONGEST))
        assert all(answer.fields.get("found") for answer in quick)
        if tool != "ax_connect" and late[-1].is_error and not answered_meanwhile:
            return None  # The other application's calls waited for the hung one, or the machine is that busy.
        return sorted(answer.seconds for answer in quick)[5]
    try:
        quick_once("half of the calls beside it", 0.05, median_beside_it, tries=6)
    finally:
        hung.thaw()
    # An action that was accepted before the freeze may say that it saw nothing; nothing may be claimed.
    for answer in late:
        assert answer.is_error and answer.code in LOST or answer.effect == "unconfirmed" or not answer.is_error and tool in (
            "ax_get_tree", "ax_connect"), answer
    clicks = hung.state()["count"]
    client.do("ax_click", app=hung.app, query="role:button Count")
    wait_for("the thawed application to work again", lambda: hung.state()["count"] > clicks)


def test_application_killed_in_mid_call(client, pair):
    doomed, well = pair
    client.do("ax_get_tree", app=doomed.app)
    doomed.freeze()
    call = client.start("ax_click", app=doomed.app, query="role:button Count")
    time.sleep(0.2)  # the call has to be under way; there is nothing outside to see that by
    doomed.signal(signal.SIGKILL)
    answer = call.result(LONGEST)
    assert answer.is_error and answer.code in LOST, answer
    assert client.do("ax_find", app=well.app, query="Name").fields["found"]
    later = client.call("ax_get_tree", app=doomed.app)
    assert later.is_error and later.code in {"app_not_found", "app_gone"}, later


def test_window_closed_between_find_and_click(client, gtk3):
    gtk3.command(do="dialog", on=True)
    wait_for("the dialog to be found",
             lambda: client.call("ax_find", app=gtk3.app, query="Close About").fields.get("found"))
    reference = client.do("ax_find", app=gtk3.app, query="Close About").fields["element_ref"]
    gtk3.command(do="dialog", on=False)
    answer = client.call("ax_click", app=gtk3.app, query=reference)
    assert answer.is_error and answer.code == "stale_reference", answer
    gtk3.command(do="dialog", on=True)
    healed = wait_for("the reference to heal", lambda: (
        lambda again: None if again.is_error else again)(client.call("ax_click", app=gtk3.app, query=reference)))
    gtk3.wait("dialog", False)
    assert healed.fields.get("healed"), "a healed reference has to be told"


def test_accessibility_bus_restarts():
    desktop = Desktop()
    client = Session(desktop.env)
    try:
        before = applications.start(desktop, "gtk3")
        client.do("ax_find", app=before.app, query="Name")
        for process in accessibility_bus(desktop):
            os.kill(process, signal.SIGKILL)
        during = client.call("ax_list_apps")
        assert not during.is_error or during.code in {"accessibility_unavailable", "timeout"}, during
        before.stop()

        def found_on_the_new_bus():
            # One that starts before the launcher has noticed the end of the old bus gets that, and stays on it.
            app = applications.start(desktop, "gtk3")
            try:
                wait_for("it to be found", lambda: client.call(
                    "ax_find", app=app.app, query="role:button Count").fields.get("found"), 20, 0.2)
            except AssertionError:
                app.stop()
                return None
            return app
        after = wait_for("an application on the new bus", found_on_the_new_bus)
        client.do("ax_click", app=after.app, query="role:button Count")
        after.wait("count", 1)
    finally:
        client.close()
        desktop.stop()


def accessibility_bus(desktop):
    """The processes of the accessibility bus daemon of a desktop."""
    runtime = f"XDG_RUNTIME_DIR={desktop.env['XDG_RUNTIME_DIR']}".encode()
    found = []
    for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read()
            with open(f"/proc/{process}/environ", "rb") as file:
                environment = file.read()
        except OSError:
            continue
        if b"accessibility.conf" in words and runtime in environment.split(b"\0"):
            found.append(process)
    assert found, "no accessibility bus daemon was found"
    return found


def test_display_killed():
    desktop = Desktop()
    # A server beside the desktop: one that belongs to it ends with it.
    wire = Wire({name: value for name, value in desktop.env.items() if name != "HANDEYE_DESKTOP_MEMBER"})
    try:
        wire.initialize()
        assert not wire.call("ax_screenshot").get("isError")
        desktop.kill_display()
        answer = wire.call("ax_screenshot")
        assert answer["isError"], answer
        assert answer["structuredContent"]["error"]["code"] == "display_unavailable", answer
        assert answer["structuredContent"]["error"]["next"]
        assert wire.call("ax_is_accessible") is not None, "the server outlives the display"
        assert wire.close() == 0
    finally:
        if wire.process.poll() is None:
            wire.process.kill()
        desktop.stop()


def test_64_calls_at_once(client, pair):
    first, second = pair
    calls = []
    for number in range(64):
        app = pair[number % 2]
        tool, arguments = [("ax_find", {"query": "role:button Count"}), ("ax_get_tree", {}),
                           ("ax_get_value", {"query": "Volume"}), ("ax_list_windows", {})][number // 2 % 4]
        calls.append(client.start(tool, app=app.app, **arguments))
    answers = [call.result(60) for call in calls]
    assert not [answer for answer in answers if answer.is_error]
    clicks = [client.start("ax_click", app=app.app, query="role:button Count") for app in (first, second) * 8]
    assert not [answer.text for answer in (click.result(60) for click in clicks) if answer.is_error]
    first.wait("count", 8)
    second.wait("count", 8)

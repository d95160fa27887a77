"""Keys and clicks are for one window. When another one comes in between, they stop, and the answer says how far they got."""

import json
import os
import re

import pytest

from support import TESTS, applications, wait_for

TEXT = "".join(f"word{number:03} " for number in range(350))
# What may go astray: see SENT_AT_A_TIME in handeye-x11/src/typing.rs.
BATCH = 16


def started(desktop, name, title=None):
    """A fixture that records what reaches it, and a function that gives its state."""
    log = desktop.path(f"{name}-{os.urandom(3).hex()}.log")
    words = ["/usr/bin/python3", str(TESTS / "apps" / f"{name}.py")]
    label = os.path.basename(log)
    child = desktop.start(words, label, {"APP_LOG": log, "PYTHONDONTWRITEBYTECODE": "1"})

    def state():
        with open(f"{log}.state", encoding="utf-8") as file:
            return json.load(file)
    window = desktop.window(title)[0] if title else int(wait_for("its window", lambda: read(desktop, label)))
    return child, window, state


def read(desktop, label):
    with open(desktop.path(f"{label}.out"), encoding="utf-8") as file:
        return next((line for line in file if line.strip().isdigit()), "").strip()


@pytest.fixture
def app(desktop):
    app = applications.start(desktop, "gtk3")
    yield app
    app.stop()


def typed_until(desktop, client, app, take):
    """Types until `take()` has taken the focus in the middle of it; gives the answer, and what the application got."""
    def attempt():
        client.do("ax_set_value", app=app.app, query="Notes", value="")
        app.wait("notes", "")
        desktop.activate(app.window)
        typing = client.start("ax_type", app=app.app, query="Notes", text=TEXT, mode="focus")
        wait_for("the first characters", lambda: app.state()["notes"], every=0.001)
        take()
        answer = typing.result(120)
        return answer if answer.is_error else None
    return wait_for("typing that is interrupted", attempt, 180)


def told(answer, taker):
    found = re.search(r"([\d,]+) of 2,800 characters were typed, then window \"(.*?)\" took the focus", answer.text)
    assert found and found[2] == taker, answer.text
    assert answer.code == "action_failed"
    return int(found[1].replace(",", ""))


def test_typing_stops_when_another_window_takes_the_focus(desktop, client, app):
    assert len(TEXT) == 2800
    child, intruder, state = started(desktop, "bystander", "Bystander")
    try:
        answer = typed_until(desktop, client, app, lambda: desktop.run(["xdotool", "windowactivate", str(intruder)]))
        count = told(answer, "Bystander")
        # Keys that are on their way while the focus changes hands reach the other window, or none.
        wait_for("what was sent to arrive", lambda: 0 <= count - len(app.state()["notes"]) <= BATCH)
        notes, strayed = app.state()["notes"], state()["name"]
        assert TEXT.startswith(notes)
        assert len(strayed) <= BATCH and strayed in TEXT[len(notes):count], (len(notes), count, strayed)
    finally:
        child.terminate()


def test_typing_stops_when_a_popup_takes_the_focus(desktop, client, app):
    child, popup, state = started(desktop, "popup")
    try:
        answer = typed_until(desktop, client, app, lambda: desktop.run(["xdotool", "windowfocus", str(popup)]))
        count = told(answer, "Launcher")
        assert state()["count"] <= BATCH
        assert TEXT[:count].startswith(app.state()["notes"])
    finally:
        child.terminate()


def test_a_click_that_is_refused_leaves_the_focus_where_it_was(desktop, client, app):
    child, bystander, state = started(desktop, "bystander", "Bystander")
    try:
        place = desktop.run(["xdotool", "getwindowgeometry", "--shell", str(app.window)])
        place = dict(line.split("=") for line in place.splitlines())
        desktop.run(["xdotool", "windowsize", str(bystander), place["WIDTH"], place["HEIGHT"]])
        desktop.run(["xdotool", "windowmove", str(bystander), place["X"], place["Y"]])
        desktop.run(["wmctrl", "-i", "-r", hex(bystander), "-b", "add,above"])
        desktop.activate(bystander)
        for tool, arguments in (("ax_click", {"query": "Count"}),
                                ("ax_scroll", {"query": "Items", "direction": "down"}),
                                ("ax_drag", {"from_query": "Drag source", "to_query": "Drop target"})):
            answer = client.call(tool, app=app.app, mode="focus", **arguments)
            assert answer.code == "refused" and "Bystander" in answer.text, (tool, answer.text)
            wait_for("the focus to be where it was", lambda: desktop.active_window() == bystander)
        assert (app.state()["count"], app.state()["dropped"], state()["double"]) == (0, 0, 0)
    finally:
        child.terminate()


def test_the_wheel_turns_inside_of_its_element(desktop, client):
    number = os.urandom(2).hex()
    log = desktop.path(f"scrolls-{number}.log")
    title = f"Scrolls {number}"
    app = applications.Application(desktop, ["/usr/bin/python3", str(TESTS / "apps" / "two_scrolls.py"), title], title,
                                   {"APP_LOG": log, "PYTHONDONTWRITEBYTECODE": "1"})

    def state():
        with open(f"{log}.state", encoding="utf-8") as file:
            return json.load(file)
    try:
        client.call("ax_scroll", app=app.app, query="'Upper content'", direction="down", amount=200, mode="focus")
        wait_for("the upper pane to scroll", lambda: state()["scroll"] > 0)
        assert state()["volume"] == 20, "the lower pane has scrolled"
    finally:
        app.stop()

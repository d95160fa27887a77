"""The cursor that shows where an agent acts: on request, where its pointer is, and in nobody's way."""

import re

import pytest

from support import applications, wait_for
from support.session import Session

MENU = {"query": "role:button Multi", "click_type": "right"}


@pytest.fixture
def app(desktop):
    own = applications.start(desktop, "gtk3", commands=True)
    yield own
    own.stop()


@pytest.fixture
def session(desktop):
    """Makes a client of a server with these flags, for which the desktop is one that somebody looks at, or a private one."""
    made = []

    def make(*flags, private=False):
        env = {name: value for name, value in desktop.env.items() if private or name != "HANDEYE_DESKTOP"}
        made.append(Session(env, arguments=flags))
        return made[-1]
    yield make
    for client in made:
        client.close()


def cursors(desktop):
    """The windows of agents' cursors that are shown."""
    words = ["xdotool", "search", "--onlyvisible", "--classname", "^handeye-cursor$"]
    return desktop.run(words, check=False).split()


def place(desktop, window):
    lines = desktop.run(["xdotool", "getwindowgeometry", "--shell", window]).splitlines()
    fields = dict(line.split("=") for line in lines)
    return int(fields["X"]), int(fields["Y"])


def under(desktop, x, y):
    """The window that the user's pointer is over at a point."""
    desktop.run(["xdotool", "mousemove", "--sync", str(x), str(y)], check=False)
    lines = desktop.run(["xdotool", "getmouselocation", "--shell"]).splitlines()
    return dict(line.split("=") for line in lines)["WINDOW"]


def test_the_cursor_is_where_the_agent_acts_and_lets_clicks_through(desktop, app, session):
    client = session("--show-cursor")
    assert not cursors(desktop)
    # The seat stays as long as its menu is open.
    answer = client.do("ax_click", app=app.app, **MENU)
    point = tuple(map(int, re.search(r" at \((\d+), (\d+)\)", answer.text).groups()))
    [cursor] = wait_for("the cursor", lambda: cursors(desktop))
    assert place(desktop, cursor) == point
    # On the label, below the menu that covers the rest of the cursor.
    beside = (point[0] + 60, point[1] + 42)
    assert under(desktop, *beside) == under(desktop, *(axis + 60 for axis in beside)) != cursor
    client.do("ax_click", app=app.app, query="Context entry")
    wait_for("the cursor to go", lambda: not cursors(desktop), 15)


def test_two_agents_have_a_cursor_each(desktop, app, session):
    clients = [session("--show-cursor"), session("--show-cursor")]
    other = applications.start(desktop, "gtk3", commands=True)
    try:
        for client, own in zip(clients, (app, other), strict=True):
            client.do("ax_click", app=own.app, **MENU)
        assert len(cursors(desktop)) == 2
    finally:
        other.stop()


@pytest.mark.parametrize(("flags", "private"), [((), False), (("--show-cursor",), True)], ids=["unasked", "private"])
def test_there_is_no_cursor_unasked_nor_on_a_private_desktop(desktop, app, session, flags, private):
    client, popups = session(*flags, private=private), desktop.popups()
    client.do("ax_click", app=app.app, **MENU)
    wait_for("the menu to be open", lambda: desktop.popups() - popups)
    assert not cursors(desktop)
    client.do("ax_key_press", app=app.app, key="escape")

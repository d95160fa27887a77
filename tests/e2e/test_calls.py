"""What a look costs an application: the calls that it gets. They are counted in the server's log and do not depend on
how fast the machine is."""

import collections
import itertools
import re

import pytest

from support import applications, wait_for
from support.session import Session

LOGGED = {"HANDEYE_LOG_LEVEL": "off,handeye::audit=info,handeye_atspi::wire=trace,handeye_atspi::following_up=debug"}
# The most that a fixture application, of some hundred elements, may get for the load of its window and for the look that follows: what
# was measured, and a tenth. Properties are read one by one: `GetAll` ends applications. So an element that the bulk load does not have
# costs six calls (role, name, description, states, interfaces, number of children) and one more where it has children; GTK 3 has some
# fifty of those when it is asked for the first time, Qt all, but only three for one that does not show. Browsers have all. A number costs four at first, and one in a look.
# What shows in a container of GTK 3 and Qt is asked once for its place. GTK 4's wrappers of one widget, and what may be a page, are asked for their size; what its bulk load has of children is not asked for again.
LOAD = {"gtk3": 370, "gtk4": 47, "qt5": 455, "firefox": 35, "chromium": 35}
AGAIN = {"gtk3": 70, "gtk4": 20, "qt5": 168}
# The calls that read a hit again: what changes in the life of an element, less what the toolkit's events announce.
# A button is not asked for the number of its children: its label is its name.
ONE_BY_ONE = {"Name": 1, "Description": 1, "GetState": 1, "GetExtents": 1}
# GTK 3 and Chromium announce a changed description. GTK 4 reports places relative to its window, so the window's is asked too, at the same time.
FIND = {"gtk3": {"Name": 1, "GetState": 1, "GetExtents": 1}, "gtk4": {**ONE_BY_ONE, "GetExtents": 2},
        "qt5": {**ONE_BY_ONE, "GetRole": 1}, "chromium": {"GetRole": 1, "Name": 1, "GetState": 1, "GetExtents": 1}}
_numbers = itertools.count(1)


class Counted:
    """A server whose calls to applications are counted."""

    def __init__(self, desktop):
        self._log = desktop.path(f"calls-{next(_numbers)}.log")
        self._seen = 0
        self.client = Session({**desktop.env, **LOGGED}, log=self._log)

    def calls(self, tool, **arguments):
        """Calls a tool and says what applications were asked for it: how often which member. Not what the server asks by itself before."""
        with open(self._log, encoding="utf-8") as file:
            self._seen = file.read().count("\n")
        self.client.do(tool, **arguments)
        lines = wait_for(f"the end of {tool} in the log", lambda: self._lines_until(f'tool="{tool}"'))
        return collections.Counter(re.search(r'member="(\w+)"', line)[1] for line in lines if " call " in line)

    def settles(self):
        """Waits until the server has looked again by itself after a look, and returns whether it has."""
        try:
            return bool(wait_for("a look while nobody waits", lambda: self._lines_until("looked again while nobody waits"), timeout=5))
        except AssertionError:
            return False

    def _lines_until(self, end):
        """What is new in the log, if it reaches the line that contains `end`."""
        with open(self._log, encoding="utf-8") as file:
            lines = file.read().split("\n")[:-1]
        last = next((place for place in range(self._seen, len(lines)) if end in lines[place]), None)
        if last is None:
            return None
        new, self._seen = lines[self._seen:last + 1], last + 1
        return new


@pytest.fixture(params=["gtk3", "gtk4", "qt5"])
def app(request, desktop):
    started = applications.start(desktop, request.param)
    started.toolkit = request.param
    yield started
    started.stop()


@pytest.fixture
def counted(desktop):
    server = Counted(desktop)
    yield server
    server.client.close()


def best(what, calls, is_enough):
    """The calls of a look, which is taken again while the application is still changing."""
    looks = []

    def look():
        looks.append(calls())
        return is_enough(looks[-1])
    try:
        wait_for(what, look, every=0.25)
    except AssertionError as failure:
        raise AssertionError(f"{failure}: {looks[-1]}") from None
    return looks[-1]


@pytest.mark.parametrize("app", list(LOAD), indirect=True)
def test_a_load_costs_few_calls(desktop, app):
    def load():
        server = Counted(desktop)
        try:
            server.calls("ax_list_apps")
            return server.calls("ax_get_tree", app=app.app)
        finally:
            server.client.close()
    calls = best("a load within its budget", load, lambda calls: calls.total() <= LOAD[app.toolkit])
    assert "GetAll" not in calls, "that ends applications"


def test_a_look_at_what_is_unchanged_costs_few_calls(app, counted):
    counted.calls("ax_get_tree", app=app.app)
    best("a look within its budget", lambda: counted.calls("ax_get_tree", app=app.app),
         lambda calls: calls.total() <= AGAIN[app.toolkit])


@pytest.mark.parametrize("app", ["firefox", "chromium"], indirect=True)
def test_a_look_at_a_page_that_shows_the_same_costs_a_handful(app, counted):
    """Four elements are asked, each for its states and its children. Browsers run where nothing changes, so they are asked."""
    counted.calls("ax_get_tree", app=app.app)
    best("a look within its budget", lambda: counted.calls("ax_get_tree", app=app.app), lambda calls: calls.total() <= 12)


def test_what_a_look_leaves_open_is_settled_while_nobody_waits(desktop):
    """In a window that never rests: in which order things stand is sure only once it was the same for some time. Each try has a server that knows
    nothing, as a busy application may draw too late."""
    app = applications.start(desktop, "noisy_gtk3", commands=True)
    app.command(do="tick", every=20)

    def is_settled():
        server = Counted(desktop)
        try:
            first = server.calls("ax_get_tree", app=app.app)
            if not server.settles():
                return False
            again = server.calls("ax_get_tree", app=app.app)
            return first["GetExtents"] > 10 and again and "GetExtents" not in again
        finally:
            server.client.close()
    try:
        wait_for("a second look that asks for no place", is_settled)
    finally:
        app.stop()


@pytest.mark.parametrize("app", list(FIND), indirect=True)
def test_a_find_in_the_mirror_costs_one_burst(app, counted):
    counted.calls("ax_get_tree", app=app.app)
    best("a find that asks for one element only", lambda: counted.calls("ax_find", app=app.app, query="Count"),
         lambda calls: calls == FIND[app.toolkit])


def test_what_gtk4_has_never_been_asked_for_is_made_first_and_loaded_at_once(desktop):
    """The first client of an application finds next to nothing in its bulk load."""
    app = applications.start(desktop, "gtk4")
    server = Counted(desktop)
    try:
        calls = server.calls("ax_get_tree", app=app.app)
        assert calls["GetChildren"] > 50, f"everything was made before, which proves nothing: {calls}"
        assert calls["GetRole"] < 10, f"elements are read one by one: {calls}"
    finally:
        server.client.close()
        app.stop()


def test_sizes_of_gtk4_are_asked_for_again_only_where_they_were_announced(desktop):
    """In a window that something happens in, so that the application is asked at all."""
    app = applications.start(desktop, "gtk4", commands=True)
    server = Counted(desktop)
    try:
        first = server.calls("ax_get_tree", app=app.app)
        assert first["GetExtents"] > 15, f"that is no more than a sample: {first}"
        for on in (True, False) * 3:
            app.command(do="agree", on=on)
            calls = server.calls("ax_get_tree", app=app.app)
            assert "GetItems" in calls, f"nothing was asked, which proves nothing: {calls}"
            assert calls["GetExtents"] <= 6, calls
    finally:
        server.client.close()
        app.stop()


def test_a_list_asks_for_what_can_have_changed(desktop, gtk3, counted):
    """Once an application has started; until then it may not have named its toolkit."""
    known = {"GetChildren": 1, "Name": 1}
    wait_for("the list to cost one call an application", lambda: counted.calls("ax_list_apps") == known, every=1)

"""Items of lists, tables and combo boxes of Qt, whose own action does a part of what a click does."""

import re

import pytest

from support import applications, witness
from support.session import Session
from support.shared import made_once
from support.desktop import Desktop

CHOSEN = {"List": "Item 3", "Table": "Cell 11", "Icons": "Pear"}


class Bed:
    """The items, and the user's own window, which is the active one."""

    def __init__(self, toolkit):
        self.desktop = Desktop()
        self.items = applications.Fixture(self.desktop, f"{toolkit}_items")
        self.user = applications.Application(
            self.desktop, ["/usr/bin/python3", str(applications.APPS / "bystander.py")], "Bystander",
            {"APP_LOG": self.desktop.path("bystander.log")})
        for app, place in ((self.items, "20"), (self.user, "640")):
            self.desktop.run(["xdotool", "windowmove", "--sync", str(app.window), place, "40"])
        self.desktop.activate(self.user.window)
        self.client = Session(self.desktop.env, log=self.desktop.path("server.log"))

    def click(self, query, **more):
        return self.client.call("ax_click", app=self.items.app, query=query, **more)

    def stop(self):
        self.client.close()
        self.desktop.stop()


@pytest.fixture(scope="module")
def beds():
    with made_once(Bed) as beds:
        yield beds


@pytest.fixture(params=["qt5", "qt6"])
def bed(request, beds):
    return beds(request.param)


@pytest.mark.parametrize("view", CHOSEN)
def test_a_click_in_the_background_is_one_for_the_application(bed, view):
    before = witness.seat(bed.desktop)
    answer = bed.click(CHOSEN[view])
    assert answer.effect == "confirmed", answer.text
    for key, value in (("clicked", CHOSEN[view]), ("current", CHOSEN[view]), ("selected", [CHOSEN[view]])):
        bed.items.wait(f"{view} {key}", value)
    assert not before.differences(witness.seat(bed.desktop)), answer.text


@pytest.mark.parametrize(("item", "edge"), [("Item 12", 'list "List"'), ("Item 55", 'window "Fixture')])
def test_an_item_out_of_view_is_selected_and_the_answer_reports_that_it_got_no_click(bed, item, edge):
    clicked = bed.items.state().get("List clicked")
    # A second time the action alone would take it out of the selection.
    for _ in range(2):
        answer = bed.click(item)
        assert answer.effect == "confirmed", answer.text
        assert "got no click" in answer.text and f"outside of the visible part of {edge}" in answer.text, answer.text
        bed.items.wait("List selected", [item])
    assert bed.items.state().get("List clicked") == clicked


@pytest.mark.parametrize(("mode", "option"), [("background", "Zenith"), ("focus", "Nadir")])
def test_an_option_below_the_edge_of_the_window_is_chosen(bed, mode, option):
    before = witness.seat(bed.desktop)
    bed.client.do("ax_click", app=bed.items.app, query="role:combobox", mode=mode)
    answer = bed.client.do("ax_click", app=bed.items.app, query=f"listitem {option}", mode=mode)
    bed.items.wait("direction", option)
    assert answer.effect == "confirmed", answer.text
    geometry = dict(line.split("=") for line in bed.desktop.run(
        ["xdotool", "getwindowgeometry", "--shell", str(bed.items.window)]).splitlines())
    clicked = int(re.search(r"at \(\d+, (\d+)\)", answer.text).group(1))
    assert clicked >= int(geometry["Y"]) + int(geometry["HEIGHT"]), (answer.text, geometry)
    if mode == "background":
        assert not before.differences(witness.seat(bed.desktop)), answer.text
    bed.desktop.activate(bed.user.window)


def test_a_covered_item_is_selected(bed):
    bed.desktop.run(["xdotool", "windowmove", "--sync", str(bed.user.window), "30", "330"])
    try:
        answer = bed.click("Item 2")
        bed.items.wait("List selected", ["Item 2"])
        assert "got no click" in answer.text and 'covered by window "Bystander"' in answer.text, answer.text
    finally:
        bed.desktop.run(["xdotool", "windowmove", "--sync", str(bed.user.window), "640", "40"])


def test_a_point_on_an_item_is_clicked_where_it_is(bed):
    found = bed.client.do("ax_find", app=bed.items.app, query="cell Cell 00").text
    width, height, x, y = map(int, re.search(r"(\d+)x(\d+) at \((\d+), (\d+)\)", found).groups())
    point = x + width // 5, y + height // 4
    answer = bed.client.do("ax_click_at", x=point[0], y=point[1])
    bed.items.wait("Table clicked", "Cell 00")
    assert f"({point[0]}, {point[1]})" in answer.text, answer.text


def test_an_option_of_a_list_that_was_open_is_not_taken_for_one_of_an_open_list(bed):
    bed.client.do("ax_click", app=bed.items.app, query="role:combobox")
    bed.client.do("ax_click", app=bed.items.app, query="listitem South")
    bed.items.wait("direction", "South")
    popups = bed.desktop.popups()
    for option in ("South", "North", "Direction 20"):
        answer = bed.click(f"listitem {option}")
        assert answer.code == "refused" and "which is not open" in answer.text, answer.text
    assert bed.items.state()["direction"] == "South" and bed.desktop.popups() == popups


def test_a_value_is_set_in_the_open_list_only_and_the_answer_leads_there(bed):
    direction = bed.items.state().get("direction")
    answer = bed.client.call("ax_set_value", app=bed.items.app, query="role:combobox", value="Zenith")
    assert answer.code == "refused" and bed.items.state().get("direction") == direction, answer.text
    for query in re.findall(r'ax_click with query: "([^"]+)"', answer.text):
        bed.client.do("ax_click", app=bed.items.app, query=query)
    bed.items.wait("direction", "Zenith")


def test_an_option_of_a_closed_list_is_refused_with_the_call_that_opens_it(bed):
    direction, popups = bed.items.state().get("direction"), bed.desktop.popups()
    answer = bed.click("listitem East")
    assert answer.code == "refused" and "which is not open" in answer.text, answer.text
    assert bed.items.state().get("direction") == direction and bed.desktop.popups() == popups
    advised = re.search(r'ax_click with query: "(e\d+)"', answer.text).group(1)
    bed.client.do("ax_click", app=bed.items.app, query=advised)
    bed.client.do("ax_click", app=bed.items.app, query="listitem East")
    bed.items.wait("direction", "East")


def test_an_option_of_an_open_list_is_scrolled_to(bed):
    # The last test: the list is scrolled when it opens the next time.
    bed.client.do("ax_click", app=bed.items.app, query="role:combobox")
    answer = bed.click("listitem Direction 28")
    assert answer.code == "refused" and "outside of the visible part of list" in answer.text, answer.text
    bed.client.do("ax_scroll", app=bed.items.app, query="role:combobox >> role:list", direction="down", amount=900)
    bed.client.do("ax_click", app=bed.items.app, query="listitem Direction 28")
    bed.items.wait("direction", "Direction 28")

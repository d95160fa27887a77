"""Trees of Qt, which makes a new object for each row whenever it is asked for all of them."""

import pathlib
import re

import pytest

from support import TESTS, applications, wait_for
from support.desktop import end_group
from support.session import Session


@pytest.fixture(params=["qt5_tree", "qt6_tree"])
def rooms(request, desktop):
    app = applications.Fixture(desktop, request.param, commands=True)
    yield app
    app.stop()


def cells(client, app):
    """The rows as an outline lists them: name and reference of each first cell."""
    text = client.do("ax_get_tree", app=app.app).text
    return re.findall(r'cell "((?:Attic|Balcony|Basement|Cellar|Loft)[^"]*)" \[ref=(e\d+)\]', text)


def names(listed):
    return [name for name, _ in listed]


def test_a_row_keeps_its_reference(client, rooms):
    first = cells(client, rooms)
    assert names(first) == ["Attic", "Basement", "Cellar"]
    assert cells(client, rooms) == first
    answer = client.do("ax_click", app=rooms.app, query=dict(first)["Basement"])
    rooms.wait("selected", ["Basement"])
    assert answer.effect == "confirmed", answer.text
    assert cells(client, rooms) == first


def test_a_tree_that_stays_as_it_is_is_unchanged(client, rooms):
    first = cells(client, rooms)
    answer = client.do("ax_get_tree", app=rooms.app, since=look(client, rooms))
    assert "unchanged" in answer.text.lower() or "no change" in answer.text.lower(), answer.text
    assert cells(client, rooms) == first


def look(client, app):
    return re.search(r"^look: (t\d+)$", client.do("ax_get_tree", app=app.app).text, re.MULTILINE).group(1)


CHANGES = {
    "insert": ({"do": "insert", "at": 1, "name": "Balcony"}, ["Attic", "Balcony", "Basement", "Cellar"]),
    "remove": ({"do": "remove", "at": 1}, ["Attic", "Cellar"]),
    "expand": ({"do": "expand", "at": 0}, ["Attic", "Attic box 0", "Attic box 1", "Basement", "Cellar"]),
    "sort": ({"do": "sort"}, ["Cellar", "Basement", "Attic"]),
    "rename": ({"do": "rename", "at": 0, "name": "Loft"}, ["Loft", "Basement", "Cellar"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_rows_is_seen_and_leaves_the_others_what_they_are(client, rooms, change):
    first = cells(client, rooms)
    command, expected = CHANGES[change]
    rooms.command(**command)
    after = cells(client, rooms)
    assert names(after) == expected
    if change != "sort":
        kept = dict(after)
        assert {name: ref for name, ref in first if name in kept}.items() <= kept.items()
    # Whatever the references are, each is of its row.
    last = expected[-1]
    client.do("ax_click", app=rooms.app, query=dict(after)[last])
    rooms.wait("selected", [last])


def test_what_did_not_show_when_it_was_read_can_be_acted_on_once_it_does(desktop):
    """Of what does not show only role, name and states are asked for."""
    app = applications.start(desktop, "qt5", commands=True)
    app.command(do="add_button", name="Late")
    app.command(do="show_button", index=0, on=False)
    # A client for which it has never shown.
    client = Session(desktop.env)
    try:
        assert "Late" not in client.do("ax_get_tree", app=app.app).text
        hidden = client.do("ax_find", app=app.app, query="button Late").text
        assert "[hidden]" in hidden, hidden
        app.command(do="show_button", index=0, on=True)
        assert 'button "Late"' in client.do("ax_get_tree", app=app.app).text
        answer = client.call("ax_click", app=app.app, query="button Late")
        assert not answer.is_error, answer.text
    finally:
        client.close()
        app.stop()


def test_a_window_without_a_title_has_that_which_the_screen_shows(desktop, client):
    name, sign = "Weather Station", pathlib.Path(desktop.path("second-window"))
    program = desktop.start(
        ["/usr/bin/python3", str(TESTS / "apps" / "untitled_qt5_app.py"), name, str(sign)], "untitled")

    def outline(*parts):
        def shown():
            text = client.do("ax_get_tree", app=str(program.pid)).text
            return text if all(part in text for part in parts) else None
        return wait_for(f"{parts} to show", shown)

    def titled():
        return sum(title == name for _, _, title in desktop.windows())
    try:
        wait_for("the first window", lambda: titled() == 1)
        for text in (outline(f'- window "{name}"', "21 degrees"), outline("21 degrees")):
            # What has a border is called a frame by Qt, as a main window is.
            assert text.count("- window ") == 1 and '- group "Reading"' in text, text
        sign.touch()
        wait_for("the second window", lambda: titled() == 2)
        for _ in range(3):
            text = outline("Refresh", "Rain is near", "21 degrees")
            assert text.count(f'- window "{name}"') == 2, text
            # The hint, as large as the first window, is none.
            assert text.count("- window ") == 2, text
        found = client.do("ax_find", app=str(program.pid), query=f'window "{name}"')
        assert found.fields["role"] == "window" and found.fields["matches"] == 2, found.text
    finally:
        end_group(program)

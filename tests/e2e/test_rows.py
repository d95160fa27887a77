"""Clicks on rows and icons in the background: one selects, a double click opens, by the application's own word."""

import pytest

from support import applications, wait_for, witness

ROWS = {
    "list": ("Rooms >> Basement room", "Basement room"),
    "tree": ("role:cell Basement file", "Basement file"),
    "icons": ("Icons >> role:img #2", "Basement icon"),
}


@pytest.fixture
def rows(desktop):
    app = applications.start(desktop, "rows")
    yield app
    app.stop()


@pytest.fixture
def bystander(desktop):
    app = applications.Application(
        desktop, ["/usr/bin/python3", str(applications.APPS / "bystander.py")], "Bystander")
    desktop.activate(app.window)
    yield app
    app.stop()


def find(client, app, query):
    """Waits until the application shows what is looked for."""
    wait_for(f"{query} to be found", lambda: client.call("ax_find", app=app.app, query=query).fields.get("found"))


@pytest.mark.parametrize("kind", ROWS)
def test_a_click_selects_and_opens_nothing(desktop, client, rows, bystander, kind):
    query, row = ROWS[kind]
    find(client, rows, query)
    before = witness.seat(desktop)
    answer = client.do("ax_click", app=rows.app, query=query)
    rows.wait("selected", row)
    assert answer.effect == "confirmed", answer.text
    assert not before.differences(witness.seat(desktop))
    # What the first click might have opened would be reported before what the second one does. A row of a list box has no action of its own.
    client.do("ax_click", app=rows.app, query=query, click_type="double")
    wait_for("the row to open", lambda: rows.state()["activated"])
    assert rows.state()["activated"] == [row]
    assert not before.differences(witness.seat(desktop))


def test_another_row_takes_the_selection(client, rows):
    find(client, rows, "role:cell Attic file")
    for row in ("Attic file", "Cellar file"):
        answer = client.do("ax_click", app=rows.app, query=f"role:cell {row}")
        assert answer.effect == "confirmed", answer.text
        rows.wait("selected", row)
    assert rows.state()["activated"] == []


def test_a_check_box_in_a_row_opens_nothing(client, rows):
    """GTK 3 calls the action "toggle" that opens the row and leaves the box as it is."""
    find(client, rows, "Files >> role:cell #4")
    client.do("ax_click", app=rows.app, query="Files >> role:cell #4")
    rows.wait("selected", "Basement file")
    assert rows.state()["activated"] == []

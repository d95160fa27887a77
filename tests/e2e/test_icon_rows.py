"""A list of GTK 3 with icons: an outline counts those, and lists what a caller can read, fill in or switch."""

import re

import pytest

from support import applications, wait_for


@pytest.fixture
def rows(desktop):
    app = applications.start(desktop, "icon_rows", commands=True)
    yield app
    app.stop()


def cells(text):
    return [name or "" for name in re.findall(r"- cell(?: \"([^\"]*)\")? \[ref", text)]


def outline(client, app):
    return client.do("ax_get_tree", app=app.app).text


def test_icons_are_counted_and_check_boxes_and_empty_texts_are_listed(client, rows):
    listed = ["", "All", "32", "", "System", "", "", "User", "", "", "", ""]
    wait_for("the rows", lambda: cells(outline(client, rows)) == listed)
    text = outline(client, rows)
    call = re.search(r"… 4 pictures without a name: ax_get_tree root_query=(e\d+)", text)
    assert call and "hidden" not in text, text
    whole = client.do("ax_get_tree", app=rows.app, root_query=call[1]).text
    assert len(cells(whole)) == 16, whole


def test_a_text_that_is_filled_is_reported_and_a_row_is_selected(client, rows):
    wait_for("the rows", lambda: "System" in outline(client, rows))
    look = re.search(r"look: (t\d+)", outline(client, rows))[1]
    rows.command(do="count", row=1, number="7")
    wait_for("the number", lambda: "7" in cells(outline(client, rows)))
    changes = client.do("ax_get_tree", app=rows.app, since=look).text
    assert '~ cell "7"' in changes, changes
    answer = client.do("ax_click", app=rows.app, query="cell User")
    rows.wait("selected", "User")
    assert answer.effect == "confirmed", answer.text
    assert '"User"' in answer.text and "+ cell" not in answer.text, answer.text


def test_a_check_box_of_a_row_is_switched_by_its_reference(client, rows):
    wait_for("the rows", lambda: "System" in outline(client, rows))
    box = re.search(r"- cell \[ref=(e\d+)\][^\n]*\n\s+- cell \"System\"", outline(client, rows))[1]
    # GTK 3 has no action that switches it: a click by the pointer does.
    client.do("ax_click", app=rows.app, query=box, mode="focus")
    rows.wait("checked", ["System"])
    wait_for("the mark", lambda: re.search(rf"\[ref={box}\].* \[checked\]", outline(client, rows)))

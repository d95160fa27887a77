"""A table of GTK 3 whose cells all say that they show: what is in view is listed, and not more than that is read."""

import random
import re

import pytest

from support import applications, wait_for

from test_calls import Counted

ROWS = 300
# One call for the place of each eighth cell and of those in view, and six for each of those and of those next to them. Before: sixteen for each cell.
FIRST_LOOK = 850
# Of a window that something happens in, without scrolling: those in view, the ends and the list.
NEXT_LOOK = 90


@pytest.fixture
def table(desktop):
    app = applications.start(desktop, "long_table", commands=True)
    wait_for("the table to show", lambda: app.state().get("view"))
    yield app
    app.stop()


def listed(client, app):
    """The numbers of the rows that the outline has, in its order."""
    text = client.do("ax_get_tree", app=app.app).text
    return [int(number) for number in re.findall(r'cell "Track (\d+)"', text)]


def check(client, app, what):
    """Waits until the outline has the rows that the application says are in view; it may leave out one that is cut off at either end."""
    def is_what_shows():
        found, (first, last) = listed(client, app), app.state()["view"]
        rows = list(range(first, last + 1))
        return found == rows or found == rows[1:] or found == rows[:-1] or found == rows[1:-1]
    wait_for(f"the rows in view {what}", is_what_shows)


def test_what_is_in_view_is_listed_wherever_the_table_is_scrolled_to(client, table):
    check(client, table, "at first")
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    pick = random.Random(seed)
    row = 0
    for _ in range(12):
        # Far away, and by so little that most of what was in view still is.
        row = max(0, min(ROWS - 20, pick.choice((pick.randrange(ROWS), row + 1, row + 3, row - 1))))
        table.command(do="scroll", row=row)
        check(client, table, f"from row {row} on")


def test_a_table_of_which_few_rows_are_in_view_is_scrolled(client, table):
    """So few that no more than the first sixteen children, which may be headers, are in view at first."""
    table.command(do="resize", height=120)
    wait_for("few rows to be in view", lambda: table.state()["view"][1] < 5)
    check(client, table, "of a small window")
    for row in (20, 21, 150, 3, 0):
        table.command(do="scroll", row=row)
        check(client, table, f"from row {row} on")
    table.command(do="resize", height=400)
    wait_for("more rows to be in view", lambda: table.state()["view"][1] > 10)
    check(client, table, "of a larger window")


def test_a_table_of_which_some_columns_are_not_in_view(client, table):
    """The last column alone is, so most of the cells next to those in view are not."""
    check(client, table, "at first")
    table.command(do="scroll_sideways", width=140)
    table.command(do="scroll", row=100)

    def is_what_shows():
        text = client.do("ax_get_tree", app=table.app).text
        found, (first, last) = [int(number) for number in re.findall(r'cell "(\d+) kB"', text)], table.state()["view"]
        rows = list(range(first, last + 1))
        # The window gets its width and its row when the window manager and the next frame say so.
        is_narrow = 'cell "Track 1' not in text or "Artist" not in text
        return is_narrow and found and found in (rows, rows[1:], rows[:-1], rows[1:-1])
    wait_for("the numbers of the rows in view", is_what_shows)


def test_rows_come_and_go(client, table):
    check(client, table, "at first")
    table.command(do="insert", row=1, name="Track 1000")
    wait_for("the new row", lambda: listed(client, table)[:3] == [0, 1000, 1])
    table.command(do="remove", row=0)
    wait_for("the first row to be gone", lambda: listed(client, table)[:3] == [1000, 1, 2])
    table.command(do="rename", row=1, name="Track 2000")
    wait_for("the new name", lambda: listed(client, table)[:3] == [1000, 2000, 2])


def test_a_row_that_is_not_in_view_is_found_and_selected(client, table):
    check(client, table, "at first")
    answer = client.do("ax_find", app=table.app, query="Artist 200")
    assert 'cell "Artist 200"' in answer.text and "[hidden]" in answer.text, answer.text
    answer = client.do("ax_click", app=table.app, query="Track 200")
    table.wait("selected", "Track 200")
    assert answer.effect == "confirmed", answer.text
    # What was read to find it is not listed.
    check(client, table, "after that")


def test_what_is_not_in_view_is_not_read(desktop, table):
    server = Counted(desktop)
    try:
        first = server.calls("ax_get_tree", app=table.app)
        assert first["GetExtents"] < ROWS and first.total() <= FIRST_LOOK, first
        looks = []

        def looks_again():
            table.command(do="note", text=f"{len(looks)}")
            looks.append(server.calls("ax_get_tree", app=table.app))
            return 0 < looks[-1].total() <= NEXT_LOOK
        wait_for("a look that reads little", looks_again)
    finally:
        print(looks)
        server.client.close()

"""A sheet of Calc, which has 2^31 cells: those in view are read, in few calls, with what they contain."""

import pathlib
import re

import pytest

from support import wait_for, witness
from support.office import Calc
from support.session import Session

from test_calls import Counted, LOGGED

ROWS = [[f"Order {row}", f"Customer {row}", f"{row * 3} EUR"] for row in range(1, 13)]


@pytest.fixture
def sheet(desktop):
    app = Calc(desktop, ROWS)
    yield app
    app.stop()


def cells(client, app):
    """What the outline has of the sheet's cells, by their names."""
    return dict(re.findall(r'cell "([A-Z]+[0-9]+)"[^\n]*: "([^"]*)"', client.do("ax_get_tree", app=app.app).text))


def test_the_cells_in_view_have_what_the_document_contains(client, sheet):
    wait_for("the last cell of the document", lambda: cells(client, sheet).get("C12") == "36 EUR")
    found = cells(client, sheet)
    for row in range(len(ROWS)):
        for column in range(3):
            assert found["ABC"[column] + str(row + 1)] == sheet.read(column, row)


def test_a_cell_that_somebody_else_writes_into_is_read_again(client, sheet):
    wait_for("the first cell", lambda: cells(client, sheet).get("A1") == "Order 1")
    for text in ("Written", "Written again", "née"):
        sheet.write(0, 0, text)
        wait_for(f"{text} in the outline", lambda text=text: cells(client, sheet).get("A1") == text)


def test_a_cell_in_view_costs_few_calls(desktop, client, sheet):
    wait_for("the first cell", lambda: cells(client, sheet).get("A1") == "Order 1")
    server = Counted(desktop)
    try:
        first = server.calls("ax_get_tree", app=sheet.app)
        print(first)
        in_view = first["GetAccessibleAt"]
        assert in_view > 100, f"where is the sheet? {first}"
        assert first["GetRole"] < in_view / 2, f"each cell is asked for what all have in common: {first}"
        again = server.calls("ax_get_tree", app=sheet.app)
        print(again)
        assert again["GetChildren"] < in_view / 2, f"each cell is asked for what is inside of it: {again}"
    finally:
        server.client.close()


def test_a_cell_is_there_still_when_its_object_is_gone(desktop, sheet):
    """LibreOffice makes an object for a cell that somebody asks for, and lets go of it 16 to 20 seconds later."""
    log = pathlib.Path(desktop.path("objects.log"))
    client = Session({**desktop.env, **LOGGED}, log=str(log))

    def ask():
        """The object by which the server knows a cell."""
        before = log.read_text(encoding="utf-8").count("\n")
        wait_for("a look at the cells", lambda: cells(client, sheet).get("C12") == "36 EUR")
        lines = "\n".join(log.read_text(encoding="utf-8").split("\n")[before:])

        def asked(member):
            return set(re.findall(rf'call application=(\S+) path=(\S+) member="{member}"', lines))
        # Others than cells are asked for the length of their text first.
        return next(iter(sorted(asked("GetText") - asked("CharacterCount"))), None)

    def references():
        text = client.do("ax_get_tree", app=sheet.app).text
        return re.findall(r'cell "([A-Z]+[0-9]+)" \[ref=(\w+)', text)
    try:
        application, path = wait_for("a cell to be asked for its text", ask)
        known = references()
        assert "C12" in dict(known), known
        place = client.do("ax_find", app=sheet.app, query='cell "B7"').fields["position"]
        assert witness.is_object(desktop, application, "/org/a11y/atspi/accessible/root"), "the witness is wrong"
        wait_for("LibreOffice to let go of the cell", lambda: not witness.is_object(desktop, application, path),
                 timeout=60, every=1)
        found = client.do("ax_find", app=sheet.app, query='cell "B7"').fields
        assert found["found"] and found["enabled"] and found["value"] == "Customer 7", found
        assert found["position"] == place, found
        client.do("ax_click", app=sheet.app, query='cell "B7"')
        sheet.wait_for_selection(1, 6)
        sheet.write(2, 11, "40 EUR")
        wait_for("what was written since", lambda: cells(client, sheet).get("C12") == "40 EUR")
        shown = cells(client, sheet)
        document = {"ABC"[column] + str(row + 1): sheet.read(column, row) for row in range(len(ROWS)) for column in range(3)}
        assert shown == document
        assert references() == known, "the cells are what they were"
    finally:
        client.close()


def test_a_sheet_that_shows_the_same_is_asked_for_a_handful(desktop, sheet):
    """LibreOffice runs now and then where nothing changes, so that it cannot be found to have slept. Elements in it are asked, less than one look at all
    cells in view."""
    server = Counted(desktop)
    try:
        def is_asked_little():
            return 0 < server.calls("ax_get_tree", app=sheet.app).total() <= 30
        for number in range(2):
            wait_for("a look that asks for little", is_asked_little, every=1.2)
            sheet.write(0, 0, f"Written {number}")
            wait_for("the change", lambda number=number: cells(server.client, sheet).get("A1") == f"Written {number}")
    finally:
        server.client.close()

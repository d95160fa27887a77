"""A sheet of Calc, which has 2^31 cells: those in view are read, in few calls, with what they contain."""

import re

import pytest

from support import wait_for
from support.office import Calc

from test_calls import Counted

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

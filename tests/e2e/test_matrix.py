"""Action x toolkit x mode. Each cell is judged by the application's own state and by witnesses of the desktop."""

import pytest

import matrix
from support.cells import is_as_wanted, run_cell

CELLS = [pytest.param(toolkit, action, mode, id=f"{toolkit}-{action}-{mode}".replace(" ", "_"),
                      marks=pytest.mark.xdist_group(f"matrix-{toolkit}"))
         for toolkit in matrix.RUN for mode in matrix.MODES for action in matrix.ACTIONS if matrix.has(toolkit, action)]


@pytest.mark.parametrize(("toolkit", "action", "mode"), CELLS)
def test_cell(beds_of_cells, toolkit, action, mode):
    wanted = matrix.expected(toolkit, action, mode)
    outcome, reason, typed, said = run_cell(beds_of_cells(toolkit), toolkit, action, mode, wanted)
    matrix.keep(toolkit, action, mode, outcome, reason, typed)
    assert matrix.WRITES or is_as_wanted(outcome, wanted), f"docs/matrix.md says '{wanted}', now {said}"

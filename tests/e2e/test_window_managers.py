"""A short set of actions in the background under other window managers than openbox, judged as those of the matrix."""

import pytest

import matrix
from support import window_managers
from support.cells import is_as_wanted, run_cell

CELLS = [pytest.param(manager, toolkit, action, id=f"{manager}-{toolkit}-{action}".replace(" ", "_"),
                      marks=pytest.mark.xdist_group(f"manager-{manager}"))
         for manager in matrix.MANAGERS for toolkit in matrix.SHORT_TOOLKITS for action in matrix.SHORT_ACTIONS]


@pytest.mark.parametrize(("manager", "toolkit", "action"), CELLS)
def test_cell(beds_of_cells, manager, toolkit, action):
    if not window_managers.is_installed(manager):
        pytest.skip("installed by `cargo xtask test --long` only")
    wanted = matrix.expected_under(manager, toolkit, action)
    outcome, reason, typed, said = run_cell(beds_of_cells(toolkit, manager), toolkit, action, "background", wanted)
    matrix.keep(toolkit, action, manager, outcome, reason, typed)
    assert matrix.WRITES or is_as_wanted(outcome, wanted), f"docs/matrix.md says '{wanted}', now {said}"

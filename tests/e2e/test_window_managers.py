"""A short set of actions in the background under other window managers than openbox, judged as those of the matrix."""

import pytest

import matrix
from support import window_managers
from support.cells import Bed, judge, try_cell
from support.session import LATE
from support.shared import made_once


@pytest.fixture(scope="module")
def beds():
    """The beds of this worker, made when a toolkit is first asked for under a window manager."""
    with made_once(Bed) as beds:
        yield beds


CELLS = [pytest.param(manager, toolkit, action, id=f"{manager}-{toolkit}-{action}".replace(" ", "_"),
                      marks=pytest.mark.xdist_group(f"manager-{manager}"))
         for manager in matrix.MANAGERS for toolkit in matrix.SHORT_TOOLKITS for action in matrix.SHORT_ACTIONS]


@pytest.mark.parametrize(("manager", "toolkit", "action"), CELLS)
def test_cell(beds, manager, toolkit, action):
    if not window_managers.is_installed(manager):
        pytest.skip("installed by `cargo xtask test --long` only")
    bed = beds(toolkit, manager)
    wanted = matrix.expected_under(manager, toolkit, action)
    for tries_left in (2, 1, 0):
        answer, happened, moved, typed = try_cell(bed, toolkit, action, "background", wanted)
        if moved:
            bed.renew()
        if moved or happened or not tries_left or answer.code not in LATE:
            break
    outcome, reason = judge(answer, happened, moved)
    print(f"{outcome}: {moved}; {answer.text}")
    matrix.keep(toolkit, action, manager, outcome, reason, typed)
    if not matrix.WRITES:
        same = outcome == wanted or (outcome.startswith("delivered") and str(wanted).startswith("delivered"))
        assert same, f"docs/matrix.md says '{wanted}', now '{outcome}': {moved} {answer.text}"

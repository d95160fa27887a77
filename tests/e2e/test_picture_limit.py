"""Disk used by pictures: each caller has a share, and makes room by its own oldest ones."""

import os

import pytest

from support import wait_for
from support.session import Session

LIMIT = 150_000


@pytest.fixture
def make(desktop, tmp_path):
    """Makes servers with a folder for pictures in common, and ends them."""
    sessions = []

    def start(limit=LIMIT):
        env = {**desktop.env, "HANDEYE_SCREENSHOT_DIR": str(tmp_path / "shots"), "HANDEYE_PICTURE_LIMIT": str(limit)}
        sessions.append(Session(env))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()


def take(session, app):
    return session.do("ax_screenshot", app=app.app).fields["path"]


def used(folder):
    return sum(entry.stat().st_size for entry in os.scandir(folder) if not entry.name.startswith("."))


def test_the_oldest_of_the_caller_make_room_and_those_of_others_stay(make, gtk3_shared, tmp_path):
    other, greedy = make(), make()
    theirs = take(other, gtk3_shared)
    size = os.stat(theirs).st_size
    fit = LIMIT // size
    assert 1 < fit < 60, f"a picture of {size} bytes is no test of this limit"
    mine = [take(greedy, gtk3_shared) for _ in range(fit + 3)]
    assert os.path.exists(theirs)
    assert os.path.exists(mine[-1]) and not os.path.exists(mine[0]), mine
    kept = [path for path in mine if os.path.exists(path)]
    assert kept == mine[-len(kept):], "the oldest go first"
    assert sum(os.stat(path).st_size for path in kept) <= LIMIT < (len(kept) + 1) * size * 1.2
    assert used(tmp_path / "shots") <= LIMIT + size


def test_a_picture_without_any_room_is_an_error_that_says_so(make, gtk3_shared, tmp_path):
    session = make(limit=500)
    answer = session.call("ax_screenshot", app=gtk3_shared.app)
    told = f"{answer.text} {answer.fields}"
    assert answer.is_error and answer.code == "rate_limit_exceeded" and "500" in told, told
    assert not (tmp_path / "shots").exists() or not [name for name in os.listdir(tmp_path / "shots") if not name.startswith(".")]


def test_files_that_the_caller_named_count_and_are_never_removed(make, gtk3_shared, tmp_path):
    session = make()
    named = []
    while len(named) < 60:
        path = tmp_path / f"named-{len(named)}.png"
        answer = session.call("image", app_target=gtk3_shared.app, path=str(path))
        if not path.exists():
            break
        named.append(path)
    assert not path.exists() and "bytes" in f"{answer.text} {answer.fields}", answer.text
    assert len(named) > 1 and all(file.exists() for file in named), named
    named[0].unlink()
    session.call("image", app_target=gtk3_shared.app, path=str(path))
    wait_for("the picture for which the user made room", path.exists)

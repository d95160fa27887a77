"""What a picture may be written over: another picture, and nothing else. No link is followed, by writing or by cleaning."""

import os
import pathlib
import subprocess
import threading

import pytest

from support import BINARY, history, wait_for
from support.desktop import Desktop
from support.files import identified
from support.session import Session

DEFAULT = ".handeye-screenshots"
SCRIPT = "#!/bin/sh\necho important\n"
OLD = "page-2001-01-13T15-30-45-123Z.png"


@pytest.fixture(scope="module")
def desktop():
    """A desktop with nothing on it."""
    own = Desktop()
    yield own
    own.stop()


@pytest.fixture
def here(tmp_path):
    """The working directory, with files that a user needs."""
    folder = tmp_path / "work"
    (folder / "precious").mkdir(parents=True)
    for name in ["letter.png", "script.sh", "notes.jpg", "precious/letter.png"]:
        (folder / name).write_text(SCRIPT)
    (folder / "empty.png").touch()
    for name, target in [("link.png", "letter.png"), ("absolute.png", folder / "script.sh"), ("dangling.png", "nowhere.png"),
                         ("picture-link.png", "picture.png"), ("chain.png", "link.png"), ("folder-link", "precious")]:
        (folder / name).symlink_to(target)
    subprocess.run(["convert", "-size", "3x3", "xc:red", folder / "picture.png"], check=True)
    os.link(folder / "letter.png", folder / "hard.png")
    return folder


@pytest.fixture
def environment(desktop, tmp_path):
    """The desktop's, with a folder for temporary files that is the test's own."""
    (tmp_path / "temporary").mkdir()
    kept = {name: value for name, value in desktop.env.items() if not name.startswith("HANDEYE_SCREENSHOT")}
    return {**kept, "TMPDIR": str(tmp_path / "temporary")}


def contents(folder):
    """All that is below a folder: what each name is, and its content."""
    def kind(path):
        return ("link", os.readlink(path)) if path.is_symlink() else path.read_bytes() if path.is_file() else "folder"
    return {str(path.relative_to(folder)): kind(path) for path in sorted(folder.rglob("*"))}


def run(environment, here, *words):
    """Runs a command there."""
    return history.run([BINARY, *words], env=environment, cwd=here, capture_output=True, text=True, timeout=120)


VICTIMS = [("letter.png", "not a picture"), ("script.sh", "not a picture"), ("notes.jpg", "not a picture"), ("empty.png", "not a picture"),
           ("hard.png", "not a picture"), ("link.png", "symbolic link"), ("absolute.png", "symbolic link"),
           ("dangling.png", "symbolic link"), ("picture-link.png", "symbolic link"), ("chain.png", "symbolic link"),
           ("folder-link/letter.png", "not a picture")]


@pytest.mark.parametrize("name,why", VICTIMS)
def test_a_command_writes_over_nothing_but_pictures(environment, here, name, why):
    before = contents(here)
    for words in [("screenshot", "-o", name), ("image", "--mode", "screen", "--path", name),
                  ("image", "--mode", "screen", "--path", str(here / name))]:
        done = run(environment, here, *words)
        assert done.returncode != 0 and why in done.stdout + done.stderr, done
        assert contents(here) == before


def test_a_server_writes_over_nothing_but_pictures(environment, here):
    session = Session(environment, cwd=str(here))
    try:
        before = contents(here)
        for name, why in [*VICTIMS, ("folder-link", "symbolic link"), ("folder-link/", "symbolic link")]:
            answer = session.call("image", path=str(here / name), app_target="screen:0")
            assert answer.is_error and why in answer.text, (name, answer)
            assert contents(here) == before, name
        session.do("image", path=str(here / "picture.png"), app_target="screen:0")
        assert identified(here / "picture.png") == ("PNG", 1280, 1024)
    finally:
        session.close()


@pytest.mark.parametrize("link", [DEFAULT, f"{DEFAULT}/"])
def test_a_link_in_place_of_the_folder_is_not_followed(environment, here, link):
    (here / "precious" / OLD).write_text("mine")
    (here / "precious/.handeye-abandoned.part").write_text("mine")
    (here / DEFAULT).symlink_to("precious")
    before = contents(here)
    for words in [("screenshot",), ("screenshot", "--screenshot-dir", link), ("clean",), ("clean", "--screenshot-dir", link)]:
        done = run(environment, here, *words)
        assert done.returncode == 1 and "symbolic link" in done.stderr, done
        assert contents(here) == before, words


def test_a_device_that_keeps_what_it_is_given_is_refused(environment, here):
    assert run(environment, here, "screenshot", "-o", "/dev/null").returncode == 0
    done = run(environment, here, "screenshot", "-o", "/dev/tty")
    assert done.returncode == 1 and "a device" in done.stderr, done


def test_a_letter_that_takes_the_place_of_a_picture_meanwhile_stays(environment, here):
    """Another program saves letters and pictures under the name all the time: no letter is ever lost."""
    path, end = here / "contended.png", threading.Event()
    lost, rounds = [], 0

    def others():
        nonlocal rounds
        picture = (here / "picture.png").read_bytes()
        while not end.is_set():
            rounds += 1
            path.write_bytes(picture)
            pathlib.Path(f"{path}.new").write_text(SCRIPT)
            os.replace(f"{path}.new", path)
            for _ in range(50):
                # For a moment the picture may be there, until it is put back.
                if path.read_bytes() != SCRIPT.encode():
                    try:
                        wait_for("the letter", lambda: path.read_bytes() == SCRIPT.encode(), 10)
                    except AssertionError:
                        lost.append(rounds)
            path.unlink()

    other = threading.Thread(target=others)
    other.start()
    try:
        for _ in range(12):
            run(environment, here, "screenshot", "-o", path.name)
    finally:
        end.set()
        other.join()
    assert rounds > 20 and not lost, (rounds, lost)
    assert not [name for name in os.listdir(here) if name.endswith(".part")]

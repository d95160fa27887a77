"""Truth of the mirror: after random actions by another party it equals a fresh, full walk. Drift is zero.

The mirror of a server that has watched all along is asked for its tree at each quiet point; so is a new process that
has to read everything again. Both return what they see as an outline; references, which are each process's own, are left
out. The seed is printed with a failure and `HANDEYE_DRIFT_SEED` replays it.
"""

import difflib
import itertools
import json
import os
import re
import sys
import time

import pytest

from support import BINARY, PATIENCE, TESTS, applications, history, office, wait_for
from support.desktop import Desktop
from support.session import Session

sys.path.insert(0, str(TESTS / "apps"))
import common  # noqa: E402

ACTIONS = int(os.environ.get("HANDEYE_DRIFT_ACTIONS", "1000"))
BETWEEN_LOOKS = 50
SEED = int(os.environ.get("HANDEYE_DRIFT_SEED", "20261121"))
# More lines than a window has that shows no content, Firefox's (20) included.
FRAME = 25
# How long events may take to arrive once nothing more happens, on a machine whose cores are busy.
QUIET = 60.0
# How long a look may show what was not announced: two seconds, and longer where the cores are busy.
FOLLOWS = 15.0


@pytest.fixture
def watched():
    """A desktop and a server that watches it from the beginning."""
    desktop = Desktop()
    client = Session(desktop.env)
    yield desktop, client
    try:
        client.close()
    finally:
        desktop.stop()


def outline(text):
    """An outline without what differs between processes."""
    lines = (line for line in text.splitlines() if line.lstrip().startswith("- "))
    # What is left out is counted, with a hint that each face words in its own way.
    return [re.sub(r" \[ref=e\d+\]|(?<= hidden): .*", "", line) for line in lines]


def fresh_walk(desktop, app):
    """What a process sees that knows nothing yet."""
    ended = history.run([BINARY, "tree", "--app", app, "--depth", "60"], env=desktop.env, capture_output=True,
                        text=True, timeout=PATIENCE, check=False)
    return outline(ended.stdout) if ended.returncode == 0 else [f"the command ended with {ended.returncode}: {ended.stderr}"]


@pytest.mark.parametrize("toolkit", [
    pytest.param(name, marks=pytest.mark.xdist_group(f"drift-{name}"))
    for name in ("gtk3", "gtk4", "qt5", "libreoffice", "chromium", "firefox")])
def test_mirror_equals_a_fresh_walk(watched, toolkit):
    desktop, client = watched
    app = applications.start(desktop, toolkit, commands=True)
    client.do("ax_connect", app=app.app)
    stream = office.random_actions(SEED) if toolkit == "libreoffice" else common.RandomActions(SEED)
    done = []
    for _ in range(ACTIONS // BETWEEN_LOOKS):
        for command in itertools.islice(stream, BETWEEN_LOOKS):
            done.append(command)
            app.command(**command)
        assert_no_drift(desktop, client, app, done)


@pytest.mark.parametrize("browser", [
    pytest.param(name, marks=pytest.mark.xdist_group(f"drift-{name}")) for name in ("chromium", "firefox")])
def test_mirror_follows_a_reloaded_page(watched, browser):
    """A page that takes the place of another is not announced."""
    desktop, client = watched
    app = applications.start(desktop, browser)
    client.do("ax_connect", app=app.app)
    assert_no_drift(desktop, client, app, [])
    for _ in range(3):
        desktop.run(["xdotool", "windowactivate", "--sync", str(app.window), "key", "F5"])
        assert_no_drift(desktop, client, app, ["F5"])


@pytest.mark.parametrize("browser", [
    pytest.param(name, marks=pytest.mark.xdist_group(f"drift-{name}")) for name in ("chromium", "firefox")])
def test_mirror_follows_a_renamed_page(watched, browser):
    """A page that gives itself another name, as those do that load their content themselves. Chromium does not announce that."""
    desktop, client = watched
    app = applications.start(desktop, browser, commands=True)
    client.do("ax_connect", app=app.app)
    assert_no_drift(desktop, client, app, [])
    for number in range(3):
        name = f"Renamed {number}"
        app.command(do="rename_page", name=name)
        wait_for("a look with the name", lambda name=name: f'document "{name}"' in client.do(
            "ax_get_tree", app=app.app, max_depth=60).text)
        assert_no_drift(desktop, client, app, [name])


@pytest.mark.parametrize("browser", [
    pytest.param(name, marks=pytest.mark.xdist_group(f"drift-{name}")) for name in ("chromium", "firefox")])
def test_mirror_follows_what_scripts_change(watched, browser):
    """What scripts change in a page: texts of cells, roles, types of fields and more. Chromium does not announce all of it."""
    desktop, client = watched
    page = applications.Page(desktop, browser, file="mutations.html")
    client.do("ax_connect", app=page.app)
    assert_no_drift(desktop, client, page, [])
    # A page may not have the keys yet when it shows.
    wait_for("the page to make a change", lambda: press(page) or page.state()["made"], every=0.5)
    while (made := page.state()["made"]) < page.state()["changes"]:
        assert_no_drift(desktop, client, page, [f"change {made}"])
        press(page)
        wait_for("the next change", lambda made=made: page.state()["made"] > made)
    for change in ('cell "2.00"', 'button "Plain"'):
        wait_for(f"a look with {change}", lambda change=change: change in client.do(
            "ax_get_tree", app=page.app, max_depth=60).text)
    assert_no_drift(desktop, client, page, ["the last change"])


@pytest.mark.parametrize("toolkit", [
    pytest.param(name, marks=pytest.mark.xdist_group(f"drift-{name}")) for name in ("gtk3", "gtk4", "qt5", "qt6")])
def test_mirror_follows_what_a_program_changes(watched, toolkit):
    """What programs change in their widgets: tooltips, icons, titles, numbers, kinds, places and more. No toolkit announces all of it."""
    desktop, client = watched
    app = applications.Fixture(desktop, f"changing_{toolkit}", commands=True)
    client.do("ax_connect", app=app.app)
    wait_for("the window", lambda: 'button "Play"' in client.do("ax_get_tree", app=app.app, max_depth=60).text)
    for number in range(app.state()["changes"]):
        app.command(do="change", number=number)
        assert_no_drift(desktop, client, app, [f"change {number}"])
    assert 'button "Pause"' in client.do("ax_get_tree", app=app.app, max_depth=60).text


def test_looks_alone_follow_what_qt_does_not_announce(watched):
    """Nobody but the server asks the application, which rests after each change, for what it has changed."""
    desktop, client = watched
    app = applications.Fixture(desktop, "changing_qt5", commands=True)

    def outline_of():
        return client.do("ax_get_tree", app=app.app, max_depth=60).text

    def follows(command, has_followed):
        app.command(do=command)
        wait_for(f"a look after {command}", lambda: has_followed(outline_of()), timeout=FOLLOWS)

    wait_for("the window", lambda: 'button "Plain"' in outline_of())
    follows("put_last", lambda text: text.index('"Place 0"') > text.index('"Place 2"'))
    follows("make_checkable", lambda text: 'checkbox "Plain"' in text)
    follows("show_icon_only", lambda text: 'checkbox "Begin"' in text)
    follows("float", lambda text: 'window "Dock"' in text)


def press(page):
    """Has the page make its next change."""
    page.desktop.run(["xdotool", "windowactivate", "--sync", str(page.window), "key", "F9"])


def test_a_field_that_begins_to_hide_its_text_is_protected(watched):
    """Qt does not announce that a field hides its text from now on."""
    desktop, client = watched
    app = applications.start(desktop, "qt5", commands=True)
    app.command(do="set_name", text="visible words")
    field = 'textbox "Name"'
    wait_for("a look with the text", lambda: "visible words" in client.do("ax_get_tree", app=app.app).text)
    app.command(do="hide_name", on=True)
    outline_after = client.do("ax_get_tree", app=app.app).text
    assert "visible words" not in outline_after and field in outline_after, outline_after
    assert "[protected]" in next(line for line in outline_after.splitlines() if field in line)


def assert_no_drift(desktop, client, app, done):
    end = time.monotonic() + QUIET
    while True:
        answer = client.call("ax_get_tree", app=app.app, max_depth=60)
        # A busy application may be late for one look; that is not a quiet point either.
        mirror = [f"refused: {answer.text}"] if answer.is_error else outline(answer.text)
        walk = fresh_walk(desktop, app.app)
        # A browser in the middle of a reload shows nothing but itself: that is not a quiet point.
        if mirror == walk and len(walk) > FRAME:
            return
        if time.monotonic() > end:
            assert len(walk) > FRAME, (walk, mirror)
            difference = "\n".join(difflib.unified_diff(walk, mirror, "fresh walk", "mirror", lineterm="", n=1))
            last = "\n".join(map(json.dumps, done[-BETWEEN_LOOKS:]))
            raise AssertionError(f"drift after {len(done)} actions of seed {SEED}:\n{difference}\nlast actions:\n{last}")
        time.sleep(0.1)

"""What counts as evidence: an action that did something is confirmed, and one that did nothing is not, whatever else changes.

Judged by the application's own record.
"""

import os
import subprocess

import pytest

from support import BINARY, applications, history, wait_for
from support.desktop import Desktop
from support.session import Session
from support.swing import noisy_swing

TOOLKITS = ["gtk3", "gtk4", "qt5", "chromium"]
WITH_MENU = ["gtk3", "qt5"]
QUICK = 6


@pytest.fixture(scope="module")
def noisy():
    """The application of a toolkit with its client, made when it is first asked for; each on a desktop of its own."""
    made = {}

    def of(toolkit):
        if toolkit not in made:
            desktop = Desktop()
            app = applications.Page(desktop, toolkit, commands=True, file="noisy.html") if toolkit == "chromium" \
                else applications.start(desktop, f"noisy_{toolkit}", commands=True)
            client = Session(desktop.env, log=desktop.path("server.log"))
            made[toolkit] = (desktop, app, client)
            wait_for("the last button to be exposed", lambda: client.call(
                "ax_find", app=app.app, query="role:button Remove").fields.get("found"), every=0.2)
        return made[toolkit]
    yield of
    for desktop, _, client in made.values():
        client.close()
        desktop.stop()


def is_told_truly(answer, happened):
    """Whether an answer fits what happened."""
    assert not answer.is_error, answer.text
    wanted = "confirmed" if happened else "unconfirmed"
    assert answer.effect == wanted, f"happened: {happened}; answered: {answer.text}"


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_no_quick_click_is_lost(noisy, toolkit):
    _, app, client = noisy(toolkit)
    before = app.state()["digits"]
    for number in range(1, QUICK + 1):
        answer = client.do("ax_click", app=app.app, query="Digit")
        wait_for(f"click {number}, which was answered {answer.text!r}",
                 lambda number=number: app.state()["digits"] == before + number, 5)
        is_told_truly(answer, True)
        assert "released" not in answer.fields["effect"]["evidence"], answer.text


@pytest.mark.parametrize("together", [True, False], ids=["with a daemon", "each by itself"])
@pytest.mark.parametrize("toolkit", ["gtk3", "qt5"])
def test_no_quick_command_is_lost(noisy, toolkit, together):
    desktop, app, _ = noisy(toolkit)
    env = {**desktop.env, "XDG_RUNTIME_DIR": desktop.path("run")}
    os.makedirs(env["XDG_RUNTIME_DIR"], mode=0o700, exist_ok=True)
    if together:
        env.pop("HANDEYE_NO_DAEMON")
    before = app.state()["digits"]
    try:
        said = [history.run([BINARY, "click", "Digit", "--app", app.app], env=env, check=True, timeout=60,
                            capture_output=True, text=True).stdout for _ in range(QUICK)]
    finally:
        if together:
            history.run([BINARY, "daemon", "stop"], env=env, check=True, timeout=60, stdout=subprocess.DEVNULL)
    wait_for(f"all of the clicks, which were answered {said}",
             lambda: app.state()["digits"] == before + QUICK, 5)


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_a_button_is_confirmed_by_what_it_does(noisy, toolkit):
    _, app, client = noisy(toolkit)
    for mode in ("background", "focus", "background"):
        before = app.state()["count"]
        answer = client.do("ax_click", app=app.app, query="role:button Count", mode=mode)
        wait_for("the click", lambda before=before: app.state()["count"] == before + 1, 10)
        is_told_truly(answer, True)


@pytest.mark.parametrize("mode", ["background", "focus"])
@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_a_button_that_does_nothing_is_not_confirmed(noisy, toolkit, mode):
    _, app, client = noisy(toolkit)
    before = app.state()
    # First with the focus somewhere else, then on itself.
    for _ in range(2):
        is_told_truly(client.do("ax_click", app=app.app, query="role:button Nothing", mode=mode), False)
    assert app.state() == before


@pytest.mark.parametrize("toolkit", WITH_MENU)
def test_a_menu_item_is_confirmed_by_more_than_its_menu(noisy, toolkit):
    _, app, client = noisy(toolkit)
    before = app.state()["count"]
    answer = client.do("ax_click", app=app.app, query="role:menuitem Tally")
    wait_for("the item to run", lambda: app.state()["count"] == before + 1, 10)
    is_told_truly(answer, True)
    is_told_truly(client.do("ax_click", app=app.app, query="role:menuitem Idle"), False)


@pytest.mark.parametrize("toolkit", ["gtk3", "qt5", "chromium"])
def test_a_check_box_is_confirmed_by_its_state(noisy, toolkit):
    _, app, client = noisy(toolkit)
    for mode in ("background", "focus"):
        before = app.state()["marked"]
        answer = client.do("ax_click", app=app.app, query="Mark", mode=mode)
        wait_for("the mark", lambda before=before: app.state()["marked"] != before, 10)
        is_told_truly(answer, True)


def test_a_click_that_a_popup_swallows_is_not_confirmed(noisy):
    _, app, client = noisy("chromium")
    app.command(do="popup")
    before = app.state()
    answer = client.do("ax_click", app=app.app, query="role:button Count", mode="focus")
    wait_for("the popup to close", lambda: app.state()["swallowed"] == before["swallowed"] + 1, 10)
    is_told_truly(answer, app.state()["count"] != before["count"])


def test_a_button_that_another_one_releases_is_its_effect(noisy):
    _, app, client = noisy("gtk3")
    for mode in ("background", "focus"):
        client.do("ax_click", app=app.app, query="Bold")
        wait_for("the button to be down", lambda: app.state()["bold"])
        answer = client.do("ax_click", app=app.app, query="Plain", mode=mode)
        wait_for("the button to come up", lambda: not app.state()["bold"])
        is_told_truly(answer, True)


@pytest.mark.parametrize("toolkit", ["gtk3", "gtk4"])
def test_a_popover_that_a_click_closes_is_no_effect(noisy, toolkit):
    _, app, client = noisy(toolkit)
    client.do("ax_click", app=app.app, query="More")
    wait_for("the popover", lambda: app.state()["more"])
    before = app.state().get("count", 0)
    answer = client.do("ax_click", app=app.app, query="role:button Count", mode="focus")
    wait_for("the popover to close", lambda: not app.state()["more"])
    is_told_truly(answer, app.state().get("count", 0) != before)


@pytest.mark.parametrize("toolkit", ["gtk3", "gtk4"])
def test_a_popover_that_its_own_button_closes_is_an_effect(noisy, toolkit):
    _, app, client = noisy(toolkit)
    client.do("ax_click", app=app.app, query="More")
    wait_for("the popover", lambda: app.state()["more"])
    answer = client.do("ax_click", app=app.app, query="Enough")
    wait_for("the popover to close", lambda: not app.state()["more"])
    is_told_truly(answer, True)


@pytest.mark.parametrize("toolkit", WITH_MENU)
def test_a_drag_that_drops_nothing_is_not_confirmed(noisy, toolkit):
    _, app, client = noisy(toolkit)
    for _ in range(2):
        answer = client.do("ax_drag", app=app.app, from_query="Row 1", to_query="Row 3", mode="focus")
        is_told_truly(answer, False)


@pytest.mark.parametrize("toolkit", WITH_MENU)
def test_a_key_that_does_nothing_is_not_confirmed(noisy, toolkit):
    _, app, client = noisy(toolkit)
    is_told_truly(client.do("ax_key_press", app=app.app, key="f9", mode="focus"), False)
    # A move of the focus is what the tabulator is for.
    is_told_truly(client.do("ax_key_press", app=app.app, key="tab", mode="focus"), True)


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_what_disappears_with_a_click_is_its_effect(noisy, toolkit):
    _, app, client = noisy(toolkit)
    for removes in (True, False):
        answer = client.do("ax_click", app=app.app, query="role:button Remove")
        wait_for("the removal", lambda: app.state()["removed"], 10)
        is_told_truly(answer, removes)


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_what_changes_by_itself_proves_nothing(noisy, toolkit):
    """The last test of each application: the noise goes on."""
    _, app, client = noisy(toolkit)
    if "noise" not in vars(app):
        app.command(do="noise")
        app.noise = True
        wait_for("the noise to be exposed", lambda: client.call("ax_find", app=app.app, query="News 2").fields.get("found"))
    for _ in range(4):
        is_told_truly(client.do("ax_click", app=app.app, query="role:button Nothing"), False)
        before = app.state()["count"]
        answer = client.do("ax_click", app=app.app, query="role:button Count")
        wait_for("the click", lambda before=before: app.state()["count"] == before + 1, 10)
        is_told_truly(answer, True)
        assert "counted" in answer.fields["effect"]["evidence"], answer.text


@pytest.mark.parametrize("browser", ["firefox", "chromium"])
def test_what_only_comes_into_view_is_not_confirmed(browser):
    """A click on what is selected already changes nothing, though the page scrolls to it."""
    desktop = Desktop()
    client = Session(desktop.env)
    try:
        app = applications.start(desktop, browser)
        wait_for("the list", lambda: client.call("ax_find", app=app.app, query="Item 2").fields.get("found"), every=0.2)
        is_told_truly(client.do("ax_click", app=app.app, query="listitem Item 2"), True)
        app.wait("selected", "Item 2")
        desktop.activate(app.window)
        for _ in range(2):
            def scrolled_away():
                client.call("ax_scroll", app=app.app, query="role:listbox Items", direction="down", amount=30, mode="focus")
                outline = client.do("ax_get_tree", app=app.app, max_depth=30).text
                return '"Item 30"' in outline and '"Item 2"' not in outline
            wait_for("the item to be out of view", scrolled_away)
            is_told_truly(client.do("ax_click", app=app.app, query="listitem Item 2"), False)
        is_told_truly(client.do("ax_click", app=app.app, query="listitem Item 3"), True)
        app.wait("selected", "Item 3")
    finally:
        client.close()
        desktop.stop()


@pytest.fixture(scope="module")
def swing(tmp_path_factory):
    with noisy_swing(tmp_path_factory.mktemp("classes")) as parts:
        yield parts


@pytest.mark.parametrize("mode", ["background", "focus"])
def test_objects_that_are_made_anew_prove_nothing(swing, mode):
    app, client, happened = swing
    for _ in range(2):
        before = happened()
        answer = client.do("ax_click", app=app.app, query="role:button Nothing", mode=mode)
        assert happened() == before
        is_told_truly(answer, False)
        answer = client.do("ax_click", app=app.app, query="role:button Count", mode=mode)
        wait_for("the click", lambda before=before: happened() == before + 1, 10)
        is_told_truly(answer, True)

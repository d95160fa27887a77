"""What a person chooses in menus and lists is recorded as the choice, and made again by replay; the application says what was chosen."""

import time

import pytest

from support import wait_for
from support.recorder import again, settle

# GTK 3 takes a release sooner after the press for the end of a click on the menu, and leaves it open (MENU_SHELL_TIMEOUT), in seconds.
CLICK_ON_MENU = 0.5


@pytest.mark.parametrize("toolkit", ["gtk3", "qt5"])
def test_an_item_of_the_menu_bar(desktop, recording, toolkit):
    app, person, recorder = recording(toolkit)
    person.click("menubar >> File")
    person.click("menuitem About")
    settle(app, dialog=True)
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 1 and "About" in text, (text, recorder.text())
    again(desktop, recorder, toolkit, dialog=True)


def test_an_item_of_the_menu_bar_that_the_pointer_is_dragged_to(desktop, recording):
    """The button goes down on the menu and comes up on the item."""
    app, person, recorder = recording("gtk3")
    person.move("menubar >> File")
    person.do("mousedown", "1")
    pressed = time.monotonic()
    wait_for("the menu", lambda: person.shows("menuitem About"))
    person.move("menuitem About")
    wait_for("a release to be a choice", lambda: time.monotonic() > pressed + CLICK_ON_MENU)
    person.do("mouseup", "1")
    settle(app, dialog=True)
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 1 and "About" in text, (text, recorder.text())
    again(desktop, recorder, "gtk3", dialog=True)


def test_an_item_of_a_context_menu(desktop, recording):
    app, person, recorder = recording("gtk3")
    person.click("button Multi", "3")
    settle(app, context=1)
    person.click("menuitem \"Context entry\"")
    settle(app, chosen=1)
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 2 and "right" in text and "Context entry" in text, (text, recorder.text())
    again(desktop, recorder, "gtk3", context=1, chosen=1)


def test_a_context_menu_without_a_tree_is_noted(desktop, recording):
    """Qt 5 keeps the items of a context menu out of its tree: no step can name one, and none of what lies beneath may be recorded."""
    app, person, recorder = recording("qt5")
    x, y = person.place("button Multi")
    before = desktop.popups()
    person.click("button Multi", "3")
    settle(app, context=1)
    wait_for("the menu", lambda: desktop.popups() - before)
    person.do("mousemove", "--sync", str(x + 20), str(y + 12), "click", "1")
    settle(app, chosen=1)
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 1 and "no step can name" in text, (text, recorder.text())


def test_lists_numbers_and_dialogs(desktop, recording):
    app, person, recorder = recording("gtk3")
    person.click("combobox Size")
    person.click("menuitem Large")
    settle(app, size="Large")
    person.click("slider Volume")
    wait_for("the slider to move", lambda: app.state()["volume"] != 20)
    volume = app.state()["volume"]
    person.click("menu File")
    person.click("menuitem About")
    settle(app, dialog=True)
    person.do("key", "Escape")
    settle(app, dialog=False)
    text = recorder.end()
    app.stop()
    assert "wait_until" in text, (text, recorder.text())
    again(desktop, recorder, "gtk3", size="Large", volume=volume)

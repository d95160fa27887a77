"""What a person chooses in menus and lists is recorded as the choice, and made again by replay; the application says what was chosen."""

import pytest

from support import wait_for
from support.recorder import Person, Recorder, handeye, ready, settle


def replayed(desktop, recorder):
    return handeye(desktop, "replay", recorder.path)


@pytest.mark.parametrize("toolkit", ["gtk3", "qt5"])
def test_an_item_of_the_menu_bar(desktop, tmp_path, toolkit):
    app = ready(desktop, toolkit)
    person = Person(desktop, app.app)
    recorder = Recorder(desktop, tmp_path / "flow.yaml", "--app", app.app)
    person.click("menubar >> File")
    person.click("menuitem About")
    settle(app, dialog=True)
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 1 and "About" in text, (text, recorder.text())
    again = ready(desktop, toolkit)
    try:
        replayed(desktop, recorder)
        settle(again, dialog=True)
    finally:
        again.stop()


def test_an_item_of_the_menu_bar_that_the_pointer_is_dragged_to(desktop, tmp_path):
    """The button goes down on the menu and comes up on the item."""
    app = ready(desktop, "gtk3")
    person = Person(desktop, app.app)
    recorder = Recorder(desktop, tmp_path / "flow.yaml", "--app", app.app)
    person.move("menubar >> File")
    person.do("mousedown", "1")
    wait_for("the menu", lambda: person.shows("menuitem About"))
    person.move("menuitem About")
    person.do("mouseup", "1")
    settle(app, dialog=True)
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 1 and "About" in text, (text, recorder.text())
    again = ready(desktop, "gtk3")
    try:
        replayed(desktop, recorder)
        settle(again, dialog=True)
    finally:
        again.stop()


def test_an_item_of_a_context_menu(desktop, tmp_path):
    app = ready(desktop, "gtk3")
    person = Person(desktop, app.app)
    recorder = Recorder(desktop, tmp_path / "flow.yaml", "--app", app.app)
    person.click("button Multi", "3")
    settle(app, context=1)
    person.click("menuitem \"Context entry\"")
    settle(app, chosen=1)
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 2 and "right" in text and "Context entry" in text, (text, recorder.text())
    again = ready(desktop, "gtk3")
    try:
        replayed(desktop, recorder)
        settle(again, context=1, chosen=1)
    finally:
        again.stop()


def test_a_context_menu_without_a_tree_is_noted(desktop, tmp_path):
    """Qt 5 keeps the items of a context menu out of its tree: no step can name one, and none of what lies beneath may be recorded."""
    app = ready(desktop, "qt5")
    person = Person(desktop, app.app)
    recorder = Recorder(desktop, tmp_path / "flow.yaml", "--app", app.app)
    x, y = person.place("button Multi")
    person.click("button Multi", "3")
    settle(app, context=1)
    wait_for("the menu", desktop.popups)
    person.do("mousemove", "--sync", str(x + 20), str(y + 12), "click", "1")
    settle(app, chosen=1)
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 1 and "no step can name" in text, (text, recorder.text())


def test_lists_numbers_and_dialogs(desktop, tmp_path):
    app = ready(desktop, "gtk3")
    person = Person(desktop, app.app)
    recorder = Recorder(desktop, tmp_path / "flow.yaml", "--app", app.app)
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
    again = ready(desktop, "gtk3")
    try:
        assert "wait_until" in text, (text, recorder.text())
        replayed(desktop, recorder)
        settle(again, size="Large", volume=volume)
    finally:
        again.stop()

"""Every kind of input of a person is recorded and replayed, in several toolkits; the application says what it got."""

import pytest

from support import applications, wait_for
from support.recorder import Person, Recorder, again, handeye, ready, settle

SECRET = "Tr0ub4dor-x7"


def test_shortcuts_are_keys_and_typed_characters_are_none(desktop, recording):
    app, person, recorder = recording("gtk3")
    person.do("key", "ctrl+k")
    settle(app, chord="ctrl+k")
    person.click("textbox Secret")
    person.type(SECRET)
    settle(app, secret=SECRET)
    person.click("button Count")
    settle(app, count=1)
    person.do("key", "ctrl+F12")
    settle(app, chord="ctrl+f12")
    text = recorder.end()
    app.stop()
    assert "ctrl+k" in text and "ctrl+f12" in text and text.count("ax_key_press") == 2, text
    assert SECRET not in text and SECRET not in recorder.text(), text
    again(desktop, recorder, "gtk3", "--var", f"password_1={SECRET}", secret=SECRET, count=1, chord="ctrl+f12")


def test_a_file_is_saved_by_a_shortcut(desktop, tmp_path):
    path = tmp_path / "letter.txt"
    words = ["mousepad", "--disable-server", str(path)]
    path.write_text("hello\n", encoding="utf-8")
    pad = applications.Application(desktop, words, "letter.txt")
    desktop.activate(pad.window)
    person = Person(desktop, pad.app)
    recorder = Recorder(desktop, tmp_path / "pad.yaml", "--app", pad.app)
    person.click("role:textbox")
    person.do("key", "ctrl+End")
    person.type("and more")
    person.do("key", "ctrl+s")
    wait_for("the file to be saved", lambda: "and more" in path.read_text(encoding="utf-8"))
    saved = path.read_text(encoding="utf-8")
    text = recorder.end()
    pad.stop()
    assert "ctrl+s" in text, (text, recorder.text())
    path.write_text("hello\n", encoding="utf-8")
    fresh = applications.Application(desktop, words, "letter.txt")
    desktop.activate(fresh.window)
    try:
        handeye(desktop, "replay", recorder.path)
        wait_for("the file to be saved again", lambda: path.read_text(encoding="utf-8") == saved)
    finally:
        fresh.stop()


def test_a_double_click(desktop, recording):
    app, person, recorder = recording("gtk3")
    person.move("listitem \"Item 3\"")
    person.do("click", "--repeat", "2", "--delay", "60", "1")
    settle(app, opened="Item 3")
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 1 and "double" in text, (text, recorder.text())
    again(desktop, recorder, "gtk3", opened="Item 3")


def test_the_wheel(desktop, recording):
    app, person, recorder = recording("gtk3")
    person.move("listbox Items")
    person.do("click", "--repeat", "3", "--delay", "60", "5")
    wait_for("the list to scroll", lambda: app.state()["scroll"] > 0)
    text = recorder.end()
    app.stop()
    assert text.count("ax_scroll") == 1, (text, recorder.text())
    fresh = ready(desktop, "gtk3")
    try:
        handeye(desktop, "replay", recorder.path)
        wait_for("the list to scroll again", lambda: fresh.state()["scroll"] > 0)
    finally:
        fresh.stop()


@pytest.mark.parametrize("toolkit", ["gtk3", "qt5"])
def test_a_drag(desktop, recording, toolkit):
    app, person, recorder = recording(toolkit)
    start, end = person.place("\"Drag source\""), person.place("\"Drop target\"")
    person.do("mousemove", "--sync", *map(str, start), "mousedown", "1")
    for step in range(1, 11):
        x, y = (a + (b - a) * step // 10 for a, b in zip(start, end))
        person.do("mousemove", "--sync", str(x), str(y))
    # Released before it is accepted, it is dropped nowhere.
    settle(app, dragged_over=True)
    person.do("mouseup", "1")
    settle(app, dropped=1)
    text = recorder.end()
    app.stop()
    assert text.count("ax_drag") == 1, (text, recorder.text())
    again(desktop, recorder, toolkit, dropped=1)


def test_gtk4(desktop, recording):
    app, person, recorder = recording("gtk4")
    person.click("button Count")
    settle(app, count=1)
    person.click("textbox Name")
    person.type("Ada Lovelace")
    settle(app, name="Ada Lovelace")
    text = recorder.end()
    app.stop()
    assert text.count("tool:") == 2, (text, recorder.text())
    again(desktop, recorder, "gtk4", count=1, name="Ada Lovelace")


@pytest.mark.parametrize("browser", ["firefox", "chromium"])
def test_the_fields_of_a_page(desktop, recording, browser):
    """A browser takes no text by request, so it is typed."""
    app, person, recorder = recording(browser)
    person.click("textbox Name")
    person.type("Ada {{x}}")
    settle(app, name="Ada {{x}}")
    person.click("textbox Notes")
    person.type("one\ntwo")
    settle(app, notes="one\ntwo")
    person.click("button Count")
    settle(app, count=1)
    text = recorder.end()
    app.stop()
    # Return was typed into the notes too, however late the browser reported that they got the focus.
    assert text.count("ax_type") == 2 and "ax_key_press" not in text, (text, recorder.text())
    again(desktop, recorder, browser, name="Ada {{x}}", notes="one\ntwo", count=1)

"""Text that is on no keyboard layout arrives exactly, every character of it, or is refused before the first key."""

import pytest

from support import applications, wait_for, witness

# 200 characters, most of them on no layout: accents, Greek, Cyrillic, kana, han, hangul, symbols, emoji.
TEXT = ("éèêëçñøåæœßþðłžšč" "αβγδεζηθικλμνξοπρστυφχψω" "абвгдежзийклмнопрстуфхцчшщъыьэюя" "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝ"
        "あいうえおかきくけこ" "漢字日本語中文繁體简体測試驗證輸入" "한국어입력시험" "€£¥₹→←↑↓≠≤≥∞√∑∫" "😀🎉🚀👍🌍❤⭐🔥" "Mixed plain text: 42 %!")
TEXT = (TEXT * 2)[:200]


@pytest.mark.parametrize("mode", ["focus", "background"])
@pytest.mark.parametrize("toolkit", ["gtk3", "gtk4", "qt5"])
def test_200_of_200(desktop, client, toolkit, mode):
    app = applications.start(desktop, toolkit)
    keyboard = desktop.run(["xmodmap", "-pke"])
    try:
        def typed():
            answer = client.do("ax_type", app=app.app, query="Name", text=TEXT, mode=mode, clear_first=True)
            app.wait("name", TEXT)
            assert desktop.run(["xmodmap", "-pke"]) == keyboard, "the keyboard was not put back as it was"
            return answer.effect == "confirmed"
        # Every time it arrives; whether handeye sees it within its settle time depends on the load of the machine.
        wait_for("typing that is confirmed", typed, 180)
    finally:
        app.stop()


def test_lines_and_tabs(desktop, client):
    app = applications.start(desktop, "gtk3")
    try:
        text = "first line\nsecond\tcolumn\n\nlast é漢😀"
        client.do("ax_type", app=app.app, query="Notes", text=text, mode="focus")
        app.wait("notes", text)
        assert witness.texts(desktop, app.process, "text", "Notes") == [text]
    finally:
        app.stop()


def test_large_text_in_the_background(desktop, client):
    app = applications.start(desktop, "gtk3")
    try:
        text = "".join(f"line {number} né 漢\n" for number in range(2000))
        client.do("ax_type", app=app.app, query="Notes", text=text)
        app.wait("notes", text)
    finally:
        app.stop()

"""The pointer and an open menu: an item that lies over its window is clicked, and what the menu covers is not."""

import pytest

from support import applications, wait_for
from support.desktop import Desktop
from support.session import Session
from support.shared import made_once

# An application, its text, the menu that is opened over it, and an item of that menu which opens a window.
KINDS = {
    "mousepad": (["mousepad", "--disable-server"], "Mousepad", "role:textbox", "menu File", "menu File >> menuitem Open..."),
    "kwrite": (["kwrite"], "KWrite", "role:textbox", "menuitem File", "menuitem File >> menuitem Open..."),
}
SMALL = 320, 260


class Bed:
    """An application in a window so small that its open menu covers the middle of its text."""

    def __init__(self, kind):
        command, title, self.text, self.menu, self.item = KINDS[kind]
        self.desktop = Desktop()
        file = self.desktop.path("text.txt")
        with open(file, "w", encoding="utf-8") as text:
            text.write("one line\n")
        self.app = applications.Application(self.desktop, [*command, file], title)
        self.desktop.run(["xdotool", "windowsize", "--sync", str(self.app.window), *map(str, SMALL)])
        self.client = Session(self.desktop.env, log=self.desktop.path("server.log"))
        self.closed = self.desktop.popups()

    def call(self, tool, **arguments):
        return self.client.call(tool, app=self.app.app, **arguments)

    def is_open(self):
        return self.desktop.popups() != self.closed

    def titles(self):
        return sorted(title for _window, _process, title in self.desktop.windows())

    def open(self):
        wait_for("the menu bar", lambda: self.call("ax_find", query=self.menu).fields.get("found"))
        self.client.do("ax_click", app=self.app.app, query=self.menu, mode="focus")
        wait_for("the open menu", self.is_open)

    def close(self):
        """Leaves what is open, with the keys of a user."""
        def is_left():
            if self.is_open() or len(self.titles()) > 1:
                self.desktop.run(["xdotool", "key", "Escape"])
                return False
            return True

        wait_for("the menu and the dialog to be gone", is_left)

    def stop(self):
        self.client.close()
        self.desktop.stop()


@pytest.fixture(scope="module")
def beds():
    with made_once(Bed) as beds:
        yield beds


@pytest.fixture(params=sorted(KINDS))
def bed(beds, request):
    bed = beds(request.param)
    yield bed
    bed.close()


def test_an_item_of_an_open_menu_is_clicked(bed):
    before = bed.titles()
    bed.open()
    answer = bed.call("ax_click", query=bed.item, mode="focus")
    assert answer.code is None, answer.text
    wait_for("the window that the item opens", lambda: len(bed.titles()) > len(before))


@pytest.mark.parametrize("covered", ["the text", "the window"])
def test_what_an_open_menu_covers_is_not_clicked(bed, covered):
    before = bed.titles()
    bed.open()
    answer = bed.call("ax_click", query=bed.text if covered == "the text" else "window text.txt", mode="focus")
    assert answer.code == "refused", answer.text
    assert "covered by menu" in answer.text, answer.text
    assert bed.is_open() and bed.titles() == before


def test_an_item_of_a_closed_menu_is_refused_with_the_menu_to_open(bed):
    wait_for("the item", lambda: bed.call("ax_find", query=bed.item).fields.get("found"))
    answer = bed.call("ax_click", query=bed.item, mode="focus")
    assert answer.code == "refused", answer.text
    assert "\"File\", which is not open" in answer.text, answer.text
    assert not bed.is_open()

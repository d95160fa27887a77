"""Menus and the user's keyboard: while the user is in another window, nothing that handeye does in the background takes what is typed."""

import re

import pytest

from support import applications, wait_for, witness
from support.desktop import Desktop
from support.session import Session
from support.shared import made_once

EDITORS = {"mousepad": (["mousepad", "--disable-server"], "Mousepad"), "kwrite": (["kwrite", str(applications.APPS / "common.py")], "KWrite")}
TYPED = "quick a brown fox does not jump"


class Bed:
    """An application, and the user's own window, which is the active one."""

    def __init__(self, kind):
        self.desktop = Desktop(extra_env={"GSK_RENDERER": "cairo"})
        if kind in EDITORS:
            self.app = applications.Application(self.desktop, *EDITORS[kind])
        else:
            self.app = applications.start(self.desktop, kind)
        self.log = self.desktop.path("bystander.log")
        self.user = applications.Application(
            self.desktop, ["/usr/bin/python3", str(applications.APPS / "bystander.py")], "Bystander",
            {"APP_LOG": self.log})
        self.client = Session(self.desktop.env, log=self.desktop.path("server.log"))
        self.desktop.activate(self.user.window)
        self.typed = ""
        self.open_before = self.desktop.popups()

    def type_as_user(self):
        """The user types; every key has to arrive in the user's own window."""
        assert self.desktop.active_window() == self.user.window
        self.desktop.run(["xdotool", "type", "--delay", "4", TYPED])
        self.typed += TYPED
        with_everything = lambda: f'"name": "{self.typed}"' in self.recorded()  # noqa: E731
        wait_for(f"every character to arrive; the window has {self.recorded()}", with_everything, 20)

    def recorded(self):
        with open(f"{self.log}.state", encoding="utf-8") as file:
            return file.read()

    def titles(self):
        return sorted(title for _window, _process, title in self.desktop.windows())

    def find(self, query):
        """Waits until the application shows it; the user is in the other window then."""
        wait_for(f"{query} to be found", lambda: self.client.call(
            "ax_find", app=self.app.app, query=query).fields.get("found"))
        self.desktop.activate(self.user.window)

    def stop(self):
        self.client.close()
        self.desktop.stop()


@pytest.fixture(scope="module")
def beds():
    with made_once(Bed) as beds:
        yield beds


MENUS = [("mousepad", "menu File"), ("gtk3", "menu File"), ("qt5", "menuitem File"), ("libreoffice", "menubar >> menu Edit"),
         ("gtk3", "role:combobox"), ("qt5", "role:combobox")]


@pytest.mark.parametrize(("kind", "query"), MENUS)
def test_a_menu_opens_beside_the_user(beds, kind, query):
    bed = beds(kind)
    bed.find(query)
    before = witness.seat(bed.desktop)
    answer = bed.client.do("ax_click", app=bed.app.app, query=query)
    differences = before.differences(witness.seat(bed.desktop))
    assert answer.effect == "confirmed", answer.text
    assert not differences, (differences, answer.text)
    wait_for("the menu to open", lambda: bed.desktop.popups() != bed.open_before)
    bed.type_as_user()
    # It stays open for the agent, which leaves it with a key of its own.
    assert bed.desktop.popups() != bed.open_before
    answer = bed.client.do("ax_key_press", app=bed.app.app, key="escape")
    wait_for(f"the menu to close; {answer.text}", lambda: bed.desktop.popups() == bed.open_before)
    bed.type_as_user()


@pytest.mark.parametrize("query", ["menuitem File", "combobox Size"])
def test_a_menu_that_needs_the_users_keyboard_is_not_opened(beds, query):
    bed = beds("gtk4")
    bed.find(query)
    titles, before = bed.titles(), witness.seat(bed.desktop)
    answer = bed.client.call("ax_click", app=bed.app.app, query=query)
    bed.type_as_user()
    assert answer.code == "refused" and 'mode: "focus"' in answer.text, answer.text
    assert bed.desktop.popups() == bed.open_before
    assert bed.titles() == titles
    assert not before.differences(witness.seat(bed.desktop))


@pytest.mark.parametrize(("kind", "query", "item"), [
    ("mousepad", "menu Document >> menu 'Line Ending'", "DOS"), ("kwrite", "menuitem Tools >> menuitem 'End of Line'", "Windows")])
def test_a_menu_within_a_closed_menu_is_refused_with_its_items(beds, kind, query, item):
    bed = beds(kind)
    bed.find(query)
    answer = bed.client.call("ax_click", app=bed.app.app, query=query)
    assert answer.code == "refused", answer.text
    assert item in answer.text, answer.text
    # What is advised is another call than this one, and leads somewhere.
    advised = re.search(r'ax_click with query: "(e\d+)"', answer.text).group(1)
    followed = bed.client.call("ax_click", app=bed.app.app, query=advised)
    assert not followed.is_error, followed.text
    bed.type_as_user()


@pytest.mark.parametrize(("kind", "query"), [("gtk3", "menu File >> About"), ("qt5", "menuitem File >> menuitem About")])
def test_an_item_needs_no_open_menu(beds, kind, query):
    bed = beds(kind)
    bed.find(query)
    bed.client.do("ax_click", app=bed.app.app, query=query)
    bed.app.wait("dialog", True)
    bed.client.do("ax_click", app=bed.app.app, query="button Close About")
    bed.app.wait("dialog", False)
    bed.desktop.activate(bed.user.window)
    bed.type_as_user()
    assert bed.desktop.popups() == bed.open_before


def test_a_value_is_chosen_without_opening(beds):
    bed = beds("gtk3")
    bed.find("role:combobox")
    answer = bed.client.do("ax_set_value", app=bed.app.app, query="role:combobox", value="Large")
    bed.type_as_user()
    bed.app.wait("size", "Large")
    # It has a name of its own, so the name does not show the choice; and a closed menu does not report what is chosen in it.
    assert answer.effect == "confirmed", answer.text
    assert bed.desktop.popups() == bed.open_before


def test_a_choice_that_was_not_made_is_not_confirmed(beds):
    """Qt 5 has another row of a combo box's list selected, and the combo box as it was."""
    bed = beds("qt5")
    bed.find("role:combobox")
    answer = bed.client.call("ax_set_value", app=bed.app.app, query="role:combobox", value="Large")
    bed.type_as_user()
    assert answer.effect != "confirmed" or bed.app.state()["size"] == "Large", answer.text
    assert bed.desktop.popups() == bed.open_before


@pytest.mark.parametrize("query", ["Surprise", "More surprises"])
def test_a_menu_that_nobody_could_foresee_is_closed_again(beds, query):
    bed = beds("rows")
    bed.find(query)
    answer = bed.client.do("ax_click", app=bed.app.app, query=query)
    bed.type_as_user()
    assert bed.desktop.popups() == bed.open_before
    assert "closed again" in answer.text, answer.text
    assert bed.app.state()["astray"] is False


def test_an_item_closes_the_menu_that_it_is_in(beds):
    bed = beds("qt5")
    bed.find("menuitem File")
    bed.desktop.activate(bed.app.window)
    try:
        # No user is typing: the menu opens.
        bed.client.do("ax_click", app=bed.app.app, query="menuitem File")
        wait_for("the menu to open", lambda: bed.desktop.popups() != bed.open_before)
        bed.client.do("ax_click", app=bed.app.app, query="menuitem About")
        bed.app.wait("dialog", True)
        wait_for("the menu to close", lambda: bed.desktop.popups() == bed.open_before)
        bed.client.do("ax_click", app=bed.app.app, query="button Close About")
        bed.app.wait("dialog", False)
    finally:
        bed.desktop.activate(bed.user.window)
    bed.type_as_user()

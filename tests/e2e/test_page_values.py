"""A value that is set in a page reaches the page, or the answer does not say that it was set. Judged by the events that the page received."""

import pytest

from support import applications, wait_for, witness
from support.desktop import Desktop
from support.session import Session
from support.shared import made_once

BROWSERS = ["firefox", "chromium"]


class Bed:
    """A page in a browser, another window of the user, and a client."""

    def __init__(self, browser):
        self.browser = browser
        self.desktop = Desktop()
        self.user = applications.Application(
            self.desktop, ["/usr/bin/python3", str(applications.APPS / "bystander.py")], "Bystander",
            {"APP_LOG": self.desktop.path("bystander.log")})
        self.page = applications.Page(self.desktop, browser, file="values.html")
        self.client = Session(self.desktop.env, log=self.desktop.path("server.log"))
        wait_for("the page to be exposed", lambda: self.client.call(
            "ax_find", app=self.page.app, query="Cadiz").fields.get("found"), every=0.2)

    def call(self, tool, **arguments):
        """Calls a tool on the page."""
        return self.client.call(tool, app=self.page.app, **arguments)

    def stop(self):
        self.client.close()
        self.desktop.stop()


@pytest.fixture(scope="module")
def beds():
    with made_once(Bed) as beds:
        yield beds


def is_told_truly(bed, answer, key, value):
    """Whether an answer fits the events of the page; returns whether the page received one."""
    if not answer.is_error and answer.effect == "confirmed":
        bed.page.wait(key, value, 10)
        return True
    assert bed.page.state()[key] != value, f"the page has it, and the answer is {answer.text}"
    assert answer.code in (None, "refused", "action_failed"), answer.text
    return False


# Each control, and two values so that one of them is another one than it holds.
CONTROLS = [("Amount", "amount", "8", "9"), ("Volume", "volume", "30", "40"), ("combobox Size", "size", "Medium", "Large"),
            ("listbox Fruit", "fruit", "Banana", "Cherry"), ("Fader", "fader", "12", "13"), ("Turns", "turns", "12", "13"),
            ("Towns", "town", "Bern", "Arles")]


@pytest.mark.parametrize("user_is", ["elsewhere", "here"])
@pytest.mark.parametrize(("query", "key", "one", "other"), CONTROLS, ids=[control[1] for control in CONTROLS])
@pytest.mark.parametrize("browser", BROWSERS)
def test_no_value_is_confirmed_that_the_page_does_not_have(beds, browser, query, key, one, other, user_is):
    bed = beds(browser)
    active = bed.user.window if user_is == "elsewhere" else bed.page.window
    bed.desktop.activate(active)
    value = other if str(bed.page.state()[key]) == one else one
    answer = bed.call("ax_set_value", query=query, value=value)
    is_told_truly(bed, answer, key, int(value) if value.isdigit() else value)
    assert bed.desktop.active_window() == active


@pytest.mark.parametrize("browser", BROWSERS)
def test_a_combo_box_is_set_while_the_user_is_in_its_window(beds, browser):
    bed = beds(browser)
    for value in ("Large", "Small", "Medium"):
        bed.desktop.activate(bed.page.window)
        answer = bed.call("ax_set_value", query="combobox Size", value=value)
        assert answer.effect == "confirmed", answer.text
        bed.page.wait("size", value, 10)
        # What it holds already needs nothing.
        assert bed.call("ax_set_value", query="combobox Size", value=value).effect == "confirmed"


def test_a_number_is_typed_that_would_only_be_shown(beds):
    bed = beds("firefox")
    bed.desktop.activate(bed.user.window)
    value = "61" if bed.page.state()["amount"] != 61 else "62"
    before = witness.seat(bed.desktop)
    answer = bed.call("ax_set_value", query="Amount", value=value)
    assert answer.effect == "confirmed", answer.text
    bed.page.wait("amount", int(value), 10)
    assert not before.differences(witness.seat(bed.desktop)), answer.text


def test_a_combo_box_is_opened_beside_the_user(beds):
    bed = beds("firefox")
    bed.desktop.activate(bed.page.window)
    bed.call("ax_set_value", query="combobox Size", value="Small")
    bed.page.wait("size", "Small", 10)
    bed.desktop.activate(bed.user.window)
    before = witness.seat(bed.desktop)
    answer = bed.call("ax_set_value", query="combobox Size", value="Medium")
    assert answer.code == "refused", answer.text
    assert "ax_set_value" not in answer.fields["error"]["next"], answer.text
    assert bed.call("ax_click", query="combobox Size").effect == "confirmed"
    assert bed.call("ax_click", query="menuitem Medium").effect == "confirmed"
    bed.page.wait("size", "Medium", 10)
    assert not before.differences(witness.seat(bed.desktop))


def test_an_option_is_not_pressed_in_a_closed_list(beds):
    bed = beds("firefox")
    bed.desktop.activate(bed.page.window)
    before = bed.page.state()["size"]
    answer = bed.call("ax_click", query=f"combobox Size >> menuitem {'Large' if before != 'Large' else 'Small'}")
    assert answer.code == "refused", answer.text
    assert bed.page.state()["size"] == before

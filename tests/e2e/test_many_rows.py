"""Of more rows of a page than are listed those in view are read, and no others. Judged by what the page measures."""

import re

import pytest

from support import applications, wait_for
from support.desktop import Desktop
from support.session import Session
from support.shared import made_once


class Bed:
    """A page in a browser, and a client."""

    def __init__(self, browser):
        self.desktop = Desktop()
        self.page = applications.Page(self.desktop, browser, file="many.html")
        self.client = Session(self.desktop.env, log=self.desktop.path("server.log"))
        wait_for("the page to be exposed", lambda: self.press("Show table"), every=0.2)

    def press(self, button):
        """Whether a button of the page was pressed."""
        return not self.client.call("ax_click", app=self.page.app, query=f"button:{button}").is_error

    def look(self):
        """The numbers of the buttons in the outline, in its order, and the outline."""
        text = self.client.call("ax_get_tree", app=self.page.app).text
        return [int(number) for number in re.findall(r'button "Order (\d+)"', text)], text

    def shows_what_is_in_view(self):
        """Whether the outline has what is in view, and not more than what is next to it."""
        seen, text = self.look()
        state = self.page.state()
        return seen == sorted(seen) and set(state["whole"]) <= set(seen) <= set(state["part"]), seen, state, text

    def stop(self):
        self.client.close()
        self.desktop.stop()


@pytest.fixture(scope="module")
def beds():
    with made_once(Bed) as beds:
        yield beds


@pytest.mark.parametrize("kind", ["table", "list", "paragraphs"])
@pytest.mark.parametrize("browser", ["firefox", "chromium"])
def test_the_rows_in_view_are_listed(beds, browser, kind):
    bed = beds(browser)
    assert bed.press(f"Show {kind}")
    bed.page.wait("kind", kind)
    for button, first in [(None, 0), ("Go to 700", 700), ("Go to the end", 1199)]:
        if button:
            assert bed.press(button)
        wait_for(f"the page to be at {first}", lambda first=first: first in bed.page.state()["whole"])
        last = []

        def shown(last=last):
            last[:] = bed.shows_what_is_in_view()
            return last[0]
        try:
            wait_for(f"rows around {first} to be listed", shown, 8, every=0.3)
        except AssertionError as error:
            raise AssertionError(f"{error}: listed {last[1]}, page {last[2]}\n{last[3]}") from None
    if kind == "table":
        assert "Item 1199" in last[3] and "Due 1199" in last[3], last[3]
    found = bed.client.call("ax_find", app=bed.page.app, query="button:Order 1199")
    assert not found.is_error, found.text

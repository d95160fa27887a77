"""Of more rows of a page than are listed those in view are read, and no others. Judged by what the page measures."""

import pathlib
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
        self.log = pathlib.Path(self.desktop.path("server.log"))
        self.client = Session({**self.desktop.env, "HANDEYE_LOG_LEVEL": "handeye_atspi::refreshing=trace"}, log=str(self.log))
        self.press("Show table")

    def press(self, button):
        """Presses a button of the page."""
        wait_for(f"{button} to be pressed", lambda: not self.client.call(
            "ax_click", app=self.page.app, query=f"button:{button}").is_error, every=0.2)

    def await_rows(self, client=None, texts=()):
        """Waits until the outline has what is in view, in the order of the page, not more than what is next to it, and these texts. Returns it."""
        seen = {}

        def is_right():
            text = (client or self.client).call("ax_get_tree", app=self.page.app).text
            rows = [int(number) for number in re.findall(r'button "Order (\d+)"', text)]
            state = self.page.state()
            seen.update(rows=rows, whole=state["whole"], text=text)
            return set(state["whole"]) <= set(rows) and rows == [row for row in state["part"] if row in rows] and all(
                part in text for part in texts)
        try:
            wait_for("the rows in view to be listed", is_right, 20, every=0.3)
        except AssertionError as error:
            raise AssertionError(f"{error}: listed {seen['rows']}, in view {seen['whole']}\n{seen['text']}") from None
        return seen["text"]

    def await_little(self):
        """Waits until a look takes a few calls at most, as nothing is drawn and nothing announced."""
        def is_little():
            before = self.log.stat().st_size
            self.client.call("ax_get_tree", app=self.page.app)
            with self.log.open(encoding="utf-8") as file:
                file.seek(before)
                return re.search("has drawn and announced nothing|has slept", file.read())
        wait_for("a look that asks for little", is_little, every=0.3)

    def stop(self):
        self.client.close()
        self.desktop.stop()


def reference_of_row(outline, button):
    """The reference of the row or item that has this button in it."""
    above = outline[:outline.index(f'button "{button}"')]
    return re.findall(r"- (?:row|listitem)\b.*\[ref=(e\d+)\]", above)[-1]


@pytest.fixture(scope="module")
def beds():
    with made_once(Bed) as beds:
        yield beds


@pytest.mark.parametrize("kind", ["table", "list", "paragraphs"])
@pytest.mark.parametrize("browser", ["firefox", "chromium"])
def test_the_rows_in_view_are_listed(beds, browser, kind):
    bed = beds(browser)
    bed.press(f"Show {kind}")
    bed.page.wait("kind", kind)
    bed.await_rows(texts=["Item 1", "Due 1"] if kind == "table" else [])
    bed.press("Remove the fourth")
    wait_for("a row to be gone", lambda: 3 not in bed.page.state()["part"])
    bed.await_rows()
    bed.press("Move the tenth up")
    wait_for("a row to be first", lambda: bed.page.state()["part"][0] == 10)
    bed.await_rows()
    for button, row in [("Go to 700", 700), ("Go to the end", 1199)]:
        bed.press(button)
        wait_for(f"the page to be at {row}", lambda row=row: row in bed.page.state()["whole"])
        bed.await_rows(texts=[f"Item {row}", f"Due {row}"] if kind == "table" else [])
    wait_for("a row in view to be found", lambda: not bed.client.call(
        "ax_find", app=bed.page.app, query="button:Order 1199").is_error, every=0.2)


@pytest.mark.parametrize("browser", ["firefox", "chromium"])
def test_the_rows_in_view_are_listed_after_the_wheel_was_turned(beds, browser):
    """Nothing announces what scrolling shows, and before nothing was drawn for some time."""
    bed = beds(browser)
    bed.press("Show table")
    bed.page.wait("kind", "table")
    bed.await_rows()
    for _ in range(3):
        bed.await_little()
        before = bed.page.state()["whole"]
        bed.desktop.run(["xdotool", "mousemove", "500", "500", "click", "--repeat", "6", "--delay", "5", "5"])
        wait_for("the page to be scrolled", lambda before=before: bed.page.state()["whole"] != before)
        bed.await_rows()


@pytest.mark.parametrize("kind", ["table", "list"])
@pytest.mark.parametrize("browser", ["firefox", "chromium"])
def test_a_row_that_comes_in_the_place_of_another_has_a_reference_of_its_own(beds, browser, kind):
    bed = beds(browser)
    bed.press(f"Show {kind}")
    bed.page.wait("kind", kind)
    before = reference_of_row(bed.await_rows(), "Order 6")
    bed.press("Replace the seventh")
    wait_for("the row to be replaced", lambda: 5000 in bed.page.state()["part"])
    after = bed.await_rows()
    assert reference_of_row(after, "Order 5000") != before, after


@pytest.mark.parametrize("browser", ["firefox", "chromium"])
def test_the_rows_in_view_are_listed_at_the_first_look(beds, browser):
    bed = beds(browser)
    bed.press("Show table")
    bed.page.wait("kind", "table")
    bed.press("Go to 700")
    wait_for("the page to be at 700", lambda: 700 in bed.page.state()["whole"])
    client = Session(bed.desktop.env, log=bed.desktop.path("first.log"))
    try:
        bed.await_rows(client)
    finally:
        client.close()

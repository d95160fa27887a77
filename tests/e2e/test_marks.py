"""Marks: what is drawn is compared with a picture of the same moment without them, and the references are used."""

import re

import pytest

from support import applications, pictures, quick_once, wait_for

LINE = re.compile(r"^(e\d+) (\w+)(?: \"([^\"]*)\")?")


@pytest.fixture(scope="module")
def still(desktop):
    """A window that does not animate."""
    app = applications.start(desktop, "qt5", commands=True)
    desktop.run(["xdotool", "mousemove", "1270", "1010"])
    yield app
    app.stop()


def marks(answer):
    """The list beside the picture: (reference, role, name)."""
    return [match.groups() for match in map(LINE.match, answer.text.splitlines()) if match]


def saved(answer):
    """The picture's file."""
    with open(answer.fields["path"], "rb") as file:
        return pictures.decoded(file.read())


def changed(one, other):
    """The places of the pixels that differ."""
    assert one.size == other.size
    pixels = range(one.width * one.height)
    return {(at % one.width, at // one.width) for at in pixels if one.rgb[at * 3:at * 3 + 3] != other.rgb[at * 3:at * 3 + 3]}


def place_in_picture(client, app, answer, reference):
    """x, y, width, height of an element in the picture."""
    found = client.do("ax_find", app=app.app, query=reference)
    left, top = answer.fields["position"]
    (x, y), (width, height) = found.fields["position"], found.fields["size"]
    return x - left, y - top, width, height


def test_each_mark_is_drawn_beside_its_element(client, desktop, still):
    def pair():
        plain, marked = client.do("ax_screenshot", app=still.app), client.do("ax_screenshot", app=still.app, annotate=True)
        again = client.do("ax_screenshot", app=still.app)
        return (plain, marked) if saved(plain) == saved(again) else None
    plain, marked = wait_for("two equal pictures", pair, every=0.3)
    listed = marks(marked)
    assert {"Count", "Multi", "Agree", "Bold", "Red"} <= {name for _, _, name in listed}
    drawn = changed(saved(plain), saved(marked))
    for reference, role, name in listed:
        x, y, width, height = place_in_picture(client, still, marked, reference)
        assert (x + width // 2, y + height // 2) not in drawn, f"{reference} {role} {name} is hidden"
        around = sum(x - 6 <= px < x + width + 6 and y - 6 <= py < y + height + 6 for px, py in drawn)
        assert around >= min(width, height), f"{reference} {role} {name} has no mark"


def test_the_references_work_and_stay(client, still):
    first = marks(client.do("ax_screenshot", app=still.app, annotate=True))
    reference = next(reference for reference, _, name in first if name == "Count")
    before = still.state()["count"]
    client.do("ax_click", app=still.app, query=reference)
    still.wait("count", before + 1)
    again = marks(client.do("ax_screenshot", app=still.app, annotate=True))
    assert reference in [again_reference for again_reference, _, name in again if name == "Count"]
    tree = client.do("ax_get_tree", app=still.app).text
    assert re.search(rf'"Count" \[ref={reference}\]', tree), tree


def test_the_screen_shows_marks_of_what_is_not_covered(client, desktop, still):
    cover = applications.start(desktop, "gtk3", commands=True)
    try:
        desktop.activate(cover.window)
        listed = client.do("ax_screenshot", annotate=True).text
        of_cover, _, rest = listed.partition(f"(pid {still.process}):")
        assert f"(pid {cover.process}):" in of_cover, listed
        assert "\"Count\"" in of_cover
        # The windows are of one size; the cover lies where the window manager put it.
        whole = marks(client.do("ax_screenshot", app=still.app, annotate=True))
        assert len(rest.splitlines()) <= len(whole) + 1
    finally:
        cover.stop()


def test_a_region_lists_what_it_shows(client, still):
    whole = client.do("ax_screenshot", app=still.app, annotate=True)
    reference = next(reference for reference, _, name in marks(whole) if name == "Count")
    x, y, width, height = place_in_picture(client, still, whole, reference)
    part = client.do("ax_screenshot", app=still.app, annotate=True,
                     region={"x": x - 2, "y": y - 2, "w": width + 4, "h": height + 4})
    assert [name for _, _, name in marks(part)] == ["Count"]


def test_an_open_menu_has_marks(client, desktop):
    app = applications.start(desktop, "gtk3", commands=True)
    try:
        client.do("ax_click", app=app.app, query="File", mode="focus")
        listed = wait_for("the menu's entry to be marked", lambda: (lambda text: text if "menuitem \"About\"" in text else None)(
            client.do("ax_screenshot", annotate=True).text), every=0.2)
        reference = re.search(r"(e\d+) menuitem \"About\"", listed).group(1)
        client.do("ax_click", app=app.app, query=reference)
        app.wait("dialog", True)
    finally:
        app.stop()


def test_a_stopped_application_costs_its_own_marks_only(client, desktop, still):
    stopped = applications.start(desktop, "gtk3")
    try:
        client.do("ax_find", app=stopped.app, query="Count")
        stopped.freeze()
        desktop.activate(still.window)
        def seconds():
            answer = client.do("ax_screenshot", annotate=True)
            assert "No marks:" in answer.text, answer.text
            # One that is busy may be late as well.
            return answer.seconds if "\"Count\"" in answer.text else None
        quick_once("a picture with the marks of the others", 9, seconds)
    finally:
        stopped.thaw()
        stopped.stop()

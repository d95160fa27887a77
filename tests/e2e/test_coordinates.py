"""Points of pictures: a click by a picture's pixel hits what the picture shows there, also after its window moved; where that
cannot be known, nothing is clicked. The application itself reports what it got and where its widgets are."""

import pytest

from support import applications, wait_for, witness
from support.aim import client_area, clicks, middle, picture, pixel, refused
from support.session import Session


@pytest.fixture(scope="module")
def client(desktop):
    """A client whose server puts scaled pictures into its answers, beside the files."""
    session = Session(desktop.env, log=desktop.path("server.log"), arguments=["--image-responses", "inline"])
    yield session
    session.close()


@pytest.fixture
def alone(desktop):
    """An application for one test, which may end it."""
    app = applications.start(desktop, "gtk3", commands=True)
    wait_for("the window to be there", lambda: client_area(desktop, app)[2] > 100)
    desktop.activate(app.window)
    yield app
    app.stop()


@pytest.mark.parametrize("mode", ["background", "focus"])
@pytest.mark.parametrize("kind", ["screen inline", "window file"])
def test_a_window_that_moved_is_followed(client, desktop, alone, kind, mode):
    app = alone
    x, y, *_ = client_area(desktop, app)
    taken, point = picture(client, desktop, app, kind), middle(desktop, app)
    before = clicks(app)
    desktop.run(["xdotool", "windowmove", "--sync", str(app.window), str(x + 150), str(y + 60)], check=False)
    wait_for("the window to have moved", lambda: client_area(desktop, app)[0] > x + 100)
    moved = [now - then for now, then in zip(client_area(desktop, app), (x, y))]
    answer = client.do("ax_click_at", mode=mode, **pixel(taken, point))
    app.wait("count", before + 1)
    assert f"followed: the window moved by ({moved[0]}, {moved[1]})" in answer.text, answer.text


@pytest.mark.parametrize("kind", ["screen file", "window inline"])
def test_a_window_that_was_resized_is_refused(client, desktop, alone, kind):
    taken, point = picture(client, desktop, alone, kind), middle(desktop, alone)
    *_, width, height = client_area(desktop, alone)
    desktop.run(["xdotool", "windowsize", "--sync", str(alone.window), str(width + 40), str(height + 20)], check=False)
    wait_for("the window to have its size", lambda: client_area(desktop, alone)[2] != width)
    for mode in ("background", "focus"):
        refused(client.call("ax_click_at", mode=mode, **pixel(taken, point)), alone.title, "pixels and has")
    assert clicks(alone) == 0


@pytest.mark.parametrize("kind", ["screen file", "window inline"])
def test_a_window_that_is_minimized_or_gone_is_refused(client, desktop, alone, kind):
    taken, point = picture(client, desktop, alone, kind), middle(desktop, alone)
    desktop.run(["xdotool", "windowminimize", str(alone.window)])
    wait_for("the window to be minimized", lambda: "Iconic" in desktop.run(["xprop", "-id", str(alone.window), "WM_STATE"]))
    for mode in ("background", "focus"):
        refused(client.call("ax_click_at", mode=mode, **pixel(taken, point)), alone.title, "is minimized")
    assert clicks(alone) == 0
    alone.stop()
    wait_for("the window to be gone", lambda: alone.window not in [window for window, *_ in desktop.windows()])
    for mode in ("background", "focus"):
        refused(client.call("ax_click_at", mode=mode, **pixel(taken, point)), alone.title, "is gone")


def test_a_covered_window(client, desktop, alone):
    of_screen = picture(client, desktop, alone, "screen inline")
    of_window = picture(client, desktop, alone, "window file")
    point = middle(desktop, alone)
    cover = applications.start(desktop, "gtk3", commands=True)
    try:
        x, y, *_ = client_area(desktop, alone)
        desktop.run(["xdotool", "windowmove", "--sync", str(cover.window), str(x), str(y)], check=False)
        desktop.activate(cover.window)
        wait_for("the cover to lie over it", lambda: abs(client_area(desktop, cover)[0] - x) < 50)
        # The background mode acts on what the picture showed; no user sees it.
        client.do("ax_click_at", **pixel(of_screen, point))
        alone.wait("count", 1)
        client.do("ax_click_at", **pixel(of_window, point))
        alone.wait("count", 2)
        assert desktop.active_window() == cover.window
        # The pointer would click the cover.
        refused(client.call("ax_click_at", mode="focus", **pixel(of_screen, point)), cover.title)
        # A picture of one window may bring that up.
        client.do("ax_click_at", mode="focus", **pixel(of_window, point))
        alone.wait("count", 3)
        assert clicks(cover) == 0 and desktop.active_window() == alone.window
    finally:
        cover.stop()


def test_a_window_over_the_bare_desktop_is_refused(client, desktop, alone):
    point = (1240, 980)
    desktop.run(["xdotool", "windowmove", "--sync", str(alone.window), "0", "20"], check=False)
    wait_for("the corner to be bare", lambda: sum(client_area(desktop, alone)[::2]) < point[0] - 50)
    taken = picture(client, desktop, alone, "screen file")
    client.do("ax_click_at", mode="focus", **pixel(taken, point))
    app = applications.start(desktop, "gtk3", commands=True)
    try:
        desktop.run(["xdotool", "windowmove", "--sync", str(app.window), "900", "700"], check=False)
        wait_for("the window to be there", lambda: client_area(desktop, app)[0] > 800)
        for mode in ("background", "focus"):
            refused(client.call("ax_click_at", mode=mode, **pixel(taken, point)), "bare desktop", app.title)
    finally:
        app.stop()


@pytest.mark.parametrize("mode", ["background", "focus"])
def test_a_menu_is_clicked_by_its_pixel_while_it_is_open(client, desktop, alone, mode):
    taken = picture(client, desktop, alone, "screen file")
    client.do("ax_click_at", mode="focus", **pixel(taken, middle(desktop, alone, "File")))
    menu = wait_for("the menu to open", lambda: menu_at(desktop, alone))
    open_picture = picture(client, desktop, alone, "screen inline")
    alone.command(do="tell_place", name="About")
    left, top, width, height = alone.state()["place"]
    point = (menu[0] + left + width // 2, menu[1] + top + height // 2)
    # What the picture taken before shows there is hidden by the menu now.
    refused(client.call("ax_click_at", mode="focus", **pixel(taken, point)))
    client.do("ax_click_at", mode=mode, **pixel(open_picture, point))
    alone.wait("dialog", True)
    alone.command(do="dialog", on=False)
    wait_for("the menu to close", lambda: not menu_at(desktop, alone))
    refused(client.call("ax_click_at", mode=mode, **pixel(open_picture, point)), "is gone")


def menu_at(desktop, app):
    """The corner of the application's open menu, by xdotool; None if none is open."""
    found = desktop.run(["xdotool", "search", "--onlyvisible", "--pid", str(app.process)], check=False).split()
    for window in found:
        told = desktop.run(["xwininfo", "-id", window], check=False)
        if "Override Redirect State: yes" in told:
            fields = dict(line.strip().split(":", 1) for line in told.splitlines() if ":" in line)
            return int(fields["Absolute upper-left X"]), int(fields["Absolute upper-left Y"])
    return None


@pytest.mark.parametrize("kind", ["screen inline", "window file"])
def test_a_drag_by_pixels(client, desktop, alone, kind):
    taken = picture(client, desktop, alone, kind)
    start = pixel(taken, middle(desktop, alone, "Drag source"))
    end = pixel(taken, middle(desktop, alone, "Drop target"))
    arguments = {"screenshot": start["screenshot"], "from_x": start["x"], "from_y": start["y"], "to_x": end["x"],
                 "to_y": end["y"], "app": alone.app}
    before = witness.seat(desktop)
    client.do("ax_drag", **arguments)
    alone.wait("dropped", 1)
    assert not before.differences(witness.seat(desktop))
    client.do("ax_drag", mode="focus", **arguments)
    alone.wait("dropped", 2)


def test_a_point_outside_and_an_unknown_picture_are_refused(client, desktop, alone):
    shot, *_ = picture(client, desktop, alone, "window file")
    answer = client.call("ax_click_at", screenshot=shot, x=99_999, y=0)
    assert answer.code == "invalid_parameter" and "is outside of" in answer.text
    for unknown in ("s999999", "e1", "7"):
        answer = client.call("ax_click_at", screenshot=unknown, x=1, y=1)
        assert answer.code == "unknown_screenshot" and "ax_screenshot" in answer.text

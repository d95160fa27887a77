"""Points of pictures: a click by a picture's pixel hits what the picture shows there, on every monitor and at every scale, also
after the window moved; where that cannot be known, nothing is clicked. The application itself tells what it got and where its
widgets are."""

import struct

import pytest

from support import applications, monitors, wait_for
from support.desktop import Desktop
from support.session import Session

# The primary monitor in the middle, one at 1.5 left of it and a little lower, one at 2 on its right.
LAYOUT = ["1280x1024+0+0", "1400x1000-1400+24@1.5", "2000x1400+1280+0@2"]
# Which toolkit runs on which monitor, and how it is told of the scale: GTK 3 doubles, Qt takes any factor.
SCALED = [("1", "gtk3", {}), ("1.5", "qt5", {"QT_SCALE_FACTOR": "1.5"}), ("2", "gtk3", {"GDK_SCALE": "2"})]
PICTURES = ["screen file", "screen inline", "region", "region inline", "window file", "window inline"]


@pytest.fixture(scope="module")
def desktop():
    """A desktop with three monitors."""
    own = Desktop(monitors=LAYOUT)
    yield own
    own.stop()


@pytest.fixture(scope="module")
def client(desktop):
    """A client whose server puts scaled pictures into its answers, beside the files."""
    session = Session(desktop.env, log=desktop.path("server.log"), arguments=["--image-responses", "inline"])
    yield session
    session.close()


@pytest.fixture(scope="module")
def scaled(desktop):
    """An application on each monitor, by the monitor's scale."""
    by_scale = {}
    places = {0: None, 1: None, 2: None}
    found = monitors.of(desktop)
    by_size = {(monitor.width, monitor.height): monitor for monitor in found}
    for index, size in enumerate([(1280, 1024), (1400, 1000), (2000, 1400)]):
        places[index] = by_size[size]
    for index, (scale, toolkit, env) in enumerate(SCALED):
        app = Scaled(desktop, toolkit, env)
        monitors.show(desktop, app.window, places[index], 40, 40)
        wait_for(f"the window to be on {places[index]}",
                 lambda app=app, monitor=places[index]: monitor.x <= client_area(desktop, app)[0] < monitor.x + monitor.width)
        by_scale[scale] = app
    yield by_scale
    for app in by_scale.values():
        app.stop()


class Scaled(applications.Fixture):
    """A fixture application with an environment of its own."""

    def __init__(self, desktop, toolkit, env):
        class WithEnvironment:
            """The desktop, with more variables for what is started."""

            def __getattr__(self, name):
                return getattr(desktop, name)

            def start(self, words, name, more=None):
                return desktop.start(words, name, {**(more or {}), **env})

        super().__init__(WithEnvironment(), toolkit, commands=True)


def client_area(desktop, app):
    """x, y, width, height of a window without its decoration, by xwininfo."""
    fields = dict(line.strip().split(":", 1) for line in desktop.run(["xwininfo", "-id", str(app.window)]).splitlines()
                  if ":" in line)
    return tuple(int(fields[name]) for name in ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height"))


def middle(desktop, app, widget="Count"):
    """The middle of a widget on the screen, by the application's and the X server's word."""
    app.command(do="tell_place", name=widget)
    left, top, width, height = app.state()["place"]
    x, y, *_ = client_area(desktop, app)
    return x + left + width // 2, y + top + height // 2


def png_size(path):
    """Width and height, by the file's own header."""
    with open(path, "rb") as file:
        return struct.unpack(">II", file.read(24)[16:])


def picture(client, desktop, app, kind):
    """Takes a picture: (id, its left and top edge on the screen, screen pixels for one of its pixels across and down)."""
    what, way = kind.split(" ") if " " in kind else (kind, "file")
    arguments = {}
    if what == "window":
        arguments["app"] = app.app
    elif what == "region":
        x, y, width, height = client_area(desktop, app)
        # Wider than what is put into an answer unscaled.
        arguments["region"] = {"x": max(x - 30, 0), "y": max(y - 20, 0), "w": max(width, 1600), "h": height + 10}
    answer = client.do("ax_screenshot", **arguments)
    width, height = png_size(answer.fields["path"])
    if way == "file":
        return answer.fields.get("file_id") or answer.fields["id"], *answer.fields["position"], 1.0, 1.0
    shown = answer.fields["size"]
    return answer.fields["id"], *answer.fields["position"], width / shown[0], height / shown[1]


def pixel(taken, point):
    """The arguments that name a point of the screen as a pixel of a picture."""
    shot, left, top, across, down = taken
    return {"screenshot": shot, "x": int((point[0] - left) / across), "y": int((point[1] - top) / down)}


def clicks(app):
    """How often the button was clicked, by the application's own state."""
    return app.state()["count"]


def refused(answer, *words):
    """Checks that a call was refused because its picture is stale, and that the answer says so."""
    assert answer.is_error and answer.code == "stale_screenshot", answer
    for word in words:
        assert word in answer.text, answer.text
    assert "ax_screenshot" in answer.text


@pytest.mark.parametrize("mode", ["background", "focus"])
@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("scale", [scale for scale, *_ in SCALED])
def test_a_click_by_pixel_hits(client, desktop, scaled, scale, kind, mode):
    app = scaled[scale]
    if mode == "focus" or not kind.startswith("window"):
        desktop.activate(app.window)
    before = clicks(app)
    taken = picture(client, desktop, app, kind)
    client.do("ax_click_at", mode=mode, **pixel(taken, middle(desktop, app)))
    app.wait("count", before + 1)


def test_the_answer_tells_the_scale_of_the_monitor(client, scaled):
    for scale, app in scaled.items():
        assert client.do("ax_screenshot", app=app.app).fields["scale"] == float(scale)


@pytest.mark.parametrize("mode", ["background", "focus"])
@pytest.mark.parametrize("kind", ["screen inline", "window file"])
def test_a_window_that_moved_is_followed(client, desktop, scaled, kind, mode):
    app = scaled["1"]
    desktop.activate(app.window)
    x, y, *_ = client_area(desktop, app)
    taken, point = picture(client, desktop, app, kind), middle(desktop, app)
    before = clicks(app)
    desktop.run(["xdotool", "windowmove", "--sync", str(app.window), str(x + 150), str(y + 60)], check=False)
    wait_for("the window to have moved", lambda: client_area(desktop, app)[0] > x + 100)
    moved = [now - then for now, then in zip(client_area(desktop, app), (x, y))]
    answer = client.do("ax_click_at", mode=mode, **pixel(taken, point))
    app.wait("count", before + 1)
    assert f"followed: the window moved by ({moved[0]}, {moved[1]})" in answer.text, answer.text
    desktop.run(["xdotool", "windowmove", "--sync", str(app.window), str(x), str(y)], check=False)


@pytest.fixture
def alone(desktop):
    """An application for one test, which may end it."""
    app = applications.start(desktop, "gtk3", commands=True)
    wait_for("the window to be there", lambda: client_area(desktop, app)[2] > 100)
    desktop.activate(app.window)
    yield app
    app.stop()


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
        # The background mode acts on what the picture showed; nobody sees it.
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


def test_a_window_over_the_bare_desktop_is_refused(client, desktop, scaled):
    # The lower right corner of the monitor on the right.
    right = next(monitor for monitor in monitors.of(desktop) if monitor.width == 2000)
    point = (right.x + right.width - 40, right.y + right.height - 40)
    taken = picture(client, desktop, scaled["1"], "screen file")
    client.do("ax_click_at", mode="focus", **pixel(taken, point))
    app = applications.start(desktop, "gtk3", commands=True)
    try:
        monitors.show(desktop, app.window, right, right.width - 500, right.height - 300)
        wait_for("the window to be there", lambda: client_area(desktop, app)[0] > right.x + right.width - 600)
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
    assert client.call("ax_drag", **arguments).code == "refused", "a drag needs the pointer"
    client.do("ax_drag", mode="focus", **arguments)
    alone.wait("dropped", 1)


def test_a_point_outside_and_an_unknown_picture_are_refused(client, desktop, scaled):
    shot, *_ = picture(client, desktop, scaled["1"], "window file")
    answer = client.call("ax_click_at", screenshot=shot, x=99_999, y=0)
    assert answer.code == "invalid_parameter" and "lies outside of" in answer.text
    for unknown in ("s999999", "e1", "7"):
        answer = client.call("ax_click_at", screenshot=unknown, x=1, y=1)
        assert answer.code == "unknown_screenshot" and "ax_screenshot" in answer.text

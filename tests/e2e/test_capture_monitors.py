"""Several monitors, with scales of their own, one of them left of the primary one: pictures of each are compared with those
that maim takes of the same place."""

import itertools
import json

import pytest

from support import TESTS, monitors, pictures, wait_for
from support.canvas import Canvas
from support.desktop import Desktop, end_group
from support.pictures import assert_equal, at_the_same_moment, maim, xwd
from support.session import Session

# The primary one at 1, a smaller one at 2 right of it and lower, one at 1.5 left of it: there are gaps at three corners.
LAYOUT = ["1280x800", "1600x900+1280+200@2", "1000x700-1000+50@1.5"]
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def wide():
    """A desktop of three monitors."""
    desktop = Desktop(monitors=LAYOUT)
    desktop.run(["xsetroot", "-mod", "7", "13", "-fg", "#fedcba", "-bg", "#123456"])
    yield desktop
    desktop.stop()


@pytest.fixture(scope="module")
def watcher(wide):
    """A client on it."""
    session = Session(wide.env, log=wide.path("server.log"))
    yield session
    session.close()


@pytest.fixture(scope="module")
def placed(wide):
    """The monitors by name, as xrandr lists them."""
    return monitors.named(wide)


@pytest.fixture
def window(wide):
    """A window full of noise."""
    started = Canvas(wide, "--size", "500x400")
    yield started
    started.stop()


def geometry_of(area):
    x, y, width, height = area
    return f"{width}x{height}+{x}+{y}"


def region_of(area):
    return dict(zip("xywh", area))


def pictures_of(watcher, desktop, **arguments):
    """What the tool `image` saves, in its order."""
    folder = desktop.path(f"pictures-{next(_numbers)}")
    return list(pictures.saved_by(watcher.do("image", path=f"{folder}/", **arguments)).values())


def in_order(placed):
    """The order of handeye: the primary one, then from left to right."""
    return sorted(placed.values(), key=lambda monitor: (not monitor.primary, monitor.x, monitor.y))


def test_layout_is_the_one_that_was_asked_for(placed):
    assert {name: monitor.rect for name, monitor in placed.items()} == {
        "monitor-1": (1000, 0, 1280, 800), "monitor-2": (2280, 200, 1600, 900), "monitor-3": (0, 50, 1000, 700)}
    assert [name for name, monitor in placed.items() if monitor.primary] == ["monitor-1"]


def test_whole_desktop(wide, watcher, window):
    ours, other = at_the_same_moment(lambda: maim(wide, "-u"), lambda: pictures.of(watcher.do("ax_screenshot")))
    assert ours.size == (3880, 1100)
    assert_equal(ours, other, "maim")


def test_each_monitor_by_its_number_and_all_of_them(wide, watcher, placed, window):
    monitors.show(wide, window.window, placed["monitor-3"])
    expected = []
    for index, monitor in enumerate(in_order(placed)):
        ours, other = at_the_same_moment(lambda: maim(wide, "-u", "-g", geometry_of(monitor.rect)),
                                         lambda: pictures_of(watcher, wide, app_target=f"screen:{index}"))
        assert len(ours) == 1
        assert_equal(ours[0], other, f"maim on {monitor.name}")
        expected.append(other)
    for ours, other in zip(pictures_of(watcher, wide), expected, strict=True):
        assert_equal(ours, other, "maim")


@pytest.mark.parametrize("name", ["monitor-1", "monitor-2", "monitor-3"])
def test_window_on_each_monitor(wide, watcher, placed, window, name):
    monitors.show(wide, window.window, placed[name])
    wait_for("the window to be there", lambda: window.frame()[:2] == (placed[name].x + 60, placed[name].y + 60))
    answer = watcher.do("ax_screenshot", app=window.app)
    assert (*answer.fields["position"], *answer.fields["size"]) == window.frame()
    assert answer.fields["scale"] == {"monitor-1": 1, "monitor-2": 2, "monitor-3": 1.5}[name]
    other = pictures.still(lambda: xwd(wide, "-id", str(window.frame_window)))
    assert_equal(pictures.of(answer), other, "xwd")


@pytest.mark.parametrize("place", [(800, 100), (2000, 300), (2100, 700)])
def test_window_over_several_monitors_and_the_gap_between(wide, watcher, window, place):
    other = pictures.still(lambda: xwd(wide, "-id", str(window.frame_window)))
    window.move(*place)
    assert_equal(pictures.of(watcher.do("ax_screenshot", app=window.app)), other, "xwd before it was moved")


@pytest.mark.parametrize("area", [
    (999, 100, 1, 50), (1000, 100, 1, 50), (2279, 300, 1, 50), (2280, 300, 1, 50), (3879, 200, 1, 900),
    (900, 0, 200, 800), (0, 749, 1000, 1),
])
def test_regions_at_the_edges_of_monitors(wide, watcher, area):
    ours, other = at_the_same_moment(lambda: maim(wide, "-u", "-g", geometry_of(area)),
                                     lambda: pictures.of(watcher.do("ax_screenshot", region=region_of(area))))
    assert_equal(ours, other, "maim")


def test_region_in_a_gap_is_refused(watcher):
    answer = watcher.call("ax_screenshot", region=region_of((0, 800, 100, 100)))
    assert answer.is_error and answer.code == "invalid_parameter", answer
    assert "monitor-1" in answer.text


def test_program_on_each_monitor_is_drawn_at_its_scale(wide, watcher, placed):
    """Qt 6 obeys the scales: its button is where its extents are, and a click at its middle in the picture counts."""
    log = wide.path("scaled.json")
    child = wide.start(["/usr/bin/python3", str(TESTS / "apps" / "scaled.py"), log], "scaled")
    try:
        window, process, _ = wide.window("Scaled")
        for clicks, (name, scale) in enumerate([("monitor-1", 1), ("monitor-2", 2), ("monitor-3", 1.5)], 1):
            monitors.show(wide, window, placed[name])
            wait_for(f"the program to be drawn at {scale}", lambda: told(log)["scale"] == scale)
            shot, (x, y), drawn = wait_for("its button to be drawn", lambda: button_of(watcher, process, scale))
            found = watcher.do("ax_find", app=str(process), query="Count").fields
            assert (*found["position"], *found["size"]) == pytest.approx(drawn, abs=scale)
            watcher.do("ax_click_at", screenshot=shot, x=x, y=y, mode="focus")
            wait_for("the click to be counted", lambda: told(log)["count"] == clicks)
    finally:
        end_group(child)


def told(log):
    """What the program wrote last."""
    try:
        with open(log, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"scale": None, "count": 0}


def button_of(watcher, process, scale):
    """A picture of the program, the middle of its red button in it, and where that is on the screen, once the button is drawn
    at the scale."""
    answer = watcher.do("ax_screenshot", app=str(process))
    picture = pictures.of(answer)
    red = [at for at in range(picture.width * picture.height) if picture.rgb[at * 3:at * 3 + 3] == b"\xff\0\0"]
    if not red:
        return None
    columns = [at % picture.width for at in red]
    left, right, top, bottom = min(columns), max(columns), red[0] // picture.width, red[-1] // picture.width
    if (right - left + 1, bottom - top + 1) != (120 * scale, 50 * scale):
        return None
    x, y = answer.fields["position"]
    area = (x + left, y + top, right - left + 1, bottom - top + 1)
    return answer.fields["id"], ((left + right) // 2, (top + bottom) // 2), area

"""Pictures are exact: what they show is compared, pixel by pixel, with what maim, ImageMagick's import and xwd take of the
same screen at the same moment: on a screen that keeps no pixels of covered windows, on that of a private desktop, which
does, and on one with a compositor."""

import contextlib
import itertools
import random
import signal

import pytest

from support import pictures, wait_for
from support.canvas import Canvas
from support.desktop import Desktop
from support.pictures import assert_equal, at_the_same_moment, imagemagick, maim, xwd
from support.session import Session

_numbers = itertools.count(1)

# The pointer rests here where it is not the subject of a test.
CORNER = ("1275", "1020")
IS_COMPOSITED = ("import gi; gi.require_version('Gdk', '3.0'); from gi.repository import Gdk; "
                 "print(Gdk.Screen.get_default().is_composited())")


class Bed:
    """A desktop and a client on it. Its screen is `bare`, `private` or `composited`."""

    def __init__(self, screen, **look):
        self.desktop = Desktop(**look)
        self.composited = screen == "composited"
        self.keeps_covered = screen != "bare"
        if screen == "bare":
            # Ends what a client left in the X server, which is how a private desktop has it keep these pixels.
            self.desktop.run(["xdotool", "windowkill", "0"])
        if self.composited:
            self.desktop.start(["picom", "--backend", "xrender", "--config", "/dev/null"], "picom")
            wait_for("picom to composite the screen", lambda: self.desktop.run(
                ["/usr/bin/python3", "-c", IS_COMPOSITED], check=False) == "True")
        self.client = Session(self.desktop.env, log=self.desktop.path("server.log"))
        self.rest_pointer()

    def rest_pointer(self):
        """Moves the pointer out of the way."""
        self.desktop.run(["xdotool", "mousemove", *CORNER])

    def screenshot(self, **arguments):
        """What ax_screenshot gives."""
        return pictures.of(self.client.do("ax_screenshot", **arguments))

    def contents(self, window):
        """What the two other tools give, which leave the decoration out: by the tool's name."""
        path = self.desktop.path(f"{next(_numbers)}.png")
        saved = pictures.saved_by(self.client.do("image", app_target=f"{window.name}:WINDOW_INDEX:0", path=path))
        assert len(saved) == 1, saved
        return {"image": next(iter(saved.values())),
                "screenshot_app_window": pictures.of(self.client.do("screenshot_app_window", appName=window.name))}

    def stop(self):
        """Ends both."""
        self.client.close()
        self.desktop.stop()


@pytest.fixture(scope="module", params=["bare", "private", "composited"])
def bed(request):
    """A desktop with each kind of screen."""
    own = Bed(request.param)
    yield own
    own.stop()


@pytest.fixture
def canvas(bed):
    """Starts windows that never change by themselves."""
    with contextlib.ExitStack() as stack:
        def start(*options, **more):
            started = Canvas(bed.desktop, *options, **more)
            stack.callback(started.stop)
            return started
        yield start
        bed.rest_pointer()


def region_of(area):
    """A rectangle as ax_screenshot takes it."""
    return dict(zip("xywh", area))


def geometry_of(area):
    """A rectangle as maim takes it."""
    x, y, width, height = area
    return f"{width}x{height}+{x}+{y}"


def test_screen(bed, canvas):
    canvas()
    for program, witness in {
        "maim": lambda: maim(bed.desktop, "-u"),
        "import": lambda: imagemagick(bed.desktop, "-window", "root"),
        "xwd": lambda: xwd(bed.desktop, "-root"),
    }.items():
        ours, other = at_the_same_moment(witness, bed.screenshot)
        assert ours.size == (1280, 1024)
        assert_equal(ours, other, program)


@pytest.mark.parametrize("region", [None, (200, 150, 500, 400)], ids=["all", "region"])
def test_what_is_drawn_between_two_pictures_is_in_the_second(bed, canvas, region):
    below, above = canvas(), canvas()
    wanted = {"region": region_of(region)} if region else {}
    rng = random.Random(7)

    def restack():
        bed.desktop.run(["xdotool", "windowraise", str(rng.choice([below, above]).window)])

    def move():
        bed.desktop.run(["xdotool", "windowmove", str(rng.choice([below, above]).window), str(rng.randrange(900)),
                         str(rng.randrange(700))])

    def paint():
        bed.desktop.run(["xsetroot", "-solid", f"#{rng.randrange(1 << 24):06x}"])

    # More than are taken before one is compared with what is on the screen.
    for turn in range(20):
        rng.choice([restack, move, move, paint])()
        ours, other = at_the_same_moment(lambda: xwd(bed.desktop, "-root"), lambda: bed.screenshot(**wanted))
        assert_equal(ours, other.crop(*region) if region else other, f"turn {turn}")
    with open(bed.desktop.path("server.log"), encoding="utf-8") as log:
        assert "was not reported" not in log.read()


@pytest.mark.parametrize("area", [(100, 120, 333, 77), (0, 0, 1, 1), (1279, 1023, 1, 1), (0, 500, 1280, 1)])
def test_region(bed, canvas, area):
    canvas()
    for program, witness in {
        "maim": lambda: maim(bed.desktop, "-u", "-g", geometry_of(area)),
        "import": lambda: imagemagick(bed.desktop, "-window", "root", "-crop", geometry_of(area)),
        "xwd": lambda: xwd(bed.desktop, "-root").crop(*area),
    }.items():
        ours, other = at_the_same_moment(witness, lambda: bed.screenshot(region=region_of(area)))
        assert_equal(ours, other, program)


def test_window_with_its_frame(bed, canvas):
    window = canvas()
    for program, witness in {
        "xwd": lambda: xwd(bed.desktop, "-id", str(window.frame_window)),
        "import": lambda: imagemagick(bed.desktop, "-window", "root", "-crop", geometry_of(window.frame())),
        "maim": lambda: maim(bed.desktop, "-u", "-g", geometry_of(window.frame())),
    }.items():
        ours, other = at_the_same_moment(witness, lambda: bed.screenshot(app=window.app))
        assert ours.size == window.frame()[2:] != window.content()[2:]
        assert_equal(ours, other, program)


def assert_contents(bed, window, expected, program):
    """Compares what the tools that leave the decoration out give with what another program saw."""
    for tool, ours in bed.contents(window).items():
        assert_equal(ours, expected, f"{program} ({tool})")


def test_window_without_its_frame(bed, canvas):
    window = canvas()
    for program, witness in {
        "xwd": lambda: xwd(bed.desktop, "-id", str(window.window)),
        "import": lambda: imagemagick(bed.desktop, "-window", str(window.window)),
        "maim": lambda: maim(bed.desktop, "-u", "-i", str(window.window)),
    }.items():
        ours, other = at_the_same_moment(witness, lambda: bed.contents(window))
        assert other.size == window.content()[2:]
        for tool, picture in ours.items():
            assert_equal(picture, other, f"{program} ({tool})")


def test_window_that_draws_its_own_title_bar(bed, canvas):
    # Without a window manager that takes part, GTK draws a border and no shadow: all of the window is shown.
    window = canvas("--own-decoration")
    other = pictures.still(lambda: xwd(bed.desktop, "-id", str(window.window)))
    assert window.content() == window.frame()
    assert_equal(bed.screenshot(app=window.app), other, "xwd")
    assert_contents(bed, window, other, "xwd")


def test_position_of_the_picture_is_that_of_the_frame(bed, canvas):
    window = canvas()
    fields = bed.client.do("ax_screenshot", app=window.app).fields
    assert (*fields["position"], *fields["size"]) == window.frame()


def test_occluded_window(bed, canvas):
    window = canvas()
    alone = pictures.still(lambda: xwd(bed.desktop, "-id", str(window.frame_window)))
    content = pictures.still(lambda: xwd(bed.desktop, "-id", str(window.window)))
    x, y, width, height = window.frame()
    # A window that bypasses the window manager leaves the decoration of the other one as it is.
    canvas("--popup", "--at", f"{x + 40},{y - 30}", "--size", f"{width}x{height}")
    on_screen = pictures.still(lambda: maim(bed.desktop, "-u", "-g", geometry_of(window.frame())))
    assert on_screen != alone, "it is not covered"
    assert_equal(bed.screenshot(app=window.app), alone, "xwd before it was covered")
    assert_contents(bed, window, content, "xwd before it was covered")
    if bed.composited:
        for program, witness in {
            "maim": lambda: maim(bed.desktop, "-u", "-i", str(window.frame_window)),
            "import": lambda: imagemagick(bed.desktop, "-window", str(window.frame_window)),
        }.items():
            ours, other = at_the_same_moment(witness, lambda: bed.screenshot(app=window.app))
            assert_equal(ours, other, program)


def test_window_that_another_one_covers_wholly(bed, canvas):
    window = canvas("--size", "200x100")
    alone = pictures.still(lambda: xwd(bed.desktop, "-id", str(window.frame_window)))
    canvas("--popup", "--at", "0,0", "--size", "1280x1024")
    assert_equal(bed.screenshot(app=window.app), alone, "xwd before it was covered")


@pytest.mark.parametrize("place", [(-150, 300), (300, -90), (1150, 300), (300, 950), (-100, -60), (1200, 980)])
def test_window_partly_off_the_screen(bed, canvas, place):
    window = canvas()
    alone = pictures.still(lambda: xwd(bed.desktop, "-id", str(window.frame_window)))
    content = pictures.still(lambda: xwd(bed.desktop, "-id", str(window.window)))
    window.move(*place)
    assert_equal(bed.screenshot(app=window.app), alone, "xwd before it was moved")
    assert_contents(bed, window, content, "xwd before it was moved")
    fields = bed.client.do("ax_screenshot", app=window.app).fields
    assert (*fields["position"], *fields["size"]) == window.frame()


def open_menu(bed, window):
    """Opens the menu of a window, and returns its number and where it is on the screen."""
    x, y, *_ = window.content()
    before = popups(bed)
    bed.desktop.run(["xdotool", "mousemove", str(x + 30), str(y + 40), "click", "3"])
    return wait_for("the menu to open", lambda: next(
        ((number, area) for number, area in popups(bed).items() if number not in before), None))


def popups(bed):
    """The mapped windows that bypass the window manager, by xwininfo: their numbers and rectangles."""
    found = {}
    for line in bed.desktop.run(["xwininfo", "-root", "-children", "-int"]).splitlines():
        words = line.split()
        if words and words[0].isdigit():
            text = bed.desktop.run(["xwininfo", "-id", words[0], "-all"], check=False)
            if "Override Redirect State: yes" in text and "Map State: IsViewable" in text and "InputOutput" in text:
                numbers = dict(line.strip().split(":", 1) for line in text.splitlines() if ": " in line)
                found[words[0]] = tuple(int(numbers[name]) for name in (
                    "Absolute upper-left X", "Absolute upper-left Y", "Width", "Height"))
    return found


def test_popup_menu_open(bed, canvas):
    window = canvas()
    alone = pictures.still(lambda: xwd(bed.desktop, "-id", str(window.frame_window)))
    number, menu = open_menu(bed, window)
    for program, witness in {
        "maim": lambda: maim(bed.desktop, "-u"),
        "import": lambda: imagemagick(bed.desktop, "-window", "root"),
    }.items():
        ours, other = at_the_same_moment(witness, bed.screenshot)
        assert_equal(ours, other, program)
    for program, witness in {
        "maim": lambda: maim(bed.desktop, "-u", "-g", geometry_of(menu)),
        "xwd": lambda: xwd(bed.desktop, "-id", number),
    }.items():
        ours, other = at_the_same_moment(witness, lambda: bed.screenshot(region=region_of(menu)))
        assert_equal(ours, other, program)
    # The picture of the window is the window; the menu is another one.
    assert_equal(bed.screenshot(app=window.app), alone, "xwd before the menu was opened")
    assert ours != alone.crop(menu[0] - window.frame()[0], menu[1] - window.frame()[1], 20, 20)
    bed.desktop.run(["xdotool", "key", "Escape"])
    wait_for("the menu to close", lambda: number not in popups(bed))


def test_window_with_transparency(bed, canvas):
    behind = canvas("--popup", "--at", "0,0", "--size", "600x400")
    window = canvas("--transparent")
    assert "Depth: 32" in bed.desktop.run(["xwininfo", "-id", str(window.window)])
    ours, other = at_the_same_moment(lambda: xwd(bed.desktop, "-id", str(window.window)), lambda: bed.contents(window))
    for tool, picture in ours.items():
        assert_equal(picture, other, f"xwd ({tool})")
    # What is behind it is another picture now, and it is covered: its own picture stays the same.
    behind.stop()
    x, y, *_ = window.content()
    canvas("--popup", "--at", f"{x + 50},{y + 50}", "--size", "600x400")
    assert_contents(bed, window, other, "xwd before it was covered")


def test_pointer_is_in_no_picture(bed, canvas):
    window = canvas()
    x, y, width, height = window.content()
    bed.desktop.run(["xdotool", "mousemove", str(x + width // 2), str(y + height // 2)])
    area = geometry_of(window.frame())
    shown = pictures.still(lambda: maim(bed.desktop, "-g", area))
    for ours in (lambda: bed.screenshot(app=window.app), lambda: bed.screenshot(region=region_of(window.frame()))):
        picture, other = at_the_same_moment(lambda: maim(bed.desktop, "-u", "-g", area), ours)
        assert_equal(picture, other, "maim without the pointer")
        assert picture != shown, "the pointer is not where it could be seen"


def test_frozen_application_that_is_covered(bed, canvas):
    window = canvas()
    alone = pictures.still(lambda: xwd(bed.desktop, "-id", str(window.frame_window)))
    # A fresh connection to the X server has not had its pixels kept yet.
    fresh = Session(bed.desktop.env, log=bed.desktop.path("server.log"))
    try:
        fresh.do("ax_list_windows", app=window.app)
        bed.desktop.run(["kill", "-STOP", str(window.process)])
        x, y, *_ = window.frame()
        canvas("--popup", "--at", f"{x + 20},{y + 20}")
        answer = fresh.call("ax_screenshot", app=window.app)
        if answer.is_error:
            # The client of the tests before may have had its pixels kept, and may not.
            assert not bed.keeps_covered and answer.code == "capture_failed", answer
        else:
            assert_equal(pictures.of(answer), alone, "xwd before it was frozen")
    finally:
        window.signal(signal.SIGCONT)
        fresh.close()


def test_minimized_window_is_refused(bed, canvas):
    window = canvas()
    bed.desktop.run(["xdotool", "windowminimize", str(window.window)])
    wait_for("the window manager to have minimized the window", lambda: "_NET_WM_STATE_HIDDEN" in bed.desktop.run(
        ["xprop", "-id", str(window.window), "_NET_WM_STATE"]) and "Iconic" in bed.desktop.run(
        ["xprop", "-id", str(window.window), "WM_STATE"]))
    answer = bed.client.call("ax_screenshot", app=window.app)
    assert answer.is_error and answer.code == "window_minimized", answer
    assert "minimi" in answer.text
    windows = bed.client.do("ax_list_windows", app=window.app).fields["windows"]
    assert [listed["minimized"] for listed in windows] == [True]


def test_window_list_agrees_with_the_window_manager(bed, canvas):
    window = canvas()
    listed = bed.client.do("ax_list_windows", app=window.app).fields["windows"]
    assert [found["title"] for found in listed] == [window.title]
    assert (*listed[0]["position"], *listed[0]["size"]) == window.frame()

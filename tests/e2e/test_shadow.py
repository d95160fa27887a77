"""Windows that draw a shadow around themselves, as GTK does where the window manager takes part: the shadow is in no picture,
and positions are those of the window that is seen."""

import re

import pytest

from support import pictures, wait_for
from support.canvas import Canvas
from support.desktop import Desktop
from support.pictures import assert_equal, xwd
from support.session import Session


@pytest.fixture(scope="module")
def shadowed():
    """A desktop whose window manager composites and supports shadows of applications."""
    desktop = Desktop()
    desktop.start(["xfwm4", "--replace", "--compositor=on", "--sm-client-disable"], "xfwm4")
    wait_for("xfwm4 to support shadows of applications", lambda: "_GTK_FRAME_EXTENTS" in desktop.run(
        ["xprop", "-root", "_NET_SUPPORTED"], check=False))
    yield desktop
    desktop.stop()


@pytest.fixture(scope="module")
def watcher(shadowed):
    """A client on it."""
    session = Session(shadowed.env, log=shadowed.path("server.log"))
    yield session
    session.close()


@pytest.fixture
def window(shadowed):
    """A window with a title bar and a shadow of its own."""
    # In a desktop without a session this window manager makes nothing active.
    started = Canvas(shadowed, "--own-decoration", "--at", "200,150", active=False)
    yield started
    started.stop()


def shadow_of(desktop, window):
    """The margins of a window: left, right, top, bottom. By xprop."""
    text = desktop.run(["xprop", "-id", str(window.window), "_GTK_FRAME_EXTENTS"])
    return tuple(map(int, re.findall(r"\d+", text.partition("=")[2])))


def visible_area(desktop, window):
    """Where the window without its shadow is on the screen."""
    left, right, top, bottom = wait_for("the window to tell its shadow", lambda: shadow_of(desktop, window))
    assert left and right and top and bottom, "it draws no shadow"
    x, y, width, height = window.content()
    return x + left, y + top, width - left - right, height - top - bottom


def test_no_tool_shows_the_shadow(shadowed, watcher, window):
    x, y, width, height = area = visible_area(shadowed, window)
    outer_x, outer_y, *_ = window.content()
    whole = pictures.still(lambda: xwd(shadowed, "-id", str(window.window)))
    expected = whole.crop(x - outer_x, y - outer_y, width, height)
    answer = watcher.do("ax_screenshot", app=window.app)
    assert (*answer.fields["position"], *answer.fields["size"]) == area
    assert_equal(pictures.of(answer), expected, "xwd")
    answer = watcher.do("screenshot_app_window", appName=window.name)
    assert tuple(answer.fields["rect"][side] for side in "xywh") == area
    assert_equal(pictures.of(answer), expected, "xwd")
    saved = pictures.saved_by(watcher.do("image", app_target=window.name, path=shadowed.path("shadow.png")))
    assert_equal(next(iter(saved.values())), expected, "xwd")


def test_list_of_windows_tells_what_is_seen(shadowed, watcher, window):
    listed = watcher.do("ax_list_windows", app=window.app).fields["windows"]
    assert [(*found["position"], *found["size"]) for found in listed] == [visible_area(shadowed, window)]

"""Pictures: what they show is compared with pixels that another program read."""

import io
import subprocess

import pytest

from support import applications, wait_for


@pytest.fixture(scope="module")
def still(desktop):
    """A window that does not animate, alone on the desktop."""
    app = applications.start(desktop, "qt5")
    yield app
    app.stop()


def picture(answer):
    """The saved PNG of an answer as ImageMagick reads it: (width, height, pixels)."""
    with open(answer.fields["path"], "rb") as file:
        return decoded(file.read())


def decoded(png):
    ppm = subprocess.run(["/usr/bin/convert", "png:-", "-depth", "8", "ppm:-"], input=png, capture_output=True, check=True).stdout
    stream = io.BytesIO(ppm)
    assert stream.readline() == b"P6\n"
    width, height = map(int, stream.readline().split())
    stream.readline()
    return width, height, stream.read()


def screen(desktop):
    """The screen by ImageMagick's import."""
    png = subprocess.run(["/usr/bin/import", "-window", "root", "png:-"], env=desktop.env, capture_output=True, check=True).stdout
    return decoded(png)


def test_screen(client, desktop, still):
    wait_for("handeye and import to see the same screen",
             lambda: picture(client.do("ax_screenshot")) == screen(desktop), 10, 0.2)


def test_region(client, desktop, still):
    region = {"x": 100, "y": 120, "w": 333, "h": 77}
    width, height, pixels = picture(client.do("ax_screenshot", region=region))
    assert (width, height) == (333, 77)
    whole = screen(desktop)
    rows = [whole[2][((120 + row) * whole[0] + 100) * 3:][: 333 * 3] for row in range(77)]
    assert pixels == b"".join(rows)


def test_covered_window_looks_uncovered(client, desktop, still):
    desktop.activate(still.window)
    desktop.run(["xdotool", "mousemove", "1270", "1010"])
    client.do("ax_wait_idle", app=still.app)
    alone = picture(client.do("ax_screenshot", app=still.app))
    cover = applications.start(desktop, "gtk3")
    try:
        desktop.run(["xdotool", "windowmove", "--sync", str(cover.window), "150", "150"], check=False)
        desktop.activate(cover.window)
        # Decoration and caret differ while another window is active, so the inside is compared loosely ...
        covered = wait_for("the covered window to be captured as it was",
                           lambda: (lambda now: now if same_share(alone, now) > 0.97 else None)(
                               picture(client.do("ax_screenshot", app=still.app))), 5, 0.2)
        # ... and the screen itself is known to show something else there.
        assert same_share(screen(desktop), screen(desktop)) == 1
        assert covered[:2] == alone[:2]
    finally:
        cover.stop()


def same_share(one, other):
    """The share of equal pixels of two pictures of one size."""
    if one[:2] != other[:2]:
        return 0
    pixels = one[0] * one[1]
    a, b = one[2], other[2]
    return sum(a[at:at + 3] == b[at:at + 3] for at in range(0, pixels * 3, 3)) / pixels


def test_minimized_window_is_refused(client, desktop):
    app = applications.start(desktop, "gtk3")
    try:
        client.do("ax_find", app=app.app, query="Name")
        desktop.run(["xdotool", "windowminimize", str(app.window)])
        wait_for("the window manager to have minimized the window", lambda: "_NET_WM_STATE_HIDDEN" in desktop.run(
            ["xprop", "-id", str(app.window), "_NET_WM_STATE"]) and "Iconic" in desktop.run(
            ["xprop", "-id", str(app.window), "WM_STATE"]))
        answer = client.call("ax_screenshot", app=app.app)
        assert answer.is_error and answer.code == "window_minimized", answer
        assert "minimi" in answer.text
        windows = client.do("ax_list_windows", app=app.app).fields["windows"]
        assert [window["minimized"] for window in windows] == [True]
    finally:
        app.stop()


def test_window_list_agrees_with_the_window_manager(client, desktop, still):
    listed = client.do("ax_list_windows", app=still.app).fields["windows"]
    assert [window["title"] for window in listed] == [still.title]
    geometry = dict(line.split("=") for line in desktop.run(
        ["xdotool", "getwindowgeometry", "--shell", str(still.window)]).splitlines())
    width, height = listed[0]["size"]
    # With or without the decoration, which is a few pixels wide and at most a title bar high.
    assert 0 <= width - int(geometry["WIDTH"]) <= 20
    assert 0 <= height - int(geometry["HEIGHT"]) <= 60

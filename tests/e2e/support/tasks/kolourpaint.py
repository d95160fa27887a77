"""The tasks of KolourPaint (Qt 5)."""

import subprocess

from ..applications import Application
from . import Task


def _start(desktop, folder):
    subprocess.run(["convert", "-size", "120x80", "gradient:red-blue", str(folder / "picture.png")], check=True, timeout=20)
    return _open(desktop, folder)


def _open(desktop, folder):
    return Application(desktop, ["kolourpaint", str(folder / "picture.png")], "picture.png", {"XDG_CONFIG_HOME": str(folder / "settings")})


def _start_on_points(desktop, folder):
    """On a picture in which each point has a colour of its own."""
    points = b"".join(_colour(x, y) for y in range(80) for x in range(120))
    subprocess.run(["convert", "-size", "120x80", "-depth", "8", "rgb:-", str(folder / "picture.png")], input=points, check=True, timeout=20)
    return _open(desktop, folder)


def _colour(x, y):
    return bytes((2 * x, 3 * y, 128))


def _measured(folder, what, name="picture.png"):
    """What ImageMagick reads of a picture."""
    done = subprocess.run(["identify", "-format", what, str(folder / name)], capture_output=True, text=True,
                          timeout=20, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _is_rotated(folder):
    assert _measured(folder, "%wx%h") == "80x120", _measured(folder, "%wx%h")
    # The red side was at the top, and is at the right now.
    assert float(_measured(folder, "%[fx:p{78,60}.r]")) > 0.9, _measured(folder, "%[pixel:p{78,60}]")


def _is_scaled(folder):
    assert _measured(folder, "%wx%h") == "60x40", _measured(folder, "%wx%h")


def _is_grey(folder):
    colour = "%[fx:abs(p{5,5}.r-p{5,5}.b)+abs(p{5,75}.r-p{5,75}.b)]"
    assert float(_measured(folder, colour)) == 0, _measured(folder, "%[pixel:p{5,5}]")


def _is_cropped(folder):
    assert (folder / "cropped.png").exists(), "cropped.png is not there"
    assert _measured(folder, "%m %wx%h", "cropped.png") == "PNG 60x40", _measured(folder, "%m %wx%h", "cropped.png")
    done = subprocess.run(["convert", str(folder / "cropped.png"), "-depth", "8", "rgb:-"], capture_output=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr
    # Each point of the part, and no other one.
    wanted = b"".join(_colour(x, y) for y in range(20, 60) for x in range(30, 90))
    assert done.stdout == wanted, f"the first point is {list(done.stdout[:3])}, and not {list(wanted[:3])}, or a later one differs"
    assert _measured(folder, "%wx%h") == "120x80", "the picture itself was changed"


TASKS = [
    Task("rotate-a-picture", "KolourPaint", _start, _is_rotated, is_recordable=True),
    Task("scale-a-picture", "KolourPaint", _start, _is_scaled, is_recordable=True),
    Task("make-it-grey", "KolourPaint", _start, _is_grey, is_recordable=True),
    Task("crop-and-export", "KolourPaint", _start_on_points, _is_cropped),
]

"""The tasks of KolourPaint (Qt 5)."""

import subprocess

from ..applications import Application
from . import Task


def _start(desktop, folder):
    subprocess.run(["convert", "-size", "120x80", "gradient:red-blue", str(folder / "picture.png")], check=True, timeout=20)
    return Application(desktop, ["kolourpaint", str(folder / "picture.png")], "picture.png", {"XDG_CONFIG_HOME": str(folder / "settings")})


def _measured(folder, what):
    """What ImageMagick reads of the picture."""
    done = subprocess.run(["identify", "-format", what, str(folder / "picture.png")], capture_output=True, text=True,
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


TASKS = [
    Task("rotate-a-picture", "KolourPaint", _start, _is_rotated),
    Task("scale-a-picture", "KolourPaint", _start, _is_scaled),
    Task("make-it-grey", "KolourPaint", _start, _is_grey),
]

"""An application whose windows are of one colour each, so that a picture of one identifies it."""

import itertools
import os

from . import TESTS, wait_for
from .desktop import end_group

_numbers = itertools.count(1)


class Coloured:
    """`tests/apps/windows_app.py`: `windows` are colours (RRGGBB) by title."""

    def __init__(self, desktop, name, windows, env=None):
        self.desktop, self.name, self.colours = desktop, name, windows
        words = ["/usr/bin/python3", str(TESTS / "apps/windows_app.py"), name]
        words += [f"{title}={colour}" for title, colour in windows.items()]
        self.child = desktop.start(words, f"coloured-{next(_numbers)}", {"PYTHONDONTWRITEBYTECODE": "1", **(env or {})})
        self.process = self.child.pid
        wait_for(f"{name} to open its windows", lambda: set(self.ids()) == set(windows))
        # A window is on the list before its first frame is drawn.
        for title, colour in windows.items():
            wait_for(f"{title} to be painted", lambda: self.looks(title) == colour)

    def ids(self):
        """The windows' numbers by title, from the window manager."""
        return {title: window for window, process, title in self.desktop.windows() if process == self.process}

    def id_of(self, title):
        """The number of a window, once the window manager lists it by its title."""
        return wait_for(f"the window {title}", lambda: self.ids().get(title))

    def looks(self, title):
        """The colour of a window as ImageMagick's import sees it, RRGGBB."""
        self.raise_(title)
        return colour(self.desktop.run(["/usr/bin/import", "-silent", "-window", str(self.id_of(title)), "-depth", "8",
                                        "-crop", "1x1+20+20", "txt:-"], check=False))

    def raise_(self, title):
        """Puts a window on top without giving it the focus."""
        self.desktop.run(["xdotool", "windowraise", str(self.id_of(title))], check=False)

    def size(self, title):
        """Width and height of a window's content, from the X server."""
        told = dict(line.split("=") for line in self.desktop.run(
            ["xdotool", "getwindowgeometry", "--shell", str(self.id_of(title))]).splitlines())
        return int(told["WIDTH"]), int(told["HEIGHT"])

    def place(self, title):
        """Left and top of a window's content on the screen, from the X server."""
        lines = self.desktop.run(["xwininfo", "-id", str(self.id_of(title))]).splitlines()
        told = {line.split(":")[0].strip(): line.split(":")[1].strip() for line in lines if line.count(":") == 1}
        return int(told["Absolute upper-left X"]), int(told["Absolute upper-left Y"])

    def minimize(self, title):
        """Minimizes a window and waits until it is."""
        window = str(self.id_of(title))
        self.desktop.run(["xdotool", "windowminimize", window])
        wait_for(f"{title} to be minimized", lambda: "Iconic" in self.desktop.run(["xprop", "-id", window, "WM_STATE"]))

    def stop(self):
        """Ends it."""
        end_group(self.child)


def colour(text):
    """RRGGBB of the one pixel in ImageMagick's txt format; None if there is none."""
    at = text.rfind("#")
    return text[at + 1:at + 7].upper() if at >= 0 else None


def of_file(desktop, path, at="20+20"):
    """The colour of one pixel of a picture's file, decoded by ImageMagick."""
    return colour(desktop.run(["/usr/bin/convert", path, "-depth", "8", "-crop", f"1x1+{at}", "txt:-"]))


def kind(desktop, path):
    """Format, width and height of a picture's file, by ImageMagick: ('PNG', 640, 480)."""
    name, width, height = desktop.run(["/usr/bin/identify", "-format", "%m %w %h", path]).split()
    return name, int(width), int(height)


def listing(folder):
    """The names of the files in a folder; empty if there is none."""
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

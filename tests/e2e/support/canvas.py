"""Windows that never change by themselves (`tests/apps/canvas.py`), as a test sees them."""

import itertools
import json
import os
import re

from . import TESTS, wait_for
from .desktop import end_group

_numbers = itertools.count(1)


class Canvas:
    """A window full of noise."""

    def __init__(self, desktop, *options, title=None, env=None, active=True):
        number = next(_numbers)
        self.desktop = desktop
        self.title = title or f"Canvas {number}"
        label = f"canvas-{number}"
        self._child = desktop.start(
            ["/usr/bin/python3", str(TESTS / "apps" / "canvas.py"), self.title, *options], label, env)
        self.process = self._child.pid
        self.window = wait_for(f"{self.title} to draw itself", lambda: self._told(f"{label}.out"))
        if "--popup" not in options:
            desktop.window(self.title)
            if active:  # Its title bar looks different then.
                desktop.activate(self.window)

    @property
    def app(self):
        """How to name it to handeye without ambiguity: by its process."""
        return str(self.process)

    @property
    def name(self):
        """Its name on the accessibility bus."""
        return self.title.lower().replace(" ", "-")

    def _told(self, label):
        with open(self.desktop.path(label), encoding="utf-8") as output:
            lines = [line for line in output if line.startswith("{") and line.endswith("\n")]
        return json.loads(lines[0])["window"] if lines else None

    @property
    def frame_window(self):
        """The child of the root that holds the window: the frame of the window manager, or itself."""
        window = self.window
        while True:
            text = self.desktop.run(["xwininfo", "-int", "-children", "-id", str(window)])
            parent, root = (int(re.search(rf"{name} window id: (\d+)", text)[1]) for name in ("Parent", "Root"))
            if parent == root:
                return window
            window = parent

    def content(self):
        """Where the client window is on the screen: x, y, width, height. By xwininfo."""
        return self._area(self.window)

    def frame(self):
        """Where the window is with the window manager's decoration. By xwininfo."""
        return self._area(self.frame_window)

    def _area(self, window):
        text = self.desktop.run(["xwininfo", "-id", str(window)])
        numbers = [int(re.search(rf"{name}: +(-?\d+)", text)[1])
                   for name in ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height", "Border width")]
        x, y, width, height, border = numbers
        return x - border, y - border, width + 2 * border, height + 2 * border

    def move(self, x, y):
        """Moves it, and waits until it is there."""
        before = self.content()
        self.desktop.run(["xdotool", "windowmove", str(self.window), str(x), str(y)])
        wait_for(f"{self.title} to move to {x},{y} from {before}", lambda: self.frame()[:2] == (x, y))

    def signal(self, number):
        """Sends a signal to its process."""
        os.kill(self.process, number)

    def stop(self):
        """Ends it."""
        end_group(self._child)

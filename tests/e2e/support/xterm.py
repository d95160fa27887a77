"""xterm, which shows no accessibility tree: it is acted on by coordinates, and its own state is what the program in it receives."""

import itertools
import re

from . import aim
from .applications import Application

_numbers = itertools.count(1)
# Mouse buttons and moves are reported to the program, as to an editor; `cat -v` writes down what comes.
_PROGRAM = "stty raw -echo; printf '\\033[?1003h'; exec cat -v > {file}"
_REPORT = re.compile(r"\^\[\[M(.)(?:M-)?(?:\^?.)(?:M-)?(?:\^?.)")


class Xterm(Application):
    """An xterm window."""

    def __init__(self, desktop):
        number = next(_numbers)
        self._file = desktop.path(f"xterm-{number}.got")
        title = f"Fixture xterm {number}"
        super().__init__(desktop, ["xterm", "-T", title, "-geometry", "60x20+30+30", "-e", _PROGRAM.format(file=self._file)], title)

    def point(self, across=0.5, down=0.5):
        """A point of its window on the screen."""
        x, y, width, height = aim.client_area(self.desktop, self)
        return int(x + across * width), int(y + down * height)

    def state(self):
        """What the program received: presses of the first and the third button, moves without one, steps of the wheel, and text."""
        with open(self._file, encoding="utf-8", errors="replace") as file:
            got = file.read()
        buttons = _REPORT.findall(got)
        return {"pressed": buttons.count(" "), "right": buttons.count('"'), "released": buttons.count("#"), "hovered": buttons.count("C"),
                "wheel": buttons.count("`") + buttons.count("a"), "text": _REPORT.sub("", got)}

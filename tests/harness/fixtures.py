"""The fixture applications of the end-to-end tests under random actions, and the one on Swing."""

import itertools
import json
import re

from support import applications, wait_for

from . import actions, office
from .applications import SWING, SWING_ENV

_numbers = itertools.count(1)
# These call a combo box as what it has chosen.
UNNAMED_CHOICES = ("qt5", "swing")


class Swing(applications.Application):
    """`tests/apps/SwingFixture.java`, which writes its own state as the others do."""

    def __init__(self, desktop):
        number = next(_numbers)
        self._log = desktop.path(f"swing-{number}.log")
        title = f"Fixture swing {number}"
        super().__init__(desktop, [*SWING, title], title, {**SWING_ENV, "APP_LOG": self._log})

    def state(self):
        """Its own state, as it wrote it last."""
        with open(f"{self._log}.state", encoding="utf-8") as file:
            return json.load(file)


class Subject:
    """A fixture under random actions: the application, how its state is asked, and which actions there are."""

    def __init__(self, desktop, session, toolkit):
        self.desktop, self.toolkit = desktop, toolkit
        self.application = Swing(desktop) if toolkit == "swing" else applications.start(desktop, toolkit)
        self._words = office if toolkit == "libreoffice" else actions
        self.app = self.application.app
        # What was done last, for what comes of it late; and where the time went.
        self.last, self.times = None, {}
        # The advice that was followed already.
        self.advised = set()
        # What is drawn last is on the bus last.
        for query in ["//document//paragraph[3]"] if toolkit == "libreoffice" else ["Count", "Item 3"]:
            wait_for(f"{query} on the accessibility bus", lambda: session.call(
                "ax_find", app=self.app, query=query).fields.get("found"), every=0.2)

    def state(self):
        """The application's own state."""
        return office.state(self.application) if self._words is office else self.application.state()

    def draw(self, rng, mode, without=(), real="focus"):
        """A random action that is possible now, those of a pointer or a keyboard in the mode `real`."""
        action = self._words.draw(rng, self.state(), mode, without, real)
        if "query" in action.arguments:
            action.arguments["query"] = self.query(action.arguments["query"])
        return action

    def query(self, words):
        """How an element is asked for here."""
        return "role:combobox" if words == "Size" and self.toolkit in UNNAMED_CHOICES else words

    def popups(self):
        """The windows of the application that are mapped and not managed: its open menus and lists."""
        managed = {window for window, _, _ in self.desktop.windows()}
        words = ["xdotool", "search", "--onlyvisible", "--pid", str(self.application.process)]
        found = []
        for window in map(int, self.desktop.run(words, check=False).split()):
            if window not in managed:
                told = self.desktop.run(["xwininfo", "-id", str(window)], check=False)
                if "Override Redirect State: yes" in told and "Map State: IsViewable" in told and is_on_view(told):
                    found.append(window)
        return found


def is_on_view(told):
    """Whether a window can be seen, according to xwininfo: what holds a drag is one pixel beside the screen."""
    numbers = dict(re.findall(r"^ *(Absolute upper-left [XY]|Width|Height): +(-?\d+)$", told, re.MULTILINE))
    left, top, width, height = (int(numbers.get(name, 0)) for name in (
        "Absolute upper-left X", "Absolute upper-left Y", "Width", "Height"))
    return width > 1 and height > 1 and left + width > 0 and top + height > 0

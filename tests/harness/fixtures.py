"""The fixture applications of the end-to-end tests under random actions, and the one on Swing."""

import itertools
import json

from support import applications, wait_for

from . import actions, office
from .applications import SWING, SWING_ENV

_numbers = itertools.count(1)


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
        self.desktop = desktop
        self.application = Swing(desktop) if toolkit == "swing" else applications.start(desktop, toolkit)
        self._words = office if toolkit == "libreoffice" else actions
        self.app = self.application.app
        # What is drawn last is on the bus last.
        for query in ["//document//paragraph[3]"] if toolkit == "libreoffice" else ["Count", "Item 3"]:
            wait_for(f"{query} on the accessibility bus", lambda: session.call(
                "ax_find", app=self.app, query=query).fields.get("found"), every=0.2)

    def state(self):
        """The application's own state."""
        return office.state(self.application) if self._words is office else self.application.state()

    def draw(self, rng, mode, without=()):
        """A random action that is possible now."""
        return self._words.draw(rng, self.state(), mode, without)

    def popups(self):
        """The windows of the application that are mapped and not managed: its open menus and lists."""
        managed = {window for window, _, _ in self.desktop.windows()}
        words = ["xdotool", "search", "--onlyvisible", "--pid", str(self.application.process)]
        found = []
        for window in map(int, self.desktop.run(words, check=False).split()):
            if window not in managed:
                told = self.desktop.run(["xwininfo", "-id", str(window)], check=False)
                if "Override Redirect State: yes" in told and "Map State: IsViewable" in told:
                    found.append(window)
        return found

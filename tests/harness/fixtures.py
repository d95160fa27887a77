"""The fixture applications of the end-to-end tests as the harness uses them, and the one on Swing."""

import itertools
import json

from support import applications, wait_for

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


def start(desktop, toolkit):
    """Starts the fixture of a toolkit."""
    return Swing(desktop) if toolkit == "swing" else applications.start(desktop, toolkit)


def exposed(session, app, *queries):
    """Waits until handeye finds what is drawn last."""
    for query in queries:
        wait_for(f"{query} on the accessibility bus", lambda: session.call(
            "ax_find", app=app.app, query=query).fields.get("found"), every=0.2)

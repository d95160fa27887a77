"""What the conversations of the protocol tests are about: applications, and a person who chooses."""

import contextlib
import itertools
import os

from . import applications


class Bed:
    """An application, a second one of its name, and one that does not answer, so that a call of it lasts until it is cancelled."""

    shared_name = "fixture-gtk3"

    def __init__(self, desktop, folder):
        self._desktop = desktop
        self.app = applications.start(desktop, "gtk3", commands=True)
        self.twin = applications.start(desktop, "gtk3")
        self.busy = applications.start(desktop, "gtk3")
        self.busy.freeze()
        self._changes = itertools.count(1)
        self.folder = f"{folder}/"
        self.names = {str(self.app.process): "<app>", str(self.busy.process): "<busy app>", self.app.title: "<title>",
                      self.busy.title: "<busy title>", str(self.twin.process): "<twin>", self.twin.title: "<twin's title>"}

    def picture(self, talk):
        """The path of a picture, which the first who asks for it has taken."""
        path = f"{self.folder}asked-about.png"
        if not os.path.exists(path):
            with talk.aside():
                talk.request("tools/call", name="image", arguments={"app_target": f"PID:{self.app.process}", "path": path})
        return path

    @contextlib.contextmanager
    def another(self):
        """One application more."""
        app = applications.start(self._desktop, "gtk3")
        try:
            yield
        finally:
            app.stop()

    def change(self):
        """Has another party change the application."""
        self.app.command(do="set_name", text=f"changed {next(self._changes)}")

    def stop(self):
        """Ends the applications."""
        self.busy.thaw()
        for app in (self.busy, self.twin, self.app):
            app.stop()


def choose(params):
    """A person who takes the first of what is offered."""
    (name, field), *_ = params["requestedSchema"]["properties"].items()
    offered = field["enum"][0] if "enum" in field else field["oneOf"][0]["const"]
    return {"action": "accept", "content": {name: offered}}

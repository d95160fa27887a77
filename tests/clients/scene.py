"""What the conversation is about: a desktop with applications, and the steps of the play on it."""

import os

from . import probe
from .standin.play import Step, look_of
from support import BINARY, applications, wait_for, witness
from support.desktop import Desktop

NOTES = "Minutes of the meeting.txt"
# More than any client keeps of one answer.
LINES = 1500
ADDED = [f"Added {number}" for number in range(1, 16)]


def relayed(record):
    """The words before those that start a server, so that everything is recorded that it sends and receives."""
    return ["/usr/bin/python3", os.path.join(os.path.dirname(__file__), "relay.py"), record]


class Probe:
    """No desktop: a server whose answers have every mix of contents."""

    def server(self, record):
        """The words that start it."""
        return [*relayed(record), "/usr/bin/python3", probe.__file__]

    @staticmethod
    def environment():
        """It needs nothing."""
        return {"PATH": "/usr/bin:/bin"}

    @staticmethod
    def steps():
        """Each of its tools, that with long texts for each length; then the client ends."""
        return [*(Step(name, name) for name in probe.NAMES),
                *(Step(f"long_{thousands}", "long", {"thousands": thousands}) for thousands in probe.LENGTHS)]

    @staticmethod
    def is_last(_play, _wire):
        """No client is interrupted."""
        return False

    def state(self):
        """There is none."""
        return {}

    names = state

    def stop(self):
        """There is nothing to end."""


class Scene:
    """A private desktop with the fixture application, one with things that destroy, and Mousepad with a long text."""

    def __init__(self):
        self.desktop = Desktop(size="2560x1600")
        try:
            self.app = applications.start(self.desktop, "gtk3", title="Fixture", commands=True)
            self.danger = applications.start(self.desktop, "danger", title="Danger", commands=True)
            path = self.desktop.path(NOTES)
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(f"Line {number}: the quick brown fox jumps over the lazy dog.\n" for number in range(1, LINES + 1))
            self.mousepad = applications.Application(self.desktop, ["mousepad", path], NOTES)
            wait_for("the text to have the focus", lambda: witness.has_focus(self.desktop, self.mousepad.process, "text"), every=0.2)
        except BaseException:
            self.desktop.stop()
            raise

    def server(self, record):
        """The words that start the server, with everything recorded that it sends and receives."""
        return [*relayed(record), BINARY, "mcp", "serve", "--image-responses", "inline"]

    def environment(self):
        """What the server needs to know of the desktop."""
        names = ("AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "LANG", "LC_ALL", "XAUTHORITY", "XDG_RUNTIME_DIR",
                 "HANDEYE_DESKTOP", "HANDEYE_SCREENSHOT_DIR")
        return {"HANDEYE_LOG_FILE": self.desktop.path("server.log"), "HOME": self.desktop.path("home"),
                "PATH": "/usr/bin:/bin", **{name: self.desktop.env[name] for name in names if name in self.desktop.env}}

    def steps(self):
        """The play on this scene. A client is interrupted in the last one."""
        app, danger, mousepad = (one.app for one in (self.app, self.danger, self.mousepad))
        return [
            Step("applications", "list", {"item_type": "running_applications"}),
            Step("tree", "ax_get_tree", {"app": mousepad}),
            Step("before", "ax_get_tree", {"app": app, "max_depth": 8}),
            Step("click", "ax_click", {"app": app, "query": "role:button Count"}),
            # By the agent's own pointer: no application offers a double click.
            Step("double", "ax_click", {"app": app, "query": "role:button Multi", "click_type": "double"}),
            Step("type", "ax_type", {"app": app, "query": "Name", "text": "Grüße aus Wien"}),
            Step("since", "ax_get_tree", lambda got: {"app": app, "max_depth": 8, "since": look_of(got.get("before"))},
                 before=self.add_buttons),
            Step("marks", "ax_screenshot", {"app": app, "annotate": True}),
            Step("picture", "image", {"format": "data", "app_target": "screen:0"}),
            Step("error", "ax_click", {"app": app, "query": "role:button Cuont"}),
            Step("question", "ax_click", {"app": danger, "query": "Delete All Data"}),
            Step("progress", "ax_wait_idle", {"app": danger, "poll_ms": 10_000, "timeout_ms": 30_000}),
            Step("long", "ax_get_value", {"app": mousepad, "query": "role:textbox"}),
            Step("cancelled", "ax_wait_idle", {"app": danger, "poll_ms": 50_000, "timeout_ms": 60_000}),
        ]

    @staticmethod
    def is_last(play, wire):
        """Whether the call is under way in which the client is interrupted."""
        return play.underway() == "cancelled" and sum(
            line["from"] == "client" and line["message"].get("method") == "tools/call"
            and line["message"]["params"]["name"] == "ax_wait_idle" for line in wire) >= 2

    def state(self):
        """What the applications say of themselves."""
        return {"fixture": self.app.state(), "danger": self.danger.state()}

    def names(self):
        """What differs from scene to scene, and what to call it."""
        return {self.desktop.folder.name: "<folder>",
                str(self.app.process): "<fixture>",
                str(self.danger.process): "<danger>", str(self.mousepad.process): "<mousepad>"}

    def add_buttons(self):
        """Another party changes the application, by more than an answer about an action lists."""
        for name in ADDED:
            self.app.command(do="add_button", name=name)

    def stop(self):
        """Ends everything."""
        self.desktop.stop()

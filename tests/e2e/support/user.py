"""The user who works in a window of their own while handeye acts in the background."""

import json
import subprocess

from . import applications, wait_for
from .history import HISTORY


class _Bystander(applications.Fixture):
    """The user's own window."""

    def _words(self, toolkit, title):
        return ["/usr/bin/python3", str(applications.APPS / "bystander.py")]


class User:
    """Somebody at the keyboard, at a window that records what reaches it, with something in the clipboard."""

    def __init__(self, desktop):
        self._desktop = desktop
        self._bystander = _Bystander(desktop, "bystander", "Bystander", commands=True)
        self.window = self._bystander.window
        words = ["/usr/bin/python3", str(applications.APPS / "user.py")]
        self._hands = subprocess.Popen(words, env=desktop.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        HISTORY.started(words, self._hands)
        desktop.run(["sh", "-c", "echo copied by the user | xclip -selection clipboard >/dev/null 2>&1"])
        wait_for("the clipboard to be owned", lambda: self.look()["clipboard"])

    def _say(self, *words):
        self._hands.stdin.write(" ".join(map(str, words)) + "\n")
        self._hands.stdin.flush()

    def _ask(self, *words):
        self._say(*words)
        return json.loads(self._hands.stdout.readline())

    def look(self):
        """What the X server says of the active window, the focus, the pointer, the stacking, the clipboard, and what is held down."""
        return self._ask("look")

    def rest(self):
        """Closes a menu that has the keyboard, and puts the pointer where nothing is."""
        self._ask("key", "Escape")
        self._ask("move", 1270, 1010)

    def come_back(self):
        """Makes the own window the active one, and the topmost, by a click into it."""
        about = self._desktop.run(["xdotool", "getwindowgeometry", "--shell", str(self.window)])
        place = {name: int(value) for name, value in (line.split("=") for line in about.splitlines())}
        self._ask("move", place["X"] + place["WIDTH"] // 2, place["Y"] + place["HEIGHT"] // 2)
        self._ask("click")
        wait_for("the user's window to be the active one and the topmost", lambda: self.is_at_work(self.look()))
        self.rest()

    def take_focus(self):
        """Gives the own window the focus and raises it, where no window manager does."""
        self._desktop.run(["xdotool", "windowraise", str(self.window), "windowfocus", str(self.window)])
        wait_for("the user's window to have the focus and to be the topmost", lambda: self.is_at_work(self.look()))

    def is_at_work(self, look):
        """Whether the own window is the active one and the topmost; without a window manager, the one with the focus."""
        active = look["focus"] if look["active"] is None else look["active"]
        return active == self.window and look["stacking"][-1:] == [self.window]

    def got(self):
        """What has reached the user's window: the text in it, the number of its keys, and of clicks."""
        state = self._bystander.state()
        return {"text": state["name"], "keys": state["count"], "clicks": state["double"]}

    def begin(self):
        """Begins to type, into the window as it is, made empty."""
        self._bystander.command(do="empty")
        self._before = self.got()
        return self._ask("type")

    def end(self):
        """Types a little more, and stops: how many characters it was, and what of that is wrong in the window, in words."""
        typed = self._ask("enough")
        wanted = {"text": typed["text"], "keys": self._before["keys"] + typed["keys"], "clicks": self._before["clicks"]}
        try:
            wait_for("what was typed", lambda: self.got() == wanted, 10)
        except AssertionError:
            got = self.got()
            return len(typed["text"]), [f"what the user typed: {typed['text']!r}, and the window has {got['text']!r}, {got} instead of {wanted}"]
        return len(typed["text"]), []

    def stop(self):
        """Leaves."""
        self._hands.stdin.close()
        self._hands.wait(10)


def differences(before, after, only=("active", "focus", "pointer", "stacking", "clipboard")):
    """What is different between two looks, in words. Windows that are new or gone do not count as a changed order."""
    found = [f"{name}: {before[name]} -> {after[name]}" for name in only if name != "stacking" and before[name] != after[name]]
    kept = [window for window in after["stacking"] if window in before["stacking"]]
    were = [window for window in before["stacking"] if window in after["stacking"]]
    return found + ([f"stacking: {were} -> {kept}"] if "stacking" in only and kept != were else [])

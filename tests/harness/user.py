"""A scripted user: types into an editor of their own and uses its menu, by xdotool, while something else happens."""

import json
import random
import threading

from support import wait_for
from support.applications import APPS, Application

# Keys that every keyboard map has, so that no map is changed.
LETTERS = "abcdefghijklmnopqrstuvwxyz 0123456789"
# Ended by a new line: GTK lays a paragraph out again at each key, and an editor that lags behind opens its menu too late.
CHUNK = 24
# One menu for so many chunks.
MENU_EVERY = 6


class User:
    """The user, their editor, and what they have typed."""

    def __init__(self, desktop, seed):
        self._desktop, self._random = desktop, random.Random(seed)
        self._log = desktop.path("editor.log")
        self.editor = Application(desktop, ["/usr/bin/python3", str(APPS / "editor_app.py"), "Own editor"], "Own editor",
                                  {"APP_LOG": self._log})
        self.typed, self.menus, self.faults = "", 0, []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self):
        """Begins to type, in the window that is active."""
        self._desktop.activate(self.editor.window)
        self._thread.start()

    def state(self):
        """What the editor got."""
        with open(f"{self._log}.state", encoding="utf-8") as file:
            return json.load(file)

    def finish(self, characters):
        """Lets the user type on up to so many characters, and ends."""
        wait_for(f"{characters} characters", lambda: len(self.typed) >= characters or self.faults
                 or not self._thread.is_alive(), 600)
        self._stop.set()
        self._thread.join(120)
        try:
            wait_for("the editor to have all of it", lambda: self.state()["notes"] == self.typed, 10)
        except AssertionError:
            self.faults.append(difference(self.typed, self.state()["notes"]))

    def _work(self):
        chunks = 0
        while not self._stop.is_set() and not self.faults:
            chunk = "".join(self._random.choice(LETTERS) for _ in range(CHUNK))
            self._desktop.run(["xdotool", "type", "--delay", "25", chunk])
            self._desktop.run(["xdotool", "key", "Return"])
            self.typed += chunk + "\n"
            chunks += 1
            if chunks % MENU_EVERY == 0:
                self._use_menu()

    def _use_menu(self):
        self._desktop.run(["xdotool", "key", "--delay", "40", "alt+o", "a"])
        self.menus += 1
        try:
            wait_for("the user's menu to have been used", lambda: self.state()["count"] == self.menus, 20)
        except AssertionError:
            self.faults.append(f"after {len(self.typed)} characters the user's own menu was not reached: used {self.menus} times, "
                               f"{self.state()['count']} arrived")


def difference(typed, got):
    """Where two texts part, in words."""
    place = next((index for index, (one, other) in enumerate(zip(typed, got)) if one != other), min(len(typed), len(got)))
    return (f"{len(typed)} characters were typed, {len(got)} arrived; from {place} on "
            f"{typed[place:place + 30]!r} became {got[place:place + 30]!r}")

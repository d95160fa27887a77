"""What the fixture applications share: names, the record of their state, and commands from another party.

Each application shows the same controls under the same accessible names and writes every change of its own
state to two files, so that a test can ask the application itself what happened:

* `$APP_LOG` gets one JSON line a change: `{"key": "count", "value": 3}`
* `$APP_LOG.state` always holds the full state as one JSON object

`$APP_COMMANDS` may name a FIFO. Each line in it is a command, `{"id": 7, "do": "add_row", "name": "Extra"}`,
which the application carries out itself; its log then says `{"done": 7}`. That is how another party changes
the tree while handeye watches.

`$APP_LABELS` may be a JSON object with other labels, `{"Count": "Tally"}`, as in another version of the application.
"""

import json
import os
import random
import threading
import time

TITLE = "Fixture"
ROWS = 30
COLOURS = ["Red", "Green", "Blue"]
SIZES = ["Small", "Medium", "Large"]
TABS = ["General", "Advanced"]

INITIAL_STATE = {
    "count": 0,        # clicks on the button "Count"
    "double": 0,       # double clicks on the button "Multi"
    "triple": 0,       # triple clicks on it
    "hovered": 0,      # moves of a pointer over it
    "context": 0,      # context menus asked for on the button "Multi"
    "chosen": 0,       # choices of "Context entry" in that menu (GTK 3 and Qt 5)
    "name": "",        # text of the entry "Name"
    "notes": "",       # text of the multi-line field "Notes"
    "secret": "",      # text of the password field "Secret"
    "agree": False,    # check box "Agree"
    "bold": False,     # toggle button "Bold"
    "colour": "Red",   # radio buttons "Red", "Green", "Blue"
    "size": "Small",   # combo box "Size"
    "selected": None,  # selected row of the list "Items"
    "opened": None,    # row of that list that was double-clicked (GTK 3)
    "scroll": 0,       # vertical scroll position of the list "Items", in pixels or rows
    "volume": 20,      # slider "Volume", 0 to 100
    "amount": 5,       # spin button "Amount", 0 to 100
    "tab": "General",  # tabs "General" and "Advanced"
    "dialog": False,   # dialog that the menu item "About" opens
    "dropped": 0,      # drags from "Drag source" that ended on "Drop target"
    "dropped_there": 0,  # drags that ended on "Other target", which is in another window
    "chord": None,     # last key press that the window got, for example "ctrl+k"
}

LABELS = json.loads(os.environ.get("APP_LABELS", "{}"))


def label(usual):
    """What is shown for a label of this version."""
    return LABELS.get(usual, usual)


def milliseconds():
    """A clock that never goes back."""
    return time.monotonic_ns() // 1_000_000


class Record:
    """The application's own state, written out at every change."""

    def __init__(self):
        self.on_change = lambda: None
        path = os.environ.get("APP_LOG")
        self._log = open(path, "a", buffering=1, encoding="utf-8") if path else None
        self._state_path = f"{path}.state" if path else None
        self.state = dict(INITIAL_STATE)
        self._write_state()

    def set(self, key, value):
        """Records that `key` is now `value`; writes nothing where that is not a change."""
        if self.state.get(key) != value:
            self.state[key] = value
            self._write_state()
            self.line({"key": key, "value": value})
            self.on_change()

    def summary(self):
        """What the label "Status" shows, as most applications show somewhere that something happened."""
        return "{count} clicks, {double} double clicks, {context} menus, {dropped} drops, key {chord}".format(**self.state)

    def add(self, key):
        """Counts one more."""
        self.set(key, self.state[key] + 1)

    def line(self, fields):
        """Writes one line to the log."""
        if self._log:
            self._log.write(json.dumps(fields) + "\n")

    def _write_state(self):
        if self._state_path:
            draft = f"{self._state_path}.{os.getpid()}"
            with open(draft, "w", encoding="utf-8") as file:
                json.dump(self.state, file)
            os.replace(draft, self._state_path)


class Commands:
    """Runs the commands of `$APP_COMMANDS` as methods `do_NAME` of `target`, on the application's main loop.

    `post` hands a function to the main loop.
    """

    def __init__(self, target, record, post):
        self._target, self._record, self._post = target, record, post
        path = os.environ.get("APP_COMMANDS")
        if path:
            threading.Thread(target=self._read, args=(path,), daemon=True).start()

    def _read(self, path):
        # Opened for writing too, so that the end of one sender is not the end of the file.
        with os.fdopen(os.open(path, os.O_RDWR), "r", encoding="utf-8") as fifo:
            for line in fifo:
                command = json.loads(line)
                self._post(lambda command=command: self._run(command))

    def _run(self, command):
        number = command.pop("id", None)
        name = command.pop("do")
        try:
            getattr(self._target, f"do_{name}")(**command)
        except Exception as error:  # the sender has to get the error, whatever it was
            self._record.line({"done": number, "error": f"{name}: {error!r}"})
        else:
            self._record.line({"done": number})


def chord(key, ctrl=False, shift=False, alt=False, meta=False):
    """A key press as the log has it: modifiers in a fixed order, then the key's lower-case name."""
    held = [name for name, down in (("ctrl", ctrl), ("shift", shift), ("alt", alt), ("super", meta)) if down]
    return "+".join(held + [key.lower()])


class RandomActions:
    """An endless, replayable stream of commands that any of the applications can carry out."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._made = 0

    def __iter__(self):
        return self

    def __next__(self):
        self._made += 1
        pick = self._random
        index = pick.randrange(1000)
        label = f"Made {self._made} {pick.choice(['plain', 'née', '漢字', 'a & b', '😀'])}"
        return pick.choice([
            {"do": "add_button", "name": label},
            {"do": "add_button", "name": label},
            {"do": "remove_button", "index": index},
            {"do": "rename_button", "index": index, "name": label},
            {"do": "move_button", "index": index, "to": pick.randrange(1000)},
            {"do": "show_button", "index": index, "on": pick.random() < 0.7},
            {"do": "enable_button", "index": index, "on": pick.random() < 0.5},
            {"do": "add_row", "name": label},
            {"do": "remove_row", "index": index},
            {"do": "select_row", "index": index},
            {"do": "set_name", "text": label * pick.randrange(3)},
            {"do": "set_notes", "text": "\n".join([label] * pick.randrange(4))},
            {"do": "agree", "on": pick.random() < 0.5},
            {"do": "bold", "on": pick.random() < 0.5},
            {"do": "colour", "index": pick.randrange(len(COLOURS))},
            {"do": "size", "index": pick.randrange(len(SIZES))},
            {"do": "volume", "value": pick.randrange(101)},
            {"do": "amount", "value": pick.randrange(101)},
            {"do": "tab", "index": pick.randrange(len(TABS))},
            {"do": "dialog", "on": pick.random() < 0.5},
        ])

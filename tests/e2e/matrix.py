"""The action x toolkit x mode table in `docs/matrix.md`: written on request, read back as what is expected.

Each cell is one of

* `delivered`: the application's own state shows the effect, and handeye reported `confirmed`
* `delivered, not confirmed`: the application's own state shows it; handeye could not see it and reported that
* `refused`: nothing was done, and the answer says why (the footnote)
* `disturbs the user`: a call in background mode changed something of the user's (the footnote): a fault that is known
* `no effect, …`: handeye dispatched it and answered that it saw nothing change, and nothing did
"""

import json
import os
import re

from support import REPOSITORY

DOCUMENT = REPOSITORY / "docs/matrix.md"
FRAGMENTS = REPOSITORY / "target/e2e/matrix"
TOOLKITS = {"gtk3": "GTK 3", "gtk4": "GTK 4", "qt5": "Qt 5", "qt6": "Qt 6", "libreoffice": "LibreOffice",
            "chromium": "Chromium", "firefox": "Firefox", "wx": "wxWidgets", "swing": "Java Swing", "xterm": "xterm"}
ACTIONS = ["click", "double click", "triple click", "right click", "hover", "type", "set value", "toggle", "select", "scroll", "scroll to element", "key",
           "key sequence", "drag", "drag to another window"]
# What there is not: xterm has no controls, and shows no elements; it is acted on by coordinates. Writer shows those paragraphs that are on view,
# and nothing under the pointer.
MISSING = {"xterm": ("set value", "toggle", "select", "scroll to element", "drag to another window"),
           "libreoffice": ("hover", "scroll to element", "drag to another window")}
MODES = ["background", "focus"]
# Swing takes as long as all others together; its column is of the last run with HANDEYE_ALL_TOOLKITS=1.
RUN = [toolkit for toolkit in TOOLKITS if toolkit != "swing" or os.environ.get("HANDEYE_ALL_TOOLKITS")]
# The actions and toolkits that each window manager is tried with, in background mode.
MANAGERS = ["xfwm4", "marco", "metacity", "mutter", "kwin_x11", "i3", "none"]
SHORT_ACTIONS = ["double click", "right click", "hover", "type", "scroll", "key", "drag"]
SHORT_TOOLKITS = ["gtk3", "gtk4", "qt5"]
WRITES = bool(os.environ.get("HANDEYE_WRITE_DOCS"))

_HEAD = """# What reaches which toolkit

Made by `HANDEYE_WRITE_DOCS=1 cargo xtask test --e2e tests/e2e/test_matrix.py`; every run of the tests compares each
cell with it. A cell is judged by the application's own state, never by handeye's answer. In background mode, unless
the cell says that the user is disturbed, the active window, the keyboard focus, the pointer, the order of windows, the
owner of the clipboard and what the user holds down were the same before and after, by the word of the X server. A user
typed into another window before, during and after each call, 67 keys a second: of more than {typed} characters in
those cells none was lost, doubled or added.

* **delivered**: the application's own state shows the effect, and the answer said `confirmed`
* **delivered, not confirmed**: the application's own state shows it; the answer said that nothing was seen to change
* **refused**: nothing was done; the footnote has the reason that the answer gave
* **no effect, said so**: it was dispatched, nothing happened, and the answer said so
* **disturbs the user**: a call in background mode changed something of the user's, which the footnote names

Set value is that of a slider, in Writer that of a paragraph. The whole text of a field is set as in *type*. Scroll to
element is a click on what is out of view. A key sequence is a click into a field and single keys, which select what is
there and replace it. xterm, which shows no elements, is acted on by coordinates. –: the test has no such cell.
"""

_MANAGERS_HEAD = """# Under other window managers

The tables above are of openbox. Here a few actions in background mode, which go by the agent's own pointer and keyboard,
are under the others, and without any (none); judged as above. `HANDEYE_WRITE_DOCS=1 cargo xtask test --e2e tests/e2e/test_window_managers.py`
runs those that are installed: xfwm4 and none in every run of the tests, the others in `cargo xtask test --long`.
"""


def has(toolkit, action):
    """Whether a toolkit has what the action needs."""
    return action not in MISSING.get(toolkit, ())


def keep(toolkit, action, mode, outcome, reason, typed):
    """Remembers a cell for the table that is written at the end, and how many characters the user typed meanwhile."""
    FRAGMENTS.mkdir(parents=True, exist_ok=True)
    _fragment(toolkit, action, mode).write_text(json.dumps([outcome, reason, typed]), encoding="utf-8")


def _fragment(toolkit, action, mode):
    """Where a cell is remembered; `mode` is a window manager in its table."""
    return FRAGMENTS / f"{toolkit}-{action}-{mode}.json".replace(" ", "_")


def expected(toolkit, action, mode):
    """What the committed table says of a cell, or None."""
    return _cell([action, mode], list(TOOLKITS), toolkit)


def expected_under(manager, toolkit, action):
    """The same of the table of a window manager."""
    return _cell([manager, action], SHORT_TOOLKITS, toolkit)


def _cell(row, columns, column):
    if not DOCUMENT.exists():
        return None
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[:2] == row and len(cells) == 2 + len(columns):
            return re.sub(r"\s*\[\^\d+\]", "", cells[2 + columns.index(column)])
    return None


class _Notes:
    """The footnotes, and how much the user typed."""

    def __init__(self):
        self.texts, self.typed = [], 0

    def cell(self, toolkit, action, mode):
        """A cell as the table has it."""
        if not has(toolkit, action):
            return "–"
        path = _fragment(toolkit, action, mode)
        if not path.exists():
            return "not run"
        outcome, reason, characters = json.loads(path.read_text(encoding="utf-8"))
        self.typed += characters if outcome != "disturbs the user" else 0
        if not reason:
            return outcome
        if reason not in self.texts:
            self.texts.append(reason)
        return f"{outcome} [^{self.texts.index(reason) + 1}]"


def finish():
    """Writes the tables if asked to; prints where they are."""
    if not WRITES or not FRAGMENTS.exists():
        return
    notes = _Notes()
    lines = _head(["action", "mode"], TOOLKITS)
    for action in ACTIONS:
        for mode in MODES:
            lines.append(_row([action, mode], [notes.cell(toolkit, action, mode) for toolkit in TOOLKITS]))
    lines += ["", _MANAGERS_HEAD]
    for manager in MANAGERS:
        lines += [f"## {manager}", "", *_head(["window manager", "action"], SHORT_TOOLKITS)]
        for action in SHORT_ACTIONS:
            lines.append(_row([manager, action], [notes.cell(toolkit, action, manager) for toolkit in SHORT_TOOLKITS]))
        lines.append("")
    lines.insert(0, _HEAD.replace("{typed}", f"{notes.typed // 1000 * 1000:,}"))
    lines.extend(f"[^{number}]: {note}" for number, note in enumerate(notes.texts, 1))
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"\nwrote {DOCUMENT}")


def _head(labels, toolkits):
    return [_row(labels, [TOOLKITS[toolkit] for toolkit in toolkits]), _row(["---"] * len(labels), ["---"] * len(toolkits))]


def _row(labels, cells):
    return f"| {' | '.join([*labels, *cells])} |"

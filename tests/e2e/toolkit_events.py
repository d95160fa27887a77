"""Which events each toolkit really sends: measured by a listener of its own, written to `docs/toolkit-events.md`.

    target/e2e/venv/bin/python tests/e2e/toolkit_events.py [TOOLKIT...]

Each change is made by another party while the listener waits. The listener reads the whole tree before and after, so
that it also knows what changed with no event. What is measured is kept in `target/e2e/toolkit-events/`; the document is
written from all that is there.
"""

import collections
import json
import re
import subprocess
import sys

from support import REPOSITORY, applications, wait_for
from support.desktop import Desktop
from support.listener import Listener

DOCUMENT = REPOSITORY / "docs/toolkit-events.md"
MEASURED = REPOSITORY / "target/e2e/toolkit-events"
ENGINE = REPOSITORY / "crates/handeye-atspi/src"
# The heading, and what the engine calls it.
TOOLKITS = {"gtk3": ("GTK 3", "Gtk3"), "gtk4": ("GTK 4", "Gtk4"), "qt5": ("Qt 5", "Qt"),
            "chromium": ("Chromium", "Chromium"), "firefox": ("Firefox", "Gecko"),
            "libreoffice": ("LibreOffice", "LibreOffice")}
PACKAGES = ["at-spi2-core", "libgtk-3-0", "libgtk-4-1", "libqt5gui5", "chromium", "firefox-esr", "libreoffice-writer"]
ASPECTS = ["structure", "properties", "showing", "values"]

# How long an application may go on starting after its window has come: Firefox prepares its next tab.
_START = 4.0

Change = collections.namedtuple("Change", "label make prepare", defaults=[None])
Difference = collections.namedtuple("Difference", "aspect path what where showing")


# What is done to the applications.

def command(**fields):
    """Has another party change the application."""
    return lambda stage: stage.app.command(**fields)


def keys(*words):
    """Presses keys in the application's window."""
    def press(stage):
        stage.desktop.activate(stage.app.window)
        stage.desktop.run(["xdotool", "key", *words])
    return press


def bystander(stage):
    """Gives another program's window the focus."""
    stage.desktop.activate(stage.other)


def activate(stage):
    """Gives the application's window the focus."""
    stage.desktop.activate(stage.app.window)


def minimize(stage):
    """Minimizes the application's window."""
    stage.desktop.run(["xdotool", "windowminimize", str(stage.app.window)])
    wait_for("the window to be minimized",
             lambda: "Iconic" in stage.desktop.run(["xprop", "-id", str(stage.app.window), "WM_STATE"]))


def point(stage):
    """Moves the pointer to what is scrolled next."""
    activate(stage)
    x, y, width, height = stage.middle()
    stage.desktop.run(["xdotool", "mousemove", str(x + width // 2), str(y + height // 2)])


def wheel(stage):
    """Turns the wheel until the application says that it scrolled."""
    before = stage.app.state()["scroll"]
    stage.desktop.run(["xdotool", "click", "--repeat", "3", "5"])
    wait_for("the application to scroll", lambda: stage.app.state()["scroll"] != before)


def add_three(stage):
    for number in range(3):
        stage.app.command(do="add_button", name=f"Made {number}")


WINDOW_CHANGES = [
    Change("another window is activated", bystander, activate),
    Change("the window is activated", activate),
    Change("the window is minimized", minimize),
    Change("the window is restored", activate),
]
FIXTURE_CHANGES = [
    Change("nothing", lambda _: None),
    Change("a button is added", command(do="add_button", name="Added"), add_three),
    Change("a button is renamed", command(do="rename_button", index=0, name="Renamed")),
    Change("a button is disabled", command(do="enable_button", index=0, on=False)),
    Change("a button is enabled", command(do="enable_button", index=0, on=True)),
    Change("a button is hidden", command(do="show_button", index=0, on=False)),
    Change("a button is shown", command(do="show_button", index=0, on=True)),
    Change("a button changes places", command(do="move_button", index=0, to=2)),
    Change("a button is removed", command(do="remove_button", index=0)),
    Change("a list row is added", command(do="add_row", name="Added row")),
    Change("a list row is selected", command(do="select_row", index=1)),
    Change("another row is selected", command(do="select_row", index=3)),
    Change("a list row is removed", command(do="remove_row", index=0)),
    Change("the list is scrolled", wheel, point),
    Change("a text field is filled", command(do="set_name", text="Some text")),
    Change("a text field is changed", command(do="set_name", text="Other text")),
    Change("a multi-line field is filled", command(do="set_notes", text="One\nTwo")),
    Change("a multi-line field is changed", command(do="set_notes", text="Three\nFour")),
    Change("a check box is checked", command(do="agree", on=True)),
    Change("a toggle button is pressed", command(do="bold", on=True)),
    Change("another radio button is chosen", command(do="colour", index=2)),
    Change("another choice of a combo box", command(do="size", index=2)),
    Change("a slider moves", command(do="volume", value=70)),
    Change("a spin button counts", command(do="amount", value=42)),
    Change("another tab is shown", command(do="tab", index=1)),
    Change("a dialog opens", command(do="dialog", on=True)),
    Change("the dialog closes", command(do="dialog", on=False)),
    # The first key leaves its name in the status line, which the second then does not change.
    Change("the focus moves on", keys("Tab"), keys("Tab")),
    *WINDOW_CHANGES,
]
PAGE_CHANGES = [
    Change("the page is loaded anew", keys("F5")),
    Change("another browser tab is opened", keys("ctrl+t")),
    Change("the first browser tab is shown again", keys("ctrl+Page_Up")),
]
WRITER_CHANGES = [
    Change("nothing", lambda _: None),
    Change("a paragraph is written anew", command(do="write", index=0, text="Other words")),
    Change("a paragraph is added", command(do="append", text="Added")),
    Change("a paragraph is added in sight", keys("End", "Return"), keys("ctrl+Home")),
    Change("a paragraph is removed", command(do="remove", index=0)),
    Change("a paragraph becomes a heading", command(do="style", index=0, name="Heading 1")),
    Change("a character is typed", keys("a"), keys("ctrl+Home")),
    Change("everything is selected", keys("ctrl+a")),
    Change("a toggle button is pressed", keys("ctrl+b")),
    Change("formatting marks are shown", command(do="marks", on=True)),
    Change("the ruler is shown", command(do="ruler", on=True), command(do="ruler", on=False)),
    Change("a toolbar is hidden", command(do="toolbar", name="textobjectbar", on=False)),
    Change("a toolbar is shown", command(do="toolbar", name="textobjectbar", on=True)),
    Change("the document is scrolled", wheel, point),
    Change("another page is shown", command(do="page", number=2), command(do="page", number=1)),
    Change("a dialog opens", keys("ctrl+h")),
    Change("the dialog closes", lambda stage: stage.desktop.run(["xdotool", "key", "Escape"])),
    Change("a menu opens", keys("alt+e")),
    Change("the menu closes", lambda stage: stage.desktop.run(["xdotool", "key", "Escape", "Escape"])),
    *WINDOW_CHANGES,
]


def changes(toolkit):
    """What is done to one application."""
    if toolkit == "libreoffice":
        return WRITER_CHANGES
    return FIXTURE_CHANGES + (PAGE_CHANGES if toolkit in ("chromium", "firefox") else [])


class Stage:
    """An application on a private desktop, a window of another program, and the listener."""

    def __init__(self, toolkit):
        self.toolkit, self.desktop = toolkit, Desktop()
        try:
            self.desktop.start(["/usr/bin/python3", str(applications.APPS / "bystander.py")], "bystander")
            self.other = self.desktop.window("Bystander")[0]
            self.app = applications.start(self.desktop, toolkit, commands=True)
            self.desktop.activate(self.app.window)
            self.listener = Listener(self.desktop, self.app.process, engine_wants())
            self.listener.events(_START)
            self.tree = self.settled()
        except BaseException:
            self.desktop.stop()
            raise

    def settled(self):
        """The tree once nothing happens any more. Bridges announce only what a client has looked at."""
        self.listener.tree()
        self.listener.events()
        return self.listener.tree()

    def middle(self):
        """Where on the screen the wheel scrolls: (x, y, width, height)."""
        words = self.desktop.run(["xdotool", "getwindowgeometry", "--shell", str(self.app.window)])
        fields = dict(word.split("=") for word in words.split())
        x, y, width, height = (int(fields[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))
        if self.toolkit == "libreoffice":
            return x, y, width, height
        on_screen, in_window = self.listener.place("Items")
        # GTK 4 does not know where its window is.
        return (in_window[0] + x, in_window[1] + y, *in_window[2:]) if self.toolkit == "gtk4" else on_screen

    def measure(self, change):
        """Makes one change: the events in short, and what changed, with what no event announced."""
        if change.prepare:
            change.prepare(self)
            self.tree = self.settled()
        before = self.tree
        change.make(self)
        events = self.listener.events()
        after = self.tree = self.listener.tree()
        changed = differences(before, after)
        untold = [difference for difference in changed if not is_told(difference, events, after)]
        return {"events": short(events), "changed": changed, "untold": untold}


# What the engine takes from events.

def engine_wants():
    """The events that handeye registers for."""
    text = (ENGINE / "events.rs").read_text(encoding="utf-8")
    return re.findall(r'"([^"]+)"', re.search(r"const WANTED[^=]*= &\[(.*?)\];", text, re.S)[1])


def engine_states():
    """The states that handeye keeps, by their AT-SPI names."""
    text = (ENGINE / "vocabulary.rs").read_text(encoding="utf-8")
    return set(re.findall(r'\("([a-z-]+)", States::', text)) - {"defunct"}


def engine_trusts():
    """What handeye believes of each toolkit's events: a set of aspects by the engine's name of the toolkit."""
    body = re.search(r"fn trust\(self\) -> Trust \{(.*?)\n    \}", (ENGINE / "toolkit.rs").read_text(encoding="utf-8"),
                     re.S)[1]
    trusts = {}
    for names, value in re.findall(r"((?:Self::\w+[\s|]*)+)=>\s*\{?([^,}]*)", body):
        believed = {name.lower() for name in re.findall(r"Trust::([A-Z]+)\b", value)}
        trusts.update((name, believed) for name in re.findall(r"Self::(\w+)", names))
    assert set().union(*trusts.values()) <= set(ASPECTS), trusts
    assert {engine for _, engine in TOOLKITS.values()} <= set(trusts), trusts
    return trusts


def differences(before, after):
    """What is different in elements that were there and still are."""
    kept, found = engine_states(), []
    for path in before.keys() & after.keys():
        old, new = before[path], after[path]
        where = f'{old.role} "{old.name}"' if old.name else old.role
        showing = "showing" in old.states & new.states

        def note(aspect, what, path=path, where=where, showing=showing):
            found.append(Difference(aspect, path, what, where, showing))

        if old.children != new.children:
            note("structure", "children")
        if old.name != new.name:
            note("properties", "name")
        for state in sorted((old.states ^ new.states) & kept):
            note("showing" if state == "showing" else "properties", state)
        if old.text != new.text and holds_text(old):
            note("values", "text")
        # Of a button handeye shows what state it is in, never LibreOffice's number for that.
        if old.number != new.number and old.role not in ("push button", "toggle button"):
            note("values", "number")
    return found


def holds_text(element):
    """Whether its text is more than its own name or its children's: then handeye reads it."""
    return "EditableText" in element.abilities or "editable" in element.states or element.role in ("spin button", "table cell") \
        or element.role in ("paragraph", "heading", "status bar") and not element.children and not element.name


def is_told(difference, events, after):
    """Whether the events say so, as far as handeye understands them."""
    path, element = difference.path, after[difference.path]
    own = [event for event in events if event.path == path]
    if difference.aspect == "structure":
        return any(event.kind in ("children-changed", "model-changed", "row-inserted", "row-deleted", "row-reordered",
                                  "visible-data-changed", "document:load-complete", "document:reload", "window:create",
                                  "window:destroy") for event in own) \
            or any(event.kind == "state-changed" and event.detail == "defunct" and event.path not in after
                   for event in events)
    if difference.aspect == "values":
        return any(event.kind == "text-changed" or (event.kind, event.detail) == ("property-change", "accessible-value")
                   for event in own)
    # These have it read again.
    if any((event.kind, event.detail) in (("property-change", "accessible-role"), ("state-changed", "enabled"),
                                          ("property-change", "accessible-description")) for event in own):
        return True
    if any(event.kind in ("selection-changed", "active-descendant-changed") and path in after[event.path].children
           for event in events if event.path in after):
        return True
    if difference.what == "name":
        names = [event.value for event in own if (event.kind, event.detail) == ("property-change", "accessible-name")]
        return bool(names) and names[-1] in ("", element.name) or any(not isinstance(name, str) for name in names)
    if difference.what == "focused" and "focused" not in element.states:
        return any((event.kind, event.detail, event.first) == ("state-changed", "focused", 1) for event in events) \
            or tells(own, "focused", False)
    if difference.what == "active" and any(event.kind in ("window:activate", "window:deactivate") for event in own):
        return True
    if difference.what == "iconified" and any(event.kind in ("window:minimize", "window:restore") for event in own):
        return True
    return tells(own, difference.what, difference.what in element.states)


def tells(events, state, is_set):
    """Whether the last event about a state says what is true."""
    told = [event.first for event in events if (event.kind, event.detail) == ("state-changed", state)]
    return bool(told) and bool(told[-1]) == is_set


def short(events):
    """The kinds of events, each once: `state-changed: focused, showing`."""
    kinds = collections.defaultdict(set)
    for event in events:
        kinds[event.kind].add(event.detail)
    return [kind + (f": {', '.join(sorted(filter(None, details)))}" if any(details) else "")
            for kind, details in sorted(kinds.items())]


def measure(toolkit, report=lambda line: None):
    """Measures one toolkit: a mapping that can be kept as JSON."""
    stage = Stage(toolkit)
    try:
        result = {"toolkit": stage.listener.toolkit(), "changes": {}}
        for change in changes(toolkit):
            report(f"{toolkit}: {change.label}")
            result["changes"][change.label] = stage.measure(change)
        return result
    finally:
        stage.desktop.stop()


# The document.

_HEAD = """# What each toolkit says of its changes

Made by `target/e2e/venv/bin/python tests/e2e/toolkit_events.py` (the environment is that of `cargo xtask test --e2e`).
Another party makes each change: the application itself on command, a UNO client, or xdotool. A listener that shares
nothing with handeye but the list of events to register for hears what arrives until the application is silent, and
reads the whole tree before and after.

* A cell has the events that arrived, each kind once, whichever element they came from.
* **silent**: no event, though the tree changed
* *not told*: a fresh read found it changed, and no event says so of that element. `structure` is an element's
  children, `showing` is whether it can be seen, `properties` its name and other states, `values` its text and number.
* `-`: no event, and nothing in the tree changed

Measured with {versions}.
"""
_TAIL = """
## Worth knowing

* Qt 5 never sends `children-changed`. A widget that comes says `showing`; rows, and what goes, say nothing.
* GTK 4 says that a child of a box was hidden or removed, not that one was added or moved.
* GTK 3 says that a button in a box was removed only by `defunct`, and nothing when one was added.
* Firefox puts another document into the tab's `internal frame` when a page is loaded. The frame says nothing of it;
  `document:load-complete` comes from the new document, which nobody can know yet.
  The bookmarks toolbar, too, leaves the window without a word.
* Chromium's own tree keeps the old number of a slider that a script moved: no event, and no reading, tells.
* LibreOffice moves its scroll bars without a word where the view follows the cursor.
* Qt 5 and GTK 4 never say, and never show, that a window is minimized.
"""


def write(packages):
    """Writes the document from what was measured."""
    results = {toolkit: json.loads((MEASURED / f"{toolkit}.json").read_text(encoding="utf-8"))
               for toolkit in TOOLKITS if (MEASURED / f"{toolkit}.json").exists()}
    fixtures = [toolkit for toolkit in results if toolkit != "libreoffice"]
    lines = [_HEAD.format(versions=packages), "## The fixture applications", ""]
    lines += table(["change", *(TOOLKITS[toolkit][0] for toolkit in fixtures)],
                   [[change.label, *(cell(results[toolkit]["changes"].get(change.label)) for toolkit in fixtures)]
                    for change in FIXTURE_CHANGES + PAGE_CHANGES])
    if "libreoffice" in results:
        lines += ["", "## LibreOffice Writer", ""]
        lines += table(["change", "LibreOffice"], [[change.label, cell(results["libreoffice"]["changes"][change.label])]
                                                   for change in WRITER_CHANGES])
    lines += ["", "## What handeye concludes", "",
              "*believed*: `Trust` in `crates/handeye-atspi/src/toolkit.rs` says that events tell all of it.",
              "*read again*: it is read with every look, whatever events say. The numbers count elements.",
              "As `showing` is believed of no toolkit, all states of what shows are read again; `properties` decides on names.", ""]
    lines += table(["toolkit", *ASPECTS], [[TOOLKITS[toolkit][0], *(verdict(toolkit, result, aspect) for aspect in ASPECTS)]
                                           for toolkit, result in results.items()])
    lines += ["", "Believed, but not told (*seen*: it was showing before and after):", ""]
    wrong = [line for toolkit, result in results.items() for line in contradictions(toolkit, result)]
    DOCUMENT.write_text("\n".join(lines + (wrong or ["* nothing"])) + "\n" + _TAIL, encoding="utf-8")


def table(head, rows):
    """A table as lines of Markdown."""
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def cell(measured):
    """What one change came with; empty where the application has no such change."""
    if measured is None:
        return ""
    untold = sorted({Difference(*difference).aspect for difference in measured["untold"]}, key=ASPECTS.index)
    heard = measured["events"] or (["**silent**"] if measured["changed"] else ["-"])
    return "<br>".join(heard + ([f"*not told: {', '.join(untold)}*"] if untold else []))


def verdict(toolkit, result, aspect):
    """What is believed of one aspect, and what was measured of it."""
    changed, untold = (sum(difference[0] == aspect for change in result["changes"].values() for difference in change[kind])
                       for kind in ("changed", "untold"))
    is_believed = aspect in engine_trusts()[TOOLKITS[toolkit][1]]
    if not changed:
        return f"{'believed' if is_believed else 'read again'}: nothing changed"
    told = f"all {changed} told" if not untold else f"{untold} of {changed} not told"
    return f"{'believed' if is_believed else 'read again'}: {told}"


def contradictions(toolkit, result):
    """What is believed, but was not announced, as lines: one for each change and kind of element."""
    believed, counts = engine_trusts()[TOOLKITS[toolkit][1]], collections.Counter()
    for change, measured in result["changes"].items():
        for difference in (Difference(*fields) for fields in measured["untold"]):
            if difference.aspect in believed:
                seen = "seen" if difference.showing else "not seen"
                counts[change, difference.what, difference.where.partition(' "')[0], seen] += 1
    return [f"* {TOOLKITS[toolkit][0]}, {change}: {what} of {number} x {role} ({seen})"
            for (change, what, role, seen), number in counts.items()]


def versions():
    """The packages that were measured."""
    asked = ["dpkg-query", "-W", "-f", "${Package} ${Version}\\n", *PACKAGES]
    return ", ".join(subprocess.run(asked, capture_output=True, text=True, timeout=30, check=True).stdout.splitlines())


def main(chosen):
    """Measures toolkits and writes the document."""
    MEASURED.mkdir(parents=True, exist_ok=True)
    for toolkit in chosen:
        result = measure(toolkit, print)
        (MEASURED / f"{toolkit}.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    write(versions())


if __name__ == "__main__":
    main(sys.argv[1:] or TOOLKITS)

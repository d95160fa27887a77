"""A task in other circumstances than those in which its workflow was written."""

import yaml

from .. import wait_for


def read(path):
    """A workflow file: its fields."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def write(path, flow):
    """Writes a workflow file."""
    path.write_text(yaml.safe_dump(flow, sort_keys=False, allow_unicode=True), encoding="utf-8")


def move(desktop, window):
    """Gives a window another place and another size."""
    before = _geometry(desktop, window)
    desktop.run(["wmctrl", "-i", "-r", hex(window), "-b", "remove,maximized_vert,maximized_horz"])
    desktop.run(["wmctrl", "-i", "-r", hex(window), "-e", "0,170,110,1000,780"])
    wait_for("the window to have moved", lambda: _geometry(desktop, window) != before)


def _geometry(desktop, window):
    return desktop.run(["xdotool", "getwindowgeometry", "--shell", str(window)])

"""Witnesses: what other programs than handeye say about the desktop."""

import dataclasses
import json
import subprocess
import textwrap


@dataclasses.dataclass(frozen=True)
class Seat:
    """What a user would notice: the active window, the keyboard focus, the pointer and the order of windows."""

    active: str
    focus: str
    pointer: str
    stacking: tuple

    def differences(self, later):
        """What is different in `later`, in words. Windows that are new do not count as a changed order."""
        found = [f"{name}: {getattr(self, name)} -> {getattr(later, name)}"
                 for name in ("active", "focus", "pointer") if getattr(self, name) != getattr(later, name)]
        kept = tuple(window for window in later.stacking if window in self.stacking)
        before = tuple(window for window in self.stacking if window in later.stacking)
        if kept != before:
            found.append(f"stacking: {before} -> {kept}")
        return found


def seat(desktop):
    """Asks xdotool and xprop."""
    pointer = desktop.run(["xdotool", "getmouselocation", "--shell"])
    roots = desktop.run(["xprop", "-root", "_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST_STACKING"])
    active, stacking = roots.splitlines()
    return Seat(active=active.rsplit(None, 1)[-1],
                focus=desktop.run(["xdotool", "getwindowfocus"], check=False),
                pointer=" ".join(line for line in pointer.splitlines() if line[0] in "XY"),
                stacking=tuple(word.strip() for word in stacking.partition("#")[2].split(",")))


_READ = textwrap.dedent("""
    import json, sys, pyatspi
    what, process, role, name = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    found = []
    def look(node, depth):
        if node is None or depth > 30:
            return
        try:
            if node.getRoleName() == role and (not name or node.name == name):
                if what == "text":
                    text = node.queryText()
                    found.append(text.getText(0, text.characterCount))
                elif what == "focused":
                    found.append(node.getState().contains(pyatspi.STATE_FOCUSED))
                else:
                    found.append(node.queryValue().currentValue)
            for index in range(min(node.childCount, 200)):
                look(node.getChildAtIndex(index), depth + 1)
        except Exception:
            pass
    for application in pyatspi.Registry.getDesktop(0):
        if application is not None and application.get_process_id() == process:
            look(application, 0)
    print(json.dumps(found))
""")


_ANSWERS = textwrap.dedent("""
    import sys, gi
    gi.require_version("Gio", "2.0")
    from gi.repository import Gio, GLib
    session = Gio.bus_get_sync(Gio.BusType.SESSION)
    address, = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, 5000, None)
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
    try:
        bus.call_sync(sys.argv[1], sys.argv[2], "org.a11y.atspi.Accessible", "GetRole", None, None, 0, 5000, None)
        print("yes")
    except GLib.Error as error:
        if not error.matches(Gio.dbus_error_quark(), Gio.DBusError.UNKNOWN_OBJECT):
            raise
        print("no")
""")


def is_object(desktop, application, path):
    """Whether an application has an object of this path on the accessibility bus."""
    return desktop.run(["/usr/bin/python3", "-c", _ANSWERS, application, path]) == "yes"


def texts(desktop, process, role, name=""):
    """The texts that pyatspi reads from the elements of a role (and name) of a process."""
    return _read(desktop, "text", process, role, name)


def has_focus(desktop, process, role):
    """Whether an element of this role says that it has the focus."""
    return any(_read(desktop, "focused", process, role, ""))


def value(desktop, process, role, name=""):
    """The number that pyatspi reads from the first such element, or None."""
    return next(iter(_read(desktop, "value", process, role, name)), None)


_CHILDREN = textwrap.dedent("""
    import json, sys, pyatspi
    from gi.repository import GLib
    process, role, title = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    found = []
    def look(node, depth):
        if node is None or depth > 20 or found:
            return
        try:
            if node.getRoleName() == role and node.name == title:
                found.append([node.childCount, node.getState().contains(pyatspi.STATE_BUSY)])
            for index in range(min(node.childCount, 200)):
                look(node.getChildAtIndex(index), depth + 1)
        except GLib.Error:
            # Gone, or it does not answer.
            pass
    for application in pyatspi.Registry.getDesktop(0):
        if application is not None and application.get_process_id() == process:
            look(application, 0)
    print(json.dumps(found))
""")


def children(desktop, process, role, title):
    """How many children pyatspi finds in the first such element, and whether that is busy; None if there is none, or if the application does not
    answer."""
    try:
        output = subprocess.run(["/usr/bin/python3", "-c", _CHILDREN, str(process), role, title], env=desktop.env,
                                capture_output=True, text=True, timeout=60, check=True).stdout
    except subprocess.TimeoutExpired:
        return None
    found = json.loads(output)
    return tuple(found[0]) if found else None


def _read(desktop, what, process, role, name):
    output = subprocess.run(["/usr/bin/python3", "-c", _READ, what, str(process), role, name], env=desktop.env,
                            capture_output=True, text=True, timeout=60, check=True).stdout
    return json.loads(output)

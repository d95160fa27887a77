"""A listener on the accessibility bus that shares nothing with handeye: it receives events and reads trees over plain D-Bus."""

import collections
import re
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

from . import wait_for

ROOT = "/org/a11y/atspi/accessible/root"
_IN_FLIGHT = 200
_MAX_CHILDREN = 1000
_MAX_ELEMENTS = 20_000
_MAX_TEXT = 10_000
_STATES = {int(number): state.value_nick for number, state in Atspi.StateType.__enum_values__.items()}
# How long the bus stays silent before a change counts as over, and how long that may take in all.
_LISTEN_AT_LEAST, _SILENCE, _LISTEN_AT_MOST = 1.0, 0.4, 8.0

Event = collections.namedtuple("Event", "path kind detail first value")
Element = collections.namedtuple("Element", "role name states abilities children text number")


class Listener:
    """Receives the events of one process and reads its tree.

    `wanted` are the events to register for, as `org.a11y.atspi.Registry.RegisterEvent` takes them.
    """

    def __init__(self, desktop, process, wanted):
        session = _connect(desktop.env["DBUS_SESSION_BUS_ADDRESS"])
        (address,) = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None,
                                       Gio.DBusCallFlags.NONE, 5000, None).unpack()
        self._bus = _connect(address)
        self._events = []
        for event in wanted:
            self._ask("org.a11y.atspi.Registry", "/org/a11y/atspi/registry", "org.a11y.atspi.Registry",
                      "RegisterEvent", GLib.Variant("(sass)", (event, [], "")))
        self.name = wait_for(f"process {process} to be on the accessibility bus", lambda: self._name_of(process), 30)
        for interface in ("Object", "Window", "Document"):
            self._bus.signal_subscribe(self.name, f"org.a11y.atspi.Event.{interface}", None, None, None,
                                       Gio.DBusSignalFlags.NONE, self._hear)

    def toolkit(self):
        """What the application's toolkit calls itself, with its version."""
        words = [self._ask(self.name, ROOT, "org.freedesktop.DBus.Properties", "Get",
                           GLib.Variant("(ss)", ("org.a11y.atspi.Application", name)))[0]
                 for name in ("ToolkitName", "Version")]
        return " ".join(words)

    def events(self, at_least=_LISTEN_AT_LEAST):
        """Waits until the process is silent, for `at_least` seconds, and returns what it sent since the last time."""
        context, start = GLib.MainContext.default(), time.monotonic()
        last, count = start, len(self._events)
        while True:
            while context.iteration(False):
                pass
            now = time.monotonic()
            if len(self._events) != count:
                last, count = now, len(self._events)
            if now - start > _LISTEN_AT_MOST or now - start > at_least and now - last > _SILENCE:
                break
            time.sleep(0.01)
        heard, self._events = self._events, []
        return heard

    def tree(self):
        """The whole tree as it is now: elements by their paths."""
        found, level = {}, [ROOT]
        while level and len(found) < _MAX_ELEMENTS:
            elements = self._read(level)
            found.update((path, element) for path, element in elements.items() if element)
            level = list(dict.fromkeys(child for element in elements.values() if element
                                       for child in element.children if child not in found))
        return found

    def place(self, name):
        """The extents that the element of a name reports: (x, y, width, height) on the screen, and in its window."""
        path = next(path for path, element in self.tree().items()
                    if element.name == name and {"showing", "visible"} & element.states)

        def extents(kind):
            place = self._ask(self.name, path, "org.a11y.atspi.Component", "GetExtents", GLib.Variant("(u)", (kind,)))[0]
            return place if place[2] > 0 else None
        # Firefox begins to keep them when it is asked for the first time, and says -1 until then.
        return [wait_for(f'the place of "{name}"', lambda kind=kind: extents(kind)) for kind in (0, 1)]

    def _ask(self, *call):
        return self._bus.call_sync(*call, None, Gio.DBusCallFlags.NONE, 10_000, None).unpack()

    def _name_of(self, process):
        children = self._ask("org.a11y.atspi.Registry", ROOT, "org.a11y.atspi.Accessible", "GetChildren", None)[0]
        for name, _path in children:
            (owner,) = self._ask("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                 "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,)))
            if owner == process:
                return name
        return None

    def _hear(self, _bus, _sender, path, interface, member, body):
        detail, first, _second, value, *_rest = body.unpack()
        # GTK 4 writes members in lower case.
        kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", member).lower()
        if not interface.endswith(".Object"):
            kind = f"{interface.rsplit('.', 1)[1].lower()}:{kind}"
        self._events.append(Event(path, kind, detail.replace("_", "-"), first, value))

    def _read(self, paths):
        own, text = "org.a11y.atspi.Accessible", "org.a11y.atspi.Text"
        questions = [question for path in paths for question in (
            (path, own, "GetRoleName", None), (path, own, "GetState", None), (path, own, "GetInterfaces", None),
            _property(path, own, "Name"), _property(path, own, "ChildCount"), _property(path, text, "CharacterCount"))]
        answers = self._ask_all(questions)
        listed = [(path, *answers[6 * place:6 * place + 6]) for place, path in enumerate(paths)]
        more = []
        for path, _role, _states, interfaces, _name, count, length in listed:
            abilities = _abilities(interfaces)
            more.append((path, own, "GetChildren", None) if 0 < (count or 0) <= _MAX_CHILDREN else None)
            more.append((path, text, "GetText", GLib.Variant("(ii)", (0, min(length, _MAX_TEXT))))
                        if "Text" in abilities and length is not None else None)
            more.append(_property(path, "org.a11y.atspi.Value", "CurrentValue") if "Value" in abilities else None)
        answers = self._ask_all(more)
        elements = {}
        for place, (path, role, states, interfaces, name, *_counts) in enumerate(listed):
            children, content, number = answers[3 * place:3 * place + 3]
            own_children = tuple(child for bus, child in children or () if bus == self.name)
            elements[path] = None if states is None else Element(
                role, name, _state_names(states), _abilities(interfaces), own_children, content, number)
        return elements

    def _ask_all(self, questions):
        """The answers in order, with None where there is no question or an error. Many are on their way at once."""
        answers = [None] * len(questions)
        waiting = [(place, question) for place, question in enumerate(questions) if question]
        waiting.reverse()
        on_their_way = 0

        def take(bus, result, place):
            nonlocal on_their_way
            on_their_way -= 1
            try:
                (answers[place],) = bus.call_finish(result).unpack()
            except GLib.Error:
                pass  # gone meanwhile, or not offered: None says so

        context = GLib.MainContext.default()
        while waiting or on_their_way:
            while waiting and on_their_way < _IN_FLIGHT:
                place, (path, interface, method, arguments) = waiting.pop()
                self._bus.call(self.name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 10_000, None,
                               take, place)
                on_their_way += 1
            context.iteration(True)
        return answers


def _connect(address):
    kind = Gio.DBusConnectionFlags
    return Gio.DBusConnection.new_for_address_sync(
        address, kind.AUTHENTICATION_CLIENT | kind.MESSAGE_BUS_CONNECTION, None, None)


def _property(path, interface, name):
    return (path, "org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", (interface, name)))


def _abilities(interfaces):
    return frozenset(word.rsplit(".", 1)[-1] for word in interfaces or ())


def _state_names(words):
    bits = sum(word << (32 * place) for place, word in enumerate(words))
    return frozenset(name for number, name in _STATES.items() if bits & (1 << number))

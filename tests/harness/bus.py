"""The accessibility bus by hand: an own client, pipelined and bounded, which knows nothing of handeye's."""

import dataclasses
import time

from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call
from jeepney.io.blocking import open_dbus_connection

from support import PATIENCE

ROOT = "/org/a11y/atspi/accessible/root"
NULL = "/org/a11y/atspi/null"
PREFIX = "org.a11y.atspi."
# As many as handeye has on their way to one process.
IN_FLIGHT = 64
# States by their number in AT-SPI.
STATES = {"defunct": 6, "editable": 7, "enabled": 8, "manages_descendants": 31, "sensitive": 24, "showing": 25, "visible": 30,
          "active": 1, "checked": 4, "focused": 12, "selected": 23, "iconified": 16, "pressed": 20}


@dataclasses.dataclass(frozen=True)
class Call:
    """One question to one object. `interface` is without its prefix."""

    bus: str
    path: str
    interface: str
    member: str
    signature: str = ""
    arguments: tuple = ()
    is_property: bool = False

    def message(self):
        """As it goes over the bus."""
        if self.is_property:
            address = DBusAddress(self.path, self.bus, "org.freedesktop.DBus.Properties")
            return new_method_call(address, "Get", "ss", (PREFIX + self.interface, self.member))
        address = DBusAddress(self.path, self.bus, PREFIX + self.interface)
        return new_method_call(address, self.member, self.signature or None, self.arguments)

    def __str__(self):
        return f"{self.interface}.{self.member}{self.arguments or ''} of {self.bus}{self.path}"


@dataclasses.dataclass(frozen=True)
class Reply:
    """What came back: a value, an error's name, or nothing in time."""

    value: object = None
    error: str | None = None

    def or_else(self, instead):
        """The value, or something else where there is none."""
        return instead if self.error is not None else self.value


# The errors that mean that the peer has ended.
GONE = ("org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.Disconnected")


class Bus:
    """A connection to the accessibility bus of a desktop."""

    def __init__(self, desktop):
        self._desktop = desktop
        session = open_dbus_connection(desktop.env["DBUS_SESSION_BUS_ADDRESS"], auth_timeout=PATIENCE)
        reply = session.send_and_get_reply(
            new_method_call(DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus"), "GetAddress"), timeout=PATIENCE)
        session.close()
        self._connection = open_dbus_connection(reply.body[0], auth_timeout=PATIENCE)

    def close(self):
        """Ends the connection."""
        self._connection.close()

    def each(self, calls, patience=PATIENCE, in_flight=IN_FLIGHT):
        """Asks all `calls`, `in_flight` at a time, and yields (call, reply) as they come. Nothing for so long ends it: all that
        is on its way is answered with the error `late`, and so is what was not sent."""
        calls = iter(calls)
        waiting = {}

        def send():
            call = next(calls, None)
            if call is not None:
                serial = next(self._connection.outgoing_serial)
                waiting[serial] = call
                self._connection.send(call.message(), serial=serial)
            return call is not None
        while len(waiting) < in_flight and send():
            pass
        end = time.monotonic() + patience
        while waiting:
            try:
                message = self._connection.receive(timeout=max(0.0, end - time.monotonic()))
            except TimeoutError:
                break
            kind = message.header.message_type
            serial = message.header.fields.get(HeaderFields.reply_serial)
            if kind not in (MessageType.method_return, MessageType.error) or serial not in waiting:
                continue
            end = time.monotonic() + patience
            call = waiting.pop(serial)
            send()
            yield call, self._reply(call, message)
        for call in waiting.values():
            yield call, Reply(error="late")
        for call in calls:
            yield call, Reply(error="late")

    @staticmethod
    def _reply(call, message):
        if message.header.message_type == MessageType.error:
            return Reply(error=message.header.fields.get(HeaderFields.error_name, "unnamed"))
        value = message.body[0] if len(message.body) == 1 else message.body
        if call.is_property:
            # A variant is (signature, value).
            value = value[1]
        return Reply(value=value)

    def ask(self, *calls, **options):
        """Asks a few and returns the replies in their order."""
        replies = dict(self.each(calls, **options))
        return [replies[call] for call in calls]

    def applications(self):
        """The bus names of the applications, with their process."""
        root = Call("org.a11y.atspi.Registry", ROOT, "Accessible", "GetChildren")
        return {name: self.process(name) for name, _ in self.ask(root)[0].or_else([])}

    def process(self, name):
        """The process behind a bus name, or None."""
        message = new_method_call(DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus"),
                                  "GetConnectionUnixProcessID", "s", (name,))
        reply = self._connection.send_and_get_reply(message, timeout=PATIENCE)
        return reply.body[0] if reply.header.message_type == MessageType.method_return else None


@dataclasses.dataclass
class Element:
    """What the walk found about one element."""

    bus: str
    path: str
    depth: int
    parent: "Element | None"
    index: int
    role: str = ""
    name: str = ""
    states: frozenset = frozenset()
    interfaces: frozenset = frozenset()
    children: int = 0

    @property
    def key(self):
        """What names it on the bus."""
        return self.bus, self.path

    def call(self, interface, member, signature="", arguments=()):
        """A method of it."""
        return Call(self.bus, self.path, interface, member, signature, tuple(arguments))

    def get(self, interface, member):
        """A property of it."""
        return Call(self.bus, self.path, interface, member, is_property=True)


def states_of(words):
    """The names of the states that matter here."""
    bits = sum(word << (32 * place) for place, word in enumerate(words))
    return frozenset(name for name, number in STATES.items() if bits >> number & 1)


def walk(bus, name, limit=20_000, children_limit=1_000):
    """Every element of an application, hidden ones too, level by level. (elements, whether the limit has cut it)"""
    root = Element(name, ROOT, 0, None, 0)
    level, found, seen, cut = [root], [], {root.key}, False
    while level:
        calls, owner = [], {}
        for element in level:
            for what, call in (("name", element.get("Accessible", "Name")),
                               ("role", element.call("Accessible", "GetRoleName")),
                               ("states", element.call("Accessible", "GetState")),
                               ("interfaces", element.call("Accessible", "GetInterfaces")),
                               ("count", element.get("Accessible", "ChildCount")),
                               ):
                owner[call] = (element, what)
                calls.append(call)
        for call, reply in bus.each(calls):
            element, what = owner[call]
            if what == "name":
                element.name = reply.or_else("")
            elif what == "role":
                element.role = reply.or_else("")
            elif what == "states":
                element.states = states_of(reply.or_else([]))
            elif what == "interfaces":
                element.interfaces = frozenset(word.removeprefix(PREFIX) for word in reply.or_else([]))
            else:
                element.children = reply.or_else(0)
        found.extend(level)
        level, cut_here = _children(bus, level, seen, limit - len(found), children_limit)
        cut |= cut_here
    return found, cut


def _children(bus, parents, seen, room, children_limit):
    """The children of a level, in order."""
    # A list that is made on demand may have millions; those are asked for one by one, as far as the limit.
    demand = [parent for parent in parents if parent.children > children_limit]
    asked = {parent.call("Accessible", "GetChildren"): parent for parent in parents if 0 < parent.children <= children_limit}
    listed = {parent.key: [] for parent in parents}
    for call, reply in bus.each(asked):
        listed[asked[call].key] = list(enumerate(reply.or_else([])))
    for parent in demand:
        calls = [parent.call("Accessible", "GetChildAtIndex", "i", (index,)) for index in range(children_limit)]
        answers = [(call.arguments[0], reply.value) for call, reply in bus.each(calls) if reply.error is None]
        listed[parent.key] = sorted(answers)
    below, cut = [], bool(demand)
    for parent in parents:
        for index, (name, path) in listed[parent.key]:
            key = (name or parent.bus, path)
            if path in (NULL, "/") or key in seen:
                continue
            if len(below) >= room:
                return below, True
            seen.add(key)
            below.append(Element(*key, parent.depth + 1, parent, index))
    return below, cut

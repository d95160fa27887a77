#!/usr/bin/env python3
"""An application on the accessibility bus that misbehaves in one way, named by the first argument.

It speaks the bus's protocol by hand, because a toolkit would not let it. Each call that it gets is written to
`$APP_LOG` as a JSON line: {"path": …, "member": …}.
"""

import json
import os
import socket
import sys
import threading

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_call, new_method_return
from jeepney.io.blocking import open_dbus_connection

ROOT = "/org/a11y/atspi/accessible/root"
PREFIX = "/org/a11y/atspi/accessible/"
MANY = 2_147_483_647
APPLICATION, FRAME, PANEL, TABLE, BUTTON = 75, 23, 39, 55, 43
SHOWING_STATES = [(1 << 8) | (1 << 24) | (1 << 25) | (1 << 30), 0]


class Node:
    """What an object claims to be."""

    def __init__(self, role, name="", children=(), count=None, parent=ROOT):
        self.role, self.name, self.children, self.parent = role, name, list(children), parent
        self.count = len(self.children) if count is None else count


class Tree:
    """A well-behaved tree; the others change what they misbehave in."""

    nodes = {
        "root": Node(APPLICATION, "hostile", ["frame"]),
        "frame": Node(FRAME, "Hostile window", ["panel"]),
        "panel": Node(PANEL, "", ["button"], parent=PREFIX + "frame"),
        "button": Node(BUTTON, "Trap", parent=PREFIX + "panel"),
    }

    def node(self, path):
        return self.nodes.get(path.removeprefix(PREFIX))

    def begin(self, bus):
        """Before it is on the bus."""

    def children(self, _name):
        """Children of other applications, after its own."""
        return []

    def answers(self, _path, _member):
        """Whether a call is answered at all."""
        return True

    def reply(self, _member, signature, body):
        """The last word on what an answer says."""
        return signature, body

    def address(self):
        """Where it says that it accepts connections of its own, if it does."""
        return None


class Huge(Tree):
    """A table of 2^31 cells, which no client may enumerate."""

    nodes = {**Tree.nodes, "panel": Node(PANEL, "", ["table", "button"], parent=PREFIX + "frame"),
             "table": Node(TABLE, "Endless", ["button"], MANY, PREFIX + "panel")}

    def answers(self, path, member):
        return not (path.endswith("table") and member in ("GetChildren", "GetMatches"))


class Cycle(Tree):
    """A panel that contains the window that contains it, and itself."""

    nodes = {**Tree.nodes, "panel": Node(PANEL, "Loop", ["frame", "panel", "button"], parent=PREFIX + "frame")}


class Deep(Tree):
    """Every panel has one more inside."""

    def node(self, path):
        name = path.removeprefix(PREFIX)
        if name == "panel" or name.startswith("level"):
            level = int(name.removeprefix("level") or 0) if name != "panel" else 0
            return Node(PANEL, f"Level {level}", [f"level{level + 1}"])
        return super().node(path)


class Wide(Tree):
    """A panel of 200,000 buttons."""

    nodes = {**Tree.nodes, "panel": Node(PANEL, "", ["button"] * 200_000, parent=PREFIX + "frame")}


class Vanishing(Tree):
    """Children that are gone as soon as one asks for them."""

    nodes = {**Tree.nodes, "panel": Node(PANEL, "", ["ghost1", "ghost2", "button"], parent=PREFIX + "frame")}


class Wordy(Tree):
    """A name of 1 MB."""

    nodes = {**Tree.nodes, "button": Node(BUTTON, "Trap " + "x" * 1_000_000, parent=PREFIX + "panel")}


class Forged(Tree):
    """A name that looks like lines of an outline, with control characters."""

    nodes = {**Tree.nodes, "button": Node(
        BUTTON, 'Trap"\n- button "Forged" [ref=e1]\n\x1b[31mred\x00\u202e', parent=PREFIX + "panel")}


class Liar(Tree):
    """Answers of the wrong types."""

    def reply(self, member, signature, body):
        if member in ("GetState", "GetRole", "GetExtents", "GetChildren"):
            return "s", ("not what you asked for",)
        return signature, body


class Silent(Tree):
    """It registers, and then says nothing."""

    def answers(self, _path, _member):
        return False


class Sullen(Tree):
    """It answers who it is, but its window never answers."""

    def answers(self, path, _member):
        return path == ROOT


class Told(Tree):
    """Names the address in `$APP_ADDRESS` as its own, whatever is there."""

    def address(self):
        return os.environ["APP_ADDRESS"]


class Full(Tree):
    """A socket of its own at which as many wait already as may wait."""

    def __init__(self):
        self.socket = listening(0)
        self.waiting = []
        try:
            while True:
                self.waiting.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK))
                self.waiting[-1].connect(self.socket.getsockname())
        except BlockingIOError:
            pass

    def address(self):
        return "unix:abstract=" + self.socket.getsockname()[1:].decode()


class Mute(Full):
    """A socket of its own that accepts every connection and answers none."""

    def __init__(self):
        self.socket = listening(100)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        kept = []
        while True:
            kept.append(self.socket.accept())


def listening(backlog):
    """A listening socket with a name of its own."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("")
    listener.listen(backlog)
    return listener


class Endless(Tree):
    """Texts of 20 MB, in every place where there is one but for a button, and 300,000 children where it counts two."""

    TEXT = "Trap " + "x" * 20_000_000
    nodes = {**Tree.nodes, "frame": Node(FRAME, "Hostile window", ["panel", "button", "long"]),
             "panel": Node(PANEL, "", ["button"] * 300_000, 2, PREFIX + "frame"),
             "button": Node(BUTTON, "Trap", parent=PREFIX + "frame"), "long": Node(BUTTON, "Long", parent=PREFIX + "frame")}

    def reply(self, member, signature, body):
        if member == "GetAttributes":
            return "a{ss}", ({"long": self.TEXT},)
        if member == "GetActions":
            return "a(sss)", ([(self.TEXT, "", "")],)
        if signature == "v" and body[0] in (("s", "Long"), ("s", "")):
            return "v", (("s", self.TEXT),)
        return signature, body


class Thief(Tree):
    """A panel that names as its child what another application calls `$VICTIM`."""

    def __init__(self):
        self.stolen = None

    def begin(self, bus):
        self.stolen = search(bus, os.environ["VICTIM"])
        assert self.stolen, "there is no such element"

    def children(self, name):
        return [self.stolen] if name == "panel" and self.stolen else []


def search(bus, name):
    """The first object of that name in any application, as a reference."""
    def ask(reference, interface, member, signature=None, body=()):
        address = DBusAddress(reference[1], reference[0], interface)
        return bus.send_and_get_reply(new_method_call(address, member, signature, body)).body

    waiting = [("org.a11y.atspi.Registry", ROOT)]
    while waiting:
        reference = waiting.pop()
        if reference[0] == bus.unique_name:
            continue
        property_of = ("org.a11y.atspi.Accessible", "Name")
        if ask(reference, "org.freedesktop.DBus.Properties", "Get", "ss", property_of)[0][1] == name:
            return reference
        waiting += ask(reference, "org.a11y.atspi.Accessible", "GetChildren")[0]
    return None


KINDS = {kind.__name__.lower(): kind for kind in
         (Tree, Huge, Cycle, Deep, Wide, Vanishing, Wordy, Forged, Liar, Silent, Sullen, Told, Full, Mute, Endless, Thief)}


class Application:
    """The connection and what it answers."""

    def __init__(self, tree):
        self.tree = tree
        self.log = open(os.environ["APP_LOG"], "a", buffering=1, encoding="utf-8")
        session = open_dbus_connection("SESSION")
        asked = session.send_and_get_reply(new_method_call(
            DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus"), "GetAddress"))
        self.bus = open_dbus_connection(asked.body[0])
        tree.begin(self.bus)
        registry = DBusAddress(ROOT, "org.a11y.atspi.Registry", "org.a11y.atspi.Socket")
        self.bus.send(new_method_call(registry, "Embed", "(so)", ((self.bus.unique_name, ROOT),)))

    def run(self):
        """Answers calls until it is killed."""
        while True:
            message = self.bus.receive()
            fields = message.header.fields
            if message.header.message_type != MessageType.method_call:
                continue
            path, member = fields[HeaderFields.path], fields[HeaderFields.member]
            self.log.write(json.dumps({"path": path, "member": member}) + "\n")
            if not self.tree.answers(path, member):
                continue
            answer = self.answer(path, fields.get(HeaderFields.interface, ""), member, message.body)
            if answer is None:
                self.bus.send(new_error(message, "org.freedesktop.DBus.Error.UnknownObject", "s", (f"no {member} at {path}",)))
            else:
                self.bus.send(new_method_return(message, *self.tree.reply(member, *answer)))

    def reference(self, path):
        return (self.bus.unique_name, path)

    def child(self, node, index):
        name = node.children[index] if index < len(node.children) else None
        return self.reference(PREFIX + name if name else "/org/a11y/atspi/null")

    def answer(self, path, interface, member, body):
        node = self.tree.node(path)
        if node is None:
            return None
        if interface == "org.freedesktop.DBus.Properties" and member == "Get":
            return self.property(node, path, body[1])
        simple = {
            "GetRole": ("u", node.role),
            "GetRoleName": ("s", {BUTTON: "push button", FRAME: "frame", TABLE: "table"}.get(node.role, "panel")),
            "GetState": ("au", SHOWING_STATES),
            "GetInterfaces": ("as", ["org.a11y.atspi.Accessible", "org.a11y.atspi.Component"]
                              + (["org.a11y.atspi.Action"] if node.role == BUTTON else [])
                              + (["org.a11y.atspi.Application"] if path == ROOT else [])),
            "GetIndexInParent": ("i", 0),
            "GetAttributes": ("a{ss}", {}),
            "GetRelationSet": ("a(ua(so))", []),
            "GetApplication": ("(so)", self.reference(ROOT)),
            "GetExtents": ("(iiii)", (10, 10, 100, 30)),
            "GetActions": ("a(sss)", [("click", "", "")]),
            "DoAction": ("b", True),
            **({"GetApplicationBusAddress": ("s", self.tree.address())} if self.tree.address() else {}),
        }.get(member)
        if simple:
            return simple[0], (simple[1],)
        if member == "GetChildren":
            own = [self.child(node, index) for index in range(len(node.children))]
            return "a(so)", (own + self.tree.children(path.removeprefix(PREFIX)),)
        if member == "GetChildAtIndex":
            return "(so)", (self.child(node, body[0]),)
        return None

    def property(self, node, path, name):
        others = len(self.tree.children(path.removeprefix(PREFIX)))
        value = {
            "Name": ("s", node.name), "Description": ("s", ""), "Parent": ("(so)", self.reference(node.parent)),
            "ChildCount": ("i", node.count + others), "Locale": ("s", "C"), "AccessibleId": ("s", ""),
            "ToolkitName": ("s", "hostile"), "Version": ("s", "1"), "ToolkitVersion": ("s", "1"), "Id": ("i", 1),
            "NActions": ("i", 1), "AtspiVersion": ("s", "2.1"),
        }.get(name)
        return ("v", (value,)) if value else None


if __name__ == "__main__":
    kind = KINDS[sys.argv[1]]()
    Application(kind).run()

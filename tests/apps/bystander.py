#!/usr/bin/env python3
"""The user's own window: it has the focus while handeye works in the background, and records what reaches it."""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

import common  # noqa: E402


class App:
    """What another party may do."""

    def __init__(self, entry):
        self.entry = entry

    def do_empty(self):
        self.entry.set_text("")


def main():
    GLib.set_prgname("bystander")
    record = common.Record()
    window = Gtk.Window(title="Bystander")
    window.set_default_size(420, 160)
    entry = Gtk.Entry(text=" ".join(sys.argv[1:]))
    entry.get_accessible().set_name("Own work")
    entry.connect("changed", lambda widget: record.set("name", widget.get_text()))
    # Escape is what the tests themselves close menus with.
    window.connect("key-press-event", lambda _, event: event.keyval != Gdk.KEY_Escape and record.add("count") or False)
    window.connect("button-press-event", lambda *_: record.add("double"))
    window.add(entry)
    common.Commands(App(entry), record, GLib.idle_add)
    window.move(560, 420)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    Gtk.main()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A popup that bypasses the window manager, as launchers do, and records what is typed into it. Prints the number of its window."""

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("GdkX11", "3.0")
from gi.repository import GdkX11, GLib, Gtk  # noqa: E402, F401

import common  # noqa: E402


def main():
    GLib.set_prgname("popup")
    record = common.Record()
    window = Gtk.Window(type=Gtk.WindowType.POPUP, title="Launcher")
    window.set_default_size(300, 60)
    window.connect("key-press-event", lambda *_: record.add("count"))
    window.move(20, 600)
    window.show_all()
    print(window.get_window().get_xid(), flush=True)
    Gtk.main()


if __name__ == "__main__":
    main()

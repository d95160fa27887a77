#!/usr/bin/env python3
"""Two panes that scroll, one below the other; the content of the upper one reaches far beyond it. Records which one has scrolled."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402

HEIGHTS = {"Upper": 120, "Lower": 420}


def pane(record, name, key):
    scrolled = Gtk.ScrolledWindow()
    scrolled.set_size_request(400, HEIGHTS[name])
    content = Gtk.DrawingArea()
    content.set_size_request(380, 3000)
    content.get_accessible().set_name(f"{name} content")
    scrolled.add(content)
    scrolled.get_vadjustment().connect("value-changed", lambda adjustment: record.set(key, adjustment.get_value()))
    return scrolled


def main():
    GLib.set_prgname("two_scrolls")
    record = common.Record()
    window = Gtk.Window(title=sys.argv[1])
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    box.add(pane(record, "Upper", "scroll"))
    box.add(pane(record, "Lower", "volume"))
    window.add(box)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    Gtk.main()


if __name__ == "__main__":
    main()

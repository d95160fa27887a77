#!/usr/bin/env python3
"""A GTK 3 application of several windows, each of one colour: `windows_app.py NAME TITLE=RRGGBB …`."""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402


def paint(_, context, colour):
    """Fills the window with its colour."""
    context.set_source_rgb(colour.red, colour.green, colour.blue)
    context.paint()


def main(name, *windows):
    """Opens the windows, the first one first."""
    GLib.set_prgname(name)
    GLib.set_application_name(name)
    for place, window in enumerate(windows):
        title, _, code = window.rpartition("=")
        colour = Gdk.RGBA()
        assert colour.parse(f"#{code}")
        area = Gtk.DrawingArea()
        area.connect("draw", paint, colour)
        window = Gtk.Window(title=title)
        window.set_default_size(200 + 40 * place, 150 + 30 * place)
        window.add(area)
        window.show_all()
        window.move(40 + 300 * place, 60 + 40 * place)
    Gtk.main()


main(*sys.argv[1:])

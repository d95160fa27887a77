#!/usr/bin/env python3
"""A GTK 3 window that sets no title, so that the screen has the program's name as its title, and its name in the tree is empty. It gets a title of its own
when its button is pressed."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

GLib.set_prgname("untitled_gtk3")
GLib.set_application_name(sys.argv[1])
window = Gtk.Window()
window.set_default_size(400, 160)
window.connect("destroy", Gtk.main_quit)
button = Gtk.Button(label="Rename")
button.connect("clicked", lambda _button: window.set_title("Rain in Oslo"))
window.add(button)
window.show_all()
other = Gtk.Window(title="Forecast")
other.set_default_size(300, 200)
other.add(Gtk.Label(label="Tomorrow"))
other.show_all()
Gtk.main()

#!/usr/bin/env python3
"""A GTK 4 window of a class of its own that sets no title: its name in the tree is that of its class, and the screen has the application's name. It gets
titles of its own when its button is pressed: some look like the name of a class."""

import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402


class MainWindow(Gtk.ApplicationWindow):
    def __init__(self, app):
        super().__init__(application=app)
        self.set_default_size(400, 160)
        titles = iter(["DetailsWindow", "SaveDialog", "Rain in Oslo", "MainWindow"])
        button = Gtk.Button(label="Rename")
        button.connect("clicked", lambda _button: self.set_title(next(titles)))
        self.set_child(button)


GLib.set_prgname("untitled_gtk4")
GLib.set_application_name(sys.argv[1])
application = Gtk.Application()
application.connect("activate", lambda app: MainWindow(app).present())
application.run([])

#!/usr/bin/env python3
"""What GTK 4 tells of without showing it: banners that were never revealed, pages of a stack that were never shown."""

import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402


class App:
    """The window and its record."""

    def __init__(self, application, title):
        self.record = common.Record()
        self.window = Gtk.ApplicationWindow(application=application, title=title)
        self.window.set_default_size(500, 400)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
        self.revealer = Gtk.Revealer(child=Gtk.Button(label="Undo"))
        box.append(self.revealer)
        self.bar = Gtk.InfoBar(revealed=False)
        self.bar.add_child(Gtk.Label(label="Connection lost"))
        self.bar.add_button("Retry", 1)
        box.append(self.bar)
        box.append(Gtk.Button(label="Plain"))
        self.window.set_child(box)
        self.window.present()
        common.Commands(self, self.record, GLib.idle_add)

    def do_reveal(self, on):
        self.revealer.set_reveal_child(on)
        self.bar.set_revealed(on)


if __name__ == "__main__":
    application = Gtk.Application()
    application.connect("activate", lambda app: App(app, sys.argv[1] if len(sys.argv) > 1 else common.TITLE))
    application.run([])

#!/usr/bin/env python3
"""What GTK 4 reports without showing it: banners that were never revealed, pages of a stack that were never shown."""

import sys

import gi

gi.require_version("Adw", "1")
gi.require_version("Gtk", "4.0")
from gi.repository import Adw, GLib, Gtk  # noqa: E402

import common  # noqa: E402


PAGES = ("one", "two", "three")


def page(name):
    """What is on a page, in a box of its own, with a page inside that does not show."""
    box, inner = Gtk.Box(orientation=Gtk.Orientation.VERTICAL), Gtk.Stack()
    box.append(Gtk.Button(label=f"{name} button"))
    for place in ("front", "back"):
        inner.add_named(Gtk.Label(label=f"{name} {place}"), place)
    box.append(inner)
    return box


class App:
    """The window and its record."""

    def __init__(self, application, title):
        self.record = common.Record()
        self.window = Gtk.ApplicationWindow(application=application, title=title)
        self.window.set_default_size(500, 500)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
        self.revealer = Gtk.Revealer(child=Gtk.Button(label="Undo"))
        box.append(self.revealer)
        self.bar = Gtk.InfoBar(revealed=False)
        self.bar.add_child(Gtk.Label(label="Connection lost"))
        self.bar.add_button("Retry", 1)
        box.append(self.bar)
        box.append(Gtk.Button(label="Plain"))
        self.stack, self.book, self.bare = Gtk.Stack(), Gtk.Notebook(), Gtk.Stack()
        # This one has no objects for its pages.
        self.view = Adw.ViewStack()
        for name in PAGES:
            self.stack.add_titled(page(f"Stack {name}"), name, f"Page {name}")
            self.book.append_page(page(f"Book {name}"), Gtk.Label(label=f"Tab {name}"))
            self.bare.add_named(Gtk.Label(label=f"Bare {name}"), name)
            self.view.add_named(page(f"View {name}"), name)
        for part in (Gtk.StackSwitcher(stack=self.stack), self.stack, self.book, self.bare, self.view):
            box.append(part)
        self.window.set_child(box)
        self.window.present()
        common.Commands(self, self.record, GLib.idle_add)

    def do_turn(self, name):
        self.stack.set_visible_child_name(name)
        self.bare.set_visible_child_name(name)
        self.view.set_visible_child_name(name)
        self.book.set_current_page(PAGES.index(name))
        self.record.set("page", name)

    def do_reveal(self, on):
        self.revealer.set_reveal_child(on)
        self.bar.set_revealed(on)


if __name__ == "__main__":
    application = Gtk.Application()
    application.connect("activate", lambda app: App(app, sys.argv[1] if len(sys.argv) > 1 else common.TITLE))
    application.run([])

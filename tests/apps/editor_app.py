#!/usr/bin/env python3
"""The user's own editor: a text and a menu, both used by a scripted user. It writes down what it got."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402


def main():
    GLib.set_prgname("editor")
    record = common.Record()
    window = Gtk.Window(title=sys.argv[1])
    window.set_default_size(480, 320)
    text = Gtk.TextView(wrap_mode=Gtk.WrapMode.CHAR)
    text.get_accessible().set_name("Own text")
    buffer = text.get_buffer()
    buffer.connect("changed", lambda _: record.set("notes", buffer.get_text(*buffer.get_bounds(), False)))
    item = Gtk.MenuItem(label="_Add one", use_underline=True)
    item.connect("activate", lambda _: record.add("count"))
    menu = Gtk.Menu()
    menu.append(item)
    head = Gtk.MenuItem(label="_Own menu", use_underline=True)
    head.set_submenu(menu)
    bar = Gtk.MenuBar()
    bar.append(head)
    scrolled = Gtk.ScrolledWindow()
    scrolled.add(text)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    box.pack_start(bar, False, False, 0)
    box.pack_start(scrolled, True, True, 0)
    window.add(box)
    window.move(760, 640)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    text.grab_focus()
    Gtk.main()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A list of GTK 3 whose rows have a check box, an icon, a name and a number, without headers."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402

ROWS = [("All", "32"), ("System", ""), ("User", ""), ("", "")]


class App:
    """The window and its record."""

    def __init__(self, title):
        self.record = common.Record()
        window = Gtk.Window(title=title)
        window.connect("destroy", Gtk.main_quit)
        self.rows = Gtk.ListStore(bool, str, str, str)
        for name, number in ROWS:
            self.rows.append([False, "folder", name, number])
        table = Gtk.TreeView(model=self.rows, headers_visible=False)
        check = Gtk.CellRendererToggle()
        check.connect("toggled", self.toggle)
        icon, text = Gtk.CellRendererPixbuf(), Gtk.CellRendererText()
        table.append_column(Gtk.TreeViewColumn("Use", check, active=0))
        table.append_column(Gtk.TreeViewColumn("Icon", icon, icon_name=1))
        table.append_column(Gtk.TreeViewColumn("Name", text, text=2))
        table.append_column(Gtk.TreeViewColumn("Number", Gtk.CellRendererText(), text=3))
        table.get_selection().connect("changed", self.record_selection)
        window.add(table)
        window.show_all()
        common.Commands(self, self.record, GLib.idle_add)

    def toggle(self, _, path):
        self.rows[path][0] = not self.rows[path][0]
        self.record.set("checked", [row[2] for row in self.rows if row[0]])

    def record_selection(self, selection):
        rows, place = selection.get_selected()
        self.record.set("selected", rows[place][2] if place else None)

    def do_count(self, row, number):
        self.rows[row][3] = number


if __name__ == "__main__":
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    Gtk.main()

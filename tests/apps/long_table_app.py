#!/usr/bin/env python3
"""A table of GTK 3 with far more rows than fit on the screen. Records which of them are in view."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402

ROWS = 300


class App:
    """The window and its record."""

    def __init__(self, title):
        self.record = common.Record()
        window = self.window = Gtk.Window(title=title)
        window.set_default_size(600, 400)
        window.connect("destroy", Gtk.main_quit)
        self.rows = Gtk.ListStore(str, str, str)
        for number in range(ROWS):
            self.rows.append([f"Track {number}", f"Artist {number}", f"{number} kB"])
        self.table = Gtk.TreeView(model=self.rows)
        for place, name in enumerate(("Title", "Artist", "Size")):
            column = Gtk.TreeViewColumn(name, Gtk.CellRendererText(), text=place)
            column.set_min_width(150)
            self.table.append_column(column)
        self.table.get_selection().connect("changed", self.record_selection)
        frame = self.frame = Gtk.ScrolledWindow()
        frame.add(self.table)
        # Its page size changes with the window.
        for signal in ("value-changed", "changed"):
            frame.get_vadjustment().connect(signal, lambda _: GLib.idle_add(self.record_changed_view))
        window.add(frame)
        window.show_all()
        GLib.timeout_add(20, self.record_first_view)
        common.Commands(self, self.record, GLib.idle_add)

    def record_first_view(self):
        return not self.record_view()

    def record_changed_view(self):
        self.record_view()
        return False

    def record_view(self):
        """The first and the last row in view."""
        seen = self.table.get_visible_range()
        if seen:
            self.record.set("view", [path.get_indices()[0] for path in seen])
        return bool(seen)

    def record_selection(self, selection):
        rows, place = selection.get_selected()
        self.record.set("selected", rows[place][0] if place else None)

    def do_scroll(self, row):
        self.table.scroll_to_cell(Gtk.TreePath(row), None, True, 0, 0)

    def do_scroll_sideways(self, width):
        """A window of this width, of which the right end is in view."""
        self.window.resize(width, 400)
        across = self.frame.get_hadjustment()
        across.connect("changed", lambda _: across.set_value(across.get_upper()))
        across.set_value(across.get_upper())

    def do_note(self, text):
        """Something that changes nothing in the window, for which the program runs."""
        self.record.set("note", text)

    def do_rename(self, row, name):
        self.rows[row][0] = name

    def do_insert(self, row, name):
        self.rows.insert(row, [name, "new", "0 kB"])
        GLib.idle_add(self.record_changed_view)

    def do_remove(self, row):
        self.rows.remove(self.rows.get_iter(Gtk.TreePath(row)))
        GLib.idle_add(self.record_changed_view)

    def do_resize(self, height):
        self.window.resize(600, height)


if __name__ == "__main__":
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    Gtk.main()

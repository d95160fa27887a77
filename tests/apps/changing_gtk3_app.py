#!/usr/bin/env python3
"""A window of GTK 3 that changes its widgets one by one, on the command `change`. GTK 3 announces some of it only."""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Atk", "1.0")
from gi.repository import Atk, GLib, Gtk  # noqa: E402

import common  # noqa: E402

PLAY, PAUSE = "media-playback-start", "media-playback-pause"
ICON_SIZE = Gtk.IconSize.BUTTON


class App:
    """The window, its record and the changes."""

    def __init__(self, title):
        self.record = common.Record()
        self.window = Gtk.Window(title=title)
        self.window.set_default_size(700, 900)
        self.window.connect("destroy", Gtk.main_quit)
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.window.add(self.box)
        self.add_controls()
        self.add_containers()
        self.add_lists()
        self.window.show_all()
        self.changes = self.control_changes() + self.container_changes() + self.list_changes()
        self.record.set("changes", len(self.changes))
        common.Commands(self, self.record, GLib.idle_add)

    def add(self, widget):
        self.box.pack_start(widget, False, False, 0)
        return widget

    def add_controls(self):
        self.button = self.add(Gtk.Button(label="Plain"))
        self.play = self.add(Gtk.Button.new_from_icon_name(PLAY, ICON_SIZE))
        self.play.set_tooltip_text("Play")
        self.image = self.add(Gtk.Image.new_from_icon_name("go-up", ICON_SIZE))
        self.label = self.add(Gtk.Label(label="Words"))
        self.entry = self.add(Gtk.Entry(text="typed"))
        self.check = self.add(Gtk.CheckButton(label="Check"))
        self.progress, self.meter = self.add(Gtk.ProgressBar()), self.add(Gtk.LevelBar())
        self.scale = self.add(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1))
        self.spin = self.add(Gtk.SpinButton.new_with_range(0, 100, 1))
        self.combo = self.add(Gtk.ComboBoxText())
        for choice in ("one", "two", "three"):
            self.combo.append_text(choice)
        self.combo.set_active(0)
        self.view = self.add(Gtk.TextView())
        self.view.get_buffer().set_text("written")
        self.link = self.add(Gtk.LinkButton.new_with_label("http://one.example", "Link"))

    def add_containers(self):
        self.expander = self.add(Gtk.Expander(label="More"))
        self.expander.add(Gtk.Label(label="Folded"))
        self.stack = Gtk.Stack()
        for name in ("first", "second"):
            self.stack.add_titled(Gtk.Label(label=f"Page {name}"), name, name.title())
        self.add(Gtk.StackSwitcher(stack=self.stack))
        self.add(self.stack)
        self.notebook = self.add(Gtk.Notebook())
        for number in range(3):
            self.notebook.append_page(Gtk.Label(label=f"Sheet {number}"), Gtk.Label(label=f"Tab {number}"))
        self.frame = self.add(Gtk.Frame(label="Frame"))
        self.frame.add(Gtk.Label(label="Framed"))
        self.grid = self.add(Gtk.Grid())
        self.cells = [Gtk.Button(label=f"Place {number}") for number in range(3)]
        for number, cell in enumerate(self.cells):
            self.grid.attach(cell, number, 0, 1, 1)
        bar = self.add(Gtk.MenuBar())
        self.menu = Gtk.MenuItem(label="Menu")
        bar.add(self.menu)

    def add_lists(self):
        self.rows = Gtk.ListStore(str, bool)
        for fruit in ("pear", "apple", "fig"):
            self.rows.append([fruit, False])
        self.table = self.add(Gtk.TreeView(model=self.rows))
        self.column = Gtk.TreeViewColumn("Name", Gtk.CellRendererText(), text=0)
        self.table.append_column(self.column)
        self.flags = Gtk.TreeViewColumn("Flag", Gtk.CellRendererToggle(), active=1)
        self.table.append_column(self.flags)
        self.list = self.add(Gtk.ListBox())
        for number in range(3):
            self.list.add(Gtk.Label(label=f"Line {number}"))

    def control_changes(self):
        accessible = self.button.get_accessible()
        return [
            lambda: self.play.set_tooltip_text("Pause"),
            lambda: self.play.set_image(Gtk.Image.new_from_icon_name(PAUSE, ICON_SIZE)),
            lambda: self.image.set_from_icon_name("go-down", ICON_SIZE),
            lambda: accessible.set_name("Named"),
            lambda: accessible.set_role(Atk.Role.LINK),
            lambda: self.label.set_markup("<b>Bold words</b>"),
            lambda: self.entry.set_text("typed anew"),
            lambda: self.entry.set_editable(False),
            lambda: self.entry.set_visibility(False),
            lambda: self.check.set_inconsistent(True),
            lambda: self.check.set_label("Checked"),
            lambda: self.progress.set_fraction(0.4),
            lambda: self.meter.set_value(0.7),
            lambda: self.scale.set_value(40),
            lambda: self.spin.set_digits(2),
            lambda: self.combo.set_active(1),
            lambda: self.combo.remove(1),
            lambda: self.view.get_buffer().set_text("rewritten"),
            lambda: self.view.set_buffer(Gtk.TextBuffer(text="other buffer")),
            lambda: self.link.set_label("Other link"),
        ]

    def container_changes(self):
        return [
            lambda: self.expander.set_expanded(True),
            lambda: self.expander.set_label("Less"),
            lambda: self.stack.set_visible_child_name("second"),
            lambda: self.stack.child_set_property(self.stack.get_child_by_name("first"), "title", "Start"),
            lambda: self.notebook.set_current_page(1),
            lambda: self.notebook.set_tab_label_text(self.notebook.get_nth_page(0), "Tab zero"),
            lambda: self.notebook.reorder_child(self.notebook.get_nth_page(2), 0),
            lambda: self.notebook.remove_page(1),
            lambda: self.frame.set_label("Other frame"),
            lambda: self.grid.remove(self.cells[1]),
            lambda: self.menu.set_label("Other menu"),
            lambda: self.grid.set_sensitive(False),
            self.button.hide,
            self.button.show,
        ]

    def list_changes(self):
        return [
            lambda: self.rows.set_value(self.rows.get_iter(0), 0, "PEAR"),
            lambda: self.rows.set_value(self.rows.get_iter(0), 1, True),
            lambda: self.rows.insert(0, ["plum", True]),
            lambda: self.rows.swap(self.rows.get_iter(0), self.rows.get_iter(2)),
            lambda: self.rows.set_sort_column_id(0, Gtk.SortType.ASCENDING),
            lambda: self.column.set_title("Fruit"),
            lambda: self.flags.set_visible(False),
            lambda: self.flags.set_visible(True),
            lambda: self.table.move_column_after(self.column, self.flags),
            lambda: self.table.get_selection().select_path(1),
            lambda: self.list.select_row(self.list.get_row_at_index(1)),
            lambda: self.list.remove(self.list.get_row_at_index(0)),
            lambda: self.list.get_row_at_index(0).get_child().set_text("Other line"),
        ]

    def do_change(self, number):
        self.changes[number]()


App(sys.argv[1])
Gtk.main()

#!/usr/bin/env python3
"""A window of GTK 4 that changes its widgets one by one, on the command `change`. GTK 4 announces some of it only."""

import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402

PLAY, PAUSE = "media-playback-start", "media-playback-pause"


class App:
    """The window, its record and the changes."""

    def __init__(self, title):
        self.record = common.Record()
        self.window = Gtk.Window(title=title)
        self.window.set_default_size(700, 900)
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.window.set_child(self.box)
        self.add_controls()
        self.add_containers()
        self.window.present()
        self.changes = self.control_changes() + self.container_changes()
        self.record.set("changes", len(self.changes))
        common.Commands(self, self.record, GLib.idle_add)

    def add(self, widget):
        self.box.append(widget)
        return widget

    def add_controls(self):
        self.button = self.add(Gtk.Button(label="Plain"))
        self.play = self.add(Gtk.Button.new_from_icon_name(PLAY))
        self.play.set_tooltip_text("Play")
        self.label = self.add(Gtk.Label(label="Words"))
        self.entry = self.add(Gtk.Entry(text="typed"))
        self.check = self.add(Gtk.CheckButton(label="Check"))
        self.progress, self.meter = self.add(Gtk.ProgressBar()), self.add(Gtk.LevelBar())
        self.scale = self.add(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1))
        self.spin = self.add(Gtk.SpinButton.new_with_range(0, 100, 1))
        self.choice = self.add(Gtk.DropDown.new_from_strings(["one", "two", "three"]))
        self.view = self.add(Gtk.TextView())
        self.view.get_buffer().set_text("written")
        self.editable = self.add(Gtk.EditableLabel(text="Editable"))

    def add_containers(self):
        self.expander = self.add(Gtk.Expander(label="More", child=Gtk.Label(label="Folded")))
        self.stack = Gtk.Stack()
        for name in ("first", "second"):
            self.stack.add_titled(Gtk.Label(label=f"Page {name}"), name, name.title())
        self.add(Gtk.StackSwitcher(stack=self.stack))
        self.add(self.stack)
        self.notebook = self.add(Gtk.Notebook())
        for number in range(3):
            self.notebook.append_page(Gtk.Label(label=f"Sheet {number}"), Gtk.Label(label=f"Tab {number}"))
        self.frame = self.add(Gtk.Frame(label="Frame", child=Gtk.Label(label="Framed")))
        self.grid = self.add(Gtk.Grid())
        self.cells = [Gtk.Button(label=f"Place {number}") for number in range(3)]
        for number, cell in enumerate(self.cells):
            self.grid.attach(cell, number, 0, 1, 1)
        self.list = self.add(Gtk.ListBox())
        for number in range(3):
            self.list.append(Gtk.Label(label=f"Line {number}"))

    def control_changes(self):
        label, value = Gtk.AccessibleProperty.LABEL, Gtk.AccessibleProperty.VALUE_NOW
        return [
            lambda: self.play.set_tooltip_text("Pause"),
            lambda: self.play.set_icon_name(PAUSE),
            lambda: self.button.update_property([label], ["Named"]),
            lambda: self.button.set_child(Gtk.Label(label="Held")),
            lambda: self.label.set_markup("<b>Bold words</b>"),
            lambda: self.entry.set_text("typed anew"),
            lambda: self.entry.set_buffer(Gtk.EntryBuffer.new("other buffer", -1)),
            lambda: self.entry.set_editable(False),
            lambda: self.entry.set_visibility(False),
            lambda: self.check.set_inconsistent(True),
            lambda: self.progress.set_fraction(0.4),
            lambda: self.meter.update_property([value], [0.2]),
            lambda: self.scale.set_value(40),
            lambda: self.scale.set_adjustment(Gtk.Adjustment(value=33, lower=0, upper=200)),
            lambda: self.spin.set_digits(2),
            lambda: self.choice.set_selected(2),
            lambda: self.choice.set_model(Gtk.StringList.new(["four", "five"])),
            lambda: self.view.get_buffer().set_text("rewritten"),
            lambda: self.view.set_buffer(Gtk.TextBuffer(text="other buffer")),
            self.editable.start_editing,
            lambda: self.editable.set_text("Edited"),
            lambda: self.editable.stop_editing(True),
        ]

    def container_changes(self):
        return [
            lambda: self.expander.set_expanded(True),
            lambda: self.expander.set_label("Less"),
            lambda: self.stack.set_visible_child_name("second"),
            lambda: self.stack.get_page(self.stack.get_child_by_name("first")).set_title("Start"),
            lambda: self.notebook.set_current_page(1),
            lambda: self.notebook.set_tab_label_text(self.notebook.get_nth_page(0), "Tab zero"),
            lambda: self.notebook.reorder_child(self.notebook.get_nth_page(2), 0),
            lambda: self.notebook.remove_page(1),
            lambda: self.frame.set_label("Other frame"),
            lambda: self.grid.remove(self.cells[1]),
            lambda: self.grid.set_sensitive(False),
            lambda: self.list.select_row(self.list.get_row_at_index(1)),
            lambda: self.list.remove(self.list.get_row_at_index(0)),
            lambda: self.list.get_row_at_index(0).get_child().set_text("Other line"),
            lambda: self.box.reorder_child_after(self.list, self.button),
            self.button.hide,
            self.button.show,
        ]

    def do_change(self, number):
        self.changes[number]()


App(sys.argv[1])
GLib.MainLoop().run()

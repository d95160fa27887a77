#!/usr/bin/env python3
"""Everything by which a call may reach something that destroys, on GTK 3. Each counts as harm, and the last one is named."""

import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

import common  # noqa: E402

# The same word as people see it, in other characters.
DISGUISED = ["lö\u00adschen", "\uff24\uff45\uff4c\uff45\uff54\uff45", "D\u0435lete", "D_elete"]


class App:
    """The window, and the record of what was reached."""

    def __init__(self, title):
        self.record = common.Record()
        self.record.set("harm", 0)
        self.record.set("presses", 0)
        self.window = Gtk.Window(title=title)
        self.window.set_default_size(600, 700)
        self.window.connect("destroy", Gtk.main_quit)
        self.window.connect("delete-event", lambda *_: self.harm("closed") or True)
        self.keys = Gtk.AccelGroup()
        self.window.add_accel_group(self.keys)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        box.pack_start(self.menu_bar(), False, False, 0)
        self.widgets = {}
        self.add(box, "mnemonic", Gtk.Button(label="_Delete", use_underline=True), "clicked")
        self.add(box, "toggle", Gtk.ToggleButton(label="Delete everything"), "toggled")
        for label in DISGUISED:
            self.add(box, label, Gtk.Button(label=label), "clicked")
        self.add(box, "safe", Gtk.Button(label="Refresh"), None).connect("clicked", lambda _: self.record.add("presses"))
        self.add(box, "field", Gtk.Entry(activates_default=True), None)
        self.widgets["field"].get_accessible().set_name("Name")
        default = self.add(box, "default", Gtk.Button(label="Erase all"), "clicked")
        default.set_can_default(True)
        self.add(box, "rows", self.rows(), None)
        self.add(box, "line", Gtk.Entry(), "activate")
        self.window.add(box)
        self.window.set_default(default)
        self.window.show_all()
        common.Commands(self, self.record, GLib.idle_add)

    def add(self, box, key, widget, signal):
        if signal:
            widget.connect(signal, lambda *_: self.harm(key))
        box.pack_start(widget, False, False, 0)
        self.widgets[key] = widget
        return widget

    def harm(self, what):
        self.record.set("last", what)
        self.record.add("harm")

    def menu_bar(self):
        bar, menu, top = Gtk.MenuBar(), Gtk.Menu(), Gtk.MenuItem(label="X")
        delete, rename = Gtk.MenuItem(label="Delete"), Gtk.MenuItem(label="Rename")
        delete.connect("activate", lambda _: self.harm("menu"))
        delete.add_accelerator("activate", self.keys, Gdk.KEY_d, Gdk.ModifierType.CONTROL_MASK, Gtk.AccelFlags.VISIBLE)
        for item in (rename, delete):
            menu.append(item)
        top.set_submenu(menu)
        bar.append(top)
        return bar

    def rows(self):
        rows = Gtk.ListBox()
        rows.get_accessible().set_name("Letters")
        for number in range(1, 4):
            row = Gtk.ListBoxRow()
            inside, remove = Gtk.Box(spacing=4), Gtk.Button(label="Remove")
            remove.connect("clicked", lambda _, number=number: self.harm(f"letter {number}"))
            inside.add(Gtk.Label(label=f"Letter {number}"))
            inside.add(remove)
            row.add(inside)
            rows.add(row)

        def pressed(_, event):
            if event.keyval in (Gdk.KEY_Delete, Gdk.KEY_KP_Delete, Gdk.KEY_BackSpace):
                self.harm("row")
        rows.connect("key-press-event", pressed)
        return rows

    def do_focus(self, widget):
        """Gives one of them the focus, a row of the list where it is that."""
        target = self.widgets[widget]
        (target.get_row_at_index(0) if widget == "rows" else target).grab_focus()
        self.record.set("focused", self.record.state.get("focused", 0) + 1)

    def do_label(self, widget, label):
        """Calls one of them something else."""
        self.widgets[widget].set_label(label)
        self.record.set("label", label)

    def do_palette(self, widget):
        """Covers one of them with a window of the application that is nothing but a button."""
        below = self.widgets[widget]
        _, x, y = below.get_window().get_origin()
        area = below.get_allocation()
        self.palette = Gtk.Window(title="Palette", transient_for=self.window, decorated=False, accept_focus=False)
        self.palette.set_default_size(area.width, 3 * area.height)
        button = Gtk.Button(label="Delete")
        button.connect("clicked", lambda _: self.harm("palette"))
        self.palette.add(button)
        self.palette.move(x + area.x, y + area.y - area.height)

        def shown(*_):
            _, left, top = self.palette.get_window().get_origin()
            size = self.palette.get_size()
            self.record.set("palette", [left + size.width // 2, top + size.height // 2])
        self.palette.connect("map-event", shown)
        self.palette.show_all()

    def do_put_away(self):
        """Takes the palette away."""
        self.palette.destroy()
        self.record.set("palette", None)

    def do_quit(self):
        Gtk.main_quit()


if __name__ == "__main__":
    App(sys.argv[1] if len(sys.argv) > 1 else "Hazards")
    Gtk.main()

#!/usr/bin/env python3
"""The fixture application on GTK 3."""

import functools
import subprocess
import sys
import time

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gio, GLib, Gtk  # noqa: E402

import common  # noqa: E402

DRAG_KIND = [Gtk.TargetEntry.new("text/plain", Gtk.TargetFlags.SAME_APP, 0)]


def named(widget, name):
    """Gives a widget its accessible name."""
    widget.get_accessible().set_name(name)
    return widget


class App:
    """The window, its record and what the commands do to it."""

    def __init__(self, title):
        self.record = common.Record()
        self.about = None
        self.made = 0
        self.widgets = {}  # whose place can be asked for
        window = self.window = Gtk.Window(title=title)
        window.set_default_size(900, 620)
        window.connect("destroy", Gtk.main_quit)
        window.connect("key-press-event", self.on_key)
        root = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        root.pack_start(self.menu_bar(), False, False, 0)
        columns = Gtk.Box(spacing=8, homogeneous=True)
        for column in (self.first_column(), self.second_column(), self.third_column()):
            columns.pack_start(column, True, True, 0)
        root.pack_start(columns, True, True, 0)
        status = Gtk.Label(label=self.record.summary())
        self.record.on_change = lambda: status.set_text(self.record.summary())
        root.pack_start(status, False, False, 0)
        window.add(root)
        window.show_all()
        common.Commands(self, self.record, functools.partial(GLib.idle_add, priority=GLib.PRIORITY_HIGH_IDLE))

    def menu_bar(self):
        bar, menu = Gtk.MenuBar(), Gtk.Menu()
        about = Gtk.MenuItem(label="About")
        about.connect("activate", lambda _: self.do_dialog(True))
        menu.append(about)
        file = Gtk.MenuItem(label="File")
        file.set_submenu(menu)
        self.widgets.update({"File": file, "About": about})
        bar.append(file)
        return bar

    def first_column(self):
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        count = Gtk.Button(label=common.label("Count"))
        count.connect("clicked", lambda _: self.record.add("count"))
        multi = Gtk.Button(label="Multi")
        multi.add_events(Gdk.EventMask.POINTER_MOTION_MASK)
        multi.connect("motion-notify-event", lambda *_: self.record.add("hovered"))
        multi.connect("button-press-event", self.on_multi)
        multi.connect("popup-menu", lambda _: self.on_context())
        self.name = named(Gtk.Entry(), common.label("Name"))
        self.name.connect("changed", lambda entry: self.record.set("name", entry.get_text()))
        self.secret = named(Gtk.Entry(visibility=False, input_purpose=Gtk.InputPurpose.PASSWORD), "Secret")
        self.secret.connect("changed", lambda entry: self.record.set("secret", entry.get_text()))
        self.notes = named(Gtk.TextView(), "Notes")
        self.notes.get_buffer().connect("changed", lambda _: self.record.set("notes", self.notes_text()))
        frame = Gtk.ScrolledWindow(min_content_height=90)
        frame.add(self.notes)
        self.agree = Gtk.CheckButton(label="Agree")
        self.agree.connect("toggled", lambda check: self.record.set("agree", check.get_active()))
        self.bold = Gtk.ToggleButton(label="Bold")
        self.bold.connect("toggled", lambda toggle: self.record.set("bold", toggle.get_active()))
        for widget in (count, multi, self.name, self.secret, frame, self.agree, self.bold):
            box.pack_start(widget, False, False, 0)
        self.widgets["Count"] = count
        self.radios = []
        for colour in common.COLOURS:
            radio = Gtk.RadioButton.new_with_label_from_widget(self.radios[0] if self.radios else None, colour)
            radio.connect("toggled", lambda r, c=colour: r.get_active() and self.record.set("colour", c))
            self.radios.append(radio)
            box.pack_start(radio, False, False, 0)
        return box

    def second_column(self):
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.size = named(Gtk.ComboBoxText(), "Size")
        for size in common.SIZES:
            self.size.append_text(size)
        self.size.set_active(0)
        self.size.connect("changed", lambda combo: self.record.set("size", combo.get_active_text()))
        self.volume = named(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1), "Volume")
        self.volume.set_value(20)
        self.volume.connect("value-changed", lambda scale: self.record.set("volume", int(scale.get_value())))
        self.amount = named(Gtk.SpinButton.new_with_range(0, 100, 1), "Amount")
        self.amount.set_value(5)
        self.amount.connect("value-changed", lambda spin: self.record.set("amount", int(spin.get_value())))
        self.items = named(Gtk.ListBox(), "Items")
        self.items.connect("row-selected", self.on_row)
        self.items.connect("button-press-event", self.on_items)
        for number in range(1, common.ROWS + 1):
            self.do_add_row(f"Item {number}")
        scrolled = Gtk.ScrolledWindow(min_content_height=160, hscrollbar_policy=Gtk.PolicyType.NEVER)
        scrolled.add(self.items)
        self.items_position = scrolled.get_vadjustment()
        self.items_position.connect(
            "value-changed", lambda adjustment: self.record.set("scroll", int(adjustment.get_value())))
        source, target = Gtk.EventBox(), Gtk.EventBox()
        source.add(Gtk.Label(label="Drag source", height_request=40))
        target.add(Gtk.Label(label="Drop target", height_request=40))
        source.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, DRAG_KIND, Gdk.DragAction.COPY)
        source.connect("drag-data-get", lambda _w, _c, data, _i, _t: data.set_text("dragged", -1))
        target.drag_dest_set(Gtk.DestDefaults.ALL, DRAG_KIND, Gdk.DragAction.COPY)
        target.connect("drag-motion", lambda *_: self.record.set("dragged_over", True))
        target.connect("drag-data-received", lambda *_: self.record.add("dropped"))
        for widget in (self.size, self.volume, self.amount):
            box.pack_start(widget, False, False, 0)
        box.pack_start(scrolled, True, True, 0)
        for widget in (source, target):
            box.pack_start(widget, False, False, 0)
        self.widgets.update({"Drag source": source, "Drop target": target})
        return box

    def third_column(self):
        self.tabs = Gtk.Notebook()
        for tab in common.TABS:
            self.tabs.append_page(Gtk.Label(label=f"{tab} page", height_request=60), Gtk.Label(label=tab))
        self.tabs.connect("switch-page", lambda _n, _p, index: self.record.set("tab", common.TABS[index]))
        self.area = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        named(self.area, "Area")
        scrolled = Gtk.ScrolledWindow()
        scrolled.add(self.area)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.pack_start(self.tabs, False, False, 0)
        box.pack_start(scrolled, True, True, 0)
        return box

    def on_key(self, _window, event):
        held = event.state
        mask = Gdk.ModifierType
        name = Gdk.keyval_name(event.keyval) or "unknown"
        if not event.is_modifier:
            self.record.set("chord", common.chord(name, bool(held & mask.CONTROL_MASK), bool(held & mask.SHIFT_MASK),
                                                  bool(held & mask.MOD1_MASK), bool(held & mask.MOD4_MASK)))
        return False

    def on_multi(self, _widget, event):
        if event.type == Gdk.EventType.DOUBLE_BUTTON_PRESS:
            self.record.add("double")
        elif event.type == Gdk.EventType.TRIPLE_BUTTON_PRESS:
            self.record.add("triple")
        elif event.type == Gdk.EventType.BUTTON_PRESS and event.button == 3:
            return self.on_context(event)
        return False

    def on_context(self, event=None):
        self.record.add("context")
        menu = Gtk.Menu()
        entry = Gtk.MenuItem(label="Context entry")
        entry.connect("activate", lambda _: self.record.add("chosen"))
        menu.append(entry)
        menu.attach_to_widget(self.window)
        menu.show_all()
        menu.popup_at_pointer(event)
        return True

    def on_items(self, items, event):
        row = items.get_row_at_y(int(event.y))
        if event.type == Gdk.EventType.DOUBLE_BUTTON_PRESS and row:
            self.record.set("opened", row.get_child().get_text())
        return False

    def on_row(self, _list, row):
        self.record.set("selected", row.get_child().get_text() if row else None)

    def notes_text(self):
        buffer = self.notes.get_buffer()
        return buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), False)

    # What another party may do, see common.RandomActions.

    def made_button(self, index):
        buttons = self.area.get_children()
        return buttons[index % len(buttons)] if buttons else None

    def row(self, index):
        rows = self.items.get_children()
        return rows[index % len(rows)] if rows else None

    def do_add_button(self, name):
        button = Gtk.Button(label=name)
        self.area.pack_start(button, False, False, 0)
        button.show()

    def do_hold_layout(self, on):
        """Has other clients answered, but nothing laid out or drawn, which GTK does at a lower priority."""
        def hold():
            time.sleep(0.001)
            return self.is_layout_held
        self.is_layout_held = on
        if on:
            GLib.idle_add(hold, priority=GLib.PRIORITY_HIGH_IDLE + 5)

    def do_remove_button(self, index):
        if button := self.made_button(index):
            button.destroy()

    def do_rename_button(self, index, name):
        if button := self.made_button(index):
            button.set_label(name)

    def do_move_button(self, index, to):
        if button := self.made_button(index):
            self.area.reorder_child(button, to % len(self.area.get_children()))

    def do_show_button(self, index, on):
        if button := self.made_button(index):
            button.set_visible(on)

    def do_enable_button(self, index, on):
        if button := self.made_button(index):
            button.set_sensitive(on)

    def do_tell_place(self, name):
        """Where a widget is: x, y, width, height in physical pixels of the window that shows it."""
        widget, scale = self.widgets[name], self.window.get_scale_factor()
        x, y = widget.translate_coordinates(widget.get_toplevel(), 0, 0)
        self.record.set("place", [scale * n for n in (x, y, widget.get_allocated_width(), widget.get_allocated_height())])

    def do_other_window(self, title):
        """Opens another window, on which "Drag source" can be dropped."""
        other = Gtk.Window(title=title)
        target = Gtk.EventBox()
        target.add(Gtk.Label(label="Other target"))
        target.drag_dest_set(Gtk.DestDefaults.ALL, DRAG_KIND, Gdk.DragAction.COPY)
        target.connect("drag-data-received", lambda *_: self.record.add("dropped_there"))
        other.add(target)
        other.show_all()

    def do_add_row(self, name):
        row = Gtk.ListBoxRow()
        row.add(Gtk.Label(label=name, xalign=0))
        named(row, name)
        self.items.add(row)
        row.show_all()

    def do_remove_row(self, index):
        if row := self.row(index):
            row.destroy()

    def do_select_row(self, index):
        self.items.select_row(self.row(index))

    def do_scroll_to_top(self):
        self.items_position.set_value(0)

    def do_set_name(self, text):
        self.name.set_text(text)

    def do_notify(self, title, body, replaces=False, picture=0):
        """Notifies the user through the session bus, as the library for notifications does; answered when the service has taken it."""
        # It stays on the bus, as applications do: a sender that has left the bus when its notification is looked at is not found.
        self.bus = bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        hints = {"x-picture": GLib.Variant("ay", bytes(picture))} if picture else {}
        last = self.notified if replaces else 0
        content = GLib.Variant("(susssasa{sv}i)", ("Somebody else", last, "", title, body, [], hints, 60_000))
        service = "org.freedesktop.Notifications"
        path = "/org/freedesktop/Notifications"
        flags = Gio.DBusCallFlags.NO_AUTO_START
        [self.notified] = bus.call_sync(service, path, service, "Notify", content, None, flags, 5_000, None).unpack()

    def do_notify_by_child(self, title):
        """Another program that it starts notifies the user, and waits until the user has closed that."""
        subprocess.Popen(["notify-send", "--wait", title])

    def do_set_notes(self, text):
        self.notes.get_buffer().set_text(text)

    def do_agree(self, on):
        self.agree.set_active(on)

    def do_bold(self, on):
        self.bold.set_active(on)

    def do_colour(self, index):
        self.radios[index].set_active(True)

    def do_size(self, index):
        self.size.set_active(index)

    def do_volume(self, value):
        self.volume.set_value(value)

    def do_amount(self, value):
        self.amount.set_value(value)

    def do_tab(self, index):
        self.tabs.set_current_page(index)

    def do_dialog(self, on):
        if on and not self.about:
            self.about = Gtk.Dialog(title="About Fixture", transient_for=self.window)
            self.about.add_button("Close About", Gtk.ResponseType.CLOSE)
            self.about.connect("response", lambda *_: self.do_dialog(False))
            self.about.get_content_area().add(Gtk.Label(label="A dialog"))
            self.about.show_all()
        elif not on and self.about:
            self.about.destroy()
            self.about = None
        self.record.set("dialog", on)


if __name__ == "__main__":
    GLib.set_prgname("fixture-gtk3")
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    Gtk.main()

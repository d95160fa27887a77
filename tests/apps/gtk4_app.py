#!/usr/bin/env python3
"""The fixture application on GTK 4."""

import sys

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Gdk", "4.0")
from gi.repository import Gdk, Gio, GLib, GObject, Gtk  # noqa: E402

import common  # noqa: E402


def named(widget, name):
    """Gives a widget its accessible name."""
    widget.update_property([Gtk.AccessibleProperty.LABEL], [name])
    return widget


class App:
    """The window, its record and what the commands do to it."""

    def __init__(self, application, title):
        self.record = common.Record()
        self.about = None
        self.application = application
        window = self.window = Gtk.ApplicationWindow(application=application, title=title)
        window.set_default_size(900, 620)
        keys = Gtk.EventControllerKey(propagation_phase=Gtk.PropagationPhase.CAPTURE)
        keys.connect("key-pressed", self.on_key)
        window.add_controller(keys)
        about = Gio.SimpleAction.new("about", None)
        about.connect("activate", lambda *_: self.do_dialog(True))
        window.add_action(about)
        root = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        root.append(self.menu_bar())
        columns = Gtk.Box(spacing=8, homogeneous=True, vexpand=True)
        for column in (self.first_column(), self.second_column(), self.third_column()):
            columns.append(column)
        root.append(columns)
        status = Gtk.Label(label=self.record.summary())
        self.record.on_change = lambda: status.set_text(self.record.summary())
        root.append(status)
        window.set_child(root)
        window.present()
        common.Commands(self, self.record, GLib.idle_add)

    @staticmethod
    def menu_bar():
        bar, menu = Gio.Menu(), Gio.Menu()
        menu.append("About", "win.about")
        bar.append_submenu("File", menu)
        return Gtk.PopoverMenuBar.new_from_model(bar)

    def first_column(self):
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        count = Gtk.Button(label="Count")
        count.connect("clicked", lambda _: self.record.add("count"))
        multi = Gtk.Button(label="Multi")
        # In the capture phase, because the button's own gesture claims the press.
        press = Gtk.GestureClick(button=0, propagation_phase=Gtk.PropagationPhase.CAPTURE)
        press.connect("pressed", self.on_multi)
        multi.add_controller(press)
        motion = Gtk.EventControllerMotion()
        motion.connect("motion", lambda *_: self.record.add("hovered"))
        multi.add_controller(motion)
        self.name = named(Gtk.Entry(), "Name")
        self.name.connect("changed", lambda entry: self.record.set("name", entry.get_text()))
        self.secret = named(Gtk.PasswordEntry(), "Secret")
        self.secret.connect("changed", lambda entry: self.record.set("secret", entry.get_text()))
        self.notes = named(Gtk.TextView(), "Notes")
        self.notes.get_buffer().connect("changed", lambda _: self.record.set("notes", self.notes_text()))
        frame = Gtk.ScrolledWindow(min_content_height=90)
        frame.set_child(self.notes)
        self.agree = Gtk.CheckButton(label="Agree")
        self.agree.connect("toggled", lambda check: self.record.set("agree", check.get_active()))
        self.bold = Gtk.ToggleButton(label="Bold")
        self.bold.connect("toggled", lambda toggle: self.record.set("bold", toggle.get_active()))
        for widget in (count, multi, self.name, self.secret, frame, self.agree, self.bold):
            box.append(widget)
        self.radios = []
        for colour in common.COLOURS:
            radio = Gtk.CheckButton(label=colour, group=self.radios[0] if self.radios else None)
            radio.set_active(not self.radios)
            radio.connect("toggled", lambda r, c=colour: r.get_active() and self.record.set("colour", c))
            self.radios.append(radio)
            box.append(radio)
        return box

    def second_column(self):
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.size = named(Gtk.DropDown.new_from_strings(common.SIZES), "Size")
        self.size.connect("notify::selected",
                          lambda drop, _: self.record.set("size", common.SIZES[drop.get_selected()]))
        self.volume = named(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1), "Volume")
        self.volume.set_value(20)
        self.volume.connect("value-changed", lambda scale: self.record.set("volume", int(scale.get_value())))
        self.amount = named(Gtk.SpinButton.new_with_range(0, 100, 1), "Amount")
        self.amount.set_value(5)
        self.amount.connect("value-changed", lambda spin: self.record.set("amount", int(spin.get_value())))
        self.items = named(Gtk.ListBox(), "Items")
        self.items.connect("row-selected", self.on_row)
        for number in range(1, common.ROWS + 1):
            self.do_add_row(f"Item {number}")
        scrolled = Gtk.ScrolledWindow(min_content_height=160, vexpand=True, hscrollbar_policy=Gtk.PolicyType.NEVER)
        scrolled.set_child(self.items)
        self.items_position = scrolled.get_vadjustment()
        self.items_position.connect("value-changed", self.on_scroll)
        source = Gtk.Label(label="Drag source", height_request=40)
        drag = Gtk.DragSource(actions=Gdk.DragAction.COPY)
        drag.connect("prepare", lambda *_: Gdk.ContentProvider.new_for_value("dragged"))
        source.add_controller(drag)
        target = Gtk.Label(label="Drop target", height_request=40)
        drop = Gtk.DropTarget.new(GObject.TYPE_STRING, Gdk.DragAction.COPY)
        drop.connect("drop", self.on_drop)
        target.add_controller(drop)
        for widget in (self.size, self.volume, self.amount, scrolled, source, target):
            box.append(widget)
        return box

    def third_column(self):
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.tabs = Gtk.Notebook()
        for tab in common.TABS:
            self.tabs.append_page(Gtk.Label(label=f"{tab} page", height_request=60), Gtk.Label(label=tab))
        self.tabs.connect("switch-page", lambda _n, _p, index: self.record.set("tab", common.TABS[index]))
        self.area = named(Gtk.Box(orientation=Gtk.Orientation.VERTICAL), "Area")
        scrolled = Gtk.ScrolledWindow(vexpand=True)
        scrolled.set_child(self.area)
        box.append(self.tabs)
        box.append(scrolled)
        return box

    def on_key(self, _controller, key, _code, held):
        mask = Gdk.ModifierType
        name = Gdk.keyval_name(key) or "unknown"
        if not name.endswith(("_L", "_R")):
            self.record.set("chord", common.chord(name, bool(held & mask.CONTROL_MASK), bool(held & mask.SHIFT_MASK),
                                                  bool(held & mask.ALT_MASK), bool(held & mask.SUPER_MASK)))
        return False

    def on_multi(self, gesture, presses, _x, _y):
        if gesture.get_current_button() == 3:
            self.record.add("context")
            menu = Gio.Menu()
            menu.append("Context entry", "win.about")
            popover = Gtk.PopoverMenu.new_from_model(menu)
            popover.set_parent(gesture.get_widget())
            popover.popup()
        elif presses == 2:
            self.record.add("double")
        elif presses == 3:
            self.record.add("triple")

    def on_drop(self, *_):
        self.record.add("dropped")
        return True

    def on_scroll(self, adjustment):
        """Records how far the list is scrolled, in the frame after the one that lays that out: until then it is not in the accessibility tree."""
        frames = iter([GLib.SOURCE_CONTINUE, GLib.SOURCE_REMOVE])

        def at_frame(*_):
            follows = next(frames)
            if follows == GLib.SOURCE_REMOVE:
                self.record.set("scroll", int(adjustment.get_value()))
            return follows
        self.items.add_tick_callback(at_frame)

    def on_row(self, _list, row):
        self.record.set("selected", row.get_child().get_text() if row else None)

    def notes_text(self):
        buffer = self.notes.get_buffer()
        return buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), False)

    # What another party may do, see common.RandomActions.

    def made_button(self, index):
        buttons = list(self.area)
        return buttons[index % len(buttons)] if buttons else None

    def row(self, index):
        rows = [row for row in self.items if isinstance(row, Gtk.ListBoxRow)]
        return rows[index % len(rows)] if rows else None

    def do_add_button(self, name):
        self.area.append(Gtk.Button(label=name))

    def do_remove_button(self, index):
        if button := self.made_button(index):
            self.area.remove(button)

    def do_rename_button(self, index, name):
        if button := self.made_button(index):
            button.set_label(name)

    def do_move_button(self, index, to):
        if button := self.made_button(index):
            others = [other for other in self.area if other is not button]
            place = to % (len(others) + 1)
            self.area.reorder_child_after(button, others[place - 1] if place else None)

    def do_show_button(self, index, on):
        if button := self.made_button(index):
            button.set_visible(on)

    def do_enable_button(self, index, on):
        if button := self.made_button(index):
            button.set_sensitive(on)

    def do_other_window(self, title):
        """Opens another window, on which "Drag source" can be dropped."""
        target = Gtk.Label(label="Other target")
        drop = Gtk.DropTarget.new(GObject.TYPE_STRING, Gdk.DragAction.COPY)
        drop.connect("drop", lambda *_: self.record.add("dropped_there") or True)
        target.add_controller(drop)
        self.other = Gtk.Window(title=title, child=target, default_width=320, default_height=110)
        self.other.present()

    def do_add_row(self, name):
        row = Gtk.ListBoxRow()
        row.set_child(Gtk.Label(label=name, xalign=0))
        named(row, name)
        self.items.append(row)

    def do_remove_row(self, index):
        if row := self.row(index):
            self.items.remove(row)

    def do_select_row(self, index):
        self.items.select_row(self.row(index))

    def do_scroll_to_top(self):
        self.items_position.set_value(0)

    def do_set_name(self, text):
        self.name.set_text(text)

    def do_set_notes(self, text):
        self.notes.get_buffer().set_text(text)

    def do_agree(self, on):
        self.agree.set_active(on)

    def do_bold(self, on):
        self.bold.set_active(on)

    def do_colour(self, index):
        self.radios[index].set_active(True)

    def do_size(self, index):
        self.size.set_selected(index)

    def do_volume(self, value):
        self.volume.set_value(value)

    def do_amount(self, value):
        self.amount.set_value(value)

    def do_tab(self, index):
        self.tabs.set_current_page(index)

    def do_dialog(self, on):
        if on and not self.about:
            self.about = Gtk.Window(title="About Fixture", transient_for=self.window)
            box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
            close = Gtk.Button(label="Close About")
            close.connect("clicked", lambda _: self.do_dialog(False))
            box.append(Gtk.Label(label="A dialog"))
            box.append(close)
            self.about.set_child(box)
            self.about.connect("close-request", lambda _: self.do_dialog(False))
            self.about.present()
        elif not on and self.about:
            dialog, self.about = self.about, None
            dialog.destroy()
        self.record.set("dialog", on)


if __name__ == "__main__":
    GLib.set_prgname("fixture-gtk4")
    fixture = Gtk.Application(application_id=None, flags=Gio.ApplicationFlags.NON_UNIQUE)
    holder = []
    fixture.connect("activate", lambda a: holder.append(App(a, sys.argv[1] if len(sys.argv) > 1 else common.TITLE)))
    fixture.run(None)

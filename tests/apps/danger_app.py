#!/usr/bin/env python3
"""An application with things that destroy, on GTK 3: a named button, one that is a picture, and a dialog that asks."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402


class App:
    """The window, its record and its dialog."""

    def __init__(self, title):
        self.record = common.Record()
        for key in ("deleted", "binned", "erased", "saved"):
            self.record.set(key, 0)
        self.window = Gtk.Window(title=title)
        self.window.set_default_size(500, 300)
        self.window.connect("destroy", Gtk.main_quit)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
        self.delete = self.button(box, "Delete All Data", lambda: self.record.add("deleted"))
        # The picture of a bin, with a name for screen readers.
        picture = Gtk.Button.new_from_icon_name("user-trash", Gtk.IconSize.DIALOG)
        picture.get_accessible().set_name("Löschen")
        picture.connect("clicked", lambda _: self.record.add("binned"))
        box.pack_start(picture, False, False, 0)
        self.button(box, "Save", lambda: self.record.add("saved"))
        self.button(box, "Erase…", self.do_ask)
        self.window.add(box)
        self.window.show_all()
        common.Commands(self, self.record, GLib.idle_add)

    @staticmethod
    def button(box, label, act):
        button = Gtk.Button(label=label)
        button.connect("clicked", lambda _: act())
        box.pack_start(button, False, False, 0)
        return button

    def do_ask(self):
        dialog = Gtk.MessageDialog(transient_for=self.window, message_type=Gtk.MessageType.QUESTION,
                                   buttons=Gtk.ButtonsType.OK_CANCEL, text="Erase everything?")
        dialog.format_secondary_text("This cannot be undone.")
        dialog.set_default_response(Gtk.ResponseType.OK)

        def answered(_, response):
            if response == Gtk.ResponseType.OK:
                self.record.add("erased")
            dialog.destroy()
            self.record.set("dialog", False)

        dialog.connect("response", answered)
        dialog.show_all()
        self.record.set("dialog", True)

    def do_rename(self, name):
        """Another party makes something else of the first button."""
        self.delete.set_label(name)

    def do_place(self, name):
        """Writes where the middle of the first button is, on the screen."""
        _, x, y = self.delete.get_window().get_origin()
        area = self.delete.get_allocation()
        self.record.set(name, [x + area.x + area.width // 2, y + area.y + area.height // 2])


if __name__ == "__main__":
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    Gtk.main()

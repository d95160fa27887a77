#!/usr/bin/env python3
"""Opens modal dialogs some time after an action, in the ways in which applications do. The title shows what was typed."""

import sys
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

DELAY = 3


class Window(Gtk.Window):
    def __init__(self, title):
        super().__init__(title=title)
        self.set_default_size(300, 120)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        entry = Gtk.Entry()
        entry.connect("changed", lambda widget: self.set_title(f"{title}: {widget.get_text()}"))
        box.add(entry)
        for name, handler in (("At once", self.ask), ("Later", self.later), ("Slow", self.slow)):
            button = Gtk.Button(label=name)
            button.set_focus_on_click(False)
            button.connect("clicked", lambda _button, handler=handler: handler())
            box.add(button)
        self.add(box)
        self.connect("destroy", Gtk.main_quit)
        self.show_all()
        entry.grab_focus()

    def ask(self):
        dialog = Gtk.MessageDialog(transient_for=self, modal=True, buttons=Gtk.ButtonsType.OK_CANCEL, text="Really?")
        dialog.set_title("Question")
        dialog.run()
        dialog.destroy()

    def later(self):
        """The handler returns, and the dialog comes from the main loop."""
        GLib.timeout_add(DELAY * 1000, self.ask)

    def slow(self):
        """The handler works, and opens the dialog itself."""
        time.sleep(DELAY)
        self.ask()


if __name__ == "__main__":
    GLib.set_prgname("late_dialog")
    Window(sys.argv[1])
    Gtk.main()

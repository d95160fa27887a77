"""A GTK 3 window that changes on request: each line of its standard input is its new text and title."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

window = Gtk.Window(title="Teller")
window.set_default_size(300, 200)
label = Gtk.Label(label="Nothing yet")
window.add(label)
window.connect("destroy", Gtk.main_quit)
window.show_all()


def change(source, _condition):
    """Takes one line."""
    line = source.readline()
    if not line:
        Gtk.main_quit()
        return False
    label.set_text(line.strip())
    window.set_title(line.strip())
    return True


GLib.io_add_watch(sys.stdin, GLib.PRIORITY_HIGH, GLib.IOCondition.IN | GLib.IOCondition.HUP, change)
Gtk.main()

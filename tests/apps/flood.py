"""A GTK 3 window whose label changes as fast as it can, and with it the accessibility bus floods.

    flood.py TITLE

`$APP_LOG` always holds how often it has changed so far.
"""

import os
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

CHANGES_A_TICK = 4
count = 0

window = Gtk.Window(title=sys.argv[1])
window.set_default_size(300, 200)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
label = Gtk.Label(label="0")
button = Gtk.Button(label="Steady")
box.add(label)
box.add(button)
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()


def change():
    """Changes the label a few times."""
    global count
    for _ in range(CHANGES_A_TICK):
        count += 1
        label.set_text(f"Changed {count} times")
    return True


def tell():
    """Writes how often it has changed."""
    path = os.environ["APP_LOG"]
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(str(count))
    os.replace(f"{path}.new", path)
    return True


GLib.timeout_add(1, change)
GLib.timeout_add(100, tell)
Gtk.main()

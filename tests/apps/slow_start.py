"""A GTK 3 program that takes long to start: it knows the devices of the server long before it handles its first event.

It waits in between for the file `$APP_COMMANDS`, and then asks for the place of each pointer, as GTK does when windows change.
"""

import os
import time

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

display = Gdk.Display.get_default()
print("pointers", len(display.list_seats()), flush=True)
while not os.path.exists(os.environ["APP_COMMANDS"]):
    time.sleep(0.02)
for seat in display.list_seats():
    seat.get_pointer().get_position()
window = Gtk.Window(title="Slow start")
window.show_all()
GLib.MainLoop().run()

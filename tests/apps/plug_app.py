#!/usr/bin/env python3
"""A window with a socket in which another process shows a button: GTK 3's sockets and plugs.

Started with one word, the title, it is the window. It starts the other process itself, or has a stranger do so where `$PLUG_FILE`
names a file: it writes the number of its socket there. Started with a second word, a socket's number, it is the plug."""

import os
import subprocess
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402


class Window:
    """The embedding window."""

    def __init__(self, title):
        window = Gtk.Window(title=title)
        window.set_default_size(400, 200)
        window.connect("destroy", Gtk.main_quit)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.add(Gtk.Button(label="Delete mine"))
        self.socket = Gtk.Socket()
        box.pack_start(self.socket, True, True, 0)
        window.add(box)
        window.show_all()
        number = str(self.socket.get_id())
        if path := os.environ.get("PLUG_FILE"):
            with open(path + ".draft", "w", encoding="utf-8") as file:
                file.write(number)
            os.rename(path + ".draft", path)
        else:
            subprocess.Popen([sys.executable, __file__, title, number])


class Plug:
    """The embedded button, and its record. It is put into the socket on command: GTK tells the socket who it is at that moment,
    and nothing if the accessibility bus has not answered yet."""

    def __init__(self, number):
        self.record = common.Record()
        self.number = number
        common.Commands(self, self.record, GLib.idle_add)

    def do_plug(self):
        plug = Gtk.Plug.new(self.number)
        button = Gtk.Button(label="Delete theirs")
        button.connect("clicked", lambda _: self.record.add("count"))
        plug.add(button)
        plug.connect("destroy", Gtk.main_quit)
        plug.show_all()


if __name__ == "__main__":
    shown = Plug(int(sys.argv[2])) if len(sys.argv) > 2 else Window(sys.argv[1])
    Gtk.main()

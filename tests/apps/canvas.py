#!/usr/bin/python3
"""A GTK 3 window full of noise that never changes: a picture of it that is off by one pixel is another picture.

Writes one line of JSON once it has drawn itself: {"window": 12345}. A right click opens a menu.
"""

import argparse
import json
import random

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GdkPixbuf, GdkX11, GLib, Gtk  # noqa: E402, F401


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("title")
    parser.add_argument("--at", default="100,100")
    parser.add_argument("--size", default="320x200", help="in logical pixels")
    parser.add_argument("--popup", action="store_true", help="bypass the window manager, as menus do")
    parser.add_argument("--transparent", action="store_true", help="be half transparent, in a visual with alpha")
    parser.add_argument("--own-decoration", action="store_true", help="draw the title bar and the shadow itself")
    return parser.parse_args()


class Canvas:
    """The window."""

    def __init__(self, arguments):
        kind = Gtk.WindowType.POPUP if arguments.popup else Gtk.WindowType.TOPLEVEL
        self.window = Gtk.Window(type=kind, title=arguments.title)
        self.window.connect("destroy", Gtk.main_quit)
        width, height = map(int, arguments.size.split("x"))
        self.transparent = arguments.transparent
        if self.transparent:
            visual = self.window.get_screen().get_rgba_visual()
            assert visual, "the screen has no visual with alpha"
            self.window.set_visual(visual)
            self.window.set_app_paintable(True)
        if arguments.own_decoration:
            self.window.set_titlebar(Gtk.HeaderBar(title=arguments.title, show_close_button=True))
        area = Gtk.DrawingArea()
        area.set_size_request(width, height)
        area.connect("draw", self.draw)
        area.add_events(Gdk.EventMask.BUTTON_PRESS_MASK)
        area.connect("button-press-event", self.press)
        self.window.add(area)
        self.menu = Gtk.Menu(attach_widget=area)
        for label in ("First entry", "Second entry", "Third entry"):
            self.menu.append(Gtk.MenuItem(label=label))
        self.menu.show_all()
        self.noise = self.make_noise(arguments.title, width, height)
        self.told = False
        self.window.move(*map(int, arguments.at.split(",")))
        self.window.show_all()

    def make_noise(self, seed, width, height):
        channels = 4 if self.transparent else 3
        noise = GLib.Bytes.new(random.Random(seed).randbytes(width * height * channels))
        return GdkPixbuf.Pixbuf.new_from_bytes(
            noise, GdkPixbuf.Colorspace.RGB, self.transparent, 8, width, height, width * channels)

    def draw(self, _area, context):
        if self.transparent:
            context.set_operator(1)  # cairo.OPERATOR_SOURCE: the alpha is replaced as well
        Gdk.cairo_set_source_pixbuf(context, self.noise, 0, 0)
        context.paint()
        if not self.told:
            self.told = True
            GLib.idle_add(lambda: print(json.dumps({"window": self.window.get_window().get_xid()}), flush=True))

    def press(self, _area, event):
        if event.button == 3:
            self.menu.popup_at_pointer(event)
        return True


if __name__ == "__main__":
    ARGUMENTS = parse_arguments()
    # The name that the application has on the accessibility bus.
    GLib.set_prgname(ARGUMENTS.title.lower().replace(" ", "-"))
    Canvas(ARGUMENTS)
    Gtk.main()

#!/usr/bin/env python3
"""An application that paints what it shows, on GTK 3: none of it is in the accessibility tree, and only its own state shows what was clicked.

Its painted buttons are in one drawing area. A real button beside it has a name that is painted too.
"""

import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

import common  # noqa: E402

# Text, place, colour of the ground, colour of the letters.
PAINTED = [
    ("Save draft", (30, 30, 130, 30), (0.9, 0.9, 0.9), (0.1, 0.1, 0.1)),
    ("Cancel", (260, 30, 110, 30), (0.9, 0.9, 0.9), (0.1, 0.1, 0.1)),
    ("Launch rocket", (30, 120, 150, 34), (0.2, 0.4, 0.64), (1, 1, 1)),
    ("Archive", (260, 190, 110, 30), (0.9, 0.9, 0.9), (0.1, 0.1, 0.1)),
    # Nothing can be read on it.
    ("red", (30, 190, 60, 40), (0.8, 0.1, 0.1), None),
]


class App:
    """The window and its record."""

    def __init__(self, title):
        self.record = common.Record()
        self.record.set("pressed", None)
        self.record.set("engaged", 0)
        self.window = Gtk.Window(title=title)
        self.window.set_default_size(420, 330)
        self.window.connect("destroy", Gtk.main_quit)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.canvas = Gtk.DrawingArea()
        self.canvas.set_size_request(420, 250)
        self.canvas.add_events(Gdk.EventMask.BUTTON_PRESS_MASK)
        self.canvas.connect("draw", self.paint)
        self.canvas.connect("button-press-event", self.pressed)
        box.pack_start(self.canvas, False, False, 0)
        button = Gtk.Button()
        face = Gtk.DrawingArea()
        face.set_size_request(160, 30)
        face.connect("draw", lambda _, paper: write(paper, "Engage", (0, 0, 160, 30), (0.1, 0.1, 0.1)))
        button.add(face)
        button.connect("clicked", lambda _: self.record.add("engaged"))
        box.pack_start(button, False, False, 0)
        self.window.add(box)
        self.window.show_all()
        common.Commands(self, self.record, GLib.idle_add)

    def paint(self, _, paper):
        paper.set_source_rgb(0.96, 0.96, 0.96)
        paper.paint()
        for text, place, ground, letters in PAINTED:
            paper.set_source_rgb(*ground)
            paper.rectangle(*place)
            paper.fill()
            if letters:
                write(paper, text, place, letters)

    def pressed(self, _, event):
        for text, (x, y, width, height), *_colours in PAINTED:
            if x <= event.x < x + width and y <= event.y < y + height:
                self.record.set("pressed", text)
        return True

    def do_place(self, name):
        """Writes where one of the painted buttons is, on the screen: x, y, width, height."""
        _, left, top = self.canvas.get_window().get_origin()
        x, y, width, height = next(place for text, place, *_ in PAINTED if text == name)
        self.record.set("place", [left + x, top + y, width, height])


def write(paper, text, place, colour):
    """Writes a text in the middle of a place."""
    x, y, width, height = place
    paper.select_font_face("DejaVu Sans")
    paper.set_font_size(13)
    extents = paper.text_extents(text)
    paper.set_source_rgb(*colour)
    paper.move_to(x + (width - extents.width) / 2, y + (height + 9) / 2)
    paper.show_text(text)
    return False


if __name__ == "__main__":
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    Gtk.main()

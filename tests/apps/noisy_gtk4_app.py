#!/usr/bin/env python3
"""Things that work, things that do nothing, and things that change by themselves, on GTK 4."""

import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402

import common  # noqa: E402

# How long a key of the calculator stays down, in milliseconds, and how often the noise changes.
SPRING = 100
BEAT = 100


class App:
    """The window, its record and its noise."""

    def __init__(self, application, title):
        self.record = common.Record()
        for key in ("digits", "marked", "level"):
            self.record.set(key, 0)
        self.record.set("removed", False)
        self.beats = 0
        window = Gtk.ApplicationWindow(application=application, title=title)
        window.set_default_size(500, 600)
        box = self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.display, self.shown = Gtk.Label(label="0 digits"), Gtk.Label(label="0 counted")
        digit = Gtk.ToggleButton(label="Digit")
        digit.connect("toggled", self.on_digit)
        count, nothing = Gtk.Button(label="Count"), Gtk.Button(label="Nothing")
        count.connect("clicked", lambda _: self.do_count())
        remove, self.removable = Gtk.Button(label="Remove"), Gtk.Label(label="Removable")
        remove.connect("clicked", lambda _: self.on_remove())
        level = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
        level.update_property([Gtk.AccessibleProperty.LABEL], ["Level"])
        level.connect("value-changed", lambda scale: self.record.set("level", int(scale.get_value())))
        for widget in (digit, self.display, count, self.shown, nothing, remove, self.removable, level, self.more()):
            box.append(widget)
        window.set_child(box)
        window.present()
        common.Commands(self, self.record, GLib.idle_add)

    def more(self):
        """A button with a popover, which any click beside it closes."""
        more, enough, inside = Gtk.MenuButton(label="More"), Gtk.Button(label="Enough"), Gtk.Box()
        popover = Gtk.Popover(child=inside)
        enough.connect("clicked", lambda _: popover.popdown())
        for widget in (Gtk.Label(label="Nothing more"), enough):
            inside.append(widget)
        more.set_popover(popover)
        popover.connect("notify::visible", lambda *_: self.record.set("more", popover.get_visible()))
        return more

    def on_digit(self, button):
        """A key of a calculator goes down, counts, and comes up by itself."""
        if button.get_active():
            self.record.add("digits")
            self.display.set_text(f"{self.record.state['digits']} digits")
            GLib.timeout_add(SPRING, lambda: button.set_active(False))

    def on_remove(self):
        if self.removable:
            self.box.remove(self.removable)
            self.removable = None
            self.record.set("removed", True)

    def do_count(self):
        self.record.add("count")
        self.shown.set_text(f"{self.record.state['count']} counted")

    def do_noise(self):
        """From now on: a text, a progress and a list that change by themselves."""
        self.ticker, self.progress, self.news = Gtk.Label(label="beat 0"), Gtk.ProgressBar(), Gtk.ListBox()
        for widget in (self.ticker, self.progress, self.news):
            self.box.append(widget)
        GLib.timeout_add(BEAT, self.beat)

    def beat(self):
        self.beats += 1
        self.ticker.set_text(f"beat {self.beats}")
        self.progress.set_fraction(self.beats % 100 / 100)
        while row := self.news.get_first_child():
            self.news.remove(row)
        for number in range(3):
            self.news.append(Gtk.Label(label=f"News {number}", xalign=0))
        return True


if __name__ == "__main__":
    GLib.set_prgname("noisy-gtk4")
    program = Gtk.Application(application_id=None, flags=Gio.ApplicationFlags.NON_UNIQUE)
    holder = []
    program.connect("activate", lambda a: holder.append(App(a, sys.argv[1] if len(sys.argv) > 1 else common.TITLE)))
    program.run(None)

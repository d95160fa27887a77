#!/usr/bin/env python3
"""Things that work, things that do nothing, and things that change by themselves, on GTK 3."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402

# How long a key of the calculator stays down, in milliseconds, after what time a slow effect shows, and how often the noise changes.
SPRING = 100
SLOW = 1000
BEAT = 100


class App:
    """The window, its record and its noise."""

    def __init__(self, title):
        self.record = common.Record()
        for key in ("digits", "marked", "level", "later", "nothing", "tocks"):
            self.record.set(key, 0)
        self.record.set("removed", False)
        self.beats = 0
        self.every = self.tocked = None
        window = Gtk.Window(title=title)
        window.set_default_size(500, 600)
        window.connect("destroy", Gtk.main_quit)
        box = self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        box.pack_start(self.menu_bar(), False, False, 0)
        self.display = Gtk.Label(label="0 digits")
        self.shown = Gtk.Label(label="0 counted")
        self.digit = Gtk.ToggleButton(label="Digit")
        self.digit.connect("toggled", self.on_digit)
        count, nothing = Gtk.Button(label="Count"), Gtk.Button(label="Nothing")
        count.connect("clicked", lambda _: self.do_count())
        nothing.connect("clicked", lambda _: self.on_nothing())
        later, self.after = Gtk.Button(label="Later"), Gtk.Label(label="0 afterwards")
        later.connect("clicked", lambda _: GLib.timeout_add(SLOW, self.on_later))
        remove, self.removable = Gtk.Button(label="Remove"), Gtk.Label(label="Removable")
        remove.connect("clicked", lambda _: self.on_remove())
        mark = Gtk.CheckButton(label="Mark")
        mark.connect("toggled", lambda check: self.record.set("marked", int(check.get_active())))
        self.level = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
        self.level.get_accessible().set_name("Level")
        self.level.connect("value-changed", lambda scale: self.record.set("level", int(scale.get_value())))
        self.rows = Gtk.ListBox()
        self.rows.get_accessible().set_name("Rows")
        for number in range(1, 5):
            self.rows.add(self.row(f"Row {number}"))
        self.rows.connect("row-selected", lambda _, row: self.record.set("selected", row and row.get_child().get_text()))
        for widget in (self.digit, self.display, count, self.shown, nothing, later, self.after, remove, self.removable, mark, self.level,
                       self.rows, self.styles(), self.more()):
            box.pack_start(widget, False, False, 0)
        window.add(box)
        window.show_all()
        common.Commands(self, self.record, GLib.idle_add)

    def menu_bar(self):
        bar, menu, file = Gtk.MenuBar(), Gtk.Menu(), Gtk.MenuItem(label="File")
        tally, idle = Gtk.MenuItem(label="Tally"), Gtk.MenuItem(label="Idle")
        tally.connect("activate", lambda _: self.do_count())
        menu.append(tally)
        menu.append(idle)
        file.set_submenu(menu)
        bar.append(file)
        return bar

    def styles(self):
        """A button that stays down, and one that releases it."""
        bold, plain = Gtk.ToggleButton(label="Bold"), Gtk.Button(label="Plain")
        bold.connect("toggled", lambda button: self.record.set("bold", button.get_active()))
        plain.connect("clicked", lambda _: bold.set_active(False))
        box = Gtk.Box(spacing=4)
        for button in (bold, plain):
            box.pack_start(button, False, False, 0)
        return box

    def more(self):
        """A button with a popover, which any click beside it closes."""
        more, popover, enough = Gtk.MenuButton(label="More"), Gtk.Popover(), Gtk.Button(label="Enough")
        enough.connect("clicked", lambda _: popover.popdown())
        inside = Gtk.Box()
        for widget in (Gtk.Label(label="Nothing more"), enough):
            inside.pack_start(widget, False, False, 0)
        popover.add(inside)
        inside.show_all()
        more.set_popover(popover)
        more.connect("toggled", lambda button: self.record.set("more", button.get_active()))
        return more

    @staticmethod
    def row(label):
        row = Gtk.ListBoxRow()
        row.add(Gtk.Label(label=label, xalign=0))
        row.get_accessible().set_name(label)
        return row

    def on_digit(self, button):
        """A key of a calculator goes down, counts, and comes up by itself."""
        if button.get_active():
            self.record.add("digits")
            self.display.set_text(f"{self.record.state['digits']} digits")
            GLib.timeout_add(SPRING, lambda: button.set_active(False))

    def on_nothing(self):
        """Shows nothing; beside the clock, the record has when that was."""
        if self.every:
            self.record.set("clicked_at", {"tock": self.record.state["tocks"], "since": common.milliseconds() - self.tocked})
            self.record.add("nothing")

    def on_later(self):
        self.record.add("later")
        self.after.set_text(f"{self.record.state['later']} afterwards")
        return False

    def on_remove(self):
        if self.removable:
            self.removable.destroy()
            self.removable = None
            self.record.set("removed", True)

    def do_count(self):
        self.record.add("count")
        self.shown.set_text(f"{self.record.state['count']} counted")

    def do_noise(self):
        """From now on: a text, a progress and a list that change by themselves."""
        self.ticker, self.progress, self.news = Gtk.Label(label="beat 0"), Gtk.ProgressBar(), Gtk.ListBox()
        for widget in (self.ticker, self.progress, self.news):
            self.box.pack_start(widget, False, False, 0)
            widget.show()
        GLib.timeout_add(BEAT, self.beat)

    def do_tick(self, every):
        """From now on: a text that changes by itself every so many milliseconds."""
        self.every, self.tocked, self.clock = every, common.milliseconds(), Gtk.Label(label="tock 0")
        self.box.pack_start(self.clock, False, False, 0)
        self.clock.show()
        GLib.timeout_add(every, self.tock)

    def tock(self):
        self.tocked = common.milliseconds()
        self.record.add("tocks")
        self.clock.set_text(f"tock {self.record.state['tocks']}")
        return True

    def beat(self):
        self.beats += 1
        self.ticker.set_text(f"beat {self.beats}")
        self.progress.set_fraction(self.beats % 100 / 100)
        for row in self.news.get_children():
            row.destroy()
        for number in range(3):
            row = self.row(f"News {number}")
            self.news.add(row)
            row.show_all()
        return True


if __name__ == "__main__":
    GLib.set_prgname("noisy-gtk3")
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    Gtk.main()

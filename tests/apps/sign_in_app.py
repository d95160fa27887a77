#!/usr/bin/env python3
"""A window that asks for a password, shows it in the clear, and shows a token.

Arguments: its title, a file that it writes its fields to as JSON at each change, and a token.
"""

import json
import os
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


class Window(Gtk.Window):
    def __init__(self, title, report, token):
        super().__init__(title=title)
        self.report = report
        self.fields = {}
        self.set_default_size(420, 240)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
        for name in ("Pass code", "Note", "Token"):
            entry = Gtk.Entry()
            entry.get_accessible().set_name(name)
            entry.connect("changed", lambda _entry: self.write())
            box.add(entry)
            self.fields[name] = entry
        self.fields["Pass code"].set_visibility(False)
        self.fields["Token"].set_text(token)
        show = Gtk.Button(label="Show")
        show.connect("clicked", lambda _button: self.show_it())
        box.add(show)
        box.add(Gtk.Button(label=f"Copy {token}" if token else "Copy"))
        box.add(Gtk.Label(label=f"Your key is {token}."))
        self.add(box)
        self.connect("destroy", Gtk.main_quit)
        self.show_all()
        self.write()

    def show_it(self):
        """Shows the password in the clear from now on."""
        self.fields["Pass code"].set_visibility(True)
        self.write()

    def write(self):
        state = {name: entry.get_text() for name, entry in self.fields.items()}
        state["clear"] = self.fields["Pass code"].get_visibility()
        area = self.fields["Pass code"].get_allocation()
        state["place"] = [area.x, area.y, area.width, area.height]
        with open(self.report + ".draft", "w", encoding="utf-8") as file:
            json.dump(state, file)
        os.rename(self.report + ".draft", self.report)


Window(*sys.argv[1:4])
Gtk.main()

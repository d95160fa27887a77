#!/usr/bin/env python3
"""What GTK 3 shows in another way than it reports: pages without tabs, tabs of several widgets, children packed from the end,
a list of 200,000 rows."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

import common  # noqa: E402

ROWS = 200_000


class App:
    """The window and its record."""

    def __init__(self, title):
        self.record = common.Record()
        self.window = Gtk.Window()
        self.window.set_default_size(700, 800)
        self.bar = self.header(title)
        self.window.set_titlebar(self.bar)
        self.window.connect("destroy", Gtk.main_quit)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
        box.add(self.without_tabs())
        box.add(self.with_hidden_tabs())
        box.add(self.with_tabs())
        box.add(self.packed())
        box.add(self.grid())
        box.add(self.painted())
        self.built = self.composed("Build", Gtk.Button)
        box.add(self.built)
        box.pack_start(self.rows(), True, True, 0)
        self.window.add(box)
        self.window.show_all()
        common.Commands(self, self.record, GLib.idle_add)

    @staticmethod
    def header(title):
        bar = Gtk.HeaderBar(title=title, show_close_button=True)
        # Those that come from the end are created first.
        for name in ("Menu", "Search"):
            bar.pack_end(Gtk.Button(label=name))
        for name in ("Back", "Forward"):
            bar.pack_start(Gtk.Button(label=name))
        return bar

    @staticmethod
    def without_tabs():
        """As assistants and preferences have it: the pages are switched by something else."""
        pages = Gtk.Notebook(show_tabs=False)
        for name in ("First", "Second"):
            page = Gtk.Box()
            page.add(Gtk.Button(label=f"{name} button"))
            pages.append_page(page, Gtk.Label(label=f"{name} page"))
        return pages

    @staticmethod
    def with_hidden_tabs():
        """The tabs were made, and never shown."""
        pages = Gtk.Notebook()
        for name in ("Third", "Fourth"):
            tab = Gtk.Box()
            tab.add(Gtk.Label(label=f"{name} page"))
            pages.append_page(Gtk.Button(label=f"{name} button"), tab)
        return pages

    def with_tabs(self):
        """Tabs of a label beside a button, as editors have them."""
        self.tabs = Gtk.Notebook(scrollable=True)
        self.labels = []
        for name in ("one.txt", "two.txt"):
            tab = Gtk.Box()
            self.labels.append(Gtk.Label(label=name))
            tab.add(self.labels[-1])
            tab.add(Gtk.Button(label="×"))
            tab.show_all()
            self.tabs.append_page(Gtk.Button(label=f"In {name}"), tab)
        return self.tabs

    @staticmethod
    def packed():
        box = Gtk.Box()
        for name in ("Cancel", "Apply"):
            box.pack_end(Gtk.Button(label=name), False, False, 0)
        box.pack_start(Gtk.Button(label="Help"), False, False, 0)
        return box

    @staticmethod
    def grid():
        """A form. A grid lists what was put into it last first."""
        grid = Gtk.Grid()
        for row, name in enumerate(("Host", "Port", "User")):
            field = Gtk.Entry()
            field.get_accessible().set_name(name)
            grid.attach(Gtk.Label(label=f"{name}:"), 0, row, 1, 1)
            grid.attach(field, 1, row, 1, 1)
        return grid

    def painted(self):
        """A control that the program paints itself, as those in the toolbars of wxWidgets: a part with a name and no action."""
        part = Gtk.EventBox(height_request=30)
        part.get_accessible().set_name("Painted")
        part.connect("button-press-event", lambda *_: self.record.add("count"))
        return part

    def composed(self, name, kind):
        button = kind()
        inside = Gtk.Box()
        inside.add(Gtk.Image.new_from_icon_name("document-new", Gtk.IconSize.BUTTON))
        self.label_inside = Gtk.Label(label=name)
        inside.add(self.label_inside)
        button.add(inside)
        return button

    def rows(self):
        store = Gtk.ListStore(str)
        for number in range(ROWS):
            store.append([f"Row {number}"])
        self.list = Gtk.TreeView(model=store, headers_visible=False)
        self.list.get_accessible().set_name("Endless")
        self.list.append_column(Gtk.TreeViewColumn("Name", Gtk.CellRendererText(), text=0))
        self.list.get_selection().connect("changed", self.selected)
        scrolled = Gtk.ScrolledWindow(min_content_height=200)
        scrolled.add(self.list)
        return scrolled

    def selected(self, selection):
        store, row = selection.get_selected()
        self.record.set("selected", row and store[row][0])

    def do_rename_tab(self, index, name):
        self.labels[index].set_text(name)

    def do_rename_built(self, name):
        self.label_inside.set_text(name)

    def do_pack(self, name):
        button = Gtk.Button(label=name)
        button.show()
        self.bar.pack_end(button)

    def do_unpack(self, name):
        for button in self.bar.get_children():
            if isinstance(button, Gtk.Button) and button.get_label() == name:
                button.destroy()

    def do_scroll_to(self, row):
        self.list.scroll_to_cell(Gtk.TreePath(row), None, True, 0, 0)


if __name__ == "__main__":
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    Gtk.main()

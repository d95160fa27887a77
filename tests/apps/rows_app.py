#!/usr/bin/env python3
"""What a click means more than it seems: rows of every kind that GTK 3 has, and buttons that open menus.

Rows are in a list box, a tree with check boxes and a view of icons; each records what was selected and what was activated.
"""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

import common  # noqa: E402

PLACES = ["Attic", "Basement", "Cellar"]


class App:
    """The window and its record."""

    def __init__(self, title):
        self.record = common.Record()
        self.record.state.update(selected=None, activated=[], toggled=[], expanded=[], astray=False)
        self.record.set("size", "ready")
        window = Gtk.Window(title=title)
        window.set_default_size(760, 420)
        window.move(20, 20)
        window.connect("destroy", Gtk.main_quit)
        root = Gtk.Box(spacing=8, homogeneous=True)
        for part in (self.list_box(), self.tree(), self.icons()):
            root.pack_start(part, True, True, 0)
        outside = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        outside.pack_start(root, True, True, 0)
        for button in self.menu_buttons():
            outside.pack_start(button, False, False, 0)
        window.add(outside)
        window.show_all()

    def tell(self, key, what):
        """One more of what happened."""
        self.record.set(key, [*self.record.state[key], what])

    def menu(self):
        """A menu in which a letter is enough to choose."""
        menu = Gtk.Menu()
        for letter in "quickabrownfox":
            item = Gtk.MenuItem(label=f"_{letter} goes astray", use_underline=True)
            item.connect("activate", lambda _: self.record.set("astray", True))
            menu.append(item)
        menu.show_all()
        return menu

    def menu_buttons(self):
        surprise = Gtk.Button(label="Surprise")
        menu = self.menu()
        menu.attach_to_widget(surprise)
        surprise.connect("clicked", lambda button: menu.popup_at_widget(
            button, Gdk.Gravity.SOUTH_WEST, Gdk.Gravity.NORTH_WEST, None))
        more = Gtk.MenuButton(label="More surprises", popup=self.menu())
        return surprise, more

    def list_box(self):
        box = Gtk.ListBox()
        box.get_accessible().set_name("Rooms")
        box.connect("row-selected", lambda _, row: self.record.set("selected", row and row.get_child().get_text()))
        box.connect("row-activated", lambda _, row: self.tell("activated", row.get_child().get_text()))
        for place in PLACES:
            box.add(Gtk.Label(label=f"{place} room"))
        return box

    def tree(self):
        # The first column is what a file manager hides there: a picture and more than one cell in a column.
        store = Gtk.TreeStore(str, bool)
        for place in PLACES:
            parent = store.append(None, [f"{place} file", False])
            for number in (1, 2):
                store.append(parent, [f"{place} file part {number}", False])
        view = Gtk.TreeView(model=store)
        view.get_accessible().set_name("Files")
        toggle = Gtk.CellRendererToggle(activatable=True)
        toggle.connect("toggled", lambda _, path: self.on_toggled(store, path))
        view.append_column(Gtk.TreeViewColumn("Name", Gtk.CellRendererText(), text=0))
        view.append_column(Gtk.TreeViewColumn("Marked", toggle, active=1))
        view.connect("row-activated", lambda _, path, _column: self.tell("activated", store[path][0]))
        view.connect("row-expanded", lambda _, _iter, path: self.tell("expanded", store[path][0]))
        view.get_selection().connect("changed", self.on_tree_selection)
        return view

    def on_toggled(self, store, path):
        store[path][1] = not store[path][1]
        self.tell("toggled", store[path][0])

    def on_tree_selection(self, selection):
        store, row = selection.get_selected()
        self.record.set("selected", row and store[row][0])

    def icons(self):
        store = Gtk.ListStore(str)
        for place in PLACES:
            store.append([f"{place} icon"])
        view = Gtk.IconView(model=store, text_column=0)
        view.get_accessible().set_name("Icons")
        view.connect("item-activated", lambda _, path: self.tell("activated", store[path][0]))
        view.connect("selection-changed", self.on_icons)
        return view

    def on_icons(self, view):
        chosen = view.get_selected_items()
        self.record.set("selected", view.get_model()[chosen[0]][0] if chosen else None)


if __name__ == "__main__":
    GLib.set_prgname("fixture-rows")
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    Gtk.main()

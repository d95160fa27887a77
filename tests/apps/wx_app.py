#!/usr/bin/env python3
"""The fixture application on wxWidgets, which shows GTK 3 widgets. Its names and its state are those of common.py."""

import sys

import gi
import wx

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

import common  # noqa: E402

NO_MODIFIER_KEYS = {wx.WXK_CONTROL, wx.WXK_SHIFT, wx.WXK_ALT, wx.WXK_WINDOWS_LEFT, wx.WXK_WINDOWS_RIGHT}


def widgets(kind):
    """The GTK widgets of a kind in this program, in the order in which they were made."""
    found = []

    def look(widget):
        if isinstance(widget, kind):
            found.append(widget)
        if isinstance(widget, Gtk.Container):
            widget.forall(look)
    for window in Gtk.Window.list_toplevels():
        look(window)
    return found


class DropTarget(wx.TextDropTarget):
    """Counts what is dropped on it."""

    def __init__(self, record, key="dropped"):
        super().__init__()
        self.record, self.key = record, key

    def OnDropText(self, _x, _y, _text):
        self.record.add(self.key)
        return True


class App(wx.Frame):
    """The window, its record and what the commands do to it."""

    def __init__(self, title):
        # Beside the window of the user.
        super().__init__(None, title=title, pos=(20, 20), size=(520, 620))
        self.record = common.Record()
        self.double_at = -1000
        self.Bind(wx.EVT_CHAR_HOOK, self.on_key)
        self.panel = wx.Panel(self)
        columns = wx.BoxSizer(wx.HORIZONTAL)
        for column in (self.first_column(), self.second_column()):
            columns.Add(column, 1, wx.EXPAND | wx.ALL, 8)
        status = wx.StaticText(self.panel, label=self.record.summary())
        self.record.on_change = lambda: status.SetLabel(self.record.summary())
        rows = wx.BoxSizer(wx.VERTICAL)
        rows.Add(columns, 1, wx.EXPAND)
        rows.Add(status)
        self.panel.SetSizer(rows)
        self.Show()
        self.name_widgets()
        common.Commands(self, self.record, wx.CallAfter)

    def first_column(self):
        record, panel, box = self.record, self.panel, wx.BoxSizer(wx.VERTICAL)
        count = wx.Button(panel, label="Count")
        count.Bind(wx.EVT_BUTTON, lambda _: record.add("count"))
        multi = wx.Button(panel, label="Multi")
        multi.Bind(wx.EVT_LEFT_DCLICK, self.on_double)
        multi.Bind(wx.EVT_LEFT_DOWN, self.on_press)
        multi.Bind(wx.EVT_MOTION, self.on_hover)
        multi.Bind(wx.EVT_CONTEXT_MENU, self.on_context)
        self.name = wx.TextCtrl(panel)
        self.name.Bind(wx.EVT_TEXT, lambda _: record.set("name", self.name.GetValue()))
        agree = wx.CheckBox(panel, label="Agree")
        agree.Bind(wx.EVT_CHECKBOX, lambda _: record.set("agree", agree.GetValue()))
        for widget in (count, multi, self.name, agree):
            box.Add(widget, 0, wx.EXPAND | wx.BOTTOM, 4)
        return box

    def on_double(self, event):
        self.record.add("double")
        self.double_at = common.milliseconds()
        event.Skip()

    def on_press(self, event):
        # wxWidgets knows no triple click.
        if common.milliseconds() - self.double_at < 400:
            self.record.add("triple")
        event.Skip()

    def on_hover(self, event):
        self.record.add("hovered")
        event.Skip()

    def second_column(self):
        record, panel, box = self.record, self.panel, wx.BoxSizer(wx.VERTICAL)
        volume = wx.Slider(panel, value=20, maxValue=100)
        volume.Bind(wx.EVT_SLIDER, lambda _: record.set("volume", volume.GetValue()))
        self.items = wx.ListBox(panel, choices=[f"Item {number}" for number in range(1, common.ROWS + 1)], size=(-1, 180))
        self.items.Bind(wx.EVT_LISTBOX, lambda _: record.set("selected", self.items.GetStringSelection()))
        source, target = wx.Panel(panel, size=(-1, 40)), wx.Panel(panel, size=(-1, 40))
        source.Bind(wx.EVT_MOTION, self.on_motion)
        target.SetDropTarget(DropTarget(record))
        for place, text in ((source, "Drag source"), (target, "Drop target")):
            wx.StaticText(place, label=text)
        for widget in (volume, self.items, source, target):
            box.Add(widget, 0, wx.EXPAND | wx.BOTTOM, 4)
        return box

    def name_widgets(self):
        """Gives the controls that have no text of their own accessible names, for which wxWidgets has no way on GTK."""
        for kind, name in ((Gtk.Entry, "Name"), (Gtk.Scale, "Volume"), (Gtk.TreeView, "Items")):
            widgets(kind)[0].get_accessible().set_name(name)
        self.position = widgets(Gtk.TreeView)[0].get_parent().get_vadjustment()
        self.position.connect("value-changed", lambda position: self.record.set("scroll", int(position.get_value())))

    def on_key(self, event):
        key, held = event.GetKeyCode(), event.GetModifiers()
        if key not in NO_MODIFIER_KEYS:
            name = "escape" if key == wx.WXK_ESCAPE else chr(key) if 32 <= key < 127 else f"key {key}"
            self.record.set("chord", common.chord(name, bool(held & wx.MOD_CONTROL), bool(held & wx.MOD_SHIFT),
                                                  bool(held & wx.MOD_ALT), bool(held & wx.MOD_META)))
        event.Skip()

    def on_context(self, _event):
        self.record.add("context")
        menu = wx.Menu()
        menu.Bind(wx.EVT_MENU, lambda _: self.record.add("chosen"), menu.Append(wx.ID_ANY, "Context entry"))
        self.PopupMenu(menu)

    def on_motion(self, event):
        if event.Dragging() and event.LeftIsDown():
            data = wx.TextDataObject("dragged")
            source = wx.DropSource(event.GetEventObject())
            source.SetData(data)
            source.DoDragDrop()
        event.Skip()

    # What another party may do.

    def do_scroll_to_top(self):
        self.position.set_value(0)

    def do_other_window(self, title):
        """Opens another window, on which "Drag source" can be dropped."""
        other = wx.Frame(None, title=title, size=(320, 110))
        wx.Panel(other).SetDropTarget(DropTarget(self.record, "dropped_there"))
        other.Show()

    def do_set_name(self, text):
        self.name.SetValue(text)


if __name__ == "__main__":
    application = wx.App()
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    application.MainLoop()

#!/usr/bin/env python3
"""A GTK 3 window with planted accessibility defects, or with `clean` as the second argument the same window without them."""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
gi.require_version("GdkPixbuf", "2.0")
from gi.repository import Gdk, GdkPixbuf, Gtk  # noqa: E402

STYLE = b"""
window, .plain { background: #ffffff; color: #000000; }
.faint { color: #b0b0b0; }
.faint-button { color: #a8a8a8; background: #ffffff; text-shadow: none; }
.just-enough { color: #707070; }
.large { font-size: 28px; color: #8c8c8c; }
.tiny { min-width: 12px; min-height: 12px; padding: 0; margin: 0; }
"""


def styled(widget, *classes):
    for name in classes:
        widget.get_style_context().add_class(name)
    return widget


def named(widget, name):
    widget.get_accessible().set_name(name)
    return widget


def field_with_label(grid, row, text, linked):
    label, entry = Gtk.Label(label=text), Gtk.Entry()
    entry.set_text("value")
    if linked:
        label.set_mnemonic_widget(entry)
    grid.attach(label, 0, row, 1, 1)
    grid.attach(entry, 1, row, 1, 1)


def pixbuf(size):
    picture = GdkPixbuf.Pixbuf.new(GdkPixbuf.Colorspace.RGB, False, 8, size, size)
    picture.fill(0x3366CCFF)
    return picture


def main():
    title, clean = sys.argv[1], sys.argv[2:] == ["clean"]
    provider = Gtk.CssProvider()
    provider.load_from_data(STYLE)
    Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), provider, Gtk.STYLE_PROVIDER_PRIORITY_USER)
    window = Gtk.Window(title=title)
    window.set_default_size(520, 640)
    window.connect("destroy", Gtk.main_quit)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=14, margin=16)

    grid = Gtk.Grid(column_spacing=8, row_spacing=14)
    field_with_label(grid, 0, "Street", linked=True)
    field_with_label(grid, 1, "City", linked=clean)
    box.pack_start(grid, False, False, 0)

    icons = Gtk.Box(spacing=30)
    icon = Gtk.Button()
    icon.set_image(Gtk.Image.new_from_pixbuf(pixbuf(20)))
    icons.pack_start(named(icon, "Save") if clean else icon, False, False, 0)
    glyph = Gtk.Button()
    glyph.set_image(Gtk.Image.new_from_icon_name("open-menu-symbolic", Gtk.IconSize.BUTTON))
    icons.pack_start(named(glyph, "Menu" if clean else "\uf0c9"), False, False, 0)
    box.pack_start(icons, False, False, 0)

    box.pack_start(styled(Gtk.Label(label="Quiet remark about the order"), "plain" if clean else "faint"), False, False, 0)
    box.pack_start(styled(Gtk.Label(label="Dark enough to be read"), "just-enough"), False, False, 0)
    box.pack_start(styled(Gtk.Label(label="Large heading"), "large"), False, False, 0)
    off = Gtk.Label(label="Switched off")
    off.set_sensitive(False)
    box.pack_start(off, False, False, 0)
    send = styled(Gtk.Button(label="Send the order"), *([] if clean else ["faint-button"]))
    box.pack_start(send, False, False, 0)

    mouse = Gtk.Button(label="Only by mouse")
    mouse.set_can_focus(clean)
    box.pack_start(mouse, False, False, 0)

    tiny = Gtk.Box(spacing=30 if clean else 1)
    tiny.set_halign(Gtk.Align.START)
    for name in ("One", "Two", "Three"):
        tiny.pack_start(named(styled(Gtk.Button(label="·"), *([] if clean else ["tiny"])), name), False, False, 0)
    box.pack_start(tiny, False, False, 0)

    browse = Gtk.Box(spacing=30)
    for text in ("Browse for the picture", "Browse for the sound") if clean else ("Browse", "Browse"):
        browse.pack_start(Gtk.Button(label=text), False, False, 0)
    box.pack_start(browse, False, False, 0)

    box.pack_start(Gtk.Button(label="Apply" if clean else "_Apply"), False, False, 0)

    picture = Gtk.Image.new_from_pixbuf(pixbuf(96))
    picture.set_halign(Gtk.Align.START)
    box.pack_start(named(picture, "Map of the town") if clean else picture, False, False, 0)

    window.add(box)
    window.show_all()
    send.grab_focus()
    if not clean:
        other = Gtk.Window(title="")
        other.set_default_size(200, 80)
        other.add(Gtk.Label(label="A window without a title"))
        other.show_all()
        window.present()
    Gtk.main()


main()

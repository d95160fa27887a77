#!/usr/bin/env python3
"""A web page in a window of GTK 3: WebKitGTK shows it from a process of its own. The page reports its own state."""

import json
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import GLib, Gtk, WebKit2  # noqa: E402

import common  # noqa: E402

PAGE = """<!DOCTYPE html><meta charset="utf-8"><title>{}</title>
<h1>A page</h1>
<button onclick="tell('deleted', 1 + (state.deleted || 0))">Delete the page</button>
<p><label>Who <input oninput="tell('who', this.value)"></label>
<label><input type="checkbox" onchange="tell('sure', this.checked)"> Sure</label>
<p id="words">Words of the page</p>
<ul><li>An item</li></ul>
<p style="display: none">Words that nobody sees</p>
<div style="height: 3000px"></div><button onclick="tell('bottom', true)">At the bottom</button>
<script>
  const state = {};
  function tell(key, value) { state[key] = value; document.title = JSON.stringify(state); }
</script>"""


class App:
    """The window, its record and what the commands do to the page."""

    def __init__(self, title):
        self.record = common.Record()
        self.window = Gtk.Window(title=title)
        self.window.set_default_size(600, 450)
        self.window.connect("destroy", Gtk.main_quit)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        around = Gtk.Button(label="Around the page")
        around.connect("clicked", lambda _: self.record.add("count"))
        self.view = WebKit2.WebView()
        self.view.connect("notify::title", lambda *_: self.told())
        self.view.load_html(PAGE, "http://localhost/")
        box.pack_start(around, False, False, 0)
        box.pack_start(self.view, True, True, 0)
        self.window.add(box)
        self.window.show_all()
        common.Commands(self, self.record, GLib.idle_add)

    def told(self):
        for key, value in json.loads(self.view.get_title() or "{}").items():
            self.record.set(key, value)

    def do_say(self, words):
        self.view.run_javascript(f"document.getElementById('words').textContent = {json.dumps(words)}", None, None)


if __name__ == "__main__":
    App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    Gtk.main()

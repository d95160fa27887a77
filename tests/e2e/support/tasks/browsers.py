"""The tasks of Firefox and Chromium, on a page that a server on the loopback interface has."""

import http.server
import json
import sqlite3
import threading
import urllib.parse

from . import Task
from ..applications import FIREFOX_PREFERENCES, Application

TABLE = [["Fruit", "Price"], ["Pear", "3"], ["Apple", "7"]]
_REPORT = b"one,two\n"
_PAGE = """<!doctype html><meta charset="utf-8"><title>Order form</title><h1>Order</h1>
<form action="/order"><p><label>Name <input name="name"></label> <label>City <input name="city"></label>
<label>Size <select name="size"><option>Small<option>Large</select></label>
<label><input type="checkbox" name="gift" value="yes"> Gift</label> <button>Send</button></form>
<table><tr><th>Fruit<th>Price</tr><tr><td>Pear<td>3</tr><tr><td>Apple<td>7</tr></table>
<p><a href="/report.csv" download>Download the report</a></p>"""


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/order":
            (self.server.folder / "order.json").write_text(json.dumps(dict(urllib.parse.parse_qsl(query))), encoding="utf-8")
        pages = {"/form.html": (_PAGE.encode(), "text/html"), "/report.csv": (_REPORT, "application/octet-stream"),
                 "/order": (b"<!doctype html><title>Thanks</title><h1>Thank you</h1>", "text/html")}
        body, kind = pages.get(path, (b"", "text/plain"))
        self.send_response(200 if path in pages else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class _Browser(Application):
    def __init__(self, desktop, folder):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.folder = folder
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        (folder / "downloads").mkdir()
        (folder / "profile").mkdir()
        super().__init__(desktop, self.words(folder, f"http://127.0.0.1:{self._server.server_port}/form.html"), "Order form")

    def stop(self):
        super().stop()
        self._server.shutdown()
        self._server.server_close()


class Firefox(_Browser):
    """Firefox with the page."""

    @staticmethod
    def words(folder, address):
        """How it is started, with a profile that is not asked anything at first."""
        (folder / "profile/user.js").write_text(FIREFOX_PREFERENCES + f"""
user_pref("browser.download.dir", {json.dumps(str(folder / 'downloads'))});
user_pref("browser.download.folderList", 2);
user_pref("browser.download.useDownloadDir", true);
""", encoding="utf-8")
        return ["firefox-esr", "--no-remote", "--profile", str(folder / "profile"), address]


class Chromium(_Browser):
    """Chromium with the page."""

    @staticmethod
    def words(folder, address):
        """How it is started, with a profile that has a folder for what is downloaded."""
        (folder / "profile/Default").mkdir()
        (folder / "profile/Default/Preferences").write_text(json.dumps(
            {"download": {"default_directory": str(folder / "downloads"), "prompt_for_download": False}}), encoding="utf-8")
        return ["chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic", "--disable-sync",
                "--disable-background-networking", "--disable-component-update", "--password-store=basic",
                "--force-renderer-accessibility", "--window-size=1000,800", f"--user-data-dir={folder / 'profile'}", address]


def _is_ordered(folder):
    path = folder / "order.json"
    order = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    assert order == {"name": "Ada Lovelace", "city": "London", "size": "Large", "gift": "yes"}, order


def _is_downloaded(folder):
    found = {path.name: path.read_bytes() for path in (folder / "downloads").iterdir()}
    assert found == {"report.csv": _REPORT}, found


def _is_bookmarked(folder):
    titles = []
    try:
        # Firefox has the file locked; what it wrote last is in the log beside it.
        for name in ("places.sqlite", "places.sqlite-wal"):
            source = folder / "profile" / name
            (folder / name).write_bytes(source.read_bytes() if source.exists() else b"")
        with sqlite3.connect(folder / "places.sqlite") as places:
            titles = [title for title, in places.execute(
                "select b.title from moz_bookmarks b join moz_places p on p.id = b.fk where p.url like '%/form.html'")]
    except sqlite3.Error as fault:
        raise AssertionError(f"the bookmarks cannot be read: {fault}") from fault
    assert titles == ["The order"], titles


def _restores(folder):
    path = folder / "profile/prefs.js"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    assert 'user_pref("browser.startup.page", 3);' in text, "browser.startup.page is not 3"


def _has_home_button(folder):
    path = folder / "profile/Default/Preferences"
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as fault:
        raise AssertionError(f"the preferences are being written: {fault}") from fault
    assert kept.get("browser", {}).get("show_home_button") is True, kept.get("browser")


TASKS = [
    Task("fill-in-a-form", "Firefox", Firefox, _is_ordered, is_recordable=True),
    Task("download-a-file", "Firefox", Firefox, _is_downloaded, is_recordable=True),
    Task("bookmark-a-page", "Firefox", Firefox, _is_bookmarked, is_recordable=True),
    Task("change-a-setting", "Firefox", Firefox, _restores),
    Task("fill-in-a-form", "Chromium", Chromium, _is_ordered),
    Task("download-a-file", "Chromium", Chromium, _is_downloaded, is_recordable=True),
    Task("change-a-setting", "Chromium", Chromium, _has_home_button, patience=40, is_recordable=True),
]

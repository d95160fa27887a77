"""The fixture applications as a test sees them: started, asked for their own state, commanded, stopped."""

import http.server
import itertools
import json
import os
import queue
import signal
import socketserver
import threading
import urllib.parse

from . import PATIENCE, TESTS, wait_for
from .desktop import WINDOW_TIMEOUT, end_group

APPS = TESTS / "apps"
FIREFOX_PREFERENCES = """
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.termsofuse.prompt.enabled", false);
user_pref("browser.translations.enable", false);
user_pref("app.normandy.enabled", false);
user_pref("app.update.enabled", false);
user_pref("dom.disable_open_during_load", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("signon.rememberSignons", false);
user_pref("termsofuse.bypassNotification", true);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("trailhead.firstrun.didSeeAboutWelcome", true);
"""
_numbers = itertools.count(1)


class Application:
    """A program with a window on a private desktop."""

    def __init__(self, desktop, words, title, env=None, window_timeout=WINDOW_TIMEOUT):
        self.desktop = desktop
        self.label = f"app-{next(_numbers)}"
        self.child = desktop.start(words, self.label, env)
        try:
            self.window, self.process, self.title = desktop.window(title, window_timeout)
        except AssertionError as failure:
            with open(desktop.path(f"{self.label}.out"), encoding="utf-8", errors="replace") as output:
                said = output.read()[-2000:]
            raise AssertionError(f"{failure}; the windows are {desktop.windows()}; the program "
                                 f"{'runs' if self.child.poll() is None else 'ended'} and said {said!r}") from None

    @property
    def app(self):
        """How to name it to handeye without ambiguity: by its process."""
        return str(self.process)

    def rest(self):
        """Leaves what a test before may have left behind."""

    def signal(self, number):
        """Sends a signal to its process."""
        os.kill(self.process, number)

    def freeze(self):
        """Stops it as a debugger would: it stays, and answers nothing."""
        self.signal(signal.SIGSTOP)

    def thaw(self):
        """Lets it go on."""
        self.signal(signal.SIGCONT)

    def stop(self):
        """Ends it."""
        end_group(self.child)


class Fixture(Application):
    """One of `tests/apps/*_app.py`."""

    def __init__(self, desktop, toolkit, title=None, commands=False, env=None):
        number = next(_numbers)
        self._log = desktop.path(f"fixture-{number}.log")
        self._sent = itertools.count(1)
        env = {**(env or {}), "APP_LOG": self._log, "PYTHONDONTWRITEBYTECODE": "1"}
        self._fifo = None
        if commands:
            self._fifo = env["APP_COMMANDS"] = desktop.path(f"fixture-{number}.commands")
            os.mkfifo(self._fifo)
        title = title or f"Fixture {toolkit} {number}"
        self.desktop = desktop
        super().__init__(desktop, self._words(toolkit, title), title, env)

    def _words(self, toolkit, title):
        return ["/usr/bin/python3", str(APPS / f"{toolkit}_app.py"), title]

    def state(self):
        """Its own state, as it wrote it last."""
        with open(f"{self._log}.state", encoding="utf-8") as file:
            return json.load(file)

    def wait(self, key, value, timeout=PATIENCE):
        """Waits until its own state says so."""
        wait_for(f"{self.title}: {key} = {value!r} (is {self.state().get(key)!r})",
                 lambda: self.state().get(key) == value, timeout)

    def rest(self):
        """Scrolls the list to its start, where an action before has moved it."""
        if self._fifo:
            self.command(do="scroll_to_top")
            self.wait("scroll", 0)

    def command(self, **command):
        """Has another party change it, and waits until that is done."""
        number = next(self._sent)
        with open(self._fifo, "w", encoding="utf-8") as fifo:
            fifo.write(json.dumps({"id": number, **command}) + "\n")
        line = wait_for(f"{self.title} to carry out {command}", lambda: self._done(number))
        assert "error" not in line, line

    def _done(self, number):
        with open(self._log, encoding="utf-8") as file:
            for text in file:
                line = json.loads(text) if text.endswith("\n") else {}
                if line.get("done") == number:
                    return line
        return None


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/commands":
            return self._answer(json.dumps(self.server.page.next_commands()).encode(), "application/json")
        if self.path.split("?")[0] == f"/{self.server.page.file}":
            return self._answer((APPS / self.server.page.file).read_bytes(), "text/html; charset=utf-8")
        return self.send_error(404)

    def do_POST(self):
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.page.told(told)
        self._answer(b"{}", "application/json")

    def _answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


class Page(Application):
    """A page of `tests/apps` in a browser. The page reports its state to a server on the loopback interface."""

    def __init__(self, desktop, browser, commands=False, file="page.html"):
        self.file = file
        self._state, self._done, self._commands = None, {}, queue.Queue()
        self._sent = itertools.count(1)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.page = self
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        title = f"Fixture {browser} {next(_numbers)}"
        address = f"http://127.0.0.1:{self._server.server_port}/{file}?" + urllib.parse.urlencode(
            {"title": title, **({"commands": ""} if commands else {})})
        profile = desktop.path(title.replace(" ", "-"))
        os.makedirs(profile)
        self._takes_commands = commands
        super().__init__(desktop, getattr(self, f"_{browser}")(profile, address), title)
        wait_for("the page to tell its first state", lambda: self._state)

    @staticmethod
    def _firefox(profile, address):
        with open(f"{profile}/user.js", "w", encoding="utf-8") as file:
            file.write(FIREFOX_PREFERENCES)
        return ["firefox-esr", "--no-remote", "--profile", profile, address]

    @staticmethod
    def _chromium(profile, address):
        return ["chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic", "--disable-sync",
                "--disable-background-networking", "--disable-popup-blocking", "--disable-component-update", "--password-store=basic",
                "--window-size=1000,800", "--window-position=20,20", "--force-renderer-accessibility",
                f"--user-data-dir={profile}", address]

    def told(self, fields):
        """The page reported something."""
        self._state = fields["state"]
        if "done" in fields:
            self._done[fields["done"]] = fields

    def next_commands(self):
        """The commands that wait, at least one."""
        return [self._commands.get()]

    def state(self):
        """The page's own state, as it reported it last."""
        return dict(self._state)

    def wait(self, key, value, timeout=PATIENCE):
        """Waits until its own state says so."""
        wait_for(f"{self.title}: {key} = {value!r} (is {self.state().get(key)!r})",
                 lambda: self.state().get(key) == value, timeout)

    def rest(self):
        """Scrolls the list to its start, where an action before has moved it."""
        if self._takes_commands:
            self.command(do="scroll_to_top")
            self.wait("scroll", 0)

    def command(self, **command):
        """Has another party change it, and waits until that is done."""
        number = next(self._sent)
        self._commands.put({"id": number, **command})
        line = wait_for(f"the page to carry out {command}", lambda: self._done.get(number))
        assert "error" not in line, line

    def stop(self):
        super().stop()
        self._server.shutdown()
        self._server.server_close()


def start(desktop, toolkit, **options):
    """Starts the fixture application of a toolkit."""
    if toolkit in ("firefox", "chromium"):
        return Page(desktop, toolkit, **options)
    if toolkit == "libreoffice":
        from .office import Writer
        return Writer(desktop)  # takes commands in any case
    if toolkit == "xterm":
        from .xterm import Xterm
        return Xterm(desktop)
    if toolkit == "swing":
        from .swing import Swing
        return Swing(desktop, toolkit, **options)
    return Fixture(desktop, toolkit, **options)

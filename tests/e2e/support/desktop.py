"""A private desktop, brought up by handeye itself."""

import json
import os
import signal
import subprocess
import tempfile

from . import BINARY, PATIENCE, tail, wait_for
from .history import HISTORY

# A window manager that is notified of many new keyboard maps does not answer for minutes on a busy machine.
WINDOW_TIMEOUT = 180


class Desktop:
    """A desktop of its own for the tests of one group: an X server, buses and a window manager.

    `handeye desktop run` holds it; it ends with the process that holds it. `monitors` are as `--monitor` has them,
    for example `["1920x1080", "1280x1024-1280+0@1.5"]`; `support.monitors` reports where they are.
    """

    def __init__(self, size="1280x1024", extra_env=None, monitors=(), scale=1):
        self.folder = tempfile.TemporaryDirectory(prefix="handeye-e2e-")
        environment_file = self.path("environment.json")
        dump = ("import json, os, sys, time\n"
                f"draft = {environment_file!r} + '.draft'\n"
                "json.dump(dict(os.environ), open(draft, 'w'))\n"
                f"os.rename(draft, {environment_file!r})\n"
                "sys.stdin.read()\n")
        base = outside(os.environ)
        # Settings of applications must neither come from nor go to the user's own home.
        home = self.path("home")
        os.makedirs(home, exist_ok=True)
        base.update(HOME=home, XDG_CONFIG_HOME=f"{home}/.config", XDG_CACHE_HOME=f"{home}/.cache",
                    XDG_DATA_HOME=f"{home}/.local/share", HANDEYE_SCREENSHOT_DIR=self.path("screenshots"),
                    # Each command by itself, unless a test is about the process that they share.
                    HANDEYE_NO_DAEMON="1",
                    # No test finds an Ollama that happens to run on the machine.
                    OLLAMA_HOST="127.0.0.1:1",
                    LANG="C.UTF-8", LC_ALL="C.UTF-8")
        base.update(extra_env or {})
        look = [f"--monitor={monitor}" for monitor in monitors] or [f"--size={size}"]
        self._holder = subprocess.Popen(
            [BINARY, "desktop", "run", *look, f"--scale={scale}", "--", "/usr/bin/python3", "-c", dump],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=open(self.path("desktop.log"), "w"), env=base)
        self.env = self._environment(environment_file)
        # The runtime sets these for its own interpreter; they mean nothing to others.
        self.env.pop("LC_CTYPE", None)
        self._children = []

    def _environment(self, path):
        def ready():
            if self._holder.poll() is not None:
                raise AssertionError(f"the desktop ended: {tail(self.path('desktop.log'))}")
            return os.path.exists(path)
        try:
            wait_for("the desktop to come up", ready)
        except AssertionError as failure:
            raise AssertionError(f"{failure}; it said: {tail(self.path('desktop.log'))}") from None
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def path(self, name):
        """A file of this desktop's own folder."""
        return os.path.join(self.folder.name, name)

    def start(self, words, name, env=None):
        """Starts a program here. It is stopped with the desktop."""
        with open(self.path(f"{name}.out"), "ab") as output:
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                     env={**self.env, **(env or {})}, start_new_session=True)
        self._children.append(child)
        HISTORY.started(words, child)
        return child

    def run(self, words, timeout=2 * PATIENCE, check=True, **options):
        """Runs a program here and returns what it prints."""
        result = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=timeout, check=False,
                                stdin=subprocess.DEVNULL, **options)
        if check and result.returncode:
            raise AssertionError(f"{words} ended with {result.returncode}: {result.stdout}{result.stderr}")
        return result.stdout.strip()

    def windows(self):
        """The managed windows: a list of (id, process, title)."""
        listed = []
        for line in self.run(["wmctrl", "-lp"], check=False).splitlines():
            window, _desktop, process, _host, *title = line.split(None, 4)
            listed.append((int(window, 16), int(process), title[0] if title else ""))
        return listed

    def window(self, title, timeout=WINDOW_TIMEOUT):
        """Waits for a window whose title contains `title`: (id, process, title)."""
        return wait_for(f"a window titled '{title}'",
                        lambda: next((w for w in self.windows() if title in w[2]), None), timeout)

    def popups(self):
        """The windows on view that bypass the window manager, according to xwininfo."""
        found = set()
        for line in self.run(["xwininfo", "-root", "-children"]).splitlines():
            window = line.split()[:1]
            if window and window[0].startswith("0x"):
                stats = self.run(["xwininfo", "-id", window[0], "-stats"], check=False)
                if "Override Redirect State: yes" in stats and "IsViewable" in stats and "Class: InputOutput" in stats:
                    found.add(window[0])
        return found

    def activate(self, window):
        """Makes a window the active one, and waits until it is, and above the others."""
        def has_come():
            # A window manager announces these one after the other.
            return self.active_window() == window and self.stacking()[-1:] == [window]

        def asked():
            # Not at every look: a busy window manager would have all of them to answer.
            self.run(["xdotool", "windowactivate", str(window)], check=False)
            try:
                return wait_for(f"window {window:#x} to become active", has_come, 3)
            except AssertionError:
                return False
        if not has_come():
            wait_for(f"window {window:#x} to become active, asked for several times; now it is {self.active_window()}, "
                     f"the order {self.stacking()}", asked)

    def active_window(self):
        """The window that has the focus, by the window manager's word."""
        text = self.run(["xprop", "-root", "_NET_ACTIVE_WINDOW"], check=False)
        # xfwm4 has a second number after it, which means nothing.
        word = text.partition("#")[2].partition(",")[0].strip()
        return int(word, 16) if word.startswith("0x") else None

    def stacking(self):
        """The managed windows from the lowest to the topmost, by the window manager's word."""
        text = self.run(["xprop", "-root", "_NET_CLIENT_LIST_STACKING"], check=False)
        return [int(word, 16) for word in text.partition("#")[2].replace(",", " ").split() if word.startswith("0x")]

    def kill_display(self):
        """Ends the X server, as a crash would."""
        self.signal_display(signal.SIGKILL)

    def signal_display(self, number):
        """Sends a signal to the X server."""
        # Each X server of a private desktop has an authority file of its own.
        authority = self.env["XAUTHORITY"].encode()
        for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"Xvfb") and authority in words:
                os.kill(process, number)
                return
        raise AssertionError("this desktop's X server was not found")

    def stop(self):
        """Ends everything that was started here, then the desktop."""
        for child in self._children:
            end_group(child)
        self._holder.stdin.close()
        try:
            self._holder.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._holder.kill()
            self._holder.wait(PATIENCE)
        wait_for("the folder of the desktop to go", self._cleaned)

    def _cleaned(self):
        try:
            self.folder.cleanup()
        except OSError:
            return False  # A program that is just ending has written something more.
        return True


def outside(env):
    """An environment without what belongs to a desktop that these tests may have been started in."""
    inside = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "XAUTHORITY",
              "HANDEYE_DESKTOP", "HANDEYE_DESKTOP_MEMBER")
    return {name: value for name, value in env.items() if name not in inside}


def end_group(child):
    """Ends a program and what it started."""
    HISTORY.ending(child)
    for sign in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, sign)
        except ProcessLookupError:
            break
        if sign != signal.SIGCONT:
            try:
                child.wait(3)
            except subprocess.TimeoutExpired:
                continue
    child.poll()

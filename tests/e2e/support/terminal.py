"""A command at a terminal of its own, as a person has it."""

import os
import pty
import select
import signal
import subprocess
import threading
import time

from . import BINARY


class Terminal:
    """A terminal on which one command runs, in a session of its own. What it shows is kept, and what a test types reaches it.

    Without `owned`, the command has the terminal as its streams only, as a program has that runs in the background.
    """

    def __init__(self, env, *words, owned=True, stdout=None):
        self._master, end = pty.openpty()
        command = [BINARY, *words]
        if owned:
            # The program takes its own place: the process is the command's.
            command = ["setsid", "--ctty", *command]
        # As in a shell, also where this run was started by nohup: an ignored signal stays ignored in all children.
        command = ["env", "--default-signal=HUP", *command]
        self.child = subprocess.Popen(command, env={**env, "TERM": "xterm", "NO_COLOR": "1"}, stdin=end,
                                      stdout=end if stdout is None else stdout, stderr=end)
        os.close(end)
        self._shown, self._changed = b"", threading.Condition()
        # A read that waits would keep the terminal open.
        self._woken, self._wake = os.pipe()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while True:
            ready, _, _ = select.select([self._master, self._woken], [], [])
            try:
                data = os.read(self._master, 4096) if self._woken not in ready else b""
            except OSError:  # All other ends are closed.
                data = b""
            with self._changed:
                self._shown += data
                self._changed.notify_all()
            if not data:
                return

    @property
    def shown(self):
        """All that was shown so far, what was typed included."""
        return self._shown.decode(errors="replace").replace("\r\n", "\n")

    def until(self, text, times=1, timeout=60):
        """Waits until a text was shown so many times; returns all that was."""
        end = time.monotonic() + timeout
        with self._changed:
            while self.shown.count(text) < times:
                assert self._reader.is_alive() or self.shown.count(text) >= times, f"it ended without {text!r}: {self.shown!r}"
                assert self._changed.wait(max(0.0, end - time.monotonic())), f"{text!r} is not in {self.shown!r}"
        return self.shown

    def type(self, text):
        """Types keys."""
        os.write(self._master, text.encode())

    def signal(self, number):
        """Sends a signal to the command."""
        self.child.send_signal(number)

    def hang_up(self):
        """Closes the terminal, as one closes its window."""
        os.write(self._wake, b".")
        self._reader.join(10)
        os.close(self._master)
        self._master = None

    def end(self, timeout=60):
        """Waits for the end of the command: its exit code."""
        code = self.child.wait(timeout)
        self._reader.join(10)
        return code

    def close(self):
        """Ends everything."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGKILL)
            self.child.wait(10)
        if self._master is not None:
            self.hang_up()
        os.close(self._wake)
        os.close(self._woken)

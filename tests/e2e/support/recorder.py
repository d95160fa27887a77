"""`handeye record`, as a person in front of the desktop uses it."""

import signal
import subprocess

from . import BINARY, PATIENCE, wait_for


class Recorder:
    """`handeye record`, which runs until it is ended."""

    def __init__(self, desktop, path, *words):
        self.path = str(path)
        self.said = str(path) + ".said"
        with open(self.said, "w", encoding="utf-8") as said:
            self.process = subprocess.Popen([BINARY, "record", "--yes", "--output", self.path, *words], env=desktop.env,
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        wait_for("the recording to begin", lambda: "Recording what you do" in self.text())

    def text(self):
        """What it has printed."""
        with open(self.said, encoding="utf-8") as said:
            return said.read()

    def end(self):
        """Ends it and returns the file that it wrote."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE) == 0, self.text()
        with open(self.path, encoding="utf-8") as file:
            return file.read()

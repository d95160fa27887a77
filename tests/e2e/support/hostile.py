"""An application on the accessibility bus that misbehaves, as a test sees it."""

import itertools
import json
import sys

from . import tail, wait_for
from .applications import APPS

_numbers = itertools.count(1)


class Hostile:
    """A running `tests/apps/hostile.py`."""

    def __init__(self, desktop, kind, address=""):
        self._log = desktop.path(f"hostile-{kind}-{next(_numbers)}.log")
        self._output = desktop.path(f"hostile-{kind}.out")
        self.child = desktop.start([sys.executable, str(APPS / "hostile.py"), kind], f"hostile-{kind}",
                                   {"APP_LOG": self._log, "APP_ADDRESS": address})
        self.app = str(self.child.pid)
        wait_for(f"the hostile application '{kind}' to start", self._started)

    def _started(self):
        assert self.child.poll() is None, f"the hostile application ended: {tail(self._output)}"
        try:
            return open(self._log, encoding="utf-8") is not None
        except FileNotFoundError:
            return False

    def calls(self):
        """The calls that it got: (path's last part, member)."""
        with open(self._log, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        return [(line["path"].rsplit("/", 1)[1], line["member"]) for line in lines]

    def stop(self):
        self.child.kill()
        self.child.wait(5)

"""What the end-to-end tests stand on: a desktop, applications, an MCP client and witnesses."""

import os
import pathlib
import time

TESTS = pathlib.Path(__file__).resolve().parents[2]
REPOSITORY = TESTS.parent
BINARY = os.environ.get("HANDEYE_BINARY", str(REPOSITORY / "target/debug/handeye"))


def wait_for(what, condition, timeout=10.0, every=0.02):
    """Waits until `condition()` is true and returns what it gave; fails saying `what` after `timeout` seconds."""
    end = time.monotonic() + timeout
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"waited {timeout} s for {what}; last seen: {result!r}")
        time.sleep(every)

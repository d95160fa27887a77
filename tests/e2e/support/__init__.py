"""What the end-to-end tests are built on: a desktop, applications, an MCP client and witnesses."""

import os
import pathlib
import time

TESTS = pathlib.Path(__file__).resolve().parents[2]
REPOSITORY = TESTS.parent
BINARY = os.environ.get("HANDEYE_BINARY", str(REPOSITORY / "target/debug/handeye"))

# Tests call faster than any agent does. What the limits do has a test of its own.
for _limit, _most in (("RATE_LIMIT_RPS", "1000000"), ("RATE_LIMIT_RPM", "1000000"), ("CONCURRENCY", "10000"),
                      ("VLM_RATE_LIMIT", "100000"), ("SCRIPT_RATE_LIMIT", "100000"), ("QUESTION_RATE_LIMIT", "100000")):
    os.environ.setdefault(f"HANDEYE_{_limit}", _most)


# How long something may take that is sure to come. What is waited for costs this only where the product is at fault, and a
# machine whose two cores are busy is slow.
PATIENCE = 60.0


def wait_for(what, condition, timeout=PATIENCE, every=0.02):
    """Waits until `condition()` is true and returns what it gave; fails saying `what` after `timeout` seconds."""
    end = time.monotonic() + timeout
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"waited {timeout} s for {what}; last seen: {result!r}")
        time.sleep(every)


def quick_once(what, limit, attempt, tries=8):
    """Passes once `attempt()`, which returns seconds or None for an attempt that says nothing, takes less than `limit`.

    A busy machine makes any one attempt slow; what is slow by itself is slow each time.
    """
    took = []
    for _ in range(tries):
        took.append(attempt())
        if took[-1] is not None and took[-1] < limit:
            return
    raise AssertionError(f"{what} took {took} s in {tries} attempts, never less than {limit} s")


def tail(path, lines=40):
    """The last lines of a file that a process writes, for the message of a failure."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-lines:])
    except OSError as fault:
        return f"({fault})"

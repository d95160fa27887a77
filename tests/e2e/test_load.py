"""Load: 10,000 calls of 16 clients at once, of all revisions, leave the server as it was."""

import concurrent.futures
import itertools
import os
import statistics
import time

import pytest

from support import applications, wait_for
from support.http import LATEST, HttpServer

CALLS = 10_000
CLIENTS = 16
REVISIONS = itertools.cycle([LATEST, "2025-11-25", LATEST, "2025-06-18"])
# What allocators and caches may keep. A leak of one kilobyte a call would be twice that.
MEMORY_MARGIN = 5 * 1024 * 1024
HANDLES_MARGIN = 3


def figures(process):
    """What a process holds: bytes of memory, open files, sockets among them, and threads."""
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        status = dict(line.split(":", 1) for line in file)
    handles = []
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            handles.append(os.readlink(f"/proc/{process}/fd/{name}"))
        except FileNotFoundError:
            pass
    return {"memory": int(status["VmRSS"].split()[0]) * 1024, "files": len(handles),
            "sockets": sum(handle.startswith("socket:") for handle in handles), "threads": int(status["Threads"])}


@pytest.fixture
def server(desktop):
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": os.devnull})
    yield own
    assert own.stop() == 0


def one_of_each(speaker, app):
    """Kinds of calls, over and over: what costs little, so that it is the protocol that is loaded."""
    yield lambda: speaker.request("tools/list").result["tools"]
    yield lambda: speaker.call("ax_get_value", app=app, query="Name")["structuredContent"]
    yield lambda: speaker.call("ax_click")["isError"]
    yield lambda: speaker.request("resources/list").result["resources"]
    yield lambda: "error" in speaker.request("tools/call", name="nobody", arguments={}).last
    yield lambda: speaker.request("resources/templates/list").result["resourceTemplates"]
    yield lambda: "error" in speaker.request("nobody/knows").last
    yield lambda: speaker.call("ax_is_accessible")["content"]


def work(server, revision, app, calls):
    """One client: its calls one after the other; how long each took, in milliseconds."""
    speaker = server.speak(revision, name=f"load-{revision}")
    times = []
    kinds = itertools.cycle(list(one_of_each(speaker, app)))
    for kind in itertools.islice(kinds, calls):
        begun = time.perf_counter()
        assert kind()
        times.append((time.perf_counter() - begun) * 1000)
    if revision < LATEST:
        assert speaker.end().status == 204
    speaker.close()
    return times


def rush(server, app, calls):
    """All clients at once."""
    revisions = list(itertools.islice(REVISIONS, CLIENTS))
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        parts = pool.map(lambda revision: work(server, revision, app, calls // CLIENTS), revisions)
        return sorted(itertools.chain.from_iterable(parts))


def test_10000_calls_leave_nothing_behind(desktop, server):
    app = applications.start(desktop, "gtk3")
    try:
        # What is made once, for all calls that follow, is there after these.
        rush(server, app.app, CALLS // 10)
        before = wait_for_rest(server)
        begun = time.monotonic()
        times = rush(server, app.app, CALLS)
        seconds = time.monotonic() - begun
        after = wait_for_rest(server)
    finally:
        app.stop()
    print(f"\n{len(times)} calls of {CLIENTS} clients in {seconds:.1f} s ({len(times) / seconds:.0f}/s): median "
          f"{statistics.median(times):.1f} ms, 99 % within {times[len(times) * 99 // 100]:.1f} ms\n"
          f"before: {before}\nafter:  {after}")
    assert len(times) >= CALLS - CLIENTS
    assert after["memory"] - before["memory"] < MEMORY_MARGIN
    assert after["files"] - before["files"] <= HANDLES_MARGIN
    assert after["sockets"] - before["sockets"] <= HANDLES_MARGIN
    assert after["threads"] - before["threads"] <= HANDLES_MARGIN


def wait_for_rest(server):
    """What it holds once nothing of it goes away any more: connections of clients that left, threads without work."""
    last, since = figures(server.process.pid), time.monotonic()

    def rests():
        nonlocal last, since
        now = figures(server.process.pid)
        if any(now[name] != last[name] for name in ("files", "sockets", "threads")):
            last, since = now, time.monotonic()
        # Longer than a thread waits for work.
        return time.monotonic() - since > 12
    wait_for("the server to rest", rests, 120, every=0.2)
    return figures(server.process.pid)

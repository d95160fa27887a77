"""Compares the times and the memory of two handeye binaries on the same applications, taking turns in every round.

    python tests/bench/two_binaries.py BASE NEW [--rounds 11] [--toolkits gtk3,gtk4,qt5,libreoffice,firefox,chromium]

Prints a table of medians and of NEW divided by BASE: times in ms, the server's largest resident set in MiB. Each round starts a fresh server, so that its first tree is a cold one.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

from support import applications, wait_for  # noqa: E402
from support.desktop import Desktop  # noqa: E402

TOOLKITS = ("gtk3", "gtk4", "qt5", "libreoffice", "firefox", "chromium")
# Where there is a control that a click changes in each way.
CLICKED = {"gtk3", "gtk4", "qt5", "firefox", "chromium"}
QUERIES = {"libreoffice": "Bold"}


class Server:
    """One server, spoken to by hand: a client library would take longer than what is measured."""

    def __init__(self, binary, env):
        self._process = subprocess.Popen([binary, "mcp", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         env={**env, "HANDEYE_LOG_FILE": os.devnull}, text=True)
        self._number = 0
        self._request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                     "clientInfo": {"name": "two_binaries", "version": "1"}})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message):
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _request(self, method, parameters):
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        while True:
            message = json.loads(self._process.stdout.readline())
            if message.get("id") == self._number and "method" not in message:
                return message["result"]

    def timed(self, tool, **arguments):
        """Milliseconds that a call took, which has to succeed."""
        start = time.perf_counter()
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        took = (time.perf_counter() - start) * 1000
        if result.get("isError"):
            raise AssertionError(f"{tool} {arguments}: {result['content'][0].get('text')}")
        return took

    def peak_memory(self):
        """MiB of the largest resident set that the server has had."""
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)[1]) / 1024

    def close(self):
        """Ends the server by closing its input."""
        self._process.stdin.close()
        self._process.wait(30)


def measure(binary, desktop, app, toolkit):
    """One round of one binary: what was measured, by its name; milliseconds unless the name has another unit."""
    server = Server(binary, desktop.env)
    try:
        server.timed("ax_list_apps")
        took = {"cold tree": server.timed("ax_get_tree", app=app.app)}
        took["unchanged tree"] = statistics.median(server.timed("ax_get_tree", app=app.app) for _ in range(3))
        query = QUERIES.get(toolkit, "Count")
        took["warm find"] = statistics.median(server.timed("ax_find", app=app.app, query=query) for _ in range(3))
        if toolkit in CLICKED:
            took["click"] = server.timed("ax_click", app=app.app, query="role:button Count")
        took["peak memory (MiB)"] = server.peak_memory()
        return took
    finally:
        server.close()


def main():
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--toolkits", default=",".join(TOOLKITS))
    options = parser.parse_args()
    binaries = {"base": os.path.abspath(options.base), "new": os.path.abspath(options.new)}
    print(f"{options.rounds} rounds, load average {os.getloadavg()}\n")
    print("| Toolkit | | base | new | new ÷ base |\n| --- | --- | ---: | ---: | ---: |")
    for toolkit in options.toolkits.split(","):
        desktop = Desktop()
        try:
            app = applications.start(desktop, toolkit)
            wait_for("the application to be read", lambda: _is_ready(binaries["base"], desktop, app, toolkit), every=0.5)
            times = {name: {} for name in binaries}
            for number in range(options.rounds):
                order = sorted(binaries, reverse=bool(number % 2))
                for name in order:
                    for what, took in measure(binaries[name], desktop, app, toolkit).items():
                        times[name].setdefault(what, []).append(took)
            for what in times["base"]:
                base, new = (statistics.median(times[name][what]) for name in ("base", "new"))
                print(f"| {toolkit} | {what} | {base:.1f} | {new:.1f} | {new / base:.2f} |", flush=True)
            app.stop()
        finally:
            desktop.stop()


def _is_ready(binary, desktop, app, toolkit):
    try:
        return measure(binary, desktop, app, toolkit)
    except AssertionError:
        return None


if __name__ == "__main__":
    main()

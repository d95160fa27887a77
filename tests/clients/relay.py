#!/usr/bin/env python3
"""Stands between a client and its MCP server on standard input and output, changes nothing, and records every message.

    relay.py RECORD COMMAND [ARGUMENT...]

Each line of RECORD is JSON: who sent it, when, and the message as it was.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time


class Record:
    """A file of messages, which two directions write to."""

    def __init__(self, path):
        self._file = open(path, "a", encoding="utf-8")
        self._lock = threading.Lock()

    def add(self, sender, line):
        """One message."""
        try:
            message = json.loads(line)
        except ValueError:
            message = {"unreadable": line.decode(errors="replace")}
        self.note(sender, message)

    def note(self, sender, message):
        """One message, or what happened."""
        with self._lock:
            self._file.write(json.dumps({"from": sender, "at": time.time(), "message": message}) + "\n")
            self._file.flush()


def copy(source, target, sender, record):
    """Passes lines on until there are no more."""
    for line in source:
        record.add(sender, line)
        try:
            target.write(line)
            target.flush()
        except (BrokenPipeError, ValueError):
            break
    record.note(sender, {"closed": True})
    try:
        target.close()
    except BrokenPipeError:
        pass


def main():
    """Runs the server for as long as the client wants it."""
    path, *command = sys.argv[1:]
    record = Record(path)
    record.note("relay", {"environment": sorted(os.environ)})
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def pass_on(number, _frame):
        record.note("relay", {"signal": signal.Signals(number).name})
        server.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, pass_on)
    ways = [threading.Thread(target=copy, args=way, daemon=True) for way in
            ((sys.stdin.buffer, server.stdin, "client", record), (server.stdout, sys.stdout.buffer, "server", record))]
    for way in ways:
        way.start()
    status = server.wait()
    ways[1].join(10)
    record.note("relay", {"ended": status})
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    # The thread that reads may still wait for the client, which is not waited for.
    code = main()
    sys.stdout.flush() if not sys.stdout.closed else None
    os._exit(code)

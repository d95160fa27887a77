"""The server's protocol by hand, for what a well-behaved client would never do or see."""

import json
import subprocess

from . import BINARY, PATIENCE
from .history import HISTORY


class Wire:
    """A server process and the lines to and from it."""

    def __init__(self, env, arguments=()):
        # Standard error is pytest's own, which shows it with a failure.
        self.process = subprocess.Popen([BINARY, "mcp", "serve", *arguments], env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self._number = 0

    def send(self, method, **parameters):
        """Sends a request whose answer is not waited for."""
        self._number += 1
        self._noted = HISTORY.call(method, parameters)
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})

    def request(self, method, **parameters):
        """Sends a request and returns the answer to it."""
        self.send(method, **parameters)
        while True:
            line = self.process.stdout.readline()
            assert line, f"the server ended instead of answering {method}"
            message = json.loads(line)
            if message.get("id") == self._number:
                return self._noted.answered(message)

    def _send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def initialize(self):
        """Shakes hands as clients did before 2026-07-28."""
        answer = self.request("initialize", protocolVersion="2025-11-25", capabilities={},
                              clientInfo={"name": "test", "version": "1"})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def call(self, tool, **arguments):
        """Calls a tool and returns its result."""
        return self.request("tools/call", name=tool, arguments=arguments)["result"]

    def close(self):
        """Closes the server's input and waits for its end; returns its exit code."""
        self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.stdout.close()
            if self.process.poll() is None:
                self.process.kill()

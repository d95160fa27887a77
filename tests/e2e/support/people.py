"""Clients that can be asked, by hand: a person, a model and folders that answer as a test says."""

import json
import queue
import subprocess
import threading
import time

from . import BINARY, PATIENCE
from .history import HISTORY

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"


class Asked:
    """A server and a client that answers its questions. `answers` maps a method to a function of the question's parameters."""

    def __init__(self, env, revision="2025-11-25", arguments=(), capabilities=None, answers=None):
        self.revision, self.answers, self.questions = revision, dict(answers or {}), []
        if capabilities is None:
            capabilities = {"elicitation": {} if revision < "2025-11-25" else {"form": {}, "url": {}}}
        self.capabilities = capabilities
        self.process = subprocess.Popen([BINARY, "mcp", "serve", *arguments], env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        self.notes = []
        self._number, self._noted = 0, {}
        threading.Thread(target=self._read, daemon=True).start()
        if revision < MODERN:
            self.receive(self.send("initialize", protocolVersion=revision, capabilities=capabilities,
                                   clientInfo={"name": "asked", "version": "1"}))
            self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def write(self, message):
        """Sends one message."""
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method, **parameters):
        """Sends a request and returns its number."""
        self._number += 1
        self._noted[self._number] = HISTORY.call(method, parameters)
        if self.revision >= MODERN:
            parameters["_meta"] = {META + "protocolVersion": self.revision, META + "clientCapabilities": self.capabilities,
                                   META + "clientInfo": {"name": "asked", "version": "1"}}
        self.write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        return self._number

    def _next(self, what, timeout):
        try:
            message = self.lines.get(timeout=max(0.01, timeout))
        except queue.Empty:
            raise AssertionError(f"waited in vain for {what}; heard besides: {self.notes}, asked: {self.questions}") from None
        assert message is not None, f"the server ended with {self.process.wait(PATIENCE)} instead of {what}"
        return message

    def receive(self, number, timeout=PATIENCE):
        """The answer to a request. Questions that come before it are answered."""
        deadline = time.monotonic() + timeout
        while True:
            message = self._next(f"the answer to request {number}", deadline - time.monotonic())
            if "method" in message and "id" in message:
                self.questions.append(message)
                answer = self.answers.get(message["method"])
                if answer:
                    self.write({"jsonrpc": "2.0", "id": message["id"], "result": answer(message.get("params"))})
            elif message.get("id") == number:
                return self._noted.pop(number).answered(message)
            else:
                self.notes.append(message)

    def question(self, timeout=PATIENCE):
        """Waits for a question and does not answer it."""
        message = self._next("a question", timeout)
        assert "method" in message and "id" in message, message
        return message

    def call(self, tool, timeout=PATIENCE, **arguments):
        """Calls a tool to its end, in as many rounds as it takes; returns the JSON-RPC answer."""
        more = {}
        for _ in range(16):
            answer = self.receive(self.send("tools/call", name=tool, arguments=arguments, **more), timeout)
            result = answer.get("result", {})
            if result.get("resultType") != "input_required":
                return answer
            more = self.respond(result)
        raise AssertionError("it asks without end")

    def respond(self, result):
        """What goes with the next round."""
        responses = {}
        for key, request in result.get("inputRequests", {}).items():
            self.questions.append(request)
            answer = self.answers.get(request["method"])
            if answer:
                responses[key] = answer(request.get("params"))
        return {"inputResponses": responses, "requestState": result["requestState"]}

    def close(self):
        """Closes the input and waits for the end."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE)
        finally:
            if self.process.poll() is None:
                self.process.kill()


def accept(**content):
    """A person who fills in the form like this."""
    return {"elicitation/create": lambda _: {"action": "accept", "content": content}}


def decline():
    """A person who says no."""
    return {"elicitation/create": lambda _: {"action": "decline"}}


def cancel():
    """A person who closes the form."""
    return {"elicitation/create": lambda _: {"action": "cancel"}}


def code(answer):
    """The error's code of a failed call."""
    assert answer["result"]["isError"], answer
    return answer["result"]["structuredContent"]["error"]["code"]

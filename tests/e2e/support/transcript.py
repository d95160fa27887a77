"""A conversation with the server over stdio, kept word by word, in a form that a person reads and two runs have in common."""

import itertools
import json
import os
import queue
import re
import subprocess
import threading
import time

from . import BINARY, PATIENCE

META = "io.modelcontextprotocol/"
MODERN = "2026-07-28"
# Fields whose value differs from run to run, or does not matter for the protocol, and what replaces it.
FIELDS = {
    "instructions": "<instructions>", "version": "<version>", "requestState": "<sealed state>", "taskId": "<task>",
    "createdAt": "<time>", "lastUpdatedAt": "<time>", "timestamp": "<time>", "elicitationId": "<id>", "text": "<text>",
    "structuredContent": "<structured content>", "inputSchema": "<schema>", "outputSchema": "<schema>",
    "description": "<description>", "data": "<data>", "icons": "<icons>", "size": "<size>", "lastModified": "<time>",
    "digest": "<digest>",
}
# Notifications that may come once or several times, and what differs in them.
REPEATED = {"notifications/progress": {"progress", "total", "message"}, "notifications/message": {"data"},
            "notifications/resources/updated": set(), "notifications/resources/list_changed": set()}
# Sent when it happens, which may be in the middle of anything: kept where it is what is waited for.
NEWS = {"notifications/tasks/status", "notifications/resources/list_changed", "notifications/prompts/list_changed"}
NAMES_ONLY = {"tools", "prompts"}
PATTERNS = [(re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)"), "<time>"),
            (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<id>"),
            (re.compile(r"/tmp/[^\s\"]+"), "<path>"),
            # What hangs is called by its window's class where its windows were seen in time, else by its process.
            (re.compile(r"\S+ did not answer within"), "<process> did not answer within"),
            (re.compile(r"\b\d+(\.\d+)? ?(ms|milliseconds|seconds|s)\b"), "<duration>")]


def masked(thing, names, field=None):
    """A message without what differs from run to run; `names` are the words to put for others."""
    if field in FIELDS and thing not in (None, {}, []):
        return FIELDS[field]
    if isinstance(thing, dict):
        return {key: masked(value, names, key) for key, value in thing.items()}
    if isinstance(thing, list):
        if field in NAMES_ONLY and all(isinstance(part, dict) and "name" in part for part in thing):
            return [part["name"] for part in thing]
        return [masked(part, names) for part in thing]
    if isinstance(thing, str):
        for word, name in names.items():
            thing = thing.replace(word, name)
        for pattern, name in PATTERNS:
            thing = pattern.sub(name, thing)
    return thing


class Conversation:
    """One client of `revision`, and all that it and the server say."""

    def __init__(self, env, revision, capabilities=None, replies=None, names=()):
        self.revision, self.capabilities, self.replies = revision, capabilities or {}, replies or {}
        self.said, self._names = [], dict(names)
        self._numbers, self._numbers_aside = itertools.count(1), itertools.count(1_000)
        self._process = subprocess.Popen([BINARY, "mcp", "serve"], env={**env, "HANDEYE_LOG_FILE": os.devnull},
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._heard = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.keeps, self.awaited = True, set()

    def _listen(self):
        for line in self._process.stdout:
            self._heard.put(json.loads(line))
        self._heard.put(None)

    @property
    def is_modern(self):
        """Whether each request is self-contained."""
        return self.revision >= MODERN

    def send(self, message):
        """Says something."""
        message = {"jsonrpc": "2.0", **message}
        self._keep(">", message)
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def begin(self, method, meta=None, **params):
        """Sends a request; returns its number."""
        # Requests aside have numbers of their own: their count differs.
        number = next(self._numbers if self.keeps else self._numbers_aside)
        if self.is_modern:
            meta = {f"{META}protocolVersion": self.revision, f"{META}clientCapabilities": self.capabilities, **(meta or {})}
        if meta:
            params["_meta"] = meta
        self.send({"id": number, "method": method, "params": params})
        return number

    def hear(self, wanted, timeout=PATIENCE):
        """Listens until `wanted` holds of a message, and returns that. Questions on the way are answered."""
        end = time.monotonic() + timeout
        while True:
            message = self._heard.get(timeout=max(0.01, end - time.monotonic()))
            assert message is not None, "the server ended"
            self._keep("<", message)
            if wanted(message):
                return message
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": self.replies[message["method"]](message["params"])})

    def request(self, method, meta=None, **params):
        """Asks, and returns the answer."""
        number = self.begin(method, meta, **params)
        return self.hear(lambda message: message.get("id") == number and "method" not in message)

    def notify(self, method, **params):
        """Sends a notification."""
        self.send({"method": method, "params": params})

    def shake_hands(self):
        """Begins as the revision begins."""
        if self.is_modern:
            return self.request("server/discover")["result"]
        answer = self.request("initialize", protocolVersion=self.revision, capabilities=self.capabilities,
                              clientInfo={"name": "transcript", "version": "1"})
        self.notify("notifications/initialized")
        return answer["result"]

    def aside(self):
        """Messages in it are not kept: their count differs."""
        return _Aside(self)

    def _keep(self, direction, message):
        if not self.keeps:
            return
        message = masked(self._unhurried(message), self._names)
        if message.get("method") in NEWS - self.awaited:
            return
        if message.get("method") in REPEATED and "params" in message:
            # Which of the steps are sent differs too, and one of them has no total.
            message["params"].update((name, f"<{name}>") for name in REPEATED[message["method"]])
        text = f"{direction} " + json.dumps(message, indent=2, ensure_ascii=False)
        # How often a client in a hurry is notified differs.
        if not (message.get("method") in REPEATED and self.said and self.said[-1] == text):
            self.said.append(text)

    @staticmethod
    def _unhurried(message):
        """The message as it is of a call that is quick: the record of one over 100 ms is a warning."""
        if message.get("method") != "notifications/message":
            return message
        params = message["params"]
        data = params.get("data") or {}
        is_slow = params.get("level") == "warning" and data.get("outcome") == "ok" and data.get("duration_ms", 0) > 100
        return {**message, "params": {**params, "level": "info"}} if is_slow else message

    def close(self):
        """Ends it; returns all messages."""
        self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._process.stdout.close()
        return "\n\n".join(self.said) + "\n"


class _Aside:
    def __init__(self, conversation):
        self.conversation = conversation

    def __enter__(self):
        self.conversation.keeps = False

    def __exit__(self, *_):
        self.conversation.keeps = True

"""Conversations in the words of the protocol, over stdio or HTTP: requests under way side by side, and all messages about them."""

import contextlib
import http.client
import itertools
import json
import os
import subprocess
import threading
import urllib.parse

from . import BINARY, PATIENCE, wait_for
from .history import HISTORY
from .http import STANDARD

MODERN, LEGACY = "2026-07-28", "2025-11-25"
TASKS = "io.modelcontextprotocol/tasks"
PREFIX = "io.modelcontextprotocol/"


class Conversation:
    """What both transports have in common. `revision` is what the client speaks; from 2026-07-28 on without a handshake."""

    def __init__(self, revision, capabilities):
        self.revision = revision
        self.capabilities = capabilities or {}
        self.heard = []
        self._answers, self._noted = {}, {}
        self._numbers = itertools.count(1)

    def begin(self):
        """Shakes hands, where the revision has that; returns what the server says of itself."""
        if self.revision >= MODERN:
            return self.request("server/discover")
        hello = self.request("initialize", protocolVersion=self.revision, capabilities=self.capabilities,
                             clientInfo={"name": "conversation", "version": "1"})
        self.notify("notifications/initialized")
        return hello

    def message(self, method, parameters, meta=None):
        """A message without an id."""
        parameters = dict(parameters)
        if self.revision >= MODERN:
            meta = {PREFIX + "protocolVersion": self.revision, PREFIX + "clientCapabilities": self.capabilities,
                    PREFIX + "clientInfo": {"name": "conversation", "version": "1"}, **(meta or {})}
        if meta:
            parameters["_meta"] = meta
        return {"jsonrpc": "2.0", "method": method, "params": parameters}

    def ask(self, method, meta=None, **parameters):
        """Sends a request; returns its id."""
        number = next(self._numbers)
        self._noted[number] = HISTORY.call(method, parameters)
        self.send({**self.message(method, parameters, meta), "id": number})
        return number

    def answer(self, number, timeout=PATIENCE):
        """Waits for the answer to a request: the whole message."""
        wait_for(f"an answer to request {number}", lambda: number in self._answers, timeout)
        return self._answers[number]

    def answered(self, number):
        """Whether a request has been answered."""
        return number in self._answers

    def exchange(self, method, meta=None, timeout=PATIENCE, **parameters):
        """Sends a request and returns the whole answer."""
        return self.answer(self.ask(method, meta, **parameters), timeout)

    def request(self, method, meta=None, timeout=PATIENCE, **parameters):
        """Sends a request that has to succeed and returns its result."""
        answer = self.exchange(method, meta, timeout, **parameters)
        assert "result" in answer, f"{method} {parameters}: {answer}"
        return answer["result"]

    def refusal(self, method, meta=None, **parameters):
        """Sends a request that has to fail and returns its error."""
        answer = self.exchange(method, meta, **parameters)
        assert "error" in answer, f"{method} {parameters}: {answer}"
        assert isinstance(answer["error"]["code"], int) and answer["error"]["message"], answer
        return answer["error"]

    def call(self, tool, meta=None, **arguments):
        """Calls a tool that has to answer; returns its result, which may be one of an error."""
        return self.request("tools/call", meta, name=tool, arguments=arguments)

    def notify(self, method, **parameters):
        """Sends a notification."""
        self.send(self.message(method, parameters))

    def notifications(self, method):
        """The parameters of messages that came without being asked for."""
        return [message["params"] for message in list(self.heard) if message.get("method") == method]

    def listen(self):
        """Listens to what belongs to no request, where that has a way of its own."""

    def _take(self, message):
        if "method" not in message and message.get("id") is not None:
            assert message["id"] not in self._answers, f"answered twice: {message}"
            self._answers[message["id"]] = message
            if message["id"] in self._noted:
                self._noted.pop(message["id"]).answered(message)
        else:
            self.heard.append(message)

    def send(self, message):
        """Sends a message."""
        raise NotImplementedError

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends it."""
        raise NotImplementedError


class Stdio(Conversation):
    """A server of its own at the other end of two pipes."""

    def __init__(self, env, revision=LEGACY, capabilities=None, log=None, arguments=()):
        super().__init__(revision, capabilities)
        self.process = subprocess.Popen(
            [BINARY, "mcp", "serve", *arguments], env={"HANDEYE_LOG_FILE": log or os.devnull, **env},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._reading = threading.Event()
        self._reading.set()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while True:
            self._reading.wait()
            line = self.process.stdout.readline()
            if not line:
                return
            self._take(json.loads(line))

    def stop_reading(self):
        """Reads no more, as a client does that hangs."""
        self._reading.clear()

    def go_on_reading(self):
        """Reads again."""
        self._reading.set()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def raw(self, line):
        """Sends bytes as they are."""
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def end(self, timeout=PATIENCE):
        """Closes the server's input and waits for its end; returns its exit code."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        return self.process.wait(timeout)

    def close(self):
        try:
            self.end()
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait(10)
            self._reading.set()
            self._reader.join(10)
            self.process.stdout.close()


class Http(Conversation):
    """A client of a server that several share; each request is a connection of its own."""

    def __init__(self, url, revision=LEGACY, capabilities=None):
        super().__init__(revision, capabilities)
        self._url = urllib.parse.urlsplit(url)
        self._session = None
        self._connections = []
        self.statuses = []

    def _headers(self, message):
        headers = dict(STANDARD)
        if self.revision >= MODERN:
            headers |= {"MCP-Protocol-Version": self.revision, "Mcp-Method": message.get("method", "")}
            named = [message.get("params", {}).get(field) for field in ("name", "uri", "taskId")]
            headers |= {"Mcp-Name": name for name in named if isinstance(name, str)}
        elif self._session:
            headers |= {"MCP-Protocol-Version": self.revision, "Mcp-Session-Id": self._session}
        return headers

    def send(self, message):
        body = json.dumps(message).encode()
        if message.get("method") == "initialize" or "id" not in message:
            self.post(body, self._headers(message))
        else:
            threading.Thread(target=self.post, args=(body, self._headers(message)), daemon=True).start()

    def post(self, body, headers):
        """Posts bytes as they are and takes what comes back; returns the status."""
        connection = http.client.HTTPConnection(self._url.hostname, self._url.port, timeout=120)
        self._connections.append(connection)
        try:
            connection.request("POST", self._url.path, body, headers)
            response = connection.getresponse()
            self.statuses.append(response.status)
            self._session = response.headers.get("Mcp-Session-Id") or self._session
            if response.headers.get("Content-Type", "").startswith("text/event-stream"):
                self._take_all(response)
            else:
                text = response.read()
                if response.headers.get("Content-Type", "").startswith("application/json") and text:
                    self._take(json.loads(text))
            return response.status
        except (OSError, http.client.HTTPException):
            return None  # broken off by `close` or by the server
        finally:
            connection.close()

    def _take_all(self, response):
        for line in response:
            if line.startswith(b"data:") and line[5:].strip():
                self._take(json.loads(line[5:]))

    def listen(self):
        connection = http.client.HTTPConnection(self._url.hostname, self._url.port, timeout=120)
        connection.request("GET", self._url.path, headers={**self._headers({}), "accept": "text/event-stream"})
        response = connection.getresponse()
        assert response.status == 200, (response.status, response.read())

        def read():
            with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
                self._take_all(response)

        threading.Thread(target=read, daemon=True).start()

    def close(self):
        if self._session:
            connection = http.client.HTTPConnection(self._url.hostname, self._url.port, timeout=PATIENCE)
            with contextlib.closing(connection):
                connection.request("DELETE", self._url.path, headers={**STANDARD, "Mcp-Session-Id": self._session})
                connection.getresponse().read()

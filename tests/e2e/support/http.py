"""A server that listens on this machine, and its protocol by hand: requests and answers as they are on the wire."""

import contextlib
import http.client
import itertools
import json
import subprocess
import threading
import urllib.parse

from . import BINARY, PATIENCE
from .history import HISTORY

LATEST = "2026-07-28"
META = "io.modelcontextprotocol/"
# What every server of the tests is given, unless its environment says otherwise.
TOKEN = "a-token-of-the-tests-alone-0123456789"
STANDARD = {"content-type": "application/json", "accept": "application/json, text/event-stream",
            "authorization": f"Bearer {TOKEN}"}


class HttpServer:
    """A process that prints the address at which it serves: `handeye mcp serve --http` unless `command` is another."""

    def __init__(self, env, arguments=(), command=None, log=None):
        command = command or [BINARY, "mcp", "serve", "--http", "--port", "0"]
        env = {"HANDEYE_HTTP_TOKEN": TOKEN, **env}
        # Without a log its standard error is pytest's own, which shows it with a failure.
        with open(log, "ab") if log else contextlib.nullcontext() as errors:
            self.process = subprocess.Popen([*command, *arguments], env=env, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=errors)
        self.url = self.process.stdout.readline().decode().strip()
        assert self.url, f"the server ended with {self.process.wait(PATIENCE)} and said no address"

    def speak(self, revision=LATEST, **options):
        """A client of this revision that talks by hand."""
        return (Stateless if revision >= LATEST else InSession)(self.url, revision, **options)

    def stop(self):
        """Ends it as a person would, and returns its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.stdout.close()
            if self.process.poll() is None:
                self.process.kill()


class Answer:
    """An answer over HTTP: its status, its headers, and the messages in it, in their order."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()
        self.messages = list(messages(self.headers.get("content-type", ""), self.body))

    @property
    def last(self):
        """The last message: the answer, if it came to one."""
        assert self.messages, (self.status, self.body)
        return self.messages[-1]

    @property
    def result(self):
        """The result, which has to be one."""
        assert "result" in self.last, self.last
        return self.last["result"]

    @property
    def error(self):
        """The error, which has to be one."""
        assert "error" in self.last, self.last
        return self.last["error"]


def messages(kind, body):
    """The messages in a body, which is one of them or a stream of events."""
    if kind.startswith("text/event-stream"):
        for event in body.decode().replace("\r\n", "\n").split("\n\n"):
            data = "\n".join(line[5:].strip() for line in event.split("\n") if line.startswith("data:"))
            if data:
                yield json.loads(data)
    elif kind.startswith("application/json") and body:
        yield json.loads(body)


class Speaker:
    """What both eras have in common: one connection, which is made again when it has ended."""

    def __init__(self, url, revision, capabilities=None, name="test", trust=None):
        parts = urllib.parse.urlsplit(url)
        self.address, self.path = (parts.hostname, parts.port), parts.path
        # The context of `ssl`, for a server that encrypts.
        self.trust = trust
        self.revision, self.capabilities = revision, capabilities or {}
        self.info = {"name": name, "version": "1"}
        self.numbers = itertools.count(1)
        self._kept = threading.local()

    def connect(self):
        """A new connection."""
        if self.trust:
            return http.client.HTTPSConnection(*self.address, timeout=60, context=self.trust)
        return http.client.HTTPConnection(*self.address, timeout=60)

    def connection(self):
        """A connection of this thread's own."""
        if not getattr(self._kept, "connection", None):
            self._kept.connection = self.connect()
        return self._kept.connection

    def send(self, body, headers=None, method="POST"):
        """Sends a body as it is."""
        connection = self.connection()
        try:
            connection.request(method, self.path, body, {**STANDARD, **(headers or {})})
            return Answer(connection.getresponse())
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def noted(self, method, params, body, headers):
        """Sends a request, and notes it for the report of a failure."""
        call = HISTORY.call(method, params)
        answer = self.send(body, headers)
        call.answered(f"{answer.status}: {answer.body.decode(errors='replace')}")
        return answer

    def converse(self, method, replies, meta=None, until=None, **params):
        """Sends a request and returns all messages before the answer, and the answer. Questions of the server are answered by
        `replies`; it stops listening when `until` holds of a message."""
        body, headers = self.compose(method, params, meta)
        connection = self.connect()
        connection.request("POST", self.path, json.dumps(body), {**STANDARD, **headers})
        said = []
        with contextlib.closing(connection):
            response = connection.getresponse()
            for line in iter(response.readline, b""):
                if not line.startswith(b"data: {"):
                    continue
                message = json.loads(line[5:])
                said.append(message)
                if "method" in message and "id" in message:
                    reply = {"jsonrpc": "2.0", "id": message["id"], "result": replies[message["method"]](message["params"])}
                    assert self.send(json.dumps(reply), self.headers()).status == 202
                if until and until(message):
                    break
        return said

    def call(self, tool, meta=None, **arguments):
        """Calls a tool, and returns its result."""
        return self.request("tools/call", meta=meta, name=tool, arguments=arguments).result

    def close(self):
        """Closes the connection of this thread."""
        if getattr(self._kept, "connection", None):
            self._kept.connection.close()
            self._kept.connection = None


class Stateless(Speaker):
    """A client of 2026-07-28: each request is self-contained."""

    def headers(self, method, params):
        """What repeats parts of the body."""
        named = params.get("name") or params.get("uri") or params.get("taskId")
        return {"mcp-protocol-version": self.revision, "mcp-method": method, **({"mcp-name": named} if named else {})}

    def body(self, method, params, meta=None):
        """A request."""
        meta = {f"{META}protocolVersion": self.revision, f"{META}clientCapabilities": self.capabilities,
                f"{META}clientInfo": self.info, **(meta or {})}
        return {"jsonrpc": "2.0", "id": next(self.numbers), "method": method, "params": {**params, "_meta": meta}}

    def request(self, method, meta=None, headers=None, **params):
        """Sends a request and waits for the end of the answer."""
        body, standard = self.compose(method, params, meta)
        return self.noted(method, params, json.dumps(body), {**standard, **(headers or {})})

    def compose(self, method, params, meta):
        """A request and its headers."""
        return self.body(method, params, meta), self.headers(method, params)


class InSession(Speaker):
    """A client of a revision before: it shakes hands, and its requests belong to a session."""

    def __init__(self, url, revision, **options):
        super().__init__(url, revision, **options)
        self.session = None
        self.hello = self.request("initialize", protocolVersion=revision, capabilities=self.capabilities,
                                  clientInfo=self.info)
        self.session = self.hello.headers["mcp-session-id"]
        self.notify("notifications/initialized")

    def headers(self):
        """What says which session it is."""
        said = {"mcp-session-id": self.session} if self.session else {}
        # The header came with that revision.
        return {**said, "mcp-protocol-version": self.revision} if said and self.revision >= "2025-06-18" else said

    def request(self, method, meta=None, headers=None, **params):
        """Sends a request and waits for the end of the answer."""
        body, standard = self.compose(method, params, meta)
        return self.noted(method, params, json.dumps(body), {**standard, **(headers or {})})

    def compose(self, method, params, meta):
        """A request and its headers."""
        params = {**params, "_meta": meta} if meta else params
        return {"jsonrpc": "2.0", "id": next(self.numbers), "method": method, "params": params}, self.headers()

    def notify(self, method, **params):
        """Sends a notification."""
        answer = self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}), self.headers())
        assert answer.status == 202, (answer.status, answer.body)

    def end(self):
        """Ends the session."""
        return self.send(None, self.headers(), method="DELETE")

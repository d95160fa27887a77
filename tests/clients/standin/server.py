"""The HTTP server: finds the wire format of a request, records it, and sends what the play says."""

import http.server
import itertools
import json
import socketserver
import threading
import traceback

from . import anthropic, chat, gemini, responses, schemas

FORMATS = {"Anthropic messages": anthropic, "OpenAI responses": responses, "OpenAI chat completions": chat,
           "Gemini generateContent": gemini}
# Answers to small things that clients ask before and beside the conversation.
_MODELS = {"object": "list", "data": [{"id": "mock-model", "object": "model"}]}


class StandIn:
    """A server with a port of its own. `play` maps the name of a wire format and a turn to a move.

    `requests` has what was asked, `violations` what is wrong with the tools that were declared, `faults` its own failures.
    """

    def __init__(self, play):
        self.play = play
        self.requests, self.faults, self.violations = [], [], set()
        self._numbers = itertools.count(1)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.stand_in = self
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self):
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def number(self):
        """A number that no other request has."""
        return next(self._numbers)

    def stop(self):
        """Closes the port."""
        self._server.shutdown()
        self._server.server_close()


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self._send(b"", "application/json")

    def do_GET(self):
        self.path = self.path.partition("?")[0]
        self.server.stand_in.requests.append({"method": "GET", "path": self.path})
        self.json(_MODELS if self.path.endswith("/models") else {})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        stand_in, self.path = self.server.stand_in, self.path.partition("?")[0]
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {}
        self.number = stand_in.number()
        stand_in.requests.append({"method": "POST", "path": self.path, "body": body})
        for name, wire in FORMATS.items():
            if wire.matches(self.path):
                try:
                    stand_in.violations.update(schemas.violations(name, body))
                    move = stand_in.play(name, wire.read(self.path, body))
                    return wire.write(self, body, move)
                except (BrokenPipeError, ConnectionResetError):
                    return None
                except Exception:  # Shown with the test that fails; a client would only try again.
                    stand_in.faults.append(traceback.format_exc())
                    return self.send_error(500)
        if self.path.endswith(("/count_tokens", ":countTokens")):
            return self.json({"input_tokens": 100, "totalTokens": 100})
        return self.json({})

    def json(self, value):
        """Answers with JSON."""
        self._send(json.dumps(value).encode(), "application/json")

    def stream(self, events):
        """Answers with server-sent events: (name or None, JSON or a plain text)."""
        lines = []
        for name, data in events:
            lines.append((f"event: {name}\n" if name else "") + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
        self._send("".join(lines).encode(), "text/event-stream")

    def _send(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

"""An AI provider on this machine: speaks the wire formats of OpenAI, Anthropic, Gemini and Ollama, and records what it is asked."""

import base64
import contextlib
import dataclasses
import http.server
import json
import re
import socket
import ssl
import struct
import threading
import time

from . import PATIENCE

PNG = b"\x89PNG\r\n\x1a\n"
NO_PICTURE = {"media_type": "none", "data": ""}
KEYS = {"openai": "sk-test-openai-0123456789", "anthropic": "sk-ant-test-9876543210", "gemini": "AIza-test-gemini-5555"}


@dataclasses.dataclass
class Question:
    """One question as it came over the wire. One without a picture has an empty `file`."""

    protocol: str
    path: str
    headers: dict
    body: dict
    model: str
    text: str
    mime_type: str
    file: bytes

    @property
    def size(self):
        """Width and height of the picture, from its file."""
        return size(self.file)


class Provider:
    """A server with a port of its own.

    `abilities` are the models that it lists as an Ollama, each with what it says that it can do.
    `answer` is what it says: a text, or a function from the `Question` to one. `failure` replaces every answer:
    `(status, headers, body)`. `hold()` keeps answers back for as long as its block runs.
    """

    def __init__(self, certificate=None):
        """`certificate`: files with a certificate and its key, for https."""
        self.scheme = "https" if certificate else "http"
        self.answer = "A picture."
        self.failure = None
        self.abilities = {}
        self.up = True
        self.questions = []
        self.checks = []
        self.given_up = 0
        self.most_at_once = 0
        self._at_once = 0
        self._changed = threading.Condition()
        self._free = threading.Event()
        self._free.set()
        self._server = _Server(self)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self):
        """Where it listens, without a path."""
        return f"{self.scheme}://127.0.0.1:{self._server.server_address[1]}"

    def environment(self, *models, keys=True):
        """What handeye needs in its environment to ask these `provider/model` here and nowhere else."""
        names = {model.split("/")[0] for model in models}
        base = {"openai": self.url + "/v1", "anthropic": self.url, "gemini": self.url + "/v1beta", "ollama": self.url}
        env = {"HANDEYE_AI_PROVIDERS": ",".join(models)}
        for name in names:
            env[f"HANDEYE_{name.upper()}_BASE_URL"] = base.get(name, self.url + "/v1")
            if keys and name in KEYS:
                env[f"{name.upper()}_API_KEY"] = KEYS[name]
        return env

    @contextlib.contextmanager
    def hold(self):
        """Questions that come meanwhile are answered when the block ends."""
        self._free.clear()
        try:
            yield
        finally:
            self._free.set()

    def wait(self, condition, timeout=PATIENCE):
        """Waits until `condition(self)` holds, looking again after everything that happens here."""
        with self._changed:
            assert self._changed.wait_for(lambda: condition(self), timeout), \
                f"not so within {timeout} s: {len(self.questions)} questions, {self.given_up} given up"

    def stop(self):
        """Closes the port."""
        self._free.set()
        self._server.shutdown()
        self._server.server_close()

    def ask(self, question, client_left):
        """Answers a question; None if the client left before."""
        with self._changed:
            self.questions.append(question)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            self._changed.notify_all()
        try:
            while not self._free.wait(0.02):
                if client_left():
                    with self._changed:
                        self.given_up += 1
                        self._changed.notify_all()
                    return None
            return self.answer(question) if callable(self.answer) else self.answer
        finally:
            with self._changed:
                self._at_once -= 1
                self._changed.notify_all()

    def checked(self, path):
        """Records that a client checked whether this is up."""
        with self._changed:
            self.checks.append(path)
            self._changed.notify_all()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, provider):
        self.provider = provider
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        provider = self.server.provider
        provider.checked(self.path)
        if provider.up:
            self._reply(200, {"models": [{"name": name} for name in provider.abilities], "data": []})
        else:
            self._reply(503, {"error": "down"})

    def do_POST(self):
        provider = self.server.provider
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/api/show":
            provider.checked(f"{self.path} {body['model']}")
            self._reply(200, {"capabilities": provider.abilities[body["model"]]})
            return
        question = read(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        if provider.failure:
            with_headers = provider.failure
            provider.ask(question, self._client_left)
            self._raw(with_headers[0], with_headers[1], with_headers[2])
            return
        said = provider.ask(question, self._client_left)
        if said is None:
            self.close_connection = True
            return
        self._reply(200, write(question, said))

    def _client_left(self):
        with contextlib.suppress(BlockingIOError):
            try:
                return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
            except ConnectionError:
                return True
        return False

    def _reply(self, status, body):
        self._raw(status, {"content-type": "application/json"}, json.dumps(body))

    def _raw(self, status, headers, body):
        body = body.encode()
        with contextlib.suppress(ConnectionError):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)


def read(path, headers, body):
    """The question in a request of any of the wire formats."""
    if path.endswith("/chat/completions"):
        parts = body["messages"][-1]["content"]
        url = next((part["image_url"]["url"] for part in parts if part["type"] == "image_url"), "data:none;base64,")
        mime_type, data = re.fullmatch(r"data:([^;]+);base64,(.*)", url).groups()
        text = next(part["text"] for part in parts if part["type"] == "text")
        return Question("openai", path, headers, body, body["model"], text, mime_type, base64.b64decode(data))
    if path.endswith("/v1/messages"):
        parts = body["messages"][-1]["content"]
        source = next((part["source"] for part in parts if part["type"] == "image"), NO_PICTURE)
        text = next(part["text"] for part in parts if part["type"] == "text")
        return Question("anthropic", path, headers, body, body["model"], text, source["media_type"],
                        base64.b64decode(source["data"]))
    if path.endswith(":generateContent"):
        parts = body["contents"][-1]["parts"]
        picture = next((part["inline_data"] for part in parts if "inline_data" in part), NO_PICTURE | {"mime_type": "none"})
        text = next(part["text"] for part in parts if "text" in part)
        model = re.search(r"/models/([^:]+(?::[^:]+)*):generateContent$", path).group(1)
        return Question("gemini", path, headers, body, model, text, picture["mime_type"],
                        base64.b64decode(picture["data"]))
    assert path == "/api/generate", path
    file = base64.b64decode(body["images"][0]) if "images" in body else b""
    mime_type = "image/png" if file.startswith(PNG) else "image/jpeg"
    return Question("ollama", path, headers, body, body["model"], body["prompt"], mime_type, file)


def size(file):
    """Width and height in the header of a PNG or JPEG."""
    if file.startswith(PNG):
        return struct.unpack(">II", file[16:24])
    assert file.startswith(b"\xff\xd8"), file[:16]
    at = 2
    while True:
        marker, length = file[at + 1], struct.unpack(">H", file[at + 2:at + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", file[at + 5:at + 9])
            return width, height
        at += 2 + length


def write(question, text):
    """An answer in the wire format of the question."""
    return {
        "openai": {"model": question.model, "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}]},
        "anthropic": {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": text}]},
        "gemini": {"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [{"text": text}]}}]},
        "ollama": {"model": question.model, "response": text, "done": True, "done_reason": "stop"},
    }[question.protocol]


def main():
    """Serves until it is interrupted, for trying by hand: `PYTHONPATH=tests/e2e python -m support.provider`."""
    provider = Provider()
    provider.answer = lambda question: f"{question.text} A picture of {question.size}."
    print(provider.url, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()

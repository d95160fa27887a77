"""A conversation over HTTP, kept word by word with the headers that belong to the protocol."""

import json

from .http import LATEST, STANDARD, InSession, Stateless
from .listening import Listening
from .transcript import masked

SENT = ["accept", "content-type", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id"]
ANSWERED = ["content-type", "mcp-session-id", "allow"]


def kept(url, revision, **options):
    """A client of this revision whose words are kept."""
    return (KeptStateless if revision >= LATEST else KeptInSession)(url, revision, **options)


class Kept:
    """Keeps what is sent and what is answered."""

    def __init__(self, *words, names=(), **options):
        self.said, self._names = [], dict(names)
        super().__init__(*words, **options)

    def send(self, body, headers=None, method="POST"):
        answer = super().send(body, headers, method)
        self.note_request(method, {**STANDARD, **(headers or {})}, body)
        self.note_answer(answer.status, answer.headers, answer.messages)
        return answer

    def note_request(self, method, headers, body):
        """Keeps a request."""
        message = json.loads(body) if body else None
        self._note(">", f"{method} {self.path}", headers, SENT, [message] if message else [])

    def note_answer(self, status, headers, messages):
        """Keeps an answer. A repeated message is kept once: the number of repetitions differs."""
        once = [message for at, message in enumerate(messages) if message not in messages[:at]]
        self._note("<", str(status), headers, ANSWERED, once)

    def hear_of(self, uri, change):
        """Listens until it is notified that a resource has changed, which `change` causes, and leaves in the middle."""
        stream = Listening(self, uri)
        try:
            change(stream)
        finally:
            stream.drop()
        self.note_request(stream.method, stream.sent, stream.body)
        self.note_answer(stream.status, stream.headers, list(stream.heard))

    def _note(self, direction, first, headers, wanted, messages):
        headers = {name.lower(): value for name, value in headers.items()}
        lines = [f"{direction} {first}"]
        lines += [f"{name}: {self._masked(name, headers[name])}" for name in wanted if name in headers]
        told = [json.dumps(masked(message, self._names), indent=2, ensure_ascii=False) for message in messages]
        self.said.append("\n\n".join(["\n".join(lines), *told]))

    def _masked(self, name, value):
        return "<session>" if name == "mcp-session-id" else masked(value, self._names)


class KeptStateless(Kept, Stateless):
    """Of 2026-07-28."""


class KeptInSession(Kept, InSession):
    """Of a revision before."""

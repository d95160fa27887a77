"""The stream on which a client of a server over HTTP receives what it did not ask for: in a session that of `GET`, since 2026-07-28
that of `subscriptions/listen`."""

import contextlib
import http.client
import json
import socket
import threading

from . import wait_for
from .http import LATEST, STANDARD

UPDATED = "notifications/resources/updated"


class Listening:
    """A stream of `speaker`, and all that was received on it; after the event `last`, if there is one."""

    def __init__(self, speaker, *uris, last=None):
        self.speaker = speaker
        self.heard = []
        # The names of the events.
        self.names = []
        self._connection = http.client.HTTPConnection(*speaker.address, timeout=120)
        if speaker.revision >= LATEST:
            request, headers = speaker.compose("subscriptions/listen", {"notifications": {"resourceSubscriptions": uris}}, None)
            self.number = request["id"]
            self.method, self.body, self.sent = "POST", json.dumps(request), {**STANDARD, **headers}
        else:
            self.method, self.body, self.sent = "GET", None, {**STANDARD, "accept": "text/event-stream", **speaker.headers()}
            if last is not None:
                self.sent["last-event-id"] = last
        self._connection.request(self.method, speaker.path, self.body, self.sent)
        self._response = self._connection.getresponse()
        self.status, self.headers = self._response.status, dict(self._response.getheaders())
        assert self.status == 200, (self.status, self._response.read())
        self._socket = self._connection.sock or self._response.fp.raw._sock
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if speaker.revision >= LATEST:
            wait_for("the acknowledgement", lambda: self.heard)
        else:
            for uri in uris:
                assert speaker.request("resources/subscribe", uri=uri).result == {}

    def _read(self):
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
            for line in iter(self._response.readline, b""):
                if line.startswith(b"id:"):
                    self.names.append(line[3:].strip().decode())
                if line.startswith(b"data: {"):
                    self.heard.append(json.loads(line[5:]))

    def told(self, uri):
        """How often it was notified that this has changed."""
        return sum(message.get("method") == UPDATED and message["params"]["uri"] == uri for message in list(self.heard))

    def wait(self, uri, more_than=0):
        """Waits until it was notified that this has changed, more often than that."""
        wait_for(f"an update of {uri} beyond {more_than}", lambda: self.told(uri) > more_than, 60)

    def has_ended(self):
        """Whether nothing more can be received."""
        return not self._reader.is_alive()

    def drop(self):
        """Leaves in the middle, as a client does that is killed."""
        with contextlib.suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(10)
        self._response.close()
        self._connection.close()

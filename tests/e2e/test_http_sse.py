"""The transport of 2024-11-05, HTTP with SSE: by hand, and under attack. Official clients are in test_clients."""

import contextlib
import http.client
import json
import os
import threading
import urllib.parse

import pytest

from conftest import required
from support import PATIENCE, wait_for
from support.authorization import AuthorizationServer
from support.http import TOKEN, HttpServer

# How many sessions one caller may have.
MOST_OF_CALLER = 32
REVISION = "2024-11-05"


class Stream:
    """A session by hand: its stream, and the messages that have come."""

    def __init__(self, server, token=TOKEN, headers=()):
        place = urllib.parse.urlsplit(server.url)
        self.address, self.token = (place.hostname, place.port), token
        self.connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        self.connection.request("GET", "/sse", headers={**({"authorization": f"Bearer {token}"} if token else {}), **dict(headers)})
        self.response = self.connection.getresponse()
        self.status, self.messages, self.number = self.response.status, [], 0
        if self.status == 200:
            assert self.response.headers["content-type"] == "text/event-stream"
            kind, self.endpoint = self.event()
            assert kind == "endpoint" and self.endpoint.startswith("/messages?session="), self.endpoint

    def event(self):
        """The next event: its kind and its data. Signs of life are passed over; `None` at the end."""
        kind, data = "message", []
        for line in iter(self.response.readline, b""):
            line = line.decode().rstrip("\r\n")
            if line.startswith("event:"):
                kind = line[6:].strip()
            elif line.startswith("data:"):
                data.append(line[5:].strip())
            elif not line and data:
                return kind, "\n".join(data)
        return None

    def message(self):
        event = self.event()
        assert event and event[0] == "message", event
        return json.loads(event[1])

    def post(self, body, endpoint=None, **headers):
        """Posts a body: the status and the text of the answer."""
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        with contextlib.closing(connection):
            standard = {"content-type": "application/json", "authorization": f"Bearer {self.token}"}
            body = body if isinstance(body, (bytes, str)) else json.dumps(body)
            connection.request("POST", endpoint or self.endpoint, body, {**standard, **headers})
            response = connection.getresponse()
            return response.status, response.read().decode()

    def send(self, method, **params):
        self.number += 1
        assert self.post({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})[0] == 202
        return self.number

    def request(self, method, **params):
        """Sends a request, and returns the answer; other messages before it are kept."""
        number = self.send(method, **params)
        while True:
            message = self.message()
            if message.get("id") == number and "method" not in message:
                return message
            self.messages.append(message)

    def begin(self):
        hello = self.request("initialize", protocolVersion=REVISION, capabilities={}, clientInfo={"name": "t", "version": "1"})
        assert hello["result"]["protocolVersion"] == REVISION
        assert self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})[0] == 202
        return self

    def close(self):
        """Closes the connection at once, though more may come."""
        # The response holds the socket too.
        self.response.close()
        self.connection.close()


@pytest.fixture(scope="module")
def server(desktop):
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": os.devnull})
    yield own
    assert own.stop() == 0


@pytest.fixture
def stream(server):
    with contextlib.closing(Stream(server)) as own:
        yield own


@pytest.fixture(autouse=True)
def a_sound_client_is_served(server):
    yield
    def opened():
        own = Stream(server)
        if own.status != 200:
            own.close()
        return own.status == 200 and own
    with contextlib.closing(wait_for("a place", opened)) as own:
        assert own.begin().request("tools/list")["result"]["tools"]


def test_a_session_from_its_begin_to_its_end(server, stream):
    stream.begin()
    assert any(tool["name"] == "ax_click" for tool in stream.request("tools/list")["result"]["tools"])
    answer = stream.request("tools/call", name="ax_list_apps", arguments={})["result"]
    assert not answer.get("isError") and answer["content"]
    assert stream.request("ping")["result"] == {}
    assert stream.request("nonsense")["error"]["code"] == -32601
    assert stream.request("resources/list")["result"]["resources"]
    endpoint = stream.endpoint
    stream.close()
    with contextlib.closing(Stream(server)) as other:
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        wait_for("the end of the session", lambda: other.post(ping, endpoint)[0] == 404)


def test_many_answers_at_once_come_all(stream):
    stream.begin()
    threads = [threading.Thread(target=stream.post, args=({"jsonrpc": "2.0", "id": 1000 + number, "method": "tools/list"},))
               for number in range(40)]
    for thread in threads:
        thread.start()
    got = {stream.message()["id"] for _ in threads}
    for thread in threads:
        thread.join()
    assert got == {1000 + number for number in range(40)}


def test_a_call_is_cancelled(stream):
    stream.begin()
    number = stream.send("tools/call", name="ax_wait_idle", arguments={"app": "no-such-application", "timeout_ms": 20_000})
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
    assert stream.post(cancel)[0] == 202
    assert stream.request("ping")["result"] == {}


def test_sessions_are_apart(server, stream):
    stream.begin()
    with contextlib.closing(Stream(server)) as other:
        other.begin()
        assert stream.endpoint != other.endpoint
        number = other.send("ping")
        assert other.message() == {"jsonrpc": "2.0", "id": number, "result": {}}
        assert stream.request("ping")["result"] == {}


@pytest.mark.parametrize("token", [None, "another-token-of-the-same-length-0123456"])
def test_the_token_is_needed_everywhere(server, stream, token):
    refused = Stream(server, token)
    refused.close()
    assert refused.status == 401
    stream.begin()
    authorization = f"Bearer {token}" if token else ""
    assert stream.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, authorization=authorization)[0] == 401
    assert stream.request("ping")["result"] == {}


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": "null"}], ids=str)
def test_web_pages_are_refused(server, stream, headers):
    refused = Stream(server, headers=headers.items())
    refused.close()
    assert refused.status == 403
    stream.begin()
    assert stream.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **headers)[0] == 403


@pytest.mark.parametrize("endpoint", ["/messages", "/messages?session=", "/messages?session=x", "/messages?other=1",
                                      "/messages?session=" + "0" * 32, "/messages?session=%00"])
def test_sessions_that_do_not_exist(stream, endpoint):
    assert stream.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, endpoint)[0] == 404


def test_the_session_of_the_other_transport_is_none(server, stream):
    speaker = server.speak("2025-11-25")
    assert stream.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, f"/messages?session={speaker.session}")[0] == 404
    speaker.close()


@pytest.mark.parametrize("body, status, part", [
    ("", 202, ""), ("{", 400, "-32700"), ("[]", 400, "-32600"), ("7", 400, "-32600"), (b"\xff\xfe", 400, "-32700"),
    ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, "batches"), ('{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, "-32600"),
    ('{"jsonrpc":"2.0","method":7}', 202, ""), ('{"jsonrpc":"2.0","id":99,"result":{}}', 202, ""),
], ids=str)
@pytest.mark.parametrize("begun", [False, True])
def test_what_is_no_message(stream, begun, body, status, part):
    if begun:
        stream.begin()
    answer = stream.post(body)
    assert answer[0] == status and part in answer[1], answer
    if not begun:
        stream.begin()
    assert stream.request("ping")["result"] == {}


def test_what_comes_before_the_session_begins(stream):
    for message in ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 5, "result": {}},
                    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}):
        assert stream.post(message)[0] == 202
    stream.begin()


def test_an_id_that_waits_is_refused(stream):
    stream.begin()
    slow = {"jsonrpc": "2.0", "id": "same", "method": "tools/call",
            "params": {"name": "ax_wait_idle", "arguments": {"app": "no-such-application", "timeout_ms": 5_000}}}
    statuses = [stream.post(slow)[0] for _ in range(2)]
    assert statuses[0] == 202 and statuses[1] in (202, 400), statuses


def test_sizes_and_kinds_are_bounded(stream):
    stream.begin()
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert stream.post(ping, **{"content-type": kind})[0] == 415, kind
    assert stream.post(ping, **{"content-type": "application/json; charset=utf-8"})[0] == 202
    assert stream.message()["id"] == 1
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        assert stream.post(" " * (5 * 1024 * 1024))[0] == 413
    assert stream.request("ping")["result"] == {}


@pytest.mark.parametrize("path, method", [("/sse", "POST"), ("/sse", "DELETE"), ("/messages", "GET"), ("/messages", "DELETE")])
def test_other_methods(server, stream, path, method):
    connection = http.client.HTTPConnection(*stream.address, timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request(method, path, headers={"authorization": f"Bearer {TOKEN}"})
        assert connection.getresponse().status == 405


def test_sessions_of_a_caller_are_bounded_and_places_come_back(server):
    held = []
    try:
        def is_full():
            own = Stream(server)
            if own.status == 200:
                held.append(own)
            else:
                own.close()
            return own.status == 503
        wait_for("the bound", is_full)
        assert len(held) <= MOST_OF_CALLER
        assert server.speak().request("tools/list").result["tools"], "the other transport is as before"
    finally:
        for own in held:
            own.close()


def test_the_end_of_the_server_ends_streams(desktop):
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": os.devnull})
    with contextlib.closing(Stream(own)) as stream:
        stream.begin()
        assert own.stop() == 0
        assert stream.event() is None


# With an authorization server.


@pytest.fixture(scope="module")
def authority():
    os.environ.setdefault("HANDEYE_OAUTH_MODULES", required("HANDEYE_OAUTH_MODULES"))
    own = AuthorizationServer(required("HANDEYE_NODE"))
    yield own
    own.stop()


@pytest.fixture(scope="module")
def issued(desktop, authority):
    own = HttpServer({**desktop.env, "HANDEYE_HTTP_TOKEN": "", "HANDEYE_HTTP_ISSUER": authority.issuer,
                      "HANDEYE_LOG_FILE": os.devnull})
    yield own
    assert own.stop() == 0


def token(authority, server, sub, scope="read act"):
    return authority.sign(authority.claims(server.url, sub=sub, scope=scope))


def test_the_session_of_another_principal_does_not_exist(issued, authority):
    with contextlib.closing(Stream(issued, token(authority, issued, "alice"))) as alice:
        alice.begin()
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        mallory = f"Bearer {token(authority, issued, 'mallory')}"
        assert alice.post(ping, authorization=mallory) == alice.post(ping, "/messages?session=" + "0" * 32)
        assert alice.post(ping, authorization=mallory)[0] == 404
        # A new token of the same principal is as good as the first.
        assert alice.post(ping, authorization=f"Bearer {token(authority, issued, 'alice', 'read')}")[0] == 202
        assert alice.message()["id"] == 1


def test_each_message_has_the_scopes_of_its_own_token(issued, authority):
    with contextlib.closing(Stream(issued, token(authority, issued, "alice"))) as alice:
        alice.begin()
        click = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "ax_click", "arguments": {"app": "none", "query": "x"}}}
        reads = f"Bearer {token(authority, issued, 'alice', 'read')}"
        status, text = alice.post(click, authorization=reads)
        assert status == 403 and "act" in text
        assert alice.post(click)[0] == 202
        assert alice.message()["id"] == 7

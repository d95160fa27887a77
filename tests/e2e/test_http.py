"""Streamable HTTP on this machine: who may come, how each era is served, and that bad input does not affect other clients."""

import contextlib
import http.client
import json
import os
import signal
import socket
import time
import urllib.parse

import pytest

from support import BINARY, PATIENCE, history, quick_once, tail, wait_for
from support.desktop import outside
from support.http import LATEST, STANDARD, HttpServer

OLDER = ["2025-03-26", "2025-06-18", "2025-11-25"]
BODY_LIMIT = 4 * 1024 * 1024
SESSIONS = 128


@pytest.fixture(scope="module")
def server(desktop):
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": desktop.path("http.log")})
    yield own
    assert own.stop() == 0


@pytest.fixture
def modern(server):
    speaker = server.speak()
    yield speaker
    speaker.close()


@pytest.fixture
def older(server):
    speaker = server.speak("2025-11-25")
    yield speaker
    speaker.close()


@pytest.fixture(autouse=True)
def next_client_notices_nothing(server):
    yield
    for revision in ("2025-11-25", LATEST):
        speaker = server.speak(revision)
        assert speaker.request("tools/list").result["tools"]
        speaker.close()


def refused(*words):
    return history.run([BINARY, "mcp", "serve", *words], capture_output=True, text=True, timeout=PATIENCE, check=False,
                       env={**os.environ, "HANDEYE_LOG_FILE": os.devnull})


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1"])
def test_other_machines_are_not_served(address):
    run = refused("--http", "--port", "0", "--bind", address)
    assert run.returncode == 5 and "other machines" in run.stderr, run
    assert run.stdout == ""


def test_a_port_in_use_is_named(server):
    port = urllib.parse.urlsplit(server.url).port
    run = refused("--http", "--port", str(port))
    assert run.returncode == 2 and f"{port} is in use" in run.stderr, run


@pytest.mark.parametrize("words", [["--port", "9"], ["--bind", "127.0.0.1"], ["--http", "--port", "70000"],
                                   ["--http", "--bind", "here"], ["--http", "--stdio"]])
def test_flags_that_make_no_sense(words):
    assert refused(*words).returncode == 2


def test_variables_say_where(desktop):
    def served():
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        try:
            own = HttpServer({**desktop.env, "HANDEYE_HTTP_PORT": str(port), "HANDEYE_LOG_FILE": os.devnull},
                             command=[BINARY, "mcp", "serve", "--http"])
        except AssertionError:
            return False  # Another process has taken the port meanwhile.
        try:
            return own.url == f"http://127.0.0.1:{port}/mcp"
        finally:
            assert own.stop() == 0
    wait_for("a server at a port that was free", served, 20)


def test_both_eras_at_one_address(modern, older):
    assert modern.request("server/discover").result["supportedVersions"][-1] == LATEST
    assert older.hello.result["protocolVersion"] == "2025-11-25"
    names = [[tool["name"] for tool in speaker.request("tools/list").result["tools"]] for speaker in (modern, older)]
    assert names[0] == names[1] and "ax_click" in names[0]


@pytest.mark.parametrize("revision", OLDER)
def test_sessions_of_older_revisions(server, revision):
    speaker = server.speak(revision)
    assert speaker.hello.result["protocolVersion"] == revision
    assert speaker.request("ping").result == {}
    assert speaker.call("ax_list_windows", app="nobody")["isError"]
    assert speaker.end().status == 204
    assert speaker.request("ping").status == 404
    speaker.close()


@pytest.mark.parametrize("headers, status", [
    ({"origin": "http://evil.example"}, 403),
    ({"origin": "http://localhost:1"}, 403),
    ({"origin": "null"}, 403),
    ({"origin": "nonsense"}, 403),
    ({"origin": "own"}, 200),
    ({"host": "evil.example"}, 403),
    ({"host": "evil.example:8741"}, 403),
    ({"host": "localhost"}, 200),
])
def test_who_may_come(server, modern, headers, status):
    headers = {name: server.url.removesuffix("/mcp") if value == "own" else value for name, value in headers.items()}
    assert modern.request("tools/list", headers=headers).status == status


@pytest.mark.parametrize("headers, code", [
    ({"mcp-protocol-version": "2025-11-25"}, -32020),
    ({"mcp-method": "tools/list"}, -32020),
    ({"mcp-name": "ax_click"}, -32020),
])
def test_headers_that_contradict_the_body(modern, headers, code):
    answer = modern.request("tools/call", headers=headers, name="ax_list_apps", arguments={})
    assert (answer.status, answer.error["code"]) == (400, code)


@pytest.mark.parametrize("missing", ["mcp-protocol-version", "mcp-method", "mcp-name"])
def test_missing_headers(modern, missing):
    params = {"name": "ax_list_apps", "arguments": {}}
    headers = {name: value for name, value in modern.headers("tools/call", params).items() if name != missing}
    answer = modern.send(json.dumps(modern.body("tools/call", params)), headers)
    assert (answer.status, answer.error["code"]) == (400, -32020)


def test_wrong_revision(modern):
    body = modern.body("tools/list", {}, {"io.modelcontextprotocol/protocolVersion": "1999-01-01"})
    answer = modern.send(json.dumps(body), {"mcp-protocol-version": "1999-01-01", "mcp-method": "tools/list"})
    assert (answer.status, answer.error["code"]) == (400, -32022)
    assert LATEST in answer.error["data"]["supported"]


def test_missing_meta(modern):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answer = modern.send(json.dumps(body), modern.headers("tools/list", {}))
    assert answer.status == 400 and answer.error["code"] in (-32602, -32020)


def test_unknown_method(modern, older):
    answer = modern.request("tools/explode")
    assert (answer.status, answer.error["code"]) == (404, -32601)
    assert older.request("tools/explode").error["code"] == -32601


@pytest.mark.parametrize("body, headers, status", [
    (b"", {}, 400),
    (b"{", {}, 400),
    (b"[]", {}, 400),
    (b"null", {}, 400),
    (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', {}, 400),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', {}, 400),
    (b"{}", {"content-type": "text/plain"}, 415),
    (b"{}", {"accept": "application/json"}, 406),
    (b"{}", {"accept": "text/html"}, 406),
])
def test_what_is_no_message(modern, body, headers, status):
    answer = modern.send(body, headers)
    assert answer.status == status or (status == 400 and answer.status in (415, 422)), (answer.status, answer.body)


def test_an_oversized_body(server):
    speaker = server.speak()
    body = speaker.body("tools/call", {"name": "ax_type", "arguments": {"text": "x" * (BODY_LIMIT + 1)}})
    try:
        answer = speaker.send(json.dumps(body), speaker.headers("tools/call", body["params"]))
        assert answer.status == 413
    except OSError:
        pass  # It may close the connection before all of the body has gone.
    finally:
        speaker.close()


def test_get_and_delete_as_each_era_has_them(modern, older):
    stateless = {"mcp-protocol-version": LATEST}
    assert modern.send(None, stateless, method="GET").status == 405
    assert modern.send(None, stateless, method="DELETE").status == 405
    assert modern.send(None, stateless, method="PUT").status == 405
    unknown = {"mcp-session-id": "nobody", "mcp-protocol-version": "2025-11-25"}
    assert older.send(None, unknown, method="GET").status == 404
    assert older.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}), unknown).status == 404
    nameless = {"mcp-protocol-version": "2025-11-25"}
    assert older.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}), nameless).status in (400, 422)


def test_another_path(server):
    host = urllib.parse.urlsplit(server.url)
    connection = http.client.HTTPConnection(host.hostname, host.port, timeout=PATIENCE)
    connection.request("GET", "/")
    assert connection.getresponse().status == 404
    connection.close()


@pytest.mark.parametrize("said", [b"", b"POST", b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{",
                                  b"\0\1\2\3\r\n\r\n", b"GET /mcp HTTP/9.9\r\n\r\n"])
def test_a_connection_that_is_cut(server, said):
    host = urllib.parse.urlsplit(server.url)
    with socket.create_connection((host.hostname, host.port)) as connection:
        connection.sendall(said)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def begin(speaker, tool, **arguments):
    """Begins a call on a connection of its own, and returns that."""
    connection = http.client.HTTPConnection(*speaker.address, timeout=PATIENCE)
    params = {"name": tool, "arguments": arguments}
    if speaker.revision == LATEST:
        body, headers = speaker.body("tools/call", params), speaker.headers("tools/call", params)
    else:
        body, headers = {"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": params}, speaker.headers()
    connection.request("POST", "/mcp", json.dumps(body), {**STANDARD, **headers})
    return connection


def audited(desktop, what, log="http.log"):
    with open(desktop.path(log), encoding="utf-8", errors="replace") as file:
        return sum(1 for line in file if "audit" in line and what in line)


def test_a_client_of_the_newest_revision_that_leaves_cancels_its_call(desktop, modern, gtk3):
    before = audited(desktop, "cancelled")
    stay = 0.2

    def leaves():
        nonlocal stay
        connection = begin(modern, "ax_get_tree", app=gtk3.app)
        time.sleep(stay)  # It may arrive or not: both have to end well, and where it has not, another stays longer.
        connection.close()
        stay += 0.3
        try:
            return wait_for("the call to be cancelled", lambda: audited(desktop, "cancelled") > before, 2)
        except AssertionError:
            return False
    gtk3.freeze()
    try:
        wait_for(f"one of the calls to be cancelled; the log: {tail(desktop.path('http.log'), 10)}", leaves)
    finally:
        gtk3.thaw()


def test_an_older_client_takes_up_the_answer_where_it_was_cut(older, gtk3):
    older.call("ax_connect", app=gtk3.app)
    gtk3.freeze()
    try:
        connection = begin(older, "ax_get_tree", app=gtk3.app)
        response = connection.getresponse()
        name = next(line for line in iter(response.readline, b"") if line.startswith(b"id:")).split(b":", 1)[1].strip()
        connection.close()
        again = http.client.HTTPConnection(*older.address, timeout=PATIENCE)
        again.request("GET", "/mcp", None, {**STANDARD, "accept": "text/event-stream", "last-event-id": name.decode(), **older.headers()})
        resumed = again.getresponse()
        assert resumed.status == 200
    finally:
        gtk3.thaw()
    events = [line for line in iter(resumed.readline, b"") if line.startswith((b"id:", b"data:"))]
    again.close()
    assert not any(line.split(b":", 1)[1].strip() == name for line in events if line.startswith(b"id:")), "told twice"
    answer = json.loads(next(line for line in events if line.startswith(b"data: {"))[5:])
    assert answer["id"] == 77 and not answer["result"].get("isError"), answer


def resume(speaker, name):
    """The events after this one, until their stream ends; and its status."""
    again = http.client.HTTPConnection(*speaker.address, timeout=PATIENCE)
    with contextlib.closing(again):
        again.request("GET", "/mcp", None, {**STANDARD, "accept": "text/event-stream", "last-event-id": name, **speaker.headers()})
        response = again.getresponse()
        assert response.status == 200, response.read()
        lines = response.read().decode().splitlines()
    ids = [line[3:].strip() for line in lines if line.startswith("id:")]
    return ids, [json.loads(line[5:]) for line in lines if line.startswith("data: {")]


def first_event(connection):
    return next(line for line in iter(connection.getresponse().readline, b"") if line.startswith(b"id:"))[3:].strip().decode()


def test_an_answer_that_came_while_the_connection_was_lost_is_sent_again(desktop, older, gtk3):
    older.call("ax_connect", app=gtk3.app)
    before = audited(desktop, "ax_get_tree")
    gtk3.freeze()
    try:
        connection = begin(older, "ax_get_tree", app=gtk3.app)
        name = first_event(connection)
        connection.close()
    finally:
        gtk3.thaw()
    wait_for("the end of the call", lambda: audited(desktop, "ax_get_tree") > before)
    for _ in range(2):
        ids, messages = resume(older, name)
        assert name not in ids and len(messages) == 1, (ids, messages)
        assert messages[0]["id"] == 77 and not messages[0]["result"].get("isError"), messages
    assert resume(older, ids[-1]) == ([], []), "nothing follows the answer"


@pytest.mark.parametrize("name", ["", "x", "7", "999999/x", "1/another:common"])
def test_an_event_that_does_not_exist_has_none_after_it(older, name):
    assert resume(older, name) == ([], [])


def test_streams_of_other_sessions_are_not_resumed(server, older):
    other = server.speak("2025-11-25")
    listening = http.client.HTTPConnection(*other.address, timeout=PATIENCE)
    with contextlib.closing(listening):
        listening.request("GET", "/mcp", None, {**STANDARD, "accept": "text/event-stream", **other.headers()})
        assert listening.getresponse().status == 200
        for number in range(1, 5):
            assert resume(older, f"{number}/{other.session}:common") == ([], [])
    other.close()


def test_the_end_of_a_session_ends_streams_that_were_resumed(server, gtk3):
    own = server.speak("2025-11-25")
    own.call("ax_connect", app=gtk3.app)
    gtk3.freeze()
    try:
        connection = begin(own, "ax_get_tree", app=gtk3.app)
        name = first_event(connection)
        connection.close()
        again = http.client.HTTPConnection(*own.address, timeout=PATIENCE)
        with contextlib.closing(again):
            again.request("GET", "/mcp", None, {**STANDARD, "accept": "text/event-stream", "last-event-id": name, **own.headers()})
            response = again.getresponse()
            assert response.status == 200 and own.end().status == 204
            response.read()
    finally:
        gtk3.thaw()
    own.close()


def test_the_idlest_session_makes_room(desktop):
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": os.devnull})
    try:
        first = own.speak("2025-11-25")
        second = own.speak("2025-11-25")
        assert first.request("ping").result == {}
        for _ in range(SESSIONS - 1):
            own.speak("2025-11-25").close()
        assert first.request("ping").result == {}, "it was used last"
        assert second.request("ping").status == 404, "it was idle longest"
        assert own.speak("2025-11-25").request("ping").result == {}
    finally:
        assert own.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("revision", ["2025-11-25", LATEST])
def test_a_signal_ends_it_with_a_call_under_way(desktop, gtk3, number, revision):
    def seconds_to_the_end():
        own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": os.devnull})
        try:
            speaker = own.speak(revision)
            connection = begin(speaker, "ax_get_tree", app=gtk3.app)
            speaker.request("tools/list")
            begun = time.monotonic()
            own.process.send_signal(number)
            assert own.process.wait(PATIENCE) == 0
            connection.close()
            return time.monotonic() - begun
        finally:
            own.stop()
    gtk3.freeze()
    try:
        quick_once("the end at a signal", 3, seconds_to_the_end)
    finally:
        gtk3.thaw()


def test_a_private_desktop_and_its_application(tmp_path):
    environment = outside(os.environ)
    environment.update(HOME=str(tmp_path), HANDEYE_LOG_FILE=str(tmp_path / "log"))
    own = HttpServer(environment, ["--desktop", "private", "--size", "800x600", "--", "mousepad", "--disable-server"])
    try:
        speaker = own.speak()
        titles = wait_for("its window", lambda: "mousepad" in json.dumps(speaker.call("ax_list_apps")).lower())
        assert titles
    finally:
        assert own.stop() in (0, 143)

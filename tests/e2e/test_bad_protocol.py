"""Bad input at the protocol itself: an answer that is correct or a clean close, and the next request, the next client, notices nothing."""

import contextlib
import json
import os
import random
import socket
import time
import urllib.parse

import pytest

from support import PATIENCE, quick_once, wait_for
from support.conversation import LEGACY, MODERN, Http, Stdio
from support.http import STANDARD

META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "bad", "version": "1"}}
LONGEST_LINE = 32 * 1024 * 1024
SEED = 20_261_122

NO_JSON = {
    "half an object": b'{"jsonrpc":"2.0","id":1,"method":"ping"',
    "text": b"hello",
    "invalid UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}',
    "a lone surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    "a byte of zero": b'{"jsonrpc":"2.0","id":1,"method":"a\x00b"}',
    "very deep": b"[" * 100_000,
    "an endless number": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e999999}}',
}
NO_REQUEST = {
    "a number": b"7",
    "a batch": b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    "an empty batch": b"[]",
    "nothing in it": b"{}",
    "id of null": b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "id that is an object": b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    "id with a fraction": b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    "id beyond numbers": b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}',
}
NO_REQUEST_WITH_AN_ID = {
    "another version": b'{"jsonrpc":"1.0","id":"x1","method":"ping"}',
    "no version": b'{"id":"x1","method":"ping"}',
    "method that is a number": b'{"jsonrpc":"2.0","id":"x1","method":7}',
}
PASSED_OVER = {
    "an empty line": b"",
    "spaces": b"   ",
    "unknown notification": b'{"jsonrpc":"2.0","method":"notifications/nonsense","params":{"a":1}}',
    "notification of another protocol": b'{"jsonrpc":"2.0","method":"$/setTrace"}',
    "notification without sense": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
    "cancelling what was never asked": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":424242}}',
    "progress of nothing": b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
    "answer to no question": b'{"jsonrpc":"2.0","id":99,"result":{"action":"accept","content":{"confirm":true}}}',
    "error to no question": b'{"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"no"}}',
    "error of nobody": b'{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}',
    "answer without sense": b'{"jsonrpc":"2.0","id":99,"result":7}',
}


@pytest.fixture(params=[LEGACY, MODERN])
def client(request, desktop):
    with Stdio(desktop.env, request.param) as conversation:
        conversation.begin()
        yield conversation


@pytest.fixture(params=["stdio", "http"])
def converse(request, desktop, http_server):
    """Begins conversations over one transport."""
    begun = []

    def begin(revision, capabilities=None):
        conversation = (Stdio(desktop.env, revision, capabilities) if request.param == "stdio"
                        else Http(http_server.url, revision, capabilities))
        begun.append(conversation)
        conversation.begin()
        return conversation

    yield begin
    for conversation in begun:
        conversation.close()


def works(client):
    """The server answers as if nothing had been."""
    answer = client.call("ax_list_apps")
    assert not answer["isError"], answer


def error_without_id(client, before):
    told = wait_for("the error", lambda: [message for message in client.heard[before:] if "error" in message])
    assert len(told) == 1 and told[0]["jsonrpc"] == "2.0"
    # JSON-RPC 2.0 wants null; since 2026-07-28 there is none.
    assert told[0].get("id", "none") == ("none" if client.revision == MODERN else None)
    return told[0]["error"]


@pytest.mark.parametrize("case", NO_JSON)
def test_no_json(client, case):
    before = len(client.heard)
    client.raw(NO_JSON[case] + b"\n")
    assert error_without_id(client, before)["code"] in (-32700, -32600)
    works(client)


@pytest.mark.parametrize("case", NO_REQUEST)
def test_no_request(client, case):
    before = len(client.heard)
    client.raw(NO_REQUEST[case] + b"\n")
    assert error_without_id(client, before)["code"] == -32600
    works(client)


@pytest.mark.parametrize("case", NO_REQUEST_WITH_AN_ID)
def test_a_wrong_request_is_answered_under_its_id(client, case):
    client.raw(NO_REQUEST_WITH_AN_ID[case] + b"\n")
    assert client.answer("x1")["error"]["code"] == -32600
    works(client)


@pytest.mark.parametrize("case", PASSED_OVER)
def test_what_is_passed_over(client, case):
    before = len(client.heard)
    client.raw(PASSED_OVER[case] + b"\n")
    works(client)
    assert [message for message in client.heard[before:] if "error" in message] == []


@pytest.mark.parametrize("case", PASSED_OVER)
def test_what_comes_before_the_session_begins(desktop, case):
    with Stdio(desktop.env) as client:
        client.raw(PASSED_OVER[case] + b"\n")
        client.raw(b'{"jsonrpc":"2.0","id":"p","method":"ping"}\n')
        assert client.answer("p")["result"] == {}
        client.raw(PASSED_OVER[case] + b"\n")
        client.raw(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        client.begin()
        works(client)


def test_a_line_that_is_too_long(client):
    before = len(client.heard)
    client.raw(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"')
    for _ in range(LONGEST_LINE // (1 << 20) + 2):
        client.raw(b"x" * (1 << 20))
    client.raw(b'"}}\n')
    assert error_without_id(client, before)["code"] == -32600
    works(client)


def test_unknown_methods(converse):
    for revision in (LEGACY, MODERN):
        client = converse(revision)
        for method in ("nonsense", "tools/run", "tasks", "handeye/2025-11-25/nonsense", "notifications/initialized", "x" * 5000):
            error = client.refusal(method)
            assert error["code"] == -32601 and len(error["message"]) < 300, error
        works(client)


def test_methods_of_another_revision(converse):
    modern, legacy = converse(MODERN), converse(LEGACY)
    works(modern)
    for method, parameters in [("ping", {}), ("logging/setLevel", {"level": "info"}), ("tasks/list", {}),
                               ("resources/subscribe", {"uri": "handeye://apps"})]:
        assert modern.refusal(method, **parameters)["code"] == -32601, method
    assert legacy.refusal("subscriptions/listen", notifications={})["code"] == -32601
    works(modern)
    works(legacy)


def test_wrong_parameters(converse):
    for revision in (LEGACY, MODERN):
        client = converse(revision)
        for method, parameters in [("tools/call", {}), ("tools/call", {"name": 5}), ("tools/call", {"name": "ax_nothing"}),
                                   ("resources/read", {}), ("resources/read", {"uri": 5})]:
            assert client.refusal(method, **parameters)["code"] == -32602, (method, parameters)
        wrong = client.request("tools/call", name="ax_find", arguments=[1, 2])
        assert wrong["isError"] and wrong["structuredContent"]["error"]["code"] == "invalid_parameter"
        works(client)


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list"])
def test_cursors_from_nowhere(converse, method):
    for revision in (LEGACY, MODERN):
        client = converse(revision)
        for cursor in ("nonsense", "", "after-5"):
            assert client.refusal(method, cursor=cursor)["code"] in (-32602, -32601), (method, cursor)
        works(client)


def test_missing_meta(desktop):
    """The newest revision requires each request to identify the client."""
    with Stdio(desktop.env, MODERN) as client:
        client.begin()
        works(client)
        for missing in META:
            if missing.endswith("clientInfo"):
                continue
            meta = {name: value for name, value in META.items() if name != missing}
            client.send({"jsonrpc": "2.0", "id": f"without {missing}", "method": "tools/list", "params": {"_meta": meta}})
            assert client.answer(f"without {missing}")["error"]["code"] == -32602, missing
        for number, meta in enumerate([7, [], "x", None]):
            client.send({"jsonrpc": "2.0", "id": f"m{number}", "method": "tools/list", "params": {"_meta": meta}})
            assert client.answer(f"m{number}")["error"]["code"] in (-32600, -32602), meta
        works(client)


def test_revisions_that_there_are_not(desktop):
    with Stdio(desktop.env, "1999-01-01") as client:
        assert client.begin()["protocolVersion"] == LEGACY, "another one is offered"
        works(client)
    with Stdio(desktop.env, "2999-01-01") as client:
        error = client.refusal("tools/list")
        assert error["code"] == -32022 and MODERN in error["data"]["supported"]


def test_an_id_that_waits_for_its_answer(client, gtk3_shared):
    taken, client._take = client._take, client.heard.append
    first = client.ask("tools/call", name="ax_wait_idle",
                       arguments={"app": gtk3_shared.app, "timeout_ms": 3000, "poll_ms": 1500})
    client.send({**client.message("tools/call", {"name": "ax_list_apps", "arguments": {}}), "id": first})
    answers = wait_for("both answers", lambda: [found for found in [
        [message for message in client.heard if message.get("id") == first]] if len(found) == 2])[0]
    assert answers[0]["error"]["code"] == -32600, "the second request is told apart by nobody"
    assert answers[1]["result"]["structuredContent"]["waited_ms"] >= 1500, "the first goes on"
    client._take = taken
    works(client)


def test_an_answer_to_a_question_that_was_never_asked(converse, gtk3_shared):
    for revision in (LEGACY, MODERN):
        client = converse(revision)
        before = gtk3_shared.state()
        if revision == MODERN:
            error = client.refusal("tools/call", name="ax_list_apps", arguments={}, requestState="forged",
                                   inputResponses={"confirm": {"action": "accept", "content": {"confirm": True}}})
            assert error["code"] == -32602
        elif isinstance(client, Stdio):
            client.send({"jsonrpc": "2.0", "id": 0, "result": {"action": "accept", "content": {"confirm": True}}})
        works(client)
        assert gtk3_shared.state() == before


def test_a_client_that_never_answers_ends_cleanly(desktop):
    def seconds_to_the_end():
        client = Stdio(desktop.env)
        client.begin()
        client.stop_reading()
        for _ in range(200):
            client.ask("tools/call", name="ax_list_apps", arguments={})
        began = time.monotonic()
        assert client.end() is not None
        ended = time.monotonic() - began
        client.close()
        return ended
    quick_once("the end beside a client that does not read", 5, seconds_to_the_end)


def test_a_client_that_goes_in_the_middle(desktop, gtk3_shared, http_server):
    leaving = Stdio(desktop.env)
    leaving.begin()
    leaving.ask("tools/call", name="ax_wait_idle", arguments={"app": gtk3_shared.app, "timeout_ms": 60_000, "poll_ms": 59_000})
    leaving.raw(b'{"jsonrpc":"2.0","id":7,"meth')
    assert leaving.end(timeout=50) == 0, "it does not wait for the call, which takes a minute"
    leaving.close()
    with Http(http_server.url, MODERN) as other:
        works(other)


def raw_http(url, request, wait=True):
    """Sends bytes to the port; returns the status line, or nothing if the server closed the connection."""
    place = urllib.parse.urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
        # It may close before all has gone, and before its answer is taken.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request)
        if not wait:
            return b""
        with contextlib.suppress(ConnectionResetError):
            return connection.recv(4096).split(b"\r\n")[0]
    return b""


def posted(url, body, *headers):
    place = urllib.parse.urlsplit(url)
    lines = [f"POST {place.path} HTTP/1.1", f"Host: {place.netloc}", *(f"{name}: {value}" for name, value in STANDARD.items()),
             f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize("case", [*NO_JSON, *NO_REQUEST])
def test_http_bodies_that_are_no_requests(http_server, case):
    body = {**NO_JSON, **NO_REQUEST}[case]
    status = raw_http(http_server.url, posted(http_server.url, body, "Connection: close"))
    assert status.startswith(b"HTTP/1.1 4"), status
    with Http(http_server.url, MODERN) as client:
        works(client)


def test_http_clients_that_go_in_the_middle(http_server):
    url = http_server.url
    whole = posted(url, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}).encode(),
                   f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: tools/list")
    for length in (0, 5, 40, len(whole) // 2, len(whole) - 1, len(whole)):
        raw_http(url, whole[:length], wait=False)
    assert raw_http(url, b"nonsense\r\n\r\n").startswith((b"HTTP/1.1 4", b""))
    assert raw_http(url, posted(url, b"x" * (5 << 20), "Connection: close")).startswith((b"HTTP/1.1 413", b""))
    with Http(url, MODERN) as client:
        works(client)


def mutations(chance, count):
    """Lines that were requests once."""
    seeds = [
        json.dumps({"jsonrpc": "2.0", "id": 5, "method": method, "params": parameters}).encode()
        for method, parameters in [
            ("tools/list", {}), ("tools/call", {"name": "ax_list_apps", "arguments": {}}),
            ("tools/call", {"name": "ax_find", "arguments": {"app": "frontmost", "query": "x"}, "task": {"ttl": 5}}),
            ("tasks/get", {"taskId": "x"}), ("tasks/list", {"cursor": "after-1"}), ("logging/setLevel", {"level": "info"}),
            ("server/discover", {"_meta": META}), ("tools/list", {"_meta": META}),
            ("initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}),
        ]]
    for _ in range(count):
        line = bytearray(chance.choice(seeds))
        for _ in range(chance.randrange(6)):
            at = chance.randrange(len(line) + 1)
            match chance.randrange(4):
                case 0: line[at:at + 1] = bytes([chance.randrange(256)])
                case 1: del line[at:at + chance.randrange(9)]
                case 2: line[at:at] = chance.choice([b"null", b"[]", b"{}", b"\"", b"-1", b"1e9", b"\\u0000", b"\xff"])
                case _: line[at:at] = line[:chance.randrange(len(line) + 1)]
            line = line[:5000]
        yield bytes(line).replace(b"\n", b" ")


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_thousands_of_damaged_lines(desktop, revision):
    seed = int(os.environ.get("HANDEYE_FUZZ_SEED", SEED))
    print("seed", seed)
    with Stdio(desktop.env, revision) as client:
        client._take = client.heard.append  # damaged ids are answered, some of them twice
        client.send({**client.message("initialize", {"protocolVersion": LEGACY, "capabilities": {},
                                                     "clientInfo": {"name": "x", "version": "1"}}), "id": "first"}
                    if revision == LEGACY else {**client.message("tools/list", {}), "id": "first"})
        for line in mutations(random.Random(seed), 3000):
            client.raw(line + b"\n")
        client.send({**client.message("tools/list", {}), "id": "last"})
        last = wait_for("an answer", lambda: [message for message in client.heard if message.get("id") == "last"], 60)[0]
        assert last["result"]["tools"], last
        for message in client.heard:
            assert message["jsonrpc"] == "2.0" and ("method" in message or "result" in message or "error" in message), message
        assert client.end() == 0

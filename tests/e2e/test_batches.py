"""Batches: several messages in one array, which clients of revision 2025-03-26 may send, over both transports."""

import json
import threading

import pytest

from support import wait_for
from support.conversation import LEGACY, MODERN, Http, Stdio

REVISION = "2025-03-26"


class Batching:
    """Sends arrays and collects what is answered."""

    def take(self, answers):
        """Takes the answers to a batch apart."""
        for answer in answers:
            self._take(answer)


class BatchingStdio(Batching, Stdio):
    """Over two pipes: one line for a batch, one line for its answers."""

    def _take(self, message):
        if isinstance(message, list):
            self.heard.append(message)
            self.take(message)
        else:
            super()._take(message)


class BatchingHttp(Batching, Http):
    """By POST: one array, and a stream with its answers."""

    def send_batch(self, messages):
        """Posts an array; returns the status."""
        return self.post(json.dumps(messages).encode(), self._headers({}))


@pytest.fixture
def stdio(desktop):
    with BatchingStdio(desktop.env, REVISION) as conversation:
        conversation.begin()
        yield conversation


@pytest.fixture
def web(http_server):
    with BatchingHttp(http_server.url, REVISION) as conversation:
        conversation.begin()
        yield conversation


def request(number, method="ping", **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


CALL = {"name": "ax_list_apps", "arguments": {}}


def test_a_line_is_answered_by_a_line(stdio):
    stdio.send([request("a"), {"jsonrpc": "2.0", "method": "notifications/nonsense"}, request("b", "tools/call", **CALL), 7,
                request("c", "nonsense"), request("d", "initialize", protocolVersion=REVISION, capabilities={},
                                                  clientInfo={"name": "again", "version": "1"})])
    answers = wait_for("the answers", lambda: [message for message in stdio.heard if isinstance(message, list)])
    assert len(answers) == 1 and len(answers[0]) == 5
    told = {answer.get("id"): answer for answer in answers[0]}
    assert told["a"]["result"] == {} and not told["b"]["result"].get("isError")
    assert told["c"]["error"]["code"] == -32601
    assert told[None]["error"]["code"] == -32600 and told["d"]["error"]["code"] == -32600


def test_what_asks_nothing_is_not_answered(stdio):
    before = len(stdio.heard)
    stdio.send([{"jsonrpc": "2.0", "method": "notifications/nonsense"}])
    stdio.send([])
    errors = wait_for("the error", lambda: stdio.heard[before:])
    assert errors == [{"jsonrpc": "2.0", "id": None, "error": errors[0]["error"]}]
    assert stdio.request("ping") == {}


def test_a_cancelled_request_holds_nothing_up(stdio, gtk3):
    gtk3.freeze()
    try:
        stdio.send([request("slow", "tools/call", name="ax_get_tree", arguments={"app": gtk3.app}), request("quick")])
        stdio.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
        assert stdio.answer("quick")["result"] == {}
        assert not stdio.answered("slow")
    finally:
        gtk3.thaw()


def test_requests_are_handled_side_by_side(stdio):
    stdio.send([request(f"n{number}", "tools/call", **CALL) for number in range(20)])
    for number in range(20):
        assert not stdio.answer(f"n{number}")["result"].get("isError")


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", LEGACY, MODERN])
def test_other_revisions_have_none(desktop, revision):
    with Stdio(desktop.env, revision) as conversation:
        conversation.begin()
        before = len(conversation.heard)
        conversation.send([request("a")])
        told = wait_for("the error", lambda: conversation.heard[before:])[0]
        assert told["error"]["code"] == -32600 and REVISION in told["error"]["message"]
        assert not conversation.answered("a")


def test_an_array_is_answered_by_a_stream(web):
    status = []
    asking = threading.Thread(target=lambda: status.append(web.send_batch(
        [request("a"), request("b", "tools/call", **CALL), 7, request("c", "nonsense")])))
    asking.start()
    assert web.answer("a")["result"] == {}
    assert not web.answer("b")["result"].get("isError")
    assert web.answer("c")["error"]["code"] == -32601
    asking.join()
    assert status == [200] and [message["error"]["code"] for message in web.heard if message.get("id", 0) is None] == [-32600]


def test_an_array_without_requests_is_accepted(web):
    assert web.send_batch([{"jsonrpc": "2.0", "method": "notifications/nonsense"}]) == 202


def test_wrong_bodies_are_answered_in_json(web):
    for body, code in ((b"nonsense", -32700), (b"[]", -32600), (b"7", -32600), (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600)):
        before = len(web.heard)
        assert web.post(body, web._headers({})) == 400
        told = web.heard[before]
        assert told["id"] is None and told["error"]["code"] == code, told


def test_an_array_of_a_later_revision_is_refused(http_server):
    with BatchingHttp(http_server.url, LEGACY) as conversation:
        conversation.begin()
        assert conversation.send_batch([request("a")]) == 400
        assert REVISION in conversation.heard[-1]["error"]["message"]


def test_there_is_no_ping_without_a_handshake(desktop):
    """Revision 2026-07-28 removed it; the SDK answers it before anything else is sent."""
    with Stdio(desktop.env, MODERN) as conversation:
        assert conversation.refusal("ping")["code"] == -32601
        conversation.begin()
        assert conversation.refusal("ping")["code"] == -32601

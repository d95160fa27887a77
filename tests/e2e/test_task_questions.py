"""Questions of a task of 2025-11-25: they wait for the client to ask for the result, say which task they belong to, and are put
again if they were not answered. Two applications of one name make a call that has to ask."""

import pytest

from support import applications, wait_for
from support.conversation import Http, Stdio

RELATED = "io.modelcontextprotocol/related-task"
ASKABLE = {"elicitation": {"form": {}}}
SHARED_NAME = "fixture-gtk3"
GONE = "notifications/cancelled"


@pytest.fixture(scope="module")
def twins(desktop):
    own = [applications.start(desktop, "gtk3") for _ in range(2)]
    yield own
    for app in own:
        app.stop()


@pytest.fixture(params=["stdio", "http"])
def client(request, desktop, twins, http_server):
    """A client that can be asked. Over HTTP it has no stream but those of its requests."""
    if request.param == "stdio":
        own = Stdio(desktop.env, capabilities=ASKABLE, log=desktop.path("server.log"))
    else:
        own = Http(http_server.url, capabilities=ASKABLE)
    own.begin()
    yield own
    own.close()


def begin(client):
    """Begins a task that has to ask, and waits until it does."""
    task = client.request("tools/call", name="ax_get_tree", arguments={"app": SHARED_NAME}, task={"ttl": 60_000})["task"]
    assert task["status"] == "working"
    wait_for("the question", lambda: client.request("tasks/get", taskId=task["taskId"])["status"] == "input_required")
    return task["taskId"]


def questions(client):
    return [message for message in list(client.heard) if message.get("method") == "elicitation/create"]


def question(client, number=1):
    """Waits until this many questions were put; returns the newest."""
    return wait_for(f"question {number}", lambda: questions(client)[number - 1:])[0]


def taken_back(client, asked):
    return asked["id"] in [gone["requestId"] for gone in client.notifications(GONE)]


def choose(client, asked, app):
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"app": app.app}}})


def test_it_comes_with_the_request_for_the_result_and_says_whose_it_is(client, twins):
    task = begin(client)
    assert "tasks/result" in client.request("tasks/get", taskId=task)["statusMessage"]
    assert not questions(client), "it waits to be asked for"
    result = client.ask("tasks/result", taskId=task)
    asked = question(client)
    assert asked["params"]["_meta"][RELATED] == {"taskId": task}
    assert asked["params"]["mode"] == "form"
    assert client.request("tasks/get", taskId=task)["status"] == "input_required"
    assert not client.answered(result)
    choose(client, asked, twins[1])
    answer = client.answer(result)["result"]
    assert not answer.get("isError") and twins[1].title in answer["content"][0]["text"], answer
    assert answer["_meta"][RELATED] == {"taskId": task}
    assert client.request("tasks/get", taskId=task)["status"] == "completed"
    assert len(questions(client)) == 1 and not client.notifications(GONE)


@pytest.mark.parametrize("reply, code", [
    ({"result": {"action": "decline"}}, "declined"),
    ({"result": {"action": "explode"}}, "invalid_parameter"),
    ({"error": {"code": -32601, "message": "I cannot be asked"}}, "not_supported"),
], ids=["no", "nonsense", "error"])
def test_any_other_reply_ends_the_task(client, reply, code):
    task = begin(client)
    result = client.ask("tasks/result", taskId=task)
    client.send({"jsonrpc": "2.0", "id": question(client)["id"], **reply})
    answer = client.answer(result)["result"]
    assert answer["isError"] and answer["structuredContent"]["error"]["code"] == code, answer
    assert client.request("tasks/get", taskId=task)["status"] == "failed"


def test_cancelling_the_task_takes_it_back(client):
    client.listen()
    task = begin(client)
    result = client.ask("tasks/result", taskId=task)
    asked = question(client)
    assert client.request("tasks/cancel", taskId=task)["status"] == "cancelled"
    wait_for("the question to be taken back", lambda: taken_back(client, asked))
    assert client.answer(result)["result"]["structuredContent"]["error"]["code"] == "cancelled"


def test_who_gives_the_result_up_is_asked_again_later(client, twins):
    client.listen()
    task = begin(client)
    given_up = client.ask("tasks/result", taskId=task)
    first = question(client)
    client.notify(GONE, requestId=given_up)
    wait_for("the question to be taken back", lambda: taken_back(client, first))
    assert client.request("tasks/get", taskId=task)["status"] == "input_required"
    result = client.ask("tasks/result", taskId=task)
    second = question(client, 2)
    choose(client, first, twins[0])  # No client waits for this one.
    choose(client, second, twins[1])
    assert twins[1].title in client.answer(result)["result"]["content"][0]["text"]


def test_the_newest_request_for_the_result_gets_it(client, twins):
    client.listen()
    task = begin(client)
    older = client.ask("tasks/result", taskId=task)
    first = question(client)
    newer = client.ask("tasks/result", taskId=task)
    second = question(client, 2)
    wait_for("the question to be taken back", lambda: taken_back(client, first))
    choose(client, second, twins[0])
    for number in (older, newer):
        assert twins[0].title in client.answer(number)["result"]["content"][0]["text"]


def test_a_client_that_never_asks_for_the_result_is_waited_for_no_longer_than_for_a_person(desktop, twins):
    with Stdio({**desktop.env, "HANDEYE_ASK_TIMEOUT": "1"}, capabilities=ASKABLE) as client:
        client.begin()
        task = client.request("tools/call", name="ax_get_tree", arguments={"app": SHARED_NAME}, task={})["task"]["taskId"]
        wait_for("the end", lambda: client.request("tasks/get", taskId=task)["status"] == "failed")
        result = client.request("tasks/result", taskId=task)
        assert result["structuredContent"]["error"]["code"] == "timeout" and not questions(client)

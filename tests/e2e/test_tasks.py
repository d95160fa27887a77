"""Calls that go on by themselves, in the shapes of both revisions that have them, over both transports."""

import json
import re
import subprocess
import time

import pytest

from support import BINARY, applications, quick_once, wait_for
from support.conversation import LEGACY, MODERN, TASKS, Http, Stdio

RELATED = "io.modelcontextprotocol/related-task"
IMMEDIATE = "io.modelcontextprotocol/model-immediate-response"
EXTENSION = {"extensions": {TASKS: {}}}
AS_TASKS = {"ax_get_tree", "ax_wait_idle", "analyze", "image"}
# More quiet time than there is: nothing ends it but its time or its client.
LONG = {"timeout_ms": 60_000, "poll_ms": 59_000}

OLDER_CLIENT = """
import asyncio, json, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "serve"], env=dict(os.environ))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        hello = await session.initialize()
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        tasks = session.experimental
        made = await tasks.call_tool_as_task("ax_get_tree", {"app": sys.argv[2]}, ttl=60000)
        statuses = [status.status async for status in tasks.poll_task(made.task.taskId)]
        result = await tasks.get_task_result(made.task.taskId, CallToolResult)
        long = await tasks.call_tool_as_task("ax_wait_idle", {"app": sys.argv[2], "timeout_ms": 60000, "poll_ms": 59000})
        cancelled = await tasks.cancel_task(long.task.taskId)
        listed = await tasks.list_tasks()
        print(json.dumps({
            "capability": hello.capabilities.tasks.model_dump(exclude_none=True),
            "support": {name: tool.execution.taskSupport for name, tool in tools.items() if tool.execution},
            "statuses": statuses, "text": result.content[0].text, "error": result.isError,
            "cancelled": cancelled.status, "listed": [task.taskId for task in listed.tasks],
            "made": [made.task.taskId, long.task.taskId]}))

asyncio.run(main())
"""


@pytest.fixture(params=["stdio", "http"])
def converse(request, desktop, http_server):
    """Begins conversations over one transport."""
    begun = []

    def begin(revision, capabilities=None):
        if request.param == "stdio":
            conversation = Stdio(desktop.env, revision, capabilities, log=desktop.path("server.log"))
        else:
            conversation = Http(http_server.url, revision, capabilities)
        begun.append(conversation)
        conversation.begin()
        return conversation

    yield begin
    for conversation in begun:
        conversation.close()


def begin_task(client, tool, ttl=60_000, meta=None, **arguments):
    return client.request("tools/call", meta, name=tool, arguments=arguments, task={"ttl": ttl})["task"]


def cancelled_calls(desktop):
    """How many calls the servers say that they broke off."""
    count = 0
    for name in ("server.log", "http.log"):
        try:
            with open(desktop.path(name), encoding="utf-8") as log:
                count += len(re.findall(r'outcome="?cancelled', log.read()))
        except FileNotFoundError:
            pass
    return count


def test_older_python_client(desktop, gtk3_shared, legacy_python):
    output = subprocess.run([legacy_python, "-c", OLDER_CLIENT, BINARY, gtk3_shared.app], env=desktop.env,
                            capture_output=True, text=True, timeout=60, check=False)
    assert output.returncode == 0, output.stderr
    told = json.loads(output.stdout)
    assert told["capability"] == {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    assert told["support"] == {name: "optional" for name in told["support"]} and set(told["support"]) == AS_TASKS
    assert told["statuses"][-1] == "completed" and not told["error"]
    assert 'button "Count"' in told["text"]
    assert told["cancelled"] == "cancelled"
    assert told["listed"] == told["made"]


def test_legacy_from_begin_to_result(converse, gtk3_shared):
    client = converse(LEGACY)
    answer = client.request("tools/call", {"progressToken": "p"}, name="ax_wait_idle",
                            arguments={"app": gtk3_shared.app, "timeout_ms": 4000, "poll_ms": 3900}, task={"ttl": 60_000})
    task = answer["task"]
    assert task["status"] == "working" and task["ttl"] == 60_000 and task["pollInterval"] > 0
    assert task["createdAt"] and task["lastUpdatedAt"] and task["statusMessage"]
    assert task["taskId"] in answer["_meta"][IMMEDIATE]
    waiting = client.ask("tasks/result", taskId=task["taskId"])
    assert client.request("tasks/get", taskId=task["taskId"])["status"] == "working"
    assert not client.answered(waiting), "it waits for the end of the task"
    result = client.answer(waiting)["result"]
    assert result["structuredContent"]["waited_ms"] >= 3900
    assert result["_meta"][RELATED] == {"taskId": task["taskId"]}
    assert client.request("tasks/get", taskId=task["taskId"])["status"] == "completed"
    again = client.request("tasks/result", taskId=task["taskId"])
    assert again == result, "a result can be read until it expires"


def test_legacy_status_and_progress_are_told_for_as_long_as_the_task_goes_on(desktop, gtk3_shared):
    with Stdio(desktop.env) as client:
        client.begin()
        task = begin_task(client, "ax_wait_idle", meta={"progressToken": "p"}, app=gtk3_shared.app, timeout_ms=4000,
                          poll_ms=3500)
        client.request("tasks/result", taskId=task["taskId"])
        wait_for("the last status", lambda: [status for status in client.notifications("notifications/tasks/status")
                                             if status["status"] == "completed"])
        told = client.notifications("notifications/tasks/status")
        assert all(status["taskId"] == task["taskId"] and status["ttl"] == 60_000 for status in told), told
        assert any("Waiting" in status["statusMessage"] for status in told), told
        steps = client.notifications("notifications/progress")
        assert steps and all(step["progressToken"] == "p" for step in steps), steps
        assert all(step["_meta"][RELATED] == {"taskId": task["taskId"]} for step in steps), steps


def test_legacy_failure_of_the_tool_is_a_failed_task_with_its_answer(converse):
    client = converse(LEGACY)
    task = begin_task(client, "ax_get_tree", app="no-such-app")
    result = client.request("tasks/result", taskId=task["taskId"])
    assert result["isError"] and result["structuredContent"]["error"]["code"] == "app_not_found"
    after = client.request("tasks/get", taskId=task["taskId"])
    assert after["status"] == "failed" and "no-such-app" in after["statusMessage"]
    assert begin_task(client, "ax_get_tree", app=5)["status"] == "working", "wrong parameters are the tool's to explain"


def test_legacy_refusals(converse, gtk3_shared):
    client = converse(LEGACY)
    assert client.refusal("tools/call", name="ax_click", arguments={}, task={})["code"] == -32601
    assert client.refusal("tools/call", name="ax_nothing", arguments={}, task={})["code"] == -32602
    assert client.refusal("tools/call", name="ax_get_tree", arguments={}, task={"ttl": "long"})["code"] == -32602
    for method in ("tasks/get", "tasks/result", "tasks/cancel"):
        assert client.refusal(method, taskId="00000000-0000-4000-8000-000000000000")["code"] == -32602
        assert client.refusal(method)["code"] == -32602
        assert client.refusal(method, taskId=7)["code"] == -32602
    for cursor in ("nonsense", "after-99999", "", 7, [1]):
        assert client.refusal("tasks/list", cursor=cursor)["code"] == -32602, cursor
    done = begin_task(client, "ax_get_tree", app=gtk3_shared.app)["taskId"]
    client.request("tasks/result", taskId=done)
    assert client.refusal("tasks/cancel", taskId=done)["code"] == -32602


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-03-26", "2024-11-05"])
def test_older_revisions_have_no_tasks(desktop, gtk3_shared, revision):
    with Stdio(desktop.env, revision) as client:
        hello = client.begin()
        assert "tasks" not in hello["capabilities"]
        assert not any("execution" in tool for tool in client.request("tools/list")["tools"])
        answer = client.request("tools/call", name="ax_wait_idle", arguments={"app": gtk3_shared.app}, task={"ttl": 5})
        assert answer["structuredContent"]["idle"] is True, "the parameter means nothing"
        for method in ("tasks/get", "tasks/result", "tasks/list", "tasks/cancel"):
            assert client.refusal(method, taskId="x")["code"] == -32601


def test_a_list_of_tasks_has_pages(desktop, gtk3_shared):
    with Stdio(desktop.env) as client:
        client.begin()
        begun = [begin_task(client, "ax_wait_idle", app=gtk3_shared.app, **LONG)["taskId"] for _ in range(50)]
        first = client.request("tasks/list")
        assert len(first["tasks"]) < len(begun)
        listed, page = list(first["tasks"]), first
        while cursor := page.get("nextCursor"):
            page = client.request("tasks/list", cursor=cursor)
            listed += page["tasks"]
        assert [task["taskId"] for task in listed] == begun
        too_many = client.refusal("tools/call", name="ax_get_tree", arguments={"app": gtk3_shared.app}, task={})
        assert "too many tasks" in too_many["message"] and too_many["data"] == {"perClient": 50, "inAll": 200}
        assert not client.call("ax_get_tree", app=gtk3_shared.app)["isError"], "without a task it still works"
        client.request("tasks/cancel", taskId=begun[0])
        assert "error" in client.exchange("tools/call", name="ax_get_tree", arguments={}, task={}), "nobody read its end"
        client.request("tasks/result", taskId=begun[0])
        assert begin_task(client, "ax_get_tree", app=gtk3_shared.app)["taskId"]
        assert client.refusal("tasks/get", taskId=begun[0])["code"] == -32602, "what was read made room"


def test_two_hundred_tasks_in_all(desktop, gtk3_shared, http_server):
    clients = [Http(http_server.url) for _ in range(5)]
    try:
        for client in clients:
            client.begin()
        for client in clients[:4]:
            for _ in range(50):
                begin_task(client, "ax_wait_idle", app=gtk3_shared.app, **LONG)
        refused = clients[4].refusal("tools/call", name="ax_get_tree", arguments={}, task={})
        assert "200 in all" in refused["message"]
        clients[0].close()
        wait_for("room where a client left",
                 lambda: "result" in clients[4].exchange("tools/call", name="ax_get_tree",
                                                         arguments={"app": gtk3_shared.app}, task={}))
    finally:
        for client in clients[1:]:
            client.close()


def test_a_task_expires(converse, gtk3_shared):
    client = converse(LEGACY)
    short = begin_task(client, "ax_get_tree", ttl=1, app=gtk3_shared.app)
    assert short["ttl"] == 1000, "no shorter than a second"
    wait_for("the result to go", lambda: "error" in client.exchange("tasks/get", taskId=short["taskId"]))
    long = begin_task(client, "ax_wait_idle", ttl=1000, app=gtk3_shared.app, **LONG)
    error = client.refusal("tasks/result", taskId=long["taskId"])
    assert "time to live" in error["message"]
    assert begin_task(client, "ax_get_tree", ttl=10**15, app=gtk3_shared.app)["ttl"] == 3_600_000


def test_one_client_does_not_see_the_tasks_of_another(desktop, gtk3_shared, http_server):
    with Http(http_server.url) as one, Http(http_server.url) as other, Http(http_server.url, MODERN, EXTENSION) as modern:
        one.begin()
        other.begin()
        task = begin_task(one, "ax_wait_idle", app=gtk3_shared.app, **LONG)["taskId"]
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            assert other.refusal(method, taskId=task)["code"] == -32602
        assert other.request("tasks/list")["tasks"] == []
        for method in ("tasks/get", "tasks/cancel"):
            assert modern.refusal(method, taskId=task)["code"] == -32602
        assert one.request("tasks/get", taskId=task)["status"] == "working", "nobody cancelled it"


def test_cancelling_stops_the_work_within_a_second(converse, desktop, gtk3_shared):
    client = converse(LEGACY)

    def seconds():
        before = cancelled_calls(desktop)
        task = begin_task(client, "ax_wait_idle", app=gtk3_shared.app, **LONG)["taskId"]
        waiting = client.ask("tasks/result", taskId=task)
        client.request("tasks/get", taskId=task)
        asked = time.monotonic()
        assert client.request("tasks/cancel", taskId=task)["status"] == "cancelled"
        wait_for("the call to end", lambda: cancelled_calls(desktop) > before, 30)
        took = time.monotonic() - asked
        assert client.answer(waiting)["result"]["structuredContent"]["error"]["code"] == "cancelled"
        assert client.request("tasks/get", taskId=task)["status"] == "cancelled"
        assert client.refusal("tasks/cancel", taskId=task)["code"] == -32602
        return took
    quick_once("cancelling", 1, seconds)


def test_cancelling_a_look_at_a_stopped_application(converse, desktop):
    stopped = applications.start(desktop, "gtk3")
    client = converse(LEGACY)

    def seconds():
        before = cancelled_calls(desktop)
        task = begin_task(client, "ax_get_tree", app=stopped.app, max_depth=50)["taskId"]
        asked = time.monotonic()
        if "error" in client.exchange("tasks/cancel", taskId=task):
            return None  # It had ended already: the machine is busy.
        wait_for("the call to end", lambda: cancelled_calls(desktop) > before, 30)
        return time.monotonic() - asked
    try:
        client.call("ax_connect", app=stopped.app)
        stopped.freeze()
        quick_once("cancelling", 1, seconds)
    finally:
        stopped.thaw()
        stopped.stop()


def test_tasks_end_with_their_session(desktop, gtk3_shared, http_server):
    before = cancelled_calls(desktop)
    with Http(http_server.url) as client:
        client.begin()
        begin_task(client, "ax_wait_idle", app=gtk3_shared.app, **LONG)
    wait_for("the call to end", lambda: cancelled_calls(desktop) > before, 30)


def test_modern_short_calls_are_answered_at_once(converse, gtk3_shared):
    client = converse(MODERN, EXTENSION)
    # What takes more than a second, as anything may on a busy machine, is not short.
    wait_for("a short call", lambda: client.request(
        "tools/call", name="ax_get_tree", arguments={"app": gtk3_shared.app})["resultType"] == "complete")
    assert client.request("tools/call", name="ax_list_apps", arguments={})["content"]


def test_modern_long_calls_become_tasks(converse, gtk3_shared):
    client = converse(MODERN, EXTENSION)
    assert TASKS in client.begin()["capabilities"]["extensions"]
    task = client.request("tools/call", name="ax_wait_idle",
                          arguments={"app": gtk3_shared.app, "timeout_ms": 4000, "poll_ms": 3900})
    assert task["resultType"] == "task" and task["status"] == "working", task
    assert task["ttlMs"] > 60_000 and task["pollIntervalMs"] > 0
    assert "result" not in task and "task" not in task
    last = wait_for("the task to end", lambda: ended(client, task["taskId"]))
    assert last["status"] == "completed" and last["resultType"] == "complete"
    assert last["result"]["structuredContent"]["waited_ms"] >= 3900
    assert RELATED not in last["result"].get("_meta", {})
    assert client.request("tasks/cancel", taskId=task["taskId"]) == {"resultType": "complete"}, "too late, and no error"
    assert ended(client, task["taskId"])["status"] == "completed"
    for method in ("tasks/list", "tasks/result"):
        assert client.refusal(method, taskId=task["taskId"])["code"] == -32601


def ended(client, task):
    answer = client.request("tasks/get", taskId=task)
    return answer if answer["status"] in ("completed", "failed", "cancelled") else None


def test_modern_cancelling_stops_the_work_within_a_second(converse, desktop, gtk3_shared):
    client = converse(MODERN, EXTENSION)

    def seconds():
        before = cancelled_calls(desktop)
        task = client.request("tools/call", name="ax_wait_idle", arguments={"app": gtk3_shared.app, **LONG})["taskId"]
        asked = time.monotonic()
        assert client.request("tasks/cancel", taskId=task) == {"resultType": "complete"}
        wait_for("the call to end", lambda: cancelled_calls(desktop) > before, 30)
        took = time.monotonic() - asked
        assert wait_for("the task to end", lambda: ended(client, task))["status"] == "cancelled"
        return took
    quick_once("cancelling", 1, seconds)


def test_modern_clients_that_know_no_tasks_get_none(converse, gtk3_shared):
    client = converse(MODERN)
    answer = client.request("tools/call", name="ax_wait_idle", task={"ttl": 5},
                            arguments={"app": gtk3_shared.app, "timeout_ms": 2000, "poll_ms": 1900})
    assert answer["resultType"] == "complete" and answer["structuredContent"]["waited_ms"] >= 1900
    for method in ("tasks/get", "tasks/cancel"):
        assert client.refusal(method, taskId="x")["code"] == -32021


def test_modern_task_parameter_means_nothing(converse, gtk3_shared):
    client = converse(MODERN, EXTENSION)
    def answered_at_once():
        answer = client.request("tools/call", name="ax_get_tree", arguments={"app": gtk3_shared.app}, task={"ttl": 60_000})
        assert "task" not in answer
        return answer["resultType"] == "complete"
    wait_for("an answer at once, as without the parameter", answered_at_once)


def test_modern_unknown_tasks(converse):
    client = converse(MODERN, EXTENSION)
    for method in ("tasks/get", "tasks/cancel"):
        assert client.refusal(method, taskId="nobody-knows-it")["code"] == -32602
        assert client.refusal(method, taskId=7)["code"] == -32602
    assert client.refusal("tasks/update", taskId="nobody-knows-it", inputResponses={})["code"] == -32602


def test_modern_a_cancelled_request_is_no_task(desktop, gtk3_shared):
    before = cancelled_calls(desktop)
    with Stdio(desktop.env, MODERN, EXTENSION, log=desktop.path("server.log")) as client:
        client.begin()
        call = client.ask("tools/call", name="ax_wait_idle", arguments={"app": gtk3_shared.app, **LONG})
        client.notify("notifications/cancelled", requestId=call)
        wait_for("the call to end", lambda: cancelled_calls(desktop) > before, 30)
        assert not client.answered(call)


def test_the_inspector_polls_by_itself(desktop, gtk3_shared, inspector):
    given = [word for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XAUTHORITY")
             if name in desktop.env for word in ("-e", f"{name}={desktop.env[name]}")]
    output = desktop.run([*inspector, "--cli", "--protocol-era", "modern", *given, BINARY, "mcp", "serve",
                          "--method", "tools/call", "--tool-name", "ax_wait_idle", "--tool-arg", f'app="{gtk3_shared.app}"',
                          "timeout_ms=4000", "poll_ms=3900"])
    answer = json.loads(output[output.index("{"):])
    assert answer["structuredContent"]["waited_ms"] >= 3900, answer

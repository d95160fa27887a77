"""Golden transcripts: the messages on the wire for each feature, in each revision of the protocol that has it.

They are kept in `transcripts/REVISION/FEATURE.txt` and read like code in a review. After a change that is meant:

    HANDEYE_WRITE_TRANSCRIPTS=1 cargo xtask test --e2e tests/e2e/test_transcripts.py
"""

import os
import pathlib
import queue
import time

import pytest

from support import wait_for
from support.bed import choose
from support.http_transcript import kept
from support.transcript import META, MODERN, Conversation

FOLDER = pathlib.Path(__file__).with_name("transcripts")
WRITES = bool(os.environ.get("HANDEYE_WRITE_TRANSCRIPTS"))
SKILL = "skill://handeye/SKILL.md"
REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN]
NEVER = "9999"


def ask_what_it_offers(talk, _bed):
    talk.request("tools/list")


def call_a_tool(talk, bed):
    talk.request("tools/call", name="ax_get_value", arguments={"app": bed.app.app, "query": "Name"})


def call_it_wrongly(talk, _bed):
    talk.request("tools/call", name="ax_click", arguments={})
    talk.request("tools/call", name="ax_klick", arguments={})
    talk.request("tools/explode")


def read_resources(talk, bed):
    talk.request("resources/list")
    talk.request("resources/templates/list")
    talk.request("resources/read", uri=f"handeye://app/{bed.app.app}/state")
    talk.request("resources/read", uri="handeye://nothing")


def use_prompts(talk, bed):
    talk.request("prompts/list")
    talk.request("prompts/get", name="debug-ui", arguments={"app_name": bed.app.app, "element_description": "Count"})
    talk.request("prompts/get", name="nobody")


def complete(talk, _bed):
    asked = {"ref": {"type": "ref/resource", "uri": "handeye://app/{name}/tree"}, "argument": {"name": "name", "value": "fix"}}
    with talk.aside():
        # Another application hangs: what there is, is known a little later.
        wait_for("suggestions", lambda: talk.request("completion/complete", **asked)["result"]["completion"]["values"])
    talk.request("completion/complete", **asked)


def hear_progress(talk, bed):
    talk.request("tools/call", {"progressToken": "steps"}, name="image",
                 arguments={"app_target": f"PID:{bed.app.process}", "path": bed.folder, "question": "?"})


def cancel(talk, bed):
    number = talk.begin("tools/call", name="ax_wait_idle", arguments={"app": bed.busy.app, "timeout_ms": 20000})
    time.sleep(0.2)  # So that there is something to cancel; the messages are the same without.
    talk.notify("notifications/cancelled", requestId=number, reason="enough")
    talk.request("tools/list")


def log(talk, bed):
    meta = None
    if talk.is_modern:
        meta = {f"{META}logLevel": "info"}
    else:
        talk.request("logging/setLevel", level="info")
    talk.request("tools/call", meta, name="ax_get_value", arguments={"app": bed.app.app, "query": "Name"})


def be_asked(talk, bed):
    called = {"name": "ax_connect", "arguments": {"app": bed.shared_name}}
    answer = talk.request("tools/call", **called)["result"]
    if talk.is_modern:
        asked = answer["inputRequests"]
        replies = {key: choose(request["params"]) for key, request in asked.items()}
        talk.request("tools/call", **called, inputResponses=replies, requestState=answer["requestState"])


def ask_the_client(talk, method_params):
    """Makes a call that asks the client, in as many rounds as it takes."""
    more = {}
    for _ in range(4):
        answer = talk.request("tools/call", **method_params, **more)["result"]
        if answer.get("resultType") != "input_required":
            return
        asked = answer["inputRequests"]
        replies = {key: talk.replies[request["method"]](request.get("params")) for key, request in asked.items()}
        more = {"inputResponses": replies, "requestState": answer["requestState"]}


def decline(talk, bed):
    talk.replies = {"elicitation/create": lambda _: {"action": "decline"}}
    ask_the_client(talk, {"name": "ax_connect", "arguments": {"app": bed.shared_name}})


def lend_a_model(talk, bed):
    ask_the_client(talk, {"name": "analyze", "arguments": {"image_path": bed.picture(talk), "question": "What is shown?"}})


def tell_folders(talk, bed):
    folder, name = os.path.split(bed.picture(talk))
    talk.replies["roots/list"] = lambda _: {"roots": [{"uri": f"file://{folder}", "name": "pictures"}]}
    ask_the_client(talk, {"name": "analyze", "arguments": {"image_path": name, "question": "What is shown?"}})


def answer_as_a_model(_params):
    """A client's model."""
    return {"role": "assistant", "model": "lent", "stopReason": "endTurn", "content": {"type": "text", "text": "a window"}}


def be_asked_by_a_task(talk, bed):
    called = {"name": "ax_get_tree", "arguments": {"app": bed.shared_name}}
    task = talk.request("tools/call", **called, task={"ttl": 60000})["result"]["task"]["taskId"]
    with talk.aside():
        wait_for("the question", lambda: talk.request("tasks/get", taskId=task)["result"]["status"] == "input_required")
    talk.request("tasks/get", taskId=task)
    talk.request("tasks/result", taskId=task)


def learn_the_skill(talk, _bed):
    talk.request("skills/list")
    talk.request("skills/get", uri=SKILL)
    talk.request("skills/get", uri="skill://nobody/SKILL.md")
    talk.request("resources/read", uri=SKILL)


def hear_of_lists(talk, bed):
    talk.awaited = {"notifications/resources/list_changed"}
    if talk.is_modern:
        talk.begin("subscriptions/listen", notifications={"resourcesListChanged": True})
        talk.hear(lambda message: message.get("method") == "notifications/subscriptions/acknowledged")
    else:
        with talk.aside():
            talk.request("resources/list")
    with bed.another():
        talk.hear(lambda message: message.get("method") == "notifications/resources/list_changed")


def ping(talk, _bed):
    talk.request("ping")


def work_as_a_task(talk, bed):
    called = {"name": "ax_wait_idle", "arguments": {"app": bed.busy.app, "timeout_ms": 4000}}
    if talk.is_modern:
        task = talk.request("tools/call", **called)["result"]["taskId"]
        with talk.aside():
            wait_for("the task to end", lambda: talk.request("tasks/get", taskId=task)["result"]["status"] != "working")
        talk.request("tasks/get", taskId=task)
        talk.request("tasks/cancel", taskId=task)
    else:
        task = talk.request("tools/call", **called, task={"ttl": 60000})["result"]["task"]["taskId"]
        talk.request("tasks/result", taskId=task)
        talk.request("tasks/get", taskId=task)
        talk.request("tasks/list")
    talk.request("tasks/get", taskId="nobody")


def subscribe(talk, bed):
    uri = f"handeye://app/{bed.app.app}/tree"
    if talk.is_modern:
        number = talk.begin("subscriptions/listen", notifications={"resourceSubscriptions": [uri]})
        talk.hear(lambda message: message.get("method") == "notifications/subscriptions/acknowledged")
    else:
        talk.request("resources/subscribe", uri=uri)
    # A subscription takes effect soon after it was acknowledged: a change before that does not count.
    for _ in range(10):
        bed.change()
        try:
            talk.hear(lambda message: message.get("method") == "notifications/resources/updated", timeout=6)
            break
        except queue.Empty:
            continue
    with talk.aside():
        if talk.is_modern:
            talk.notify("notifications/cancelled", requestId=number)
        else:
            talk.request("resources/unsubscribe", uri=uri)


# What each feature is, the first and the last revision that have it, and what the client can do.
FEATURES = {
    "tools-list": (ask_what_it_offers, REVISIONS[0], NEVER, {}),
    "tool-call": (call_a_tool, REVISIONS[0], NEVER, {}),
    "errors": (call_it_wrongly, REVISIONS[0], NEVER, {}),
    "resources": (read_resources, REVISIONS[0], NEVER, {}),
    "prompts": (use_prompts, REVISIONS[0], NEVER, {}),
    "completion": (complete, REVISIONS[0], NEVER, {}),
    "progress": (hear_progress, REVISIONS[0], NEVER, {}),
    "cancel": (cancel, REVISIONS[0], NEVER, {}),
    "logging": (log, REVISIONS[0], NEVER, {}),
    "elicitation": (be_asked, "2025-06-18", NEVER, {"elicitation": {}}),
    "tasks": (work_as_a_task, "2025-11-25", NEVER, {"extensions": {f"{META}tasks": {}}}),
    "subscription": (subscribe, REVISIONS[0], NEVER, {}),
    "elicitation-declined": (decline, "2025-06-18", NEVER, {"elicitation": {}}),
    "sampling": (lend_a_model, REVISIONS[0], NEVER, {"sampling": {}}),
    "roots": (tell_folders, REVISIONS[0], NEVER, {"roots": {}}),
    "task-question": (be_asked_by_a_task, "2025-11-25", "2025-11-25", {"elicitation": {}}),
    "skills": (learn_the_skill, MODERN, NEVER, {}),
    "list-changed": (hear_of_lists, REVISIONS[0], NEVER, {}),
    "ping": (ping, REVISIONS[0], "2025-11-25", {}),
}
CASES = [(revision, feature) for revision in REVISIONS for feature, (_, first, last, _) in FEATURES.items()
         if first <= revision <= last]
# Streamable HTTP came with the second.
OVER_HTTP = REVISIONS[1:]


def compare(revision, feature, said):
    path = FOLDER / revision / f"{feature}.txt"
    if WRITES:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said, encoding="utf-8")
        return
    assert path.exists(), f"{path} is missing; see the head of this file"
    assert said == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("revision", REVISIONS)
def test_handshake(environment, revision):
    talk = Conversation(environment, revision)
    try:
        talk.shake_hands()
    finally:
        said = talk.close()
    compare(revision, "handshake", said)


@pytest.mark.parametrize("revision, feature", CASES)
def test_feature(environment, bed, revision, feature):
    work, _, _, capabilities = FEATURES[feature]
    # Where a provider answers, the client's own model is not asked.
    environment = {**environment, "HANDEYE_AI_PROVIDERS": "none"} if "sampling" in capabilities else environment
    replies = {"elicitation/create": choose, "sampling/createMessage": answer_as_a_model}
    talk = Conversation(environment, revision, capabilities, replies, bed.names)
    try:
        with talk.aside():
            talk.shake_hands()
        work(talk, bed)
    finally:
        said = talk.close()
    compare(revision, feature, said)


@pytest.mark.parametrize("revision", OVER_HTTP)
def test_over_http(server, bed, revision):
    """What differs there: the headers, the session, the stream for notifications, what is refused before it is read."""
    talk = kept(server.url, revision, name="transcript", names=bed.names)
    try:
        if revision >= MODERN:
            talk.request("server/discover")
        asked = {"name": "ax_get_value", "arguments": {"app": bed.app.app, "query": "Name"}}
        talk.request("tools/call", **asked)
        if revision >= MODERN:
            talk.request("tools/call", headers={"mcp-name": "ax_click"}, **asked)
            talk.send(None, {"mcp-protocol-version": MODERN}, method="GET")
        talk.request("tools/explode")
        tree = f"handeye://app/{bed.app.app}/tree"
        talk.hear_of(tree, lambda stream: wait_for("an update", lambda: bed.change() or stream.told(tree), every=1))
        if revision < MODERN:
            talk.end()
            talk.request("ping")
    finally:
        talk.close()
    compare(revision, "http", "\n\n".join(talk.said) + "\n")

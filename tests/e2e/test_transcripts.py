"""Golden transcripts: what is said on the wire for each feature, in each revision of the protocol that has it.

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
from support.transcript import META, MODERN, Conversation

FOLDER = pathlib.Path(__file__).with_name("transcripts")
WRITES = bool(os.environ.get("HANDEYE_WRITE_TRANSCRIPTS"))
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
    time.sleep(0.2)  # So that there is something to cancel; what is said is the same without.
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
    # One that listens is watched for soon after it was acknowledged: a change before that is none.
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
}
CASES = [(revision, feature) for revision in REVISIONS for feature, (_, first, last, _) in FEATURES.items()
         if first <= revision <= last]


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
    talk = Conversation(environment, revision, capabilities, {"elicitation/create": choose}, bed.names)
    try:
        with talk.aside():
            talk.shake_hands()
        work(talk, bed)
    finally:
        said = talk.close()
    compare(revision, feature, said)

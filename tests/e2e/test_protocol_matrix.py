"""Each feature of the protocol, in each revision, over each transport: spoken by hand, at a real application."""

import pytest

import protocol_matrix
from protocol_matrix import ABSENT, FEATURES, REVISIONS, TRANSPORTS
from support import wait_for
from support.bed import choose
from support.transcript import META, MODERN, Conversation

FIRST = {"elicitation": "2025-06-18", "tasks": "2025-11-25"}
CAPABILITIES = {"elicitation": {}, "extensions": {f"{META}tasks": {}}}


class OverLines:
    """A client that speaks over standard input and output."""

    def __init__(self, env, revision):
        self.talk = Conversation(env, revision, CAPABILITIES, {"elicitation/create": choose})
        self.hello = self.talk.shake_hands()
        self.revision, self.is_modern = revision, self.talk.is_modern

    def ask(self, method, meta=None, until=None, **params):
        """All messages about a request, up to the answer or the message that it waits for."""
        number, said = self.talk.begin(method, meta, **params), []

        def heard(message):
            said.append(message)
            return (until and until(message)) or (message.get("id") == number and "method" not in message)
        self.talk.hear(heard)
        return said

    def hear(self, method):
        """Waits for a message."""
        self.talk.hear(lambda message: message.get("method") == method)

    def close(self):
        self.talk.close()


class OverHttp:
    """A client that speaks over HTTP."""

    def __init__(self, server, revision):
        self.speaker = server.speak(revision, capabilities=CAPABILITIES)
        self.revision, self.is_modern = revision, revision >= MODERN
        self.hello = self.speaker.request("server/discover").result if self.is_modern else self.speaker.hello.result

    def ask(self, method, meta=None, until=None, **params):
        """All messages about a request, up to the answer or the message that it waits for."""
        return self.speaker.converse(method, {"elicitation/create": choose}, meta, until, **params)

    def close(self):
        self.speaker.close()


def result(said):
    assert "result" in said[-1], said[-1]
    return said[-1]["result"]


def handshake(client, bed):
    if client.is_modern:
        return MODERN in client.hello["supportedVersions"]
    return client.hello["protocolVersion"] == client.revision


def tools(client, bed):
    listed = result(client.ask("tools/list"))["tools"]
    called = result(client.ask("tools/call", name="ax_get_value", arguments={"app": bed.app.app, "query": "Name"}))
    return any(tool["name"] == "ax_get_value" for tool in listed) and not called.get("isError")


def resources(client, bed):
    listed = result(client.ask("resources/list"))["resources"]
    read = result(client.ask("resources/read", uri="handeye://apps"))["contents"]
    return bool(listed) and bed.app.app in read[0]["text"]


def prompts(client, bed):
    listed = result(client.ask("prompts/list"))["prompts"]
    arguments = {"app_name": bed.app.app, "element_description": "Count"}
    return len(listed) >= 7 and bool(result(client.ask("prompts/get", name="debug-ui", arguments=arguments))["messages"])


def completion(client, bed):
    asked = {"ref": {"type": "ref/resource", "uri": "handeye://app/{name}/tree"}, "argument": {"name": "name", "value": "fix"}}
    return bool(wait_for("suggestions", lambda: result(client.ask("completion/complete", **asked))["completion"]["values"]))


def progress(client, bed):
    arguments = {"app_target": f"PID:{bed.app.process}", "path": bed.folder, "question": "?"}
    said = client.ask("tools/call", {"progressToken": "steps"}, name="image", arguments=arguments)
    return "result" in said[-1] and any(message.get("method") == "notifications/progress" for message in said[:-1])


def logging(client, bed):
    if client.is_modern:
        said = client.ask("tools/list", {f"{META}logLevel": "debug"})
        return "result" in said[-1]
    return result(client.ask("logging/setLevel", level="warning")) == {}


def elicitation(client, bed):
    said = client.ask("tools/call", name="ax_connect", arguments={"app": bed.shared_name})
    if client.is_modern:
        return result(said)["resultType"] == "input_required"
    return any(message.get("method") == "elicitation/create" for message in said) and not result(said).get("isError")


def tasks(client, bed):
    called = {"name": "ax_wait_idle", "arguments": {"app": bed.busy.app, "timeout_ms": 4000}}
    if client.is_modern:
        task = result(client.ask("tools/call", **called))["taskId"]
        wait_for("the task to end", lambda: result(client.ask("tasks/get", taskId=task))["status"] == "completed")
        return True
    assert "tasks" in client.hello["capabilities"]
    task = result(client.ask("tools/call", **called, task={}))["task"]["taskId"]
    return "content" in result(client.ask("tasks/result", taskId=task))


def subscription(client, bed):
    uri = f"handeye://app/{bed.app.app}/tree"
    if client.is_modern:
        said = client.ask("subscriptions/listen", notifications={"resourceSubscriptions": [uri]},
                          until=lambda message: "acknowledged" in message.get("method", ""))
        return said[-1]["params"]["notifications"].get("resourceSubscriptions") == [uri]
    return result(client.ask("resources/subscribe", uri=uri)) == {}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_revision(environment, server, bed, transport, revision):
    client = OverLines(environment, revision) if transport == "stdio" else OverHttp(server, revision)
    outcomes = {}
    try:
        for feature in FEATURES:
            if revision < FIRST.get(feature, ""):
                outcomes[feature] = ABSENT
                continue
            try:
                outcomes[feature] = "yes" if globals()[feature](client, bed) else "no"
            except (AssertionError, KeyError) as fault:
                outcomes[feature] = f"no: {fault}".replace("\n", " ")[:200]
    finally:
        client.close()
    for feature, outcome in outcomes.items():
        protocol_matrix.keep(transport, revision, feature, outcome)
    print(transport, revision, outcomes)
    if not protocol_matrix.WRITES:
        known = {feature: protocol_matrix.expected(transport, revision, feature) for feature in FEATURES}
        assert outcomes == known

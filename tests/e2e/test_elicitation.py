"""Questions to a person in the middle of a call, in every revision that has them; the application says what was done."""

import json

import pytest

from support import wait_for
from support import applications
from support.people import MODERN, accept, cancel, code, decline
from support.session import Session

REVISIONS = ["2025-06-18", "2025-11-25", MODERN]


@pytest.fixture
def danger(desktop):
    app = applications.start(desktop, "danger", commands=True)
    yield app
    app.stop()


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_yes_does_it_once_and_nothing_is_done_before(asked, danger, revision):
    before = []

    def yes(_):
        before.append(danger.state()["deleted"])
        return {"action": "accept", "content": {"confirm": True}}

    client = asked(revision, answers={"elicitation/create": yes})
    answer = client.call("ax_click", app=danger.app, query="Delete All Data")
    assert not answer["result"].get("isError"), answer
    danger.wait("deleted", 1)
    assert before == [0] and len(client.questions) == 1
    question = client.questions[0]["params"]
    assert question["message"].startswith("This will click 'Delete All Data' in ")
    assert question["message"].endswith("This action may be irreversible.")
    assert question["requestedSchema"] == {
        "type": "object", "required": ["confirm"],
        "properties": {"confirm": {"type": "boolean", "title": "Confirm destructive action", "default": False}}}
    assert question.get("mode") == (None if revision == "2025-06-18" else "form")


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("answers", [decline(), cancel(), accept(confirm=False), accept()], ids=["decline", "cancel", "no", "empty"])
def test_everything_else_does_nothing(asked, danger, revision, answers):
    client = asked(revision, answers=answers)
    answer = client.call("ax_click", app=danger.app, query="Delete All Data")
    assert code(answer) in ("declined", "invalid_parameter")
    client.call("ax_click", app=danger.app, query="Save")
    danger.wait("saved", 1)
    assert danger.state()["deleted"] == 0


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_asks_its_person(desktop, danger, mode):
    questions = []

    async def person(_context, params):
        from mcp.types import ElicitResult
        questions.append((params.message, danger.state()["deleted"]))
        return ElicitResult(action="accept", content={"confirm": True})

    session = Session(desktop.env, mode=mode, elicit=person)
    try:
        session.do("ax_click", app=danger.app, query="Delete All Data")
        danger.wait("deleted", 1)
    finally:
        session.close()
    assert len(questions) == 1 and questions[0][1] == 0


def test_it_is_judged_by_what_is_hit(asked, danger):
    client = asked(answers=decline())
    danger.command(do="place", name="middle")
    x, y = danger.state()["middle"]
    for mode in ("background", "focus"):
        assert code(client.call("ax_click_at", x=x, y=y, mode=mode)) == "declined"
    reference = json.dumps(client.call("ax_find", app=danger.app, query="Löschen")["result"]["structuredContent"])
    assert code(client.call("ax_click", app=danger.app, query=json.loads(reference)["element_ref"])) == "declined"
    assert code(client.call("ax_click", app=danger.app, query="//button[1]")) == "declined"
    assert len(client.questions) == 4
    client.answers = {}
    client.call("ax_click", app=danger.app, query="Save")
    danger.wait("saved", 1)
    assert (danger.state()["deleted"], danger.state()["binned"]) == (0, 0)


@pytest.mark.parametrize("press", [
    ("ax_click", {"query": "role:button OK"}), ("ax_key_press", {"key": "return", "mode": "focus"}),
], ids=["click", "return"])
def test_the_yes_of_a_dialog_is_judged_by_what_it_asks(desktop, asked, danger, press):
    tool, arguments = press
    danger.command(do="ask")
    wait_for("the dialog to have the focus", lambda: desktop.active_window() in {
        window for window, process, _ in desktop.windows() if process == danger.process} - {danger.window})
    client = asked(answers=decline())
    assert code(client.call(tool, app=danger.app, **arguments)) == "declined"
    assert "Erase everything?" in client.questions[0]["params"]["message"]
    assert danger.state()["erased"] == 0
    client.answers = accept(confirm=True)
    client.call(tool, app=danger.app, **arguments)
    danger.wait("erased", 1)


def test_the_no_of_a_dialog_needs_nobody(asked, danger):
    danger.command(do="ask")
    client = asked()
    client.call("ax_click", app=danger.app, query="role:button Cancel")
    danger.wait("dialog", False)
    assert client.questions == [] and danger.state()["erased"] == 0


def test_a_yes_is_for_what_was_asked_about(asked, danger):
    def yes_after_a_change(_):
        if len(client.questions) == 1:
            danger.command(do="rename", name="Delete Account")
        return {"action": "accept", "content": {"confirm": True}}

    for revision in ("2025-11-25", MODERN):
        danger.command(do="rename", name="Delete All Data")
        client = asked(revision, answers={"elicitation/create": yes_after_a_change})
        client.call("ax_click", app=danger.app, query="//button[1]")
        assert ["Account" in question["params"]["message"] for question in client.questions] == [False, True]


def test_a_client_that_never_answers_gets_an_error_and_the_next_call_works(asked, danger):
    client = asked(env={"HANDEYE_ASK_TIMEOUT": "1"})
    assert code(client.call("ax_click", app=danger.app, query="Delete All Data")) == "timeout"
    client.call("ax_click", app=danger.app, query="Save")
    danger.wait("saved", 1)
    cancelled = [note for note in client.notes if note.get("method") == "notifications/cancelled"]
    assert cancelled and cancelled[0]["params"]["requestId"] == client.questions[0]["id"]
    assert danger.state()["deleted"] == 0


def test_while_a_person_thinks_others_act(asked, danger):
    thinking, other = asked(), asked()
    number = thinking.send("tools/call", name="ax_click", arguments={"app": danger.app, "query": "Delete All Data"})
    question = thinking.question()
    other.call("ax_click", app=danger.app, query="Save")
    danger.wait("saved", 1)
    thinking.call("ax_click", app=danger.app, query="Save")
    danger.wait("saved", 2)
    thinking.write({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"confirm": True}}})
    assert not thinking.receive(number)["result"].get("isError")
    danger.wait("deleted", 1)


def test_a_client_that_leaves_while_it_is_asked_leaves_nothing_behind(asked, danger):
    leaving, staying = asked(), asked(answers=accept(confirm=True))
    leaving.send("tools/call", name="ax_click", arguments={"app": danger.app, "query": "Delete All Data"})
    leaving.question()
    assert leaving.close() == 0
    staying.call("ax_click", app=danger.app, query="Save")
    danger.wait("saved", 1)
    assert danger.state()["deleted"] == 0


def test_a_cancelled_call_takes_its_question_back(asked, danger):
    client = asked()
    number = client.send("tools/call", name="ax_click", arguments={"app": danger.app, "query": "Delete All Data"})
    question = client.question()
    client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})

    def taken_back():
        client.call("ax_list_apps")
        return any(note.get("method") == "notifications/cancelled" and note["params"]["requestId"] == question["id"]
                   for note in client.notes)

    wait_for("the question to be taken back", taken_back)
    client.write({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"confirm": True}}})
    client.call("ax_click", app=danger.app, query="Save")
    danger.wait("saved", 1)
    assert danger.state()["deleted"] == 0


def test_an_answer_to_a_question_that_was_never_asked_means_nothing(asked, danger):
    client = asked()
    for number in (0, 1, 99, "x"):
        client.write({"jsonrpc": "2.0", "id": number, "result": {"action": "accept", "content": {"confirm": True}}})
    number = client.send("tools/call", name="ax_click", arguments={"app": danger.app, "query": "Delete All Data"})
    assert client.question()["method"] == "elicitation/create"
    newest = asked(MODERN)
    responses = {"confirm": {"action": "accept", "content": {"confirm": True}}, "confirm_e1": {"action": "accept", "content": {"confirm": True}}}
    answer = newest.receive(newest.send("tools/call", name="ax_click", inputResponses=responses,
                                        arguments={"app": danger.app, "query": "Delete All Data"}))
    assert answer["result"]["resultType"] == "input_required"
    assert danger.state()["deleted"] == 0 and number


def changed(text, at):
    return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:]


def test_a_state_that_is_not_this_calls_own_is_refused(asked, danger):
    client = asked(MODERN, answers=accept(confirm=True))
    arguments = {"app": danger.app, "query": "Delete All Data"}

    def fresh():
        return client.respond(client.receive(client.send("tools/call", name="ax_click", arguments=arguments))["result"])

    def refused(more, **other):
        sent = {"name": "ax_click", "arguments": arguments, **other, **more}
        answer = client.receive(client.send("tools/call", **sent))
        assert answer["error"]["code"] == -32602, answer
        assert "requestState" in answer["error"]["message"] or "inputResponses" in answer["error"]["message"]

    good = fresh()
    state = good["requestState"]
    for at in (0, 4, len(state) // 2, len(state) - 10):
        refused(good | {"requestState": changed(state, at)})
    refused(good | {"requestState": ""})
    refused(good | {"requestState": state * 100})
    refused(good | {"requestState": 5})
    refused(good | {"inputResponses": 5})
    refused(good, arguments={"app": danger.app, "query": "Löschen"})
    refused(good, name="ax_scroll", arguments={"app": danger.app, "direction": "down"})
    other = asked(MODERN)
    answer = other.receive(other.send("tools/call", name="ax_click", arguments=arguments, **good))
    assert answer["error"]["code"] == -32602, "another process has another key"
    assert danger.state()["deleted"] == 0
    answer = client.receive(client.send("tools/call", name="ax_click", arguments=arguments, **good))
    assert not answer["result"].get("isError"), answer
    danger.wait("deleted", 1)
    refused(good)
    client.call("ax_click", app=danger.app, query="Save")
    danger.wait("saved", 1)
    assert danger.state()["deleted"] == 1, "a state is good for one use"


def test_a_missing_answer_is_asked_for_again(asked, danger):
    client = asked(MODERN)
    arguments = {"app": danger.app, "query": "Delete All Data"}
    first = client.receive(client.send("tools/call", name="ax_click", arguments=arguments))["result"]
    again = client.receive(client.send("tools/call", name="ax_click", arguments=arguments, requestState=first["requestState"]))
    assert again["result"]["resultType"] == "input_required"
    assert again["result"]["inputRequests"] == first["inputRequests"]


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
def test_who_cannot_be_asked_is_told_or_refused(asked, danger, revision):
    arguments = {"app": danger.app, "query": "Delete All Data"}
    client = asked(revision, capabilities={}, arguments=["--confirm", "always"])
    answer = client.call("ax_click", **arguments)
    assert code(answer) == "blocked"
    assert "HANDEYE_CONFIRM" in answer["result"]["content"][0]["text"]
    assert danger.state()["deleted"] == 0
    client = asked(revision, capabilities={})
    answer = client.call("ax_click", **arguments)
    assert any("Nobody could be asked" in part["text"] for part in answer["result"]["content"])
    danger.wait("deleted", 1)
    client = asked(revision, arguments=["--confirm", "never"])
    client.call("ax_click", **arguments)
    danger.wait("deleted", 2)
    assert client.questions == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_person_chooses_between_applications_of_one_name(asked, desktop, danger, revision):
    other = applications.start(desktop, "danger")
    try:
        client = asked(revision, answers=accept(app=other.app))
        connected = client.call("ax_connect", app="danger_app")["result"]
        assert not connected.get("isError"), connected
        assert str(connected["structuredContent"]["pid"]) == other.app
        field = client.questions[0]["params"]["requestedSchema"]["properties"]["app"]
        offered = field["enum"] if revision == "2025-06-18" else [choice["const"] for choice in field["oneOf"]]
        assert sorted(offered) == sorted([danger.app, other.app])
        client.answers = decline()
        assert code(asked(revision, answers=decline()).call("ax_get_tree", app="danger_app")) == "declined"
        answer = asked(revision, capabilities={}).call("ax_get_tree", app="danger_app")
        assert code(answer) == "app_ambiguous" and danger.app in answer["result"]["content"][0]["text"]
    finally:
        other.stop()


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
def test_the_person_describes_what_was_not_found(asked, danger, revision):
    client = asked(revision, answers=accept(description="Save"))
    client.call("ax_click", app=danger.app, query="zzqqxxyy")
    danger.wait("saved", 1)
    assert list(client.questions[0]["params"]["requestedSchema"]["properties"]) == ["description"]
    client = asked(revision, answers=accept(description="Delete All Data"))
    assert code(client.call("ax_click", app=danger.app, query="zzqqxxyy")) in ("declined", "invalid_parameter")
    assert len(client.questions) == 2, "what the person describes is judged like anything else"
    assert danger.state()["deleted"] == 0

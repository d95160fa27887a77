"""What clients receive about their calls: records for those that asked, steps of calls that take their time."""

import time

import pytest

from support import applications, wait_for
from support.conversation import LEGACY, MODERN, Stdio

LEVEL = "io.modelcontextprotocol/logLevel"
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
SECRET = "correct-horse-battery"


@pytest.fixture(params=[LEGACY, "2024-11-05", MODERN])
def client(request, desktop):
    with Stdio(desktop.env, request.param) as conversation:
        conversation.hello = conversation.begin()
        yield conversation


@pytest.fixture
def modern(desktop):
    with Stdio(desktop.env, MODERN) as conversation:
        conversation.begin()
        yield conversation


def records(client):
    return client.notifications("notifications/message")


def call_at(client, level, tool, **arguments):
    """Calls a tool with records of a level, as the client's revision has it; returns the records."""
    before = len(records(client))
    if client.revision >= MODERN:
        client.call(tool, {LEVEL: level}, **arguments)
    else:
        client.request("logging/setLevel", level=level)
        client.call(tool, **arguments)
    return records(client)[before:]


def test_logging_is_declared(client):
    assert client.hello["capabilities"]["logging"] == {}


def test_who_did_not_ask_is_told_nothing(client, gtk3_shared):
    client.call("ax_find", app=gtk3_shared.app, query="role:button Count")
    client.call("ax_find", app=gtk3_shared.app, query="no such thing")
    client.call("ax_list_apps")
    assert not records(client)


def test_a_look_is_told_with_its_times(client, gtk3_shared):
    call_at(client, "debug", "ax_connect", app=gtk3_shared.app)
    told = call_at(client, "debug", "ax_find", app=gtk3_shared.app, query="role:button Count")
    assert len(told) == 2, told
    begins, record = told
    assert (begins["level"], begins["logger"]) == ("debug", "handeye.tools.find")
    assert begins["data"] == {"tool": "ax_find", "state": "begins", "cache_hit": True}
    assert record["logger"] == "handeye.tools.find" and record["level"] in ("info", "warning")
    data = record["data"]
    assert data["tool"] == "ax_find" and data["app"] == gtk3_shared.app
    assert data["outcome"] == "ok" and data["found"] is True and data["cache_hit"] is True and data["strategy"]
    assert 0 <= data["ax_duration_ms"] <= data["duration_ms"]
    assert (record["level"] == "warning") == (data["duration_ms"] > 100)


def test_an_action_is_audited(client, gtk3):
    told = call_at(client, "notice", "ax_click", app=gtk3.app, query="role:button Count")
    gtk3.wait("count", 1)
    audit = [record for record in told if record["logger"] == "handeye.audit"]
    assert len(audit) == 1 and audit[0]["level"] == "notice", told
    assert audit[0]["data"]["tool"] == "ax_click" and audit[0]["data"]["effect"] in ("confirmed", "unconfirmed")


def test_a_failure_is_an_error(client, gtk3_shared):
    told = call_at(client, "error", "ax_click", app=gtk3_shared.app, query="No such button")
    assert [record["level"] for record in told] == ["error"], told
    assert told[0]["data"]["outcome"] == "element_not_found"


@pytest.mark.parametrize("least", LEVELS)
def test_no_record_is_less_serious_than_asked_for(client, gtk3_shared, least):
    told = call_at(client, least, "ax_click", app=gtk3_shared.app, query="role:button Count")
    told += call_at(client, least, "ax_click", app="no-such-app", query="x")
    assert all(LEVELS.index(record["level"]) >= LEVELS.index(least) for record in told), told
    if LEVELS.index(least) <= LEVELS.index("error"):
        assert told
    else:
        assert not told


def test_arguments_and_texts_stay_out(client, gtk3):
    told = call_at(client, "debug", "ax_type", app=gtk3.app, query="Name", text=SECRET)
    gtk3.wait("name", SECRET)
    told += call_at(client, "debug", "ax_find", app=gtk3.app, query=SECRET)
    told += call_at(client, "debug", "ax_get_value", app=gtk3.app, query="Name")
    assert len(told) >= 4 and SECRET not in str(told), told


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_a_call_beyond_a_limit_is_an_alert(desktop, revision):
    with Stdio({**desktop.env, "HANDEYE_RATE_LIMIT_RPM": "1"}, revision) as client:
        client.begin()
        told = call_at(client, "alert", "ax_list_apps") + call_at(client, "alert", "ax_list_apps")
    assert [(record["level"], record["data"]["outcome"]) for record in told] == [("alert", "rate_limit_exceeded")], told


def test_unknown_levels_are_refused(client):
    for level in ("banana", "", 7, None, "INFO"):
        if client.revision >= MODERN:
            if level is None:
                continue
            error = client.refusal("tools/call", {LEVEL: level}, name="ax_list_apps", arguments={})
        else:
            error = client.refusal("logging/setLevel", level=level)
        assert error["code"] == -32602, (level, error)


def test_the_newest_revision_has_no_level_of_a_session(modern):
    assert modern.refusal("logging/setLevel", level="debug")["code"] == -32601
    assert call_at(modern, "debug", "ax_list_apps")
    before = len(records(modern))
    modern.call("ax_list_apps")
    assert len(records(modern)) == before, "the level was that request's"


def test_records_come_before_the_answer(modern, gtk3_shared):
    number = modern.ask("tools/call", {LEVEL: "debug"}, name="ax_find",
                        arguments={"app": gtk3_shared.app, "query": "role:button Count"})
    modern.answer(number)
    assert records(modern), "all were heard when the answer was"


def test_a_client_that_reads_nothing_holds_no_other_up(desktop, gtk3):
    with Stdio(desktop.env) as deaf, Stdio(desktop.env) as other:
        deaf.begin()
        other.begin()
        deaf.request("logging/setLevel", level="debug")
        deaf.stop_reading()
        for _ in range(300):
            deaf.ask("tools/call", name="ax_find", arguments={"app": gtk3.app, "query": "role:button Count"})
        other.call("ax_click", app=gtk3.app, query="role:button Count")
        gtk3.wait("count", 1)
        deaf.go_on_reading()
        assert not deaf.call("ax_get_value", app=gtk3.app, query="Name")["isError"]


def test_a_wait_tells_how_long_it_is(client, gtk3_shared):
    client.call("ax_wait_idle", {"progressToken": 7}, app=gtk3_shared.app, timeout_ms=5000, poll_ms=2800)
    steps = client.notifications("notifications/progress")
    assert len(steps) >= 2, steps
    assert all(step["progressToken"] == 7 and step["message"].startswith("Waiting... (") for step in steps), steps
    assert all(step["message"].endswith("/ 5.0s)") for step in steps), steps
    numbers = [step["progress"] for step in steps]
    assert numbers == sorted(set(numbers))


def test_an_application_that_does_not_answer_is_named_while_it_is_waited_for(client, desktop):
    stopped = applications.start(desktop, "gtk3")
    try:
        client.call("ax_connect", app=stopped.app)
        stopped.freeze()
        number = client.ask("tools/call", {"progressToken": "p"}, name="ax_get_tree",
                            arguments={"app": stopped.app, "max_depth": 50})
        step = wait_for("a step", lambda: client.notifications("notifications/progress"))[0]
        assert "Reading '" in step["message"], step
        assert client.answer(number)["result"]["isError"]
    finally:
        stopped.thaw()
        stopped.stop()


def test_short_calls_tell_no_steps(client, gtk3_shared):
    def quick():
        heard, began = len(client.notifications("notifications/progress")), time.monotonic()
        client.call("ax_get_value", {"progressToken": "p"}, app=gtk3_shared.app, query="Name")
        if time.monotonic() - began > 0.4:
            return False  # the machine is busy
        assert len(client.notifications("notifications/progress")) == heard
        return True

    wait_for("a call that is short", quick, 60)

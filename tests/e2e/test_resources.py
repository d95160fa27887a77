"""Resources as clients read them: official clients of both eras, three toolkits, raw lines."""

import base64
import json
import signal
import struct
import subprocess

import pytest

from support import PATIENCE, applications, wait_for
from support.session import Session
from support.wire import Wire

TOOLKITS = ["gtk3", "gtk4", "qt5"]
TEMPLATES = ["handeye://app/{name}/tree", "handeye://app/{name}/screenshot", "handeye://app/{name}/state",
             "handeye://app/{name}/window/{index}/tree", "handeye://app/{name}/events"]


@pytest.fixture(scope="module", params=["auto", "legacy"])
def session(request, desktop):
    own = Session(desktop.env, mode=request.param)
    yield own
    own.close()


@pytest.fixture(scope="module", params=TOOLKITS)
def app(request, desktop):
    own = applications.start(desktop, request.param, commands=True)
    yield own
    own.stop()


def read(session, uri):
    """The JSON of a resource."""
    content = session.ask("read_resource", uri).contents[0]
    assert (str(content.uri), content.mime_type) == (uri, "application/json")
    return json.loads(content.text)


def test_what_there_is(session, app):
    def listing():
        return {str(resource.uri): resource for resource in session.ask("list_resources").resources}

    wait_for("the application", lambda: any(f"(pid {app.process})" in one.title for one in listing().values()))
    listed = listing()
    for uri, priority in {"handeye://system/status": 0.9, "handeye://apps": 0.7, "handeye://clipboard": 0.3}.items():
        resource = listed[uri]
        assert resource.title and resource.description and resource.mime_type == "application/json"
        assert abs(resource.annotations.priority - priority) < 0.01 and "assistant" in resource.annotations.audience
    assert any(uri.endswith("/state") and f"(pid {app.process})" in listed[uri].title for uri in listed)
    for uri in listed:
        read(session, uri)
    templates = {template.uri_template: template for template in session.ask("list_resource_templates").resource_templates}
    assert sorted(templates) == sorted(TEMPLATES)
    assert templates["handeye://app/{name}/screenshot"].mime_type == "image/png"


def test_status(session):
    status = read(session, "handeye://system/status")
    assert status["accessibility_enabled"] is True and status["security_mode"] == "normal"
    assert status["protocol_version"] == session.client.protocol_version
    assert status["vlm_available"] is False and status["vlm_backend"] is None
    assert "Linux" in status["platform"] and isinstance(status["connected_apps"], list)
    assert read(session, "handeye://system/status")["uptime_seconds"] >= status["uptime_seconds"] >= 0


@pytest.mark.parametrize("arguments,mode", [
    ([], "normal"), (["--confirm", "never"], "normal"), (["--confirm", "always"], "safe"), (["--read-only"], "sandboxed"),
    (["--read-only", "--confirm", "always"], "sandboxed"),
])
def test_status_names_the_restriction_that_is_in_force(desktop, arguments, mode):
    own = Session(desktop.env, arguments=arguments)
    try:
        assert read(own, "handeye://system/status")["security_mode"] == mode
    finally:
        own.close()


@pytest.mark.parametrize("models,keys,up,expected", [
    (["openai/gpt-4o"], True, True, (True, "openai")), (["openai/gpt-4o"], False, True, (False, "openai")),
    (["ollama/m"], True, True, (True, "ollama")), (["ollama/m"], True, False, (False, "ollama")),
    (["openai/gpt-4o", "ollama/m"], False, True, (True, "ollama")),
])
def test_status_says_whether_a_provider_can_be_asked(desktop, provider, models, keys, up, expected):
    provider.up = up
    own = Session(desktop.env | {"OPENAI_API_KEY": ""} | provider.environment(*models, keys=keys))
    try:
        status = read(own, "handeye://system/status")
    finally:
        own.close()
    assert (status["vlm_available"], status["vlm_backend"]) == expected
    assert not provider.questions and bool(provider.checks) == ("ollama/m" in models), "only a server without a key is looked at"


def test_apps(session, app):
    def known():
        return {entry["pid"]: entry for entry in read(session, "handeye://apps")["apps"]}
    wait_for("the application to be accessible", lambda: known().get(app.process, {}).get("accessible") is True)


def test_tree_gives_references_that_tools_take(session, app):
    tree = read(session, f"handeye://app/{app.app}/tree")
    assert tree["pid"] == app.process and tree["shown"] > 20 and tree["omitted"] == 0
    line = next(line for line in tree["outline"].splitlines() if 'button "Count"' in line)
    reference = line.split("[ref=")[1].split("]")[0]
    before = app.state()["count"]
    session.do("ax_click", app=app.app, query=reference)
    app.wait("count", before + 1)


def test_tree_of_a_window(session, app):
    tree = read(session, f"handeye://app/{app.app}/window/0/tree")
    assert tree["window"] == {"index": 0, "title": app.title} and 'button "Count"' in tree["outline"]


def test_state_follows_a_dialog(session, app):
    # One that does not answer at once, as on a busy machine, is reported as busy.
    state = wait_for("it to be idle", lambda: next(filter(lambda state: state["detected_state"] == "idle", [
        read(session, f"handeye://app/{app.app}/state")]), None))
    assert [window["title"] for window in state["windows"]] == [app.title]
    assert state["pid"] == app.process
    assert state["menu_bar"], state
    app.command(do="dialog", on=True)
    try:
        app.wait("dialog", True)
        wait_for("the dialog in the state", lambda: read(
            session, f"handeye://app/{app.app}/state")["detected_state"] == "modal_dialog")
        kinds = [event["type"] for event in read(session, f"handeye://app/{app.app}/events")["events"]]
        assert "dialog_appeared" in kinds or "window_opened" in kinds, kinds
    finally:
        app.command(do="dialog", on=False)
    wait_for("the dialog to be gone from the state", lambda: read(
        session, f"handeye://app/{app.app}/state")["detected_state"] == "idle")


def test_events_tell_values_but_no_password(session, app):
    uri = f"handeye://app/{app.app}/events"
    read(session, uri)
    app.command(do="set_name", text="Ada Lovelace")
    session.do("ax_set_value", app=app.app, query="Secret", value="correct horse")
    wait_for("both in the events", lambda: len(
        [event for event in read(session, uri)["events"] if event["type"] == "value_changed"]) >= 1)
    whole = json.dumps(read(session, uri))
    assert "Ada Lovelace" in whole
    for view in ("events", "state", "tree"):
        assert "correct horse" not in json.dumps(read(session, f"handeye://app/{app.app}/{view}"))
    app.command(do="set_name", text="")


def test_screenshot_is_a_png_in_which_one_can_click(session, app):
    content = session.ask("read_resource", f"handeye://app/{app.app}/screenshot").contents[0]
    picture = base64.b64decode(content.blob)
    assert picture.startswith(b"\x89PNG") and content.mime_type == "image/png"
    size, about = list(struct.unpack(">II", picture[16:24])), content.meta
    assert size == about["size"] and about["window"] == app.title
    assert max(size) <= 1568
    answer = session.call("ax_click_at", x=3, y=3, screenshot=about["id"])
    assert answer.code not in ("unknown_screenshot", "invalid_parameter"), answer.text


def test_a_stopped_application_is_busy_and_holds_up_no_other(session, desktop):
    app = applications.start(desktop, "gtk3")
    try:
        read(session, f"handeye://app/{app.app}/state")
        app.signal(signal.SIGSTOP)
        slow = session._portal.start_task_soon(session.client.read_resource, f"handeye://app/{app.app}/state")
        read(session, "handeye://system/status")
        assert not slow.done(), "the status had to wait for the stopped application"
        state = json.loads(slow.result(PATIENCE).contents[0].text)
        assert state["detected_state"] == "busy" and state["windows"][0]["title"] == app.title
    finally:
        app.signal(signal.SIGCONT)
        app.stop()


def test_clipboard(session, desktop):
    copy(desktop, "copied näive 漢字")
    wait_for("the text", lambda: read(session, "handeye://clipboard")["text"] == "copied näive 漢字")
    assert "UTF8_STRING" in read(session, "handeye://clipboard")["formats"]
    copy(desktop, "x" * 3_000_000)
    cut = wait_for("the long text", lambda: read(session, "handeye://clipboard").get("note") and read(
        session, "handeye://clipboard"))
    assert "The first " in cut["note"] and len(cut["text"]) < 40_000


def test_a_clipboard_owner_that_hangs_costs_its_own_read(session, desktop):
    owner = copy(desktop, "never handed over again")
    wait_for("it to be copied", lambda: read(session, "handeye://clipboard")["text"] == "never handed over again")
    owner.send_signal(signal.SIGSTOP)
    try:
        slow = session._portal.start_task_soon(session.client.read_resource, "handeye://clipboard")
        read(session, "handeye://apps")
        with pytest.raises(Exception, match="does not provide it"):
            slow.result(PATIENCE)
    finally:
        owner.send_signal(signal.SIGCONT)


def copy(desktop, text):
    """Copies with another program, which lives until something else is copied."""
    owner = subprocess.Popen(["xclip", "-quiet", "-selection", "clipboard"], env=desktop.env, stdin=subprocess.PIPE,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    owner.stdin.write(text.encode())
    owner.stdin.close()
    return owner


@pytest.mark.parametrize("uri", [
    "handeye://nothing", "handeye://app/no-such-application/tree", "handeye://app//tree", "handeye://app/x/window/a/tree",
    "file:///etc/passwd", "not a uri", "", "handeye://app/%FF/state", "handeye://app/" + "x" * 5000 + "/tree",
])
@pytest.mark.parametrize("method", ["resources/read", "resources/subscribe"])
def test_what_is_not_there_is_not_found(wire, method, uri):
    error = wire.request(method, uri=uri)["error"]
    assert error["code"] == -32002 and error["data"]["uri"] == uri and len(error["message"]) < 1500, error
    assert wire.request("ping")["result"] == {}


def test_what_is_not_there_for_a_client_of_the_newest_revision(desktop):
    wire = Wire(desktop.env)
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    error = wire.request("resources/read", uri="handeye://app/nobody/tree", _meta=meta)["error"]
    assert error["code"] == -32602 and error["data"]["error"]["code"] == "app_not_found"
    gone = wire.request("resources/subscribe", uri="handeye://apps", _meta=meta)["error"]
    assert gone["code"] == -32601
    wire.close()


def test_a_misspelt_application_is_told_what_comes_near(wire, desktop):
    app = applications.start(desktop, "gtk3")
    try:
        name = next(entry["name"] for entry in json.loads(
            wire.request("resources/read", uri="handeye://apps")["result"]["contents"][0]["text"])["apps"]
            if entry["pid"] == app.process)
        error = wire.request("resources/read", uri=f"handeye://app/{name}x/state")["error"]
        assert name in error["message"], error
    finally:
        app.stop()


def test_a_cursor_from_nowhere(wire):
    for method in ("resources/list", "resources/templates/list"):
        assert wire.request(method, cursor="bm93aGVyZQ==")["error"]["code"] == -32602

"""Things that are not in the accessibility tree, found by sight: in text that is read here, by a provider, by the client's own model.

The application paints its buttons and says itself which one was pressed.
"""

import base64
import json
import os
import re
import subprocess

import pytest

from support import BINARY, applications, history, wait_for
from support.conversation import LEGACY, MODERN, TASKS, Stdio
from support.people import Asked, accept
from support.provider import size
from support.session import Session

TOOLS = ["--tools", "ax_find_visual,ax_find,ax_click,ax_click_at,ax_screenshot"]
REVISIONS = ["2025-06-18", "2025-11-25", MODERN]


@pytest.fixture(scope="module")
def painted(desktop):
    app = applications.start(desktop, "painted", commands=True)
    yield app
    app.stop()


@pytest.fixture
def serve(desktop):
    """Starts servers that find by sight."""
    sessions = []

    def start(*arguments, **env):
        env = {**desktop.env, "HANDEYE_AI_PROVIDERS": "", **env}
        sessions.append(Session(env, arguments=[*TOOLS, *arguments]))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()


@pytest.fixture
def asked(desktop):
    """Makes clients that can be asked, and ends them."""
    clients = []

    def make(*arguments, env=None, **options):
        env = {**desktop.env, "HANDEYE_AI_PROVIDERS": "", **(env or {})}
        clients.append(Asked(env, arguments=arguments, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def programs(tmp_path):
    """A folder for `PATH` in which there is no tesseract but the one that a test puts there."""
    def put(script=None):
        if script:
            program = tmp_path / "tesseract"
            program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            program.chmod(0o755)
        return str(tmp_path)
    return put


def box_of(painted, name, picture):
    """Where a painted button is in a picture of its window of this size: left, top, right, bottom."""
    painted.command(do="place", name=name)
    x, y, width, height = painted.state()["place"]
    text = painted.desktop.run(["xwininfo", "-id", str(painted.window)])
    left, top, wide, high = (int(re.search(rf"{what}: +(-?\d+)", text)[1])
                             for what in ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height"))
    text = painted.desktop.run(["xprop", "-id", str(painted.window), "_NET_FRAME_EXTENTS"])
    before, after, above, below = map(int, text.split("=")[1].split(","))
    left, top, wide, high = left - before, top - above, wide + before + after, high + above + below
    across, down = picture[0] / wide, picture[1] / high
    return [round((x - left) * across), round((y - top) * down),
            round((x + width - left) * across), round((y + height - top) * down)]


def sees(painted, name):
    """A model that sees a painted button, by the picture that it is shown."""
    def answer(file):
        return "Here:\n```json\n" + json.dumps({"found": True, "box": box_of(painted, name, size(file)), "confidence": 0.8}) + "\n```"
    return answer


def click(session, painted, fields, name):
    """Clicks what was found, and waits until the application says that it was that."""
    x, y = fields["point"]
    session.do("ax_click_at", x=x, y=y, screenshot=fields["screenshot"], mode="focus")
    painted.wait("pressed", name)


def steps(fields):
    return [(attempt["step"], attempt["outcome"]) for attempt in fields["attempts"]]


@pytest.mark.parametrize("name", ["Launch rocket", "Save draft", "Cancel"])
def test_text_that_no_tree_tells_of_is_read_and_clicked(serve, painted, name):
    session = serve()
    missed = session.call("ax_find", app=painted.app, query=name)
    assert missed.code == "element_not_found" and "ax_find_visual" in missed.text
    answer = session.do("ax_find_visual", app=painted.app, description=f"the {name} button")
    fields = answer.fields
    assert (fields["found"], fields["method"], fields["strategy"], fields["vlm_backend"]) == (True, "visual", "ocr", "tesseract")
    assert "element_ref" not in fields and 0 < fields["confidence"] <= 1
    painted.command(do="place", name=name)
    x, y, width, height = painted.state()["place"]
    (left, top), (wide, high) = fields["position"], fields["size"]
    assert x <= left and y <= top and left + wide <= x + width and top + high <= y + height, fields
    click(session, painted, fields, name)
    with open(painted.desktop.path("screenshots") + "/" + os.path.basename(fields["path"]), "rb") as file:
        assert file.read(4) == b"\x89PNG"


def test_where_an_element_is_its_reference_is_told(serve, painted):
    session = serve()
    fields = session.do("ax_find_visual", app=painted.app, description="Engage").fields
    before = painted.state()["engaged"]
    session.do("ax_click", app=painted.app, query=fields["element_ref"])
    painted.wait("engaged", before + 1)


def test_what_nobody_sees_is_not_found_and_no_error(serve, painted):
    answer = serve().do("ax_find_visual", app=painted.app, description="Defrost")
    assert answer.fields["found"] is False and answer.fields["screenshot"]
    assert steps(answer.fields) == [("ocr", "not_found"), ("provider", "failed"), ("client", "failed")]
    assert "HANDEYE_AI_PROVIDERS" in answer.text


def test_without_tesseract_its_package_is_named_and_the_provider_looks(serve, painted, provider, programs):
    see = sees(painted, "red")
    provider.answer = lambda question: see(question.file)
    session = serve(PATH=programs(), **provider.environment("openai/gpt-4o"))
    fields = session.do("ax_find_visual", app=painted.app, description="the red rectangle").fields
    assert (fields["strategy"], fields["vlm_backend"], fields["confidence"]) == ("provider", "openai", 0.8)
    assert steps(fields) == [("ocr", "failed"), ("provider", "found")]
    assert "tesseract-ocr" in fields["attempts"][0]["why"]
    assert "the red rectangle" in provider.questions[0].text and "data" in provider.questions[0].text
    click(session, painted, fields, "red")


@pytest.mark.parametrize("said", ["I cannot see it.", '{"found": true, "box": [5000, 5000, 6000, 6000]}', '{"found": true}'])
def test_what_a_model_says_is_believed_as_far_as_it_is_a_place(serve, painted, provider, programs, said):
    provider.answer = said
    answer = serve(PATH=programs(), **provider.environment("openai/gpt-4o")).call(
        "ax_find_visual", app=painted.app, description="the red rectangle")
    assert answer.is_error and answer.fields["found"] is False, answer.fields
    assert steps(answer.fields)[1] == ("provider", "failed")


@pytest.mark.parametrize("revision", REVISIONS)
def test_after_a_provider_that_fails_the_clients_own_model_looks(asked, painted, provider, revision):
    provider.failure = (500, {}, "{}")
    see = sees(painted, "red")

    def model(params):
        picture = next(message["content"] for message in params["messages"] if message["content"]["type"] == "image")
        text = see(base64.b64decode(picture["data"]))
        return {"role": "assistant", "model": "lent", "stopReason": "endTurn", "content": {"type": "text", "text": text}}

    client = asked(*TOOLS, revision=revision, capabilities={"sampling": {}}, env=provider.environment("openai/gpt-4o"),
                   answers={"sampling/createMessage": model})
    result = client.call("ax_find_visual", 60, app=painted.app, description="the red rectangle")["result"]
    fields = result["structuredContent"]
    assert not result.get("isError"), result
    assert steps(fields) == [("ocr", "not_found"), ("provider", "failed"), ("client", "found")]
    assert fields["vlm_backend"] == "client" and len(client.questions) == 1
    asked_provider = len(provider.questions)
    (x, y), screenshot = fields["point"], fields["screenshot"]
    result = client.call("ax_click_at", x=x, y=y, screenshot=screenshot, mode="focus")["result"]
    assert not result.get("isError"), result
    painted.wait("pressed", "red")
    assert len(provider.questions) == asked_provider, "the call went on where it was"


def test_where_nobody_can_look_that_is_an_error_with_the_picture(serve, painted, programs):
    answer = serve(PATH=programs()).call("ax_find_visual", app=painted.app, description="Launch rocket")
    assert answer.is_error and "tesseract-ocr" in answer.text and answer.fields["screenshot"]
    assert [outcome for _, outcome in steps(answer.fields)] == ["failed"] * 3


def test_a_language_that_is_not_installed_is_named_with_its_package(serve, painted):
    answer = serve(HANDEYE_OCR_LANGUAGES="xyz").call("ax_find_visual", app=painted.app, description="Launch rocket")
    assert "tesseract-ocr-xyz" in answer.fields["attempts"][0]["why"]
    answer = serve(HANDEYE_OCR_LANGUAGES="eng+xyz").call("ax_find_visual", app=painted.app, description="Launch rocket")
    assert answer.fields["found"] or "tesseract-ocr-xyz" in answer.fields["attempts"][0]["why"]


@pytest.mark.parametrize("script", ["exit 3", "yes word", "echo nonsense; exit 0", "kill -9 $$"],
                         ids=["fails", "floods", "nonsense", "dies"])
def test_a_reader_that_misbehaves_costs_its_step_alone(serve, painted, programs, script):
    path = programs(script) + ":/usr/bin:/bin"
    answer = serve(PATH=path).call("ax_find_visual", app=painted.app, description="Launch rocket")
    assert answer.fields["found"] is False
    assert steps(answer.fields)[0] == ("ocr", "not_found" if "nonsense" in script else "failed")


def test_a_picture_that_comes_with_the_call_is_looked_at_instead(serve, painted):
    session = serve()
    path = session.do("ax_screenshot", app=painted.app).fields["path"]
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    fields = session.do("ax_find_visual", app=painted.app, description="Cancel", screenshot=data).fields
    left, top, right, bottom = box_of(painted, "Cancel", size(base64.b64decode(data)))
    (x, y), (width, height) = fields["position"], fields["size"]
    assert left <= x and top <= y and x + width <= right and y + height <= bottom
    assert "screenshot" not in fields and "element_ref" not in fields
    assert session.call("ax_find_visual", app=painted.app, description="Cancel", screenshot="s1").code == "invalid_parameter"


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_a_cancelled_call_ends_the_reader(desktop, painted, programs, tmp_path, revision):
    note = tmp_path / "pid"
    path = programs(f"echo $$ > {note}.draft; mv {note}.draft {note}; exec sleep 600") + ":/usr/bin:/bin"
    with Stdio({**desktop.env, "PATH": path}, revision, arguments=TOOLS) as client:
        client.begin()
        number = client.ask("tools/call", name="ax_find_visual", arguments={"app": painted.app, "description": "Launch"})
        wait_for("the reader to begin", note.exists, 60)
        pid = int(note.read_text())
        assert alive(pid)
        client.notify("notifications/cancelled", requestId=number)
        wait_for("the reader to end", lambda: not alive(pid), 30)
        answer = client.call("ax_find", app=painted.app, query="role:button")
        assert not answer.get("isError"), "the next call works"


def test_a_cancelled_task_gives_the_provider_up(desktop, painted, provider, programs):
    env = {**desktop.env, "PATH": programs(), **provider.environment("openai/gpt-4o")}
    with Stdio(env, LEGACY, arguments=TOOLS) as client, provider.hold():
        client.begin()
        task = client.request("tools/call", name="ax_find_visual", task={"ttl": 60_000},
                              arguments={"app": painted.app, "description": "the red rectangle"})["task"]
        provider.wait(lambda it: len(it.questions) == 1, 60)
        wait_for("the status", lambda: "VLM inference (openai/gpt-4o)" in
                 client.request("tasks/get", taskId=task["taskId"]).get("statusMessage", ""))
        assert client.request("tasks/cancel", taskId=task["taskId"])["status"] == "cancelled"
        provider.wait(lambda it: it.given_up == 1, 60)


def test_it_runs_as_a_task_and_tells_its_progress(desktop, painted):
    with Stdio(desktop.env, LEGACY, arguments=TOOLS) as client:
        client.begin()
        tool = next(tool for tool in client.request("tools/list")["tools"] if tool["name"] == "ax_find_visual")
        assert tool["execution"] == {"taskSupport": "optional"}
        hints = tool["annotations"]
        assert (hints["readOnlyHint"], hints["openWorldHint"]) == (True, True)
        task = client.request("tools/call", {"progressToken": "p"}, name="ax_find_visual", task={"ttl": 60_000},
                              arguments={"app": painted.app, "description": "Archive"})["task"]
        result = client.request("tasks/result", timeout=60, taskId=task["taskId"])
        assert result["structuredContent"]["found"] is True
        told = [step["message"] for step in client.notifications("notifications/progress")]
        assert told and set(told) <= {"Capturing screenshot for VLM analysis", "Reading text (tesseract)"}, told


def test_the_newest_revision_has_it_as_a_task_too(desktop, painted, provider, programs):
    provider.answer = '{"found": false}'
    env = {**desktop.env, "PATH": programs(), **provider.environment("openai/gpt-4o")}
    with Stdio(env, MODERN, {"extensions": {TASKS: {}}}, arguments=TOOLS) as client:
        client.begin()
        with provider.hold():
            task = client.request("tools/call", name="ax_find_visual",
                                  arguments={"app": painted.app, "description": "the red rectangle"})
            assert task["resultType"] == "task", task

        def over():
            told = client.request("tasks/get", taskId=task["taskId"])
            return told if told["status"] != "working" else None
        assert wait_for("the task to end", over, 60)["result"]["structuredContent"]["found"] is False


def test_each_step_is_told_to_the_log_and_no_words_are(desktop, painted, provider):
    provider.answer = '{"found": false}'
    env = {**desktop.env, **provider.environment("openai/gpt-4o")}
    with Stdio(env, LEGACY, arguments=TOOLS) as client:
        client.begin()
        client.request("logging/setLevel", level="notice")
        client.call("ax_find_visual", app=painted.app, description="Defrost")
        told = wait_for("the records", lambda: [
            record for record in client.notifications("notifications/message") if "tool" in record["data"]] and
            client.notifications("notifications/message"))
        fallback, ended = told
        assert fallback["level"] == ended["level"] == "notice"
        assert fallback["logger"] == ended["logger"] == "handeye.tools.vision"
        assert fallback["data"] == {"event": "vlm_fallback", "from": "ocr", "outcome": "not_found", "to": "provider"}
        assert 0 < ended["data"]["vlm_duration_ms"] <= ended["data"]["duration_ms"] and ended["data"]["found"] is False
        assert "Defrost" not in json.dumps(told)


@pytest.mark.parametrize("revision", REVISIONS)
def test_an_action_asks_whether_to_look_and_does_so(asked, painted, revision):
    client = asked("--toolsets", "default,vision", revision=revision, answers=accept(description="Engage", use_visual=True))
    before = painted.state()["engaged"]
    result = client.call("ax_click", 60, app=painted.app, query="Zzyzx")["result"]
    assert not result.get("isError"), result
    painted.wait("engaged", before + 1)
    schema = client.questions[0]["params"]["requestedSchema"]
    assert schema["required"] == ["description"]
    assert schema["properties"]["use_visual"] == {"type": "boolean", "title": "Try AI vision search?", "default": True}


def test_an_action_on_what_is_only_painted_names_the_click_that_works(asked, painted):
    client = asked("--toolsets", "default,vision", answers=accept(description="Archive"))
    result = client.call("ax_click", 60, app=painted.app, query="Zzyzx")["result"]
    assert result["isError"] and result["structuredContent"]["error"]["code"] == "element_not_found"
    x, y, screenshot = re.search(r'x: (\d+), y: (\d+), screenshot: "(s\d+)"', result["structuredContent"]["error"]["next"]).groups()
    client.call("ax_click_at", x=int(x), y=int(y), screenshot=screenshot, mode="focus")
    painted.wait("pressed", "Archive")


def test_a_person_may_not_want_it_and_is_not_asked_where_it_is_off(asked, painted):
    for arguments, answer in ((["--toolsets", "default,vision"], accept(description="Engage", use_visual=False)),
                              ([], accept(description="Engage"))):
        client = asked(*arguments, answers=answer)
        result = client.call("ax_click", 60, app=painted.app, query="Zzyzx")["result"]
        assert result["structuredContent"]["error"]["code"] == "element_not_found"
        fields = client.questions[0]["params"]["requestedSchema"]["properties"]
        assert ("use_visual" in fields) == bool(arguments)


def test_it_is_off_by_default_and_on_by_its_toolset(desktop):
    for arguments, there in (([], False), (["--toolsets", "vision"], True), (["--read-only", "--toolsets", "all"], True)):
        session = Session(desktop.env, arguments=arguments)
        try:
            assert ("ax_find_visual" in session.tools()) == there
        finally:
            session.close()


def test_the_command_finds_it_too(desktop, painted):
    words = [BINARY, "find-visual", "Cancel", "--app", painted.app, "--format", "json"]
    output = subprocess.run(words, env={**desktop.env, "HANDEYE_AI_PROVIDERS": ""}, capture_output=True, text=True, timeout=60,
                            check=False, stdin=subprocess.DEVNULL)
    assert output.returncode == 0, output.stderr
    fields = json.loads(output.stdout)
    assert fields["found"] is True and fields["strategy"] == "ocr" and "screenshot" not in fields


def test_the_doctor_says_whether_there_is_a_reader(desktop, programs):
    def probe(**env):
        output = history.run([BINARY, "doctor", "--format", "json"], env={**desktop.env, **env}, capture_output=True,
                             text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        told = json.loads(output.stdout)
        probes = told["probes"] if isinstance(told, dict) else told
        return next(probe for probe in probes if probe["name"] == "ocr")
    assert probe()["status"] == "ok"
    without = probe(PATH=programs())
    assert without["status"] == "warn" and "tesseract-ocr" in without["advice"]


def test_doctor_names_the_models_that_a_key_makes_usable(desktop):
    def probe(**env):
        done = history.run([BINARY, "doctor", "--format", "json"], env={**desktop.env, **env}, capture_output=True, text=True,
                           timeout=60, check=False)
        return next(probe for probe in json.loads(done.stdout)["probes"] if probe["name"] == "ai_models")
    assert probe()["status"] == "skip"
    found = probe(OPENAI_API_KEY="s3cret")
    assert found["status"] == "ok" and found["detail"].startswith("openai/") and "s3cret" not in json.dumps(found), found
    assert probe(OPENAI_API_KEY="s3cret", HANDEYE_AI_PROVIDERS="none")["status"] == "skip"
    without = probe(HANDEYE_AI_PROVIDERS="openai/gpt-4o,bogus")
    assert without["status"] == "warn" and "OPENAI_API_KEY is not set" in without["detail"], without
    assert "'bogus' is ignored" in without["detail"] and "HANDEYE_AI_PROVIDERS" in without["advice"], without

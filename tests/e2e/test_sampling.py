"""The client's own model and its folders, asked in the middle of a call."""

import base64
import subprocess

import pytest

from support import BINARY, history
from support.people import MODERN, Asked
from support.session import Session

REVISIONS = ["2025-06-18", "2025-11-25", MODERN]
LENT = {"sampling": {}}


def says(text):
    """A model that says this, whatever it is asked."""
    return {"sampling/createMessage": lambda _: {
        "role": "assistant", "model": "lent", "stopReason": "endTurn", "content": {"type": "text", "text": text}}}


@pytest.fixture
def asked(desktop):
    """Makes clients that lend their model, and ends them."""
    clients = []

    def make(revision, capabilities=None, answers=None, **options):
        env = desktop.env | {"HANDEYE_AI_PROVIDERS": ""} | options.pop("env", {})
        clients.append(Asked(env, revision, capabilities=LENT if capabilities is None else capabilities, answers=answers, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture(scope="module")
def picture(desktop, gtk3_shared):
    """The path of a screenshot."""
    path = desktop.path("asked-about.png")
    session = Session(desktop.env)
    try:
        session.do("image", app_target=gtk3_shared.app, path=path)
    finally:
        session.close()
    return path


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_clients_own_model_answers_where_no_provider_does(asked, picture, revision):
    client = asked(revision, answers=says("a window with buttons"))
    result = client.call("analyze", image_path=picture, question="What is shown?")["result"]
    assert not result.get("isError"), result
    told = result["structuredContent"]
    assert (told["analysis_text"], told["model_used"]) == ("a window with buttons", "client/lent")
    params = client.questions[0]["params"]
    image, question = (message["content"] for message in params["messages"])
    assert base64.b64decode(image["data"])[:4] in (b"\x89PNG", b"\xff\xd8\xff\xe0") and question["text"] == "What is shown?"
    assert "data" in params["systemPrompt"] and "tools" not in params


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
def test_image_asks_it_too(asked, gtk3_shared, revision):
    client = asked(revision, answers=says("42"))
    result = client.call("image", app_target=gtk3_shared.app, question="How many?")["result"]
    assert not result.get("isError"), result
    assert "42" in result["content"][0]["text"] or "42" in str(result["structuredContent"])
    assert len(client.questions) == 1


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_lends_its_model(desktop, picture, mode):
    async def model(_context, params):
        from mcp.types import CreateMessageResult, TextContent
        return CreateMessageResult(role="assistant", model="sdk", content=TextContent(type="text", text=f"{len(params.messages)}"))

    session = Session(desktop.env, mode=mode, sample=model)
    try:
        told = session.do("analyze", image_path=picture, question="What?").fields
        assert (told["analysis_text"], told["model_used"]) == ("2", "client/sdk")
    finally:
        session.close()


def test_without_a_model_the_error_is_what_it_was(asked, picture):
    for revision in ("2025-11-25", MODERN):
        result = asked(revision, capabilities={}).call("analyze", image_path=picture, question="What?")["result"]
        assert result["isError"] and result["structuredContent"]["error"]["code"] == "analysis_unavailable"


@pytest.mark.parametrize("answer", [{}, {"role": "assistant", "content": 5}, {"role": "assistant", "model": "m", "content": []}])
def test_an_answer_that_is_none_is_an_error(asked, picture, answer):
    for revision in ("2025-11-25", MODERN):
        client = asked(revision, answers={"sampling/createMessage": lambda _: answer})
        assert client.call("analyze", image_path=picture, question="What?")["result"]["isError"]


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
def test_the_person_is_sent_to_the_page_of_a_missing_key(asked, picture, revision):
    keyless = {"HANDEYE_AI_PROVIDERS": "anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY": ""}
    for action in ("accept", "decline"):
        client = asked(revision, capabilities={"elicitation": {"url": {}}}, env=keyless,
                       answers={"elicitation/create": lambda _: {"action": action}})
        result = client.call("analyze", image_path=picture, question="What?")["result"]
        assert result["isError"] and result["structuredContent"]["error"]["code"] == "analysis_unavailable"
        assert client.questions[0]["params"]["url"] == "https://console.anthropic.com/settings/keys"
        assert client.questions[0]["params"]["mode"] == "url"
        assert ("was sent to" in result["content"][0]["text"]) == (action == "accept")


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
def test_the_model_plans_with_tools(asked, gtk3_shared, revision):
    seen = []

    def model(params):
        seen.append(params)
        if len(seen) == 1:
            use = [{"type": "tool_use", "id": "a", "name": "describe_element", "input": {"query": "Count"}},
                   {"type": "tool_use", "id": "b", "name": "suggest_locator", "input": {"description": "Agree"}},
                   {"type": "tool_use", "id": "c", "name": "rm", "input": {}}]
            return {"role": "assistant", "model": "lent", "stopReason": "toolUse", "content": use}
        return {"role": "assistant", "model": "lent", "content": {"type": "text", "text": "Click Count."}}

    client = asked(revision, capabilities={"sampling": {"tools": {}}}, arguments=["--toolsets", "all"],
                   answers={"sampling/createMessage": model})
    result = client.call("ax_next_action", app=gtk3_shared.app, goal="Count to one", history=["looked"])["result"]
    assert result["structuredContent"]["suggestion"] == "Click Count." and result["structuredContent"]["model_used"] == "client/lent"
    assert 'button "Count"' in seen[0]["messages"][0]["content"]["text"]
    assert [tool["name"] for tool in seen[0]["tools"]] == ["describe_element", "suggest_locator"]
    described, located, unknown = seen[1]["messages"][-1]["content"]
    assert 'button "Count"' in described["content"][0]["text"] and not described["isError"]
    assert "checkbox:Agree" in located["content"][0]["text"]
    assert unknown["isError"]


def test_without_a_model_the_caller_decides_itself(asked, gtk3_shared):
    client = asked(MODERN, capabilities={}, arguments=["--toolsets", "all"])
    result = client.call("ax_next_action", app=gtk3_shared.app, goal="Count to one")["result"]
    assert 'button "Count"' in result["content"][0]["text"] and "suggestion" not in result["structuredContent"]


@pytest.mark.parametrize("model", ["openai/gpt-4o", "anthropic/claude-x", "gemini/gemini-x", "ollama/qwen"])
def test_a_configured_model_plans_before_the_clients_own(asked, provider, gtk3_shared, model):
    provider.answer = "Click e1."
    client = asked(MODERN, answers=says("never asked"), arguments=["--toolsets", "all"], env=provider.environment(model))
    result = client.call("ax_next_action", app=gtk3_shared.app, goal="Count to one", history=["looked"])["result"]
    assert result["structuredContent"]["suggestion"] == "Click e1." and result["structuredContent"]["model_used"] == model
    (question,) = provider.questions
    assert 'button "Count"' in question.text and "Count to one" in question.text and "looked" in question.text
    assert "never follow instructions" in question.text and question.file == b"" and not client.questions


def test_next_action_asks_a_configured_model_in_a_shell(desktop, provider, gtk3_shared):
    provider.answer = "Click e1."

    def suggest(env):
        return history.run([BINARY, "next-action", "Count to one", "--app", gtk3_shared.app], env=desktop.env | env, capture_output=True,
                           text=True, stdin=subprocess.DEVNULL, timeout=60, check=True).stdout
    assert suggest(provider.environment("ollama/qwen")).startswith("Click e1.\n(Suggested by ollama/qwen.)")
    keyless = suggest(provider.environment("openai/gpt-4o", keys=False))
    assert keyless.startswith("No model can be asked") and len(provider.questions) == 1
    provider.failure = (500, {}, "{}")
    with pytest.raises(subprocess.CalledProcessError):
        suggest(provider.environment("openai/gpt-4o"))


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_picture_is_found_in_the_clients_folders(asked, desktop, picture, revision):
    folder, name = picture.rsplit("/", 1)
    answers = says("found") | {"roots/list": lambda _: {"roots": [{"uri": "https://x/"}, {"uri": "file:///nowhere"}, {"uri": f"file://{folder}"}]}}
    client = asked(revision, capabilities=LENT | {"roots": {}}, answers=answers)
    result = client.call("analyze", image_path=name, question="What?")["result"]
    assert not result.get("isError"), result
    without = asked(revision, answers=says("found")).call("analyze", image_path=name, question="What?")["result"]
    assert without["isError"] and without["structuredContent"]["error"]["code"] == "io"

"""`ax_find` goes on in the picture of the window where that is switched on: by text read here, or by a model; and nowhere else."""

import json
import os

import pytest

from support import applications
from support.provider import size
from support.session import Session

TOOLS = ["--tools", "ax_find,ax_find_visual,ax_click,ax_click_at,ax_assert"]


@pytest.fixture(scope="module")
def painted(desktop):
    app = applications.start(desktop, "painted", commands=True)
    yield app
    app.stop()


@pytest.fixture
def serve(desktop):
    """Starts servers that look for what the tree does not have as `fallback` says."""
    sessions = []

    def start(fallback, **env):
        env = {**desktop.env, "HANDEYE_FIND_FALLBACK": fallback, **env}
        sessions.append(Session(env, arguments=TOOLS))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()


def place(painted, name):
    """Where a painted button is, by the application's own word."""
    painted.command(do="place", name=name)
    return painted.state()["place"]


def test_text_is_read_on_this_machine_and_clicked(serve, painted, provider):
    provider.answer = "must not be asked"
    session = serve("text", **provider.environment("openai/gpt-4o"))
    answer = session.do("ax_find", app=painted.app, query="Launch rocket")
    fields = answer.fields
    assert (fields["found"], fields["method"], fields["strategy"], fields["matches"]) == (True, "visual", "ocr", 1)
    assert "enabled" not in fields and "element_ref" not in fields, fields
    x, y, width, height = place(painted, "Launch rocket")
    (left, top), (wide, high) = fields["position"], fields["size"]
    assert x <= left and y <= top and left + wide <= x + width and top + high <= y + height, fields
    with open(painted.desktop.path("screenshots") + "/" + os.path.basename(fields["path"]), "rb") as file:
        assert file.read(4) == b"\x89PNG"
    (across, down) = fields["point"]
    session.do("ax_click_at", x=across, y=down, screenshot=fields["screenshot"], mode="focus")
    painted.wait("pressed", "Launch rocket")
    missed = session.call("ax_find", app=painted.app, query="Defrost")
    assert missed.code == "element_not_found" and "tried title_exact" in missed.text and "ocr" in missed.text, missed.text
    assert not provider.questions, "a picture left the machine"


def test_what_is_in_the_tree_is_not_looked_for_in_the_picture(serve, painted):
    fields = serve("text").do("ax_find", app=painted.app, query="role:window").fields
    assert fields["method"] == "accessibility" and fields["enabled"] is True, fields


def test_a_model_is_asked_only_where_that_is_switched_on(serve, painted, provider):
    def sees(question):
        x, y, width, height = place(painted, "red")
        wide, high = size(question.file)
        assert wide > 0 and high > 0
        return json.dumps({"found": True, "box": [10, 10, 60, 40], "confidence": 0.8})
    provider.answer = sees
    answer = serve("models", **provider.environment("openai/gpt-4o")).do(
        "ax_find", app=painted.app, query="the red rectangle")
    assert (answer.fields["method"], answer.fields["strategy"]) == ("visual", "provider"), answer.fields
    assert "the picture was sent to openai" in answer.text and len(provider.questions) == 1, answer.text


@pytest.mark.parametrize("query", ["//button[@name='Launch rocket']", "button >> Launch", "e9999"])
def test_paths_and_references_are_about_the_tree(serve, painted, query):
    missed = serve("text").call("ax_find", app=painted.app, query=query)
    assert missed.is_error and "picture of the window" not in missed.text, missed.text


def test_an_action_and_an_assertion_do_not_guess_from_a_picture(serve, painted):
    session = serve("text")
    assert session.call("ax_click", app=painted.app, query="Launch rocket").code == "element_not_found"
    held = session.call("ax_assert", app=painted.app, query="Launch rocket", assertions={"exists": True})
    assert held.fields["passed"] is False, held.text


@pytest.fixture
def treeless(desktop):
    app = applications.Fixture(desktop, "painted", env={"NO_AT_BRIDGE": "1"}, commands=True)
    yield app
    app.stop()


def test_an_application_without_a_tree_is_searched_too(serve, treeless):
    off = serve("off").call("ax_find", app=treeless.app, query="Launch rocket")
    assert off.code == "app_not_accessible" and "picture" not in off.text, off.text
    session = serve("text")
    fields = session.do("ax_find", app=treeless.app, query="Launch rocket").fields
    assert (fields["method"], fields["strategy"]) == ("visual", "ocr"), fields
    across, down = fields["point"]
    session.do("ax_click_at", x=across, y=down, screenshot=fields["screenshot"], mode="focus")
    treeless.wait("pressed", "Launch rocket")
    missed = session.call("ax_find", app=treeless.app, query="Defrost")
    assert missed.code == "app_not_accessible" and "ocr" in missed.text, missed.text
    by_title = session.call("ax_find", app=treeless.app, query="Launch rocket", strategy="exact")
    assert by_title.code == "app_not_accessible", by_title.text


def test_it_is_off_unless_it_is_switched_on(desktop, painted):
    session = Session({**desktop.env, "HANDEYE_AI_PROVIDERS": ""}, arguments=TOOLS)
    try:
        missed = session.call("ax_find", app=painted.app, query="Launch rocket")
        assert missed.code == "element_not_found" and "picture of the window:" not in missed.text, missed.text
    finally:
        session.close()


def test_a_miss_says_where_the_picture_went(serve, painted, provider):
    provider.answer = json.dumps({"found": False})
    missed = serve("models", **provider.environment("openai/gpt-4o")).call("ax_find", app=painted.app, query="the green circle")
    assert missed.code == "element_not_found" and "the picture was sent to openai" in missed.text, missed.text


def test_a_key_alone_is_enough_to_be_asked_and_none_switches_that_off(serve, painted, provider):
    provider.answer = json.dumps({"found": False})
    given = provider.environment("openai/gpt-4o")
    del given["HANDEYE_AI_PROVIDERS"]
    looked = serve("off", **given).call("ax_find_visual", app=painted.app, description="the green circle")
    assert len(provider.questions) == 1 and looked.fields["attempts"][1]["sent_to"] == "openai", looked.fields
    looked = serve("off", **given, HANDEYE_AI_PROVIDERS="none").call(
        "ax_find_visual", app=painted.app, description="the green circle")
    assert len(provider.questions) == 1 and looked.fields["attempts"][1]["outcome"] == "failed", looked.fields

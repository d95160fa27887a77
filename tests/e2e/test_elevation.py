"""Prompts for an administrator's rights: an action there has a person's yes, or is not done."""

import json
import re
import subprocess

import pytest

from support import BINARY, history, wait_for
from support.people import MODERN, accept, code, decline
from support.session import Session
from support.signing_in import SignIn, another_program

REVISIONS = ["2025-06-18", "2025-11-25", MODERN]
YES = {"elicitation/create": lambda _: {"action": "accept", "content": {"proceed": True}}}


@pytest.fixture
def prompt(desktop, tmp_path):
    """A program that is called as one that asks for rights is; what it calls itself is of no importance."""
    own = SignIn(desktop, program=another_program(tmp_path, "polkit-gnome-authentication-agent-1"))
    yield own
    own.stop()


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("mode", ["background", "focus"])
def test_a_person_says_yes_first(asked, prompt, revision, mode):
    client = asked(revision, answers=YES)
    answer = client.call("ax_type", app=prompt.app, query="Pass code", text="typed", mode=mode)
    assert not answer["result"].get("isError"), answer
    prompt.wait("Pass code", "typed")
    question = client.questions[0]["params"]
    assert "administrator rights" in question["message"] and "typed" not in json.dumps(question)
    assert question["requestedSchema"] == {
        "type": "object", "required": ["proceed"],
        "properties": {"proceed": {"type": "boolean", "title": "Proceed with admin prompt?", "default": False}}}
    assert len(client.questions) == 1, client.questions
    answer = client.call("ax_click", app=prompt.app, query="button:Show", mode=mode)
    assert not answer["result"].get("isError"), answer
    prompt.wait("clear", True)


@pytest.mark.parametrize("answers", [decline(), accept(proceed=False), accept()], ids=["decline", "no", "empty"])
def test_everything_else_does_nothing(asked, prompt, answers):
    client = asked(answers=answers)
    for mode in ("background", "focus"):
        for tool, arguments in (("ax_type", {"query": "Pass code", "text": "typed"}), ("ax_click", {"query": "button:Show"}),
                                ("ax_set_value", {"query": "Pass code", "value": "typed"})):
            if tool != "ax_set_value":
                arguments = arguments | {"mode": mode}
            assert code(client.call(tool, app=prompt.app, **arguments)) in ("declined", "invalid_parameter"), (tool, mode)
    assert prompt.fields()["Pass code"] == "" and not prompt.fields()["clear"]


def test_where_nobody_can_be_asked_it_is_left_alone(desktop, prompt):
    session = Session(desktop.env)
    try:
        for tool, arguments in (("ax_click", {"query": "button:Show"}), ("ax_type", {"query": "Pass code", "text": "typed"})):
            answer = session.call(tool, app=prompt.app, **arguments)
            assert answer.is_error and answer.code == "blocked", answer.text
        assert not session.call("ax_get_tree", app=prompt.app).is_error, "looking is free"
        assert prompt.fields()["Pass code"] == "" and not prompt.fields()["clear"]
    finally:
        session.close()


def test_who_wants_no_questions_is_asked_none(desktop, prompt):
    session = Session(desktop.env, arguments=["--confirm", "never"])
    try:
        session.do("ax_click", app=prompt.app, query="button:Show")
        prompt.wait("clear", True)
    finally:
        session.close()


@pytest.fixture
def keys(desktop, tmp_path):
    """What a window of a prompt receives that shows no tree, as it writes it down itself."""
    path = tmp_path / "events"
    with open(path, "w", encoding="ascii") as file:
        child = subprocess.Popen(["stdbuf", "-oL", "xev", "-event", "keyboard"], env=desktop.env, stdout=file)
    try:
        found = wait_for("the window", lambda: re.search(r"Outer window is (0x[0-9a-f]+)", path.read_text(encoding="ascii")))
        for words in (["set_window", "--class", "Lxpolkit", found[1]], ["windowactivate", "--sync", found[1]]):
            subprocess.run(["xdotool", *words], env=desktop.env, check=True, timeout=20)
        yield lambda: path.read_text(encoding="ascii").count("KeyPress event")
    finally:
        child.kill()
        child.wait()


def test_no_key_goes_into_a_prompt_without_a_tree(desktop, keys):
    def press(key, **env):
        result = history.run([BINARY, "key", key, "--mode", "focus", "--format", "json"], env={**desktop.env, **env},
                             capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        return json.loads(result.stdout).get("error", {}).get("code")

    before = keys()
    for mode in ("normal", "safe"):
        for key in ("a", "return"):
            assert press(key, HANDEYE_SECURITY_MODE=mode) == "blocked", (mode, key)
    assert keys() == before
    assert press("a", HANDEYE_CONFIRM="never") is None
    wait_for("the key", lambda: keys() > before)

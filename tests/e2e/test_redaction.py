"""What is secret leaves in no answer, log and picture; judged by what the application shows and what a model received."""

import os

import pytest

from support import aim, applications, pictures, wait_for
from support.provider import Provider
from support.session import Session
from support.signing_in import SignIn

# Put together, so that no scanner of repositories takes it for a real one.
SECRET = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TOKEN = "ghp_" + SECRET
MARK = "‹redacted: GitHub token›"
# The shades of what is masked.
MASKED = {0x20, 0x60}


@pytest.fixture(scope="module")
def app(desktop):
    own = SignIn(desktop, token=TOKEN)
    yield own
    own.stop()


@pytest.fixture(scope="module")
def log(desktop):
    return desktop.path("redaction.log")


@pytest.fixture(scope="module")
def talkative(desktop, log):
    """A client of a server that logs all that it can."""
    session = Session({**desktop.env, "HANDEYE_LOG_LEVEL": "trace"}, log=log, arguments=["--toolsets", "all"])
    yield session
    session.close()


def shown(answer):
    return f"{answer.text} {answer.fields} {answer.texts} {answer.meta}"


def test_a_token_is_in_no_answer_and_in_no_log(desktop, talkative, app, log):
    desktop.start(["sh", "-c", f"printf %s {TOKEN} | xclip -selection clipboard -loops 3"], "xclip")
    calls = [
        ("ax_get_tree", {"app": app.app}),
        ("ax_find", {"app": app.app, "query": f"Copy {TOKEN}"}),
        ("ax_get_value", {"app": app.app, "query": "textbox:Token"}),
        ("ax_get_attributes", {"app": app.app, "query": "textbox:Token"}),
        ("ax_click", {"app": app.app, "query": f"button:Copy {TOKEN}"}),
        ("ax_click", {"app": app.app, "query": f"button:No {TOKEN}"}),
    ]
    for tool, arguments in calls:
        answer = talkative.call(tool, **arguments)
        assert SECRET[:12] not in shown(answer), (tool, shown(answer))
    assert MARK in talkative.call("ax_get_value", app=app.app, query="textbox:Token").text

    def clipboard():
        answer = talkative.call("ax_clipboard", action="read")
        assert SECRET[:12] not in shown(answer), shown(answer)
        return MARK in shown(answer)
    wait_for("the token to be on the clipboard", clipboard)
    with open(log, encoding="utf-8") as file:
        logged = file.read()
    assert "ax_get_tree" in logged and SECRET[:12] not in logged


def test_a_reference_of_a_redacted_element_can_be_used(talkative, app):
    found = talkative.do("ax_find", app=app.app, query="button:Copy")
    assert MARK in found.text, found.text
    answer = talkative.call("ax_click", app=app.app, query=found.fields["element_ref"])
    assert not answer.is_error, answer.text


def test_the_command_line_redacts_too(handeye, app):
    code, fields = handeye("get", "textbox:Token", "--app", app.app)
    assert code == 0 and SECRET[:12] not in str(fields) and MARK in str(fields), fields


def is_masked(picture):
    return set(picture.rgb) <= MASKED


def test_a_password_in_the_clear_is_in_no_picture(desktop, app):
    provider = Provider()
    env = {**desktop.env, **provider.environment("openai/gpt-4o"), "HANDEYE_LOG_FILE": os.devnull}
    client = Session(env, arguments=["--toolsets", "all"])
    try:
        client.do("ax_connect", app=app.app)
        client.do("ax_set_value", app=app.app, query="Pass code", value="correct horse")
        app.wait("Pass code", "correct horse")
        client.do("ax_click", app=app.app, query="button:Show")
        app.wait("clear", True)
        left, top, width, height = app.fields()["place"]
        theirs = pictures.still(lambda: pictures.xwd(desktop, "-id", str(app.window)))
        assert not is_masked(theirs.crop(left, top, width, height)), "the application shows it"

        place = (left, top, width, height)
        answer = client.do("ax_screenshot", app=app.app)
        whole = pictures.of(answer)
        x, y, *_ = aim.client_area(desktop, app)
        # The picture has the decoration too.
        inside = (x - answer.fields["position"][0], y - answer.fields["position"][1], *theirs.size)
        ours = whole.crop(*inside)
        assert is_masked(ours.crop(*place))
        below = (0, top + height + 4, theirs.size[0], theirs.size[1] - top - height - 4)
        pictures.assert_equal(ours.crop(*below), theirs.crop(*below), "xwd, below the field")

        client.call("image", app_target=app.app, question="What is the pass code?", capture_focus="background")
        asked = [question for question in provider.questions if question.file]
        assert asked, "a model was asked about a picture"
        received = pictures.decoded(asked[-1].file)
        received = received.crop(*inside) if received.size == whole.size else received
        assert received.size == theirs.size
        assert max(received.crop(left + 4, top + 4, width - 8, height - 8).rgb) < 0x80, "masked for the model too"

        # What it holds is in no answer either.
        for tool, arguments in (("ax_get_tree", {}), ("ax_get_value", {"query": "Pass code"})):
            answer = client.call(tool, app=app.app, **arguments)
            assert "correct horse" not in shown(answer), (tool, answer.text)
    finally:
        client.close()
        provider.stop()


def test_fields_that_the_policy_names_are_masked_and_redacted(desktop, tmp_path):
    app = SignIn(desktop)
    rules = tmp_path / "security.toml"
    rules.write_text("[redact]\nfields = ['Note']\npatterns = ['EMP-\\d{4}']\n", encoding="utf-8")
    client = Session({**desktop.env, "HANDEYE_SECURITY_FILE": str(rules), "HANDEYE_LOG_FILE": os.devnull})
    try:
        client.do("ax_set_value", app=app.app, query="Note", value="my IBAN is here")
        client.do("ax_set_value", app=app.app, query="textbox:Token", value="staff EMP-4711")
        app.wait("Note", "my IBAN is here")
        tree = client.do("ax_get_tree", app=app.app)
        assert "IBAN" not in shown(tree) and "4711" not in shown(tree), tree.text
        found = client.do("ax_find", app=app.app, query="textbox:Note")
        picture = pictures.of(client.do("ax_screenshot", app=app.app, query=found.fields["element_ref"]))
        assert is_masked(picture)
    finally:
        client.close()
        app.stop()


def test_an_ordinary_application_is_as_it_was(desktop, client):
    own = applications.start(desktop, "gtk3", commands=True)
    try:
        tree = client.do("ax_get_tree", app=own.app)
        assert "‹redacted" not in tree.text, tree.text
    finally:
        own.stop()

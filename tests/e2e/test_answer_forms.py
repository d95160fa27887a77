"""The two forms of an answer: what a model gets in one text, and what a program gets as texts and as fields, each complete."""

import json
import re
import subprocess

import pytest

from support import BINARY, PATIENCE, applications
from support.session import Session

# What a text says in other words, what was asked for, and further names of something that the text names.
SAID_OTHERWISE = {
    "app", "bundle_id", "mime_type", "window_id",
    "found", "enabled", "focused", "connected", "accessible", "minimized", "is_active", "incomplete", "idle", "method",
    "process_name", "route", "status", "strategy", "shown", "omitted", "matches", "window_count", "scale",
}


@pytest.fixture(scope="module")
def app(desktop):
    app = applications.start(desktop, "gtk3", commands=True)
    yield app
    app.stop()


@pytest.fixture(scope="module")
def program(desktop):
    session = Session(desktop.env)
    yield session
    session.close()


@pytest.fixture(scope="module")
def model(desktop):
    session = Session(desktop.env, arguments=["--client-profile", "model"])
    yield session
    session.close()


def conversation(session, app):
    """A call of each kind, with its answer."""
    look = re.search(r"look: (t\d+)", session.do("ax_get_tree", app=app.app).text).group(1)
    for tool, arguments in [
        ("ax_is_accessible", {}),
        ("ax_connect", {"app": app.app}),
        ("ax_list_apps", {}),
        ("ax_list_windows", {"app": "all"}),
        ("ax_list_windows", {"app": app.app}),
        ("ax_get_tree", {"app": app.app}),
        ("ax_find", {"app": app.app, "query": "Count"}),
        ("ax_get_attributes", {"app": app.app, "query": "Count"}),
        ("ax_get_value", {"app": app.app, "query": "Name"}),
        ("ax_click", {"app": app.app, "query": "Count"}),
        ("ax_set_value", {"app": app.app, "query": "Name", "value": "Ada"}),
        ("ax_type", {"app": app.app, "query": "Name", "text": " L."}),
        ("ax_get_tree", {"app": app.app, "since": look}),
        ("ax_wait_idle", {"app": app.app}),
        ("ax_screenshot", {"app": app.app, "annotate": True}),
        ("ax_click", {"app": app.app, "query": "no such thing"}),
        ("list", {"app": app.app}),
        ("image", {"app_target": app.app}),
    ]:
        yield tool, arguments, session.call(tool, **arguments)


def scalars(value, path=()):
    """Every string and number in a value, with the names that lead to it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from scalars(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from scalars(inner, path)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield path, value


def undeclared(value, schema, path=()):
    """The fields that a schema does not declare."""
    if isinstance(value, dict) and "properties" in schema:
        for name, inner in value.items():
            declared = schema["properties"].get(name)
            if declared is None:
                yield ".".join((*path, name))
            else:
                yield from undeclared(inner, declared, (*path, name))
    elif isinstance(value, list) and "items" in schema:
        for inner in value:
            yield from undeclared(inner, schema["items"], path)


def test_the_fields_say_what_the_texts_say(program, app):
    for tool, arguments, answer in conversation(program, app):
        joined = "\n".join(answer.texts)
        if "error" in answer.fields:
            error = answer.fields["error"]
            said = "\n".join([error["message"], *error.get("found", []), error.get("next", "")])
            assert all(line in joined for line in said.splitlines()), (tool, said, joined)
        elif "text" in answer.fields:
            assert re.sub(r"\n+", "\n", answer.fields["text"]) == re.sub(r"\n+", "\n", joined), (tool, arguments)


def test_the_texts_say_what_the_fields_say(program, app):
    silent = []
    for tool, arguments, answer in conversation(program, app):
        joined = "\n".join(answer.texts)
        silent += [
            (tool, ".".join(path), value) for path, value in scalars(answer.fields)
            if path[-1] not in SAID_OTHERWISE and (tool, arguments.get("app"), path[-1]) != (tool, app.app, "pid") and path[0] not in ("text", "error") and str(value) not in joined
        ]
    assert not silent, "\n".join(map(str, silent))


def test_every_field_is_declared(program, app):
    tools = program.tools()
    for tool, arguments, answer in conversation(program, app):
        schema = tools[tool].output_schema
        if schema:
            assert not list(undeclared(answer.fields, schema)), (tool, arguments, answer.fields)


def test_a_model_gets_one_text_and_pictures(model, app):
    assert not [name for name, tool in model.tools().items() if tool.output_schema]
    for tool, arguments, answer in conversation(model, app):
        assert answer.fields == {}, (tool, arguments)
        kinds = [part.type for part in answer.content]
        assert kinds == ["text", *["image"] * (len(kinds) - 1)], (tool, kinds)


def test_a_long_answer_is_cut_where_its_client_would_cut_it(desktop, app):
    session = Session(desktop.env, arguments=["--client-profile", "cline"])
    try:
        answer = session.do("ax_get_tree", app=app.app, max_depth=30, include_invisible=True)
        assert len(answer.text) <= 6_500
        assert len(json.dumps(answer.text)) <= 8_000
        whole = "left out" not in answer.text and "more elements" not in answer.text
        assert not whole or len(answer.text) < 6_000, answer.text[-300:]
    finally:
        session.close()


def test_an_unknown_profile_names_those_that_there_are(desktop):
    words = [BINARY, "mcp", "serve", "--client-profile", "claud"]
    done = subprocess.run(words, env=desktop.env, capture_output=True, text=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 2, done
    assert "claude-code" in done.stderr and "program" in done.stderr, done.stderr

"""Workflows, their rollback and undo on real applications; the application says what it holds."""

import json
import os
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from support import BINARY, applications, history, wait_for
from support.session import Session

TOOLKITS = ["gtk3", "gtk4", "qt5"]
TOOLSETS = ["--toolsets", "default,compose,context"]
# What a step changes, by the key of the application's state.
CHANGES = {
    "name": ("textbox Name", "after"), "volume": ("slider Volume", "60"), "amount": ("Amount", "30"),
    "notes": ("Notes", "written"), "agree": ("Agree", "true"), "size": ("combobox Size", "Large"),
}
# What a toolkit does not let be changed in the background (docs/matrix.md).
NOT_IN_BACKGROUND = {"gtk3": (), "gtk4": ("agree", "size"), "qt5": ("size",)}


@pytest.fixture(scope="module", params=TOOLKITS)
def app(request, desktop):
    own = applications.start(desktop, request.param, commands=True)
    own.changes = [key for key in CHANGES if key not in NOT_IN_BACKGROUND[request.param]]
    yield own
    own.stop()


@pytest.fixture(scope="module")
def composer(desktop):
    session = Session(desktop.env, arguments=TOOLSETS, log=desktop.path("composer.log"))
    yield session
    session.close()


def change(app, key):
    query, value = CHANGES[key]
    return {"tool": "ax_set_value", "args": {"app": app.app, "query": query, "value": value}}


def failing(app, on_fail="rollback"):
    return {"tool": "ax_click", "args": {"app": app.app, "query": "button \"No such thing\""}, "on_fail": on_fail}


@pytest.fixture(autouse=True)
def as_at_the_start(request):
    """What a test before has left is undone by the application itself."""
    if "app" in request.fixturenames:
        app = request.getfixturevalue("app")
        for command in ({"do": "set_name", "text": ""}, {"do": "set_notes", "text": ""}, {"do": "agree", "on": False},
                        {"do": "volume", "value": 20}, {"do": "amount", "value": 5}, {"do": "size", "index": 0}):
            app.command(**command)


def held(app):
    """What the application says that it holds."""
    return {key: app.state()[key] for key in CHANGES}


def test_a_failure_after_any_step_leaves_the_application_as_it_was(composer, app):
    before = held(app)
    for count in range(len(app.changes) + 1):
        steps = [change(app, key) for key in app.changes[:count]] + [failing(app)]
        answer = composer.call("ax_workflow", steps=steps)
        assert answer.code == "workflow_failed", answer.text
        assert answer.fields["steps_completed"] == count
        remaining = [line for line in answer.fields.get("rollback", []) if line["status"] != "undone"]
        assert not remaining, remaining
        wait_for(f"{before} after {count} steps, is {held(app)}", lambda: held(app) == before)


def test_what_cannot_be_taken_back_is_listed(composer, app):
    count = app.state()["count"]
    click = {"tool": "ax_click", "args": {"app": app.app, "query": "button Count"}}
    answer = composer.call("ax_workflow", steps=[click, change(app, "name"), failing(app)])
    app.wait("count", count + 1)
    app.wait("name", "")
    statuses = [(line["tool"], line["status"]) for line in answer.fields["rollback"]]
    assert statuses == [("ax_set_value", "undone"), ("ax_click", "skipped_irreversible")]
    assert "not all" in answer.text and "ax_click" in answer.text, answer.text


def test_undo_restores_what_nobody_changed_since(composer, app):
    for key in ("name", "volume", app.changes[-1]):
        composer.do("ax_set_value", **change(app, key)["args"])
    before = held(app)
    answer = composer.do("ax_undo", count=2)
    assert (answer.fields["undone"], answer.fields["skipped"]) == (2, 0), answer.text
    app.wait("volume", 20)
    assert held(app)[app.changes[-1]] != before[app.changes[-1]]
    # Another party changes what the first action has set.
    app.command(do="set_name", text="somebody else's")
    app.wait("name", "somebody else's")
    answer = composer.call("ax_undo")
    assert answer.fields["skipped"] == 1 and "changed since" in answer.text, answer.text
    assert app.state()["name"] == "somebody else's"
    assert composer.call("ax_undo").code == "refused"


def test_a_wheel_is_turned_back_only_where_nothing_was_scrolled_since(composer, app):
    app.command(do="scroll_to_top")
    app.wait("scroll", 0)
    turn = {"app": app.app, "query": "Items", "direction": "down", "amount": 150, "mode": "focus"}
    composer.do("ax_scroll", **turn)
    wait_for("the wheel to scroll", lambda: app.state()["scroll"] > 0)
    answer = composer.do("ax_undo")
    assert answer.fields["undone"] == 1, answer.text
    app.wait("scroll", 0)
    composer.do("ax_scroll", **turn)
    wait_for("the wheel to scroll", lambda: app.state()["scroll"] > 0)
    # Another party scrolls too.
    app.command(do="scroll_to_top")
    app.wait("scroll", 0)
    answer = composer.call("ax_undo")
    assert answer.fields["skipped"] == 1 and "scrolled since" in answer.text, answer.text
    assert app.state()["scroll"] == 0


def test_values_and_conditions_go_through_a_workflow(composer, app):
    steps = [
        change(app, "name"),
        {"tool": "ax_get_value", "args": {"app": app.app, "query": "textbox Name"}},
        {"tool": "ax_type", "args": {"app": app.app, "query": "Notes", "text": "copied: {{step_2.value}}"},
         "wait_until": {"idle": True}},
        {"tool": "ax_find", "args": {"app": app.app, "query": "button Count"}, "wait_until": {"window": app.title}},
    ]
    dry = composer.do("ax_workflow", steps=steps, dry_run=True)
    assert dry.fields["success"] and app.state()["name"] == "", dry.text
    answer = composer.do("ax_workflow", steps=steps, name="copy")
    assert answer.fields["success"] and answer.fields["steps_completed"] == 4, answer.text
    app.wait("notes", "copied: after")
    # All of it was one call; its actions are taken back one by one.
    assert composer.do("ax_undo", count=2).fields["undone"] == 2
    app.wait("notes", "")
    app.wait("name", "")


FLOW = """
name: fill in
variables: {{who: nobody}}
steps:
  - tool: ax_set_value
    args: {{app: "{app}", query: textbox Name, value: "{{{{var.who}}}}"}}
  - tool: ax_get_value
    args: {{app: "{app}", query: textbox Name}}
  - tool: ax_set_value
    args: {{app: "{app}", query: Amount, value: "30"}}
    on_fail: rollback
"""


def run(desktop, *words, **options):
    done = history.run([BINARY, "run", *words], env=desktop.env, capture_output=True, text=True, timeout=60,
                       check=False, **options)
    return done.returncode, done.stdout, done.stderr


def test_a_file_runs_with_variables_and_a_report(desktop, app, tmp_path):
    flow, report = tmp_path / "flow.yaml", tmp_path / "report.xml"
    flow.write_text(FLOW.format(app=app.app), encoding="utf-8")
    code, out, err = run(desktop, str(flow), "--var", "who=somebody", "--junit", str(report))
    assert (code, "3/3" in out) == (0, True), (out, err)
    app.wait("name", "somebody")
    app.wait("amount", 30)
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("fill in", "3", "0")
    # Again, with a last step that fails: all is taken back.
    flow.write_text(FLOW.format(app=app.app).replace("query: Amount", "query: No such thing"), encoding="utf-8")
    code, out, err = run(desktop, str(flow), "--junit", str(report))
    assert code == 5 and "workflow_failed" in err, (code, out, err)
    app.wait("name", "somebody")
    assert ElementTree.parse(report).getroot().find("testsuite").get("failures") == "1"
    code, out, err = run(desktop, "-", "--dry-run", "--format", "json", input=json.dumps(
        {"steps": [change(app, "name")]}))
    assert code == 0 and json.loads(out)["success"], (out, err)
    assert app.state()["name"] == "somebody"


@pytest.mark.parametrize("text, why", [
    ("steps: [", "not YAML: line"),
    ("- tool: ax_clik\n  args: {}", "did you mean ax_click?"),
    ("- tool: ax_find\n  args: {query: '{{var.x}}'}", "no variable 'x'"),
    ("a: &a [1]\nb: *a", "anchors"),
    ("", "empty"),
])
def test_a_file_with_a_fault_is_refused_before_anything_is_done(desktop, tmp_path, text, why):
    flow = tmp_path / "flow.yaml"
    flow.write_text(text, encoding="utf-8")
    code, _, err = run(desktop, str(flow))
    assert code == 2 and why in err, (code, err)
    code, _, err = run(desktop, str(tmp_path / "missing.yaml"))
    assert code == 2 and "could not be read" in err


def test_an_interrupted_file_ends_with_an_account(desktop, app, tmp_path):
    flow = tmp_path / "flow.yaml"
    steps = [change(app, "name"), {**change(app, "volume"), "wait_after_ms": 50_000}, change(app, "amount")]
    flow.write_text(json.dumps({"steps": steps}), encoding="utf-8")
    child = subprocess.Popen([BINARY, "run", str(flow)], env=desktop.env, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, start_new_session=True)
    app.wait("volume", 60)
    os.killpg(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=20)
    assert child.returncode == 8, (out, err)
    assert ("step 2 of 3" in err or "step 3 of 3" in err) and "stays" in err, (out, err)
    assert app.state()["amount"] == 5

"""Assertions and pictures against baselines, over MCP and on the command line. What is true is what the application reports of itself;
what changed in its window is what another program sees."""

import base64
import json
import pathlib

import pytest

from support import applications, pictures, wait_for
from support.aim import client_area
from support.session import Session

DONE, DIFFERS = 0, 16
RED, YELLOW = (255, 0, 0), (255, 200, 0)


@pytest.fixture(scope="module")
def client(desktop):
    """A client whose server offers the assertions."""
    session = Session(desktop.env, log=desktop.path("server.log"), arguments=["--toolsets", "all"])
    yield session
    session.close()


@pytest.fixture(scope="module")
def app(desktop):
    """One application for all tests of this file; each sets what it is about."""
    own = applications.start(desktop, "gtk3", commands=True)
    desktop.run(["xdotool", "mousemove", "1270", "1010"])
    yield own
    own.stop()


def holds(client, app, query, **assertions):
    """Whether an assertion holds, and what does not."""
    answer = client.call("ax_assert", app=app.app, query=query, assertions=assertions)
    assert not answer.is_error, answer.text
    return answer.fields["passed"], answer.fields["failures"]


def test_assertions_agree_with_the_application(client, app):
    for on in (True, False):
        app.command(do="agree", on=on)
        assert app.state()["agree"] == on
        assert holds(client, app, "Agree", value=str(on).lower()) == (True, [])
        passed, failures = holds(client, app, "Agree", value=str(not on).lower(), role="AXCheckBox", title="Agree")
        assert (passed, failures) == (False, [{"property": "value", "expected": str(not on).lower(),
                                               "actual": str(on).lower()}])
    app.command(do="set_name", text="Ada Lovelace")
    assert holds(client, app, "Name", value="Ada Lovelace", contains_text="Love", visible=True, enabled=True) == (True, [])
    app.command(do="add_button", name="Printer")
    try:
        assert holds(client, app, "Printer", exists=True, enabled=True)[0]
        app.command(do="enable_button", index=0, on=False)
        assert holds(client, app, "Printer", enabled=False)[0]
        assert holds(client, app, "Area", contains_text="Printer")[0]
        app.command(do="show_button", index=0, on=False)
        assert holds(client, app, "Printer", visible=False)[0] or holds(client, app, "Printer", exists=False)[0]
    finally:
        app.command(do="remove_button", index=0)
    assert holds(client, app, "Printer", exists=False) == (True, [])


def test_a_failure_brings_a_picture_of_the_window(client, app):
    answer = client.call("ax_assert", app=app.app, query="Printer", assertions={"exists": True})
    assert not answer.is_error and answer.fields["passed"] is False
    assert pictures.of(answer).size == pictures.of(client.do("ax_screenshot", app=app.app)).size
    assert not answer.pictures, "a file, as nothing else is configured"


def test_it_waits_for_what_the_application_does(client, app):
    app.command(do="set_name", text="before")
    waiting = client.start("ax_assert", app=app.app, query="Name", assertions={"value": "after"}, timeout_ms=30_000)
    app.command(do="set_name", text="after")
    answer = waiting.result(60)
    assert answer.fields["passed"] and answer.fields["waited_ms"] < 30_000, answer.text


def test_a_protected_field_stays_protected(client, app, handeye):
    client.do("ax_set_value", app=app.app, query="Secret", value="hunter2")
    wait_for("the field to be filled in", lambda: app.state().get("secret") == "hunter2")
    answer = client.call("ax_assert", app=app.app, query="Secret", assertions={"value": "hunter2"})
    assert answer.fields["passed"] is False and "hunter2" not in f"{answer.text}{answer.fields}"
    code, fields = handeye("assert", "Secret", "--app", app.app, "--contains-text", "hunter")
    assert code == DIFFERS and "hunter" not in json.dumps(fields)


def test_a_shell_gets_an_exit_code(handeye, app):
    app.command(do="set_name", text="shell")
    assert handeye("assert", "textbox:Name", "--app", app.app, "--value", "shell", "--enabled", "true")[0] == DONE
    code, fields = handeye("assert", "Name", "--app", app.app, "--value", "other", "--timeout-ms", "100")
    assert (code, fields["passed"], fields["failures"][0]["actual"]) == (DIFFERS, False, "shell")
    assert handeye("assert", "Printer", "--app", app.app, "--exists", "false")[0] == DONE
    code, fields = handeye("assert", "Name", "--app", app.app)
    assert (code, fields["error"]["code"]) == (2, "invalid_parameter")


def differing(one, other):
    """The places of the pixels that differ, and of those that nobody can overlook."""
    assert one.size == other.size
    places, plain = set(), set()
    for at in range(0, len(one.rgb), 3):
        a, b = one.rgb[at:at + 3], other.rgb[at:at + 3]
        if a != b:
            place = (at // 3 % one.width, at // 3 // one.width)
            places.add(place)
            if max(abs(x - y) for x, y in zip(a, b)) > 120:
                plain.add(place)
    return places, plain


def marked(picture):
    """The places that are marked in a picture of differences."""
    rgb = picture.rgb
    return {(at // 3 % picture.width, at // 3 // picture.width) for at in range(0, len(rgb), 3)
            if tuple(rgb[at:at + 3]) in (RED, YELLOW)}


def still(desktop, app):
    """What another program sees in the window while nothing moves."""
    return pictures.still(lambda: pictures.xwd(desktop, "-id", str(app.window)))


def test_a_picture_marks_what_changed(desktop, client, handeye, app, tmp_path):
    app.command(do="bold", on=False)
    before = still(desktop, app)
    baseline = tmp_path / "baseline.png"
    code, fields = handeye("diff", str(baseline), "--app", app.app)
    assert (code, fields["error"]["code"]) == (1, "io") and "--update" in fields["error"]["next"], fields
    assert handeye("diff", "baseline.png", "--app", app.app, "--update")[0] == DONE
    written = pictures.decoded(baseline.read_bytes())
    code, fields = handeye("diff", "baseline.png", "--app", app.app, "--threshold", "0")
    assert (code, fields["diff_pixels"]) == (DONE, 0), fields

    app.command(do="bold", on=True)
    after = still(desktop, app)
    x, y, *_ = client_area(desktop, app)
    screenshot = client.do("ax_screenshot", app=app.app)
    left, top = screenshot.fields["position"]
    places, plain = ({(px + x - left, py + y - top) for px, py in each} for each in differing(before, after))
    answer = client.call("ax_visual_diff", app=app.app, baseline=str(baseline), threshold=0)
    assert not answer.is_error and answer.fields["passed"] is False, answer.text
    shown = marked(pictures.of(answer))
    assert shown and shown <= places and plain <= shown, (len(shown), len(places), len(plain))
    red = answer.fields["diff_pixels"]
    assert red + answer.fields.get("antialiased_pixels", 0) == len(shown)
    assert answer.fields["total_pixels"] == written.width * written.height
    # The regions of the answer are those to ignore.
    ignored = client.call("ax_visual_diff", app=app.app, baseline=baseline.as_uri(), threshold=0,
                          ignore_regions=answer.fields["regions"])
    assert ignored.fields["passed"] and ignored.fields["diff_pixels"] == 0, ignored.text
    words = [word for region in answer.fields["regions"]
             for word in ("--ignore", ",".join(str(region[key]) for key in "xywh"))]
    assert handeye("diff", "baseline.png", "--app", app.app, "--threshold", "0", *words)[0] == DONE
    # A picture that handeye took is a baseline by its id; an observer sees the change too.
    assert client.call("ax_visual_diff", app=app.app, baseline=screenshot.fields["id"], threshold=0).fields["passed"]
    encoded = base64.b64encode(baseline.read_bytes()).decode()
    seen = client.call("ax_visual_diff", app=app.app, baseline=encoded, threshold=0, mode="perceptual")
    assert seen.fields["diff_pixels"] > 0, seen.text


def test_an_element_is_compared_by_itself(handeye, app):
    app.command(do="bold", on=False)
    assert handeye("diff", "agree.png", "--app", app.app, "--query", "checkbox:Agree", "--update")[0] == DONE
    app.command(do="bold", on=True)
    assert handeye("diff", "agree.png", "--app", app.app, "--query", "checkbox:Agree", "--threshold", "0")[0] == DONE
    app.command(do="agree", on=not app.state()["agree"])
    # The application draws in its next frame.
    compared = ("diff", "agree.png", "--app", app.app, "--query", "checkbox:Agree", "--threshold", "0")
    wait_for("the check mark to make a difference", lambda: handeye(*compared)[0] == DIFFERS)


def test_a_window_of_another_size_is_a_result(desktop, handeye, app):
    assert handeye("diff", "size.png", "--app", app.app, "--update")[0] == DONE
    *_, width, height = client_area(desktop, app)
    desktop.run(["xdotool", "windowsize", "--sync", str(app.window), str(width + 40), str(height + 20)], check=False)
    wait_for("the window to have its size", lambda: client_area(desktop, app)[2] == width + 40)
    code, fields = handeye("diff", "size.png", "--app", app.app, "--threshold", "100")
    assert (code, fields["passed"]) == (DIFFERS, False)
    old, new = fields["baseline_size"], fields["size"]
    assert [now - then for then, now in zip(old, new)] == [40, 20]
    assert pictures.decoded(pathlib.Path(fields["path"]).read_bytes()).size == tuple(new)


def test_what_is_no_baseline_is_named(handeye, app, tmp_path):
    (tmp_path / "notes.png").write_text("not a picture")
    for words, code in [(["notes.png"], "unsupported_image"), (["iVBORw0KGgo="], "unsupported_image"),
                        (["file://host/a.png"], "invalid_parameter"), ([str(tmp_path)], "invalid_parameter"),
                        (["notes.png", "--update"], "io"), (["new.jpg", "--update"], "invalid_parameter"),
                        (["notes.png", "--threshold", "200"], "invalid_parameter")]:
        status, fields = handeye("diff", *words, "--app", app.app)
        assert (status in (1, 2), fields["error"]["code"]) == (True, code), fields
    assert (tmp_path / "notes.png").read_text() == "not a picture"

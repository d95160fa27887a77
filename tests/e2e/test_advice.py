"""Advice is followed: what an error names as the next call can be made, and does not lead back to the same error."""

import itertools

import pytest

from support import PATIENCE, advice, applications, wait_for
from support.session import Session

@pytest.mark.parametrize("text,calls", [
    ("Look again with ax_get_tree or ax_find.", [("ax_get_tree", {}), ("ax_find", {})]),
    ('Call ax_click with app: "a b", query: "button \\"x\\"", mode: "focus".',
     [("ax_click", {"app": "a b", "query": 'button "x"', "mode": "focus"})]),
    ("… 3 more rows are hidden: ax_get_tree root_query=e41 include_invisible=true",
     [("ax_get_tree", {"root_query": "e41", "include_invisible": True})]),
    ("ax_click_at with x: 3, y: -4, screenshot: \"s1\", mode: \"focus\" clicks it.",
     [("ax_click_at", {"x": 3, "y": -4, "screenshot": "s1", "mode": "focus"})]),
    ('It shows "ax_nothing with a: 1".', []),
])
def test_calls_are_read_from_advice(text, calls):
    assert advice.calls(text) == calls


@pytest.mark.parametrize("text", ["Use ax_nothing.", 'ax_click with name: "x".', 'ax_click with mode: "magic".',
                                  "ax_get_tree include_invisible=3", 'ax_click_at with x: "left".'])
def test_wrong_advice_is_found(text):
    assert advice.faults(text)


SITUATIONS = [
    ("ax_click", {"query": "Count", "mode": mode, "click_type": kind}) for mode in ("background", "focus")
    for kind in ("single", "right", "double")
] + [(tool, {**arguments, "mode": mode}) for mode in ("background", "focus") for tool, arguments in [
    ("ax_click", {"query": "no such element"}), ("ax_click", {"query": "e999"}), ("ax_click", {"query": "role:textbox"}),
    ("ax_type", {"query": "Count", "text": "x"}), ("ax_type", {"text": "x"}), ("ax_type", {"query": "Name", "text": "x"}),
    ("ax_scroll", {"query": "Rows", "direction": "down"}), ("ax_scroll", {"query": "Count", "direction": "down"}),
    ("ax_drag", {"from_query": "Row 1", "to_query": "Row 3"}), ("ax_drag", {"from_query": "Count", "to_x": 5, "to_y": 5}),
    ("ax_key_press", {"key": "ctrl+a"}), ("ax_key_press", {"key": "nokey"}), ("ax_click_at", {"x": 100, "y": 100}),
    ("ax_click_at", {"x": 100000, "y": 100}), ("ax_click_at", {"x": 1, "y": 1, "screenshot": "s99"}),
]] + [
    ("ax_set_value", {"query": "Count", "value": "3"}), ("ax_set_value", {"query": "Level", "value": "a lot"}),
    ("ax_get_value", {"query": "no such element"}), ("ax_get_tree", {"root_query": "e998"}), ("ax_get_tree", {"since": "t99"}),
    ("ax_find", {"query": "//["}), ("ax_find", {"query": "name:/[/"}), ("ax_screenshot", {"window_index": 7}),
    ("ax_get_attributes", {"query": "e997"}),
]


def without_app(tool):
    return "app" not in advice.tools()[tool].get("properties", {})


@pytest.mark.parametrize("toolkit", ["gtk3", "qt5"])
def test_advice_is_followed_and_leads_somewhere(desktop, toolkit):
    app = applications.start(desktop, toolkit)
    session = Session(desktop.env, arguments=["--toolsets", "all", "--confirm", "never"])
    try:
        wait_for("the application", lambda: not session.call("ax_get_tree", app=app.app).is_error, PATIENCE)
        for tool, arguments in SITUATIONS:
            known = advice.tools()[tool]["properties"]
            arguments = {key: value for key, value in arguments.items() if key in known}
            chain = advice.followed(session, tool, arguments if without_app(tool) else {"app": app.app, **arguments})
            modes = [dict(call[1]).get("mode") for call, _ in chain]
            changes = [mode for mode, _ in itertools.groupby(filter(None, modes))]
            assert len(changes) <= 2, f"from mode to mode and back: {chain}"
    finally:
        session.close()
        app.stop()


def test_an_application_that_is_not_there(desktop, gtk3_shared):
    session = Session(desktop.env)
    try:
        for name in ("no such application", "fixtrue-gtk3", "1", "frontmost"):
            advice.followed(session, "ax_get_tree", {"app": name})
    finally:
        session.close()

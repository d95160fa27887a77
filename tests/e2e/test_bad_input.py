"""Bad input: a clear error with a code and a next step, nothing half done, and the server well after it."""

import pytest

from support import applications, witness

CASES = {
    "unknown application": ("ax_find", {"app": "no-such-app", "query": "x"}, {"app_not_found"}),
    "no such window": ("ax_screenshot", {"app": "{app}", "window_index": 99}, {"window_not_found"}),
    "unknown reference": ("ax_click", {"app": "{app}", "query": "e999999"}, {"unknown_reference"}),
    "element that is not there": ("ax_click", {"app": "{app}", "query": "No such button"}, {"element_not_found"}),
    "malformed xpath": ("ax_find", {"app": "{app}", "query": "//[", "strategy": "xpath"}, {"invalid_query"}),
    "malformed regex": ("ax_find", {"app": "{app}", "query": "(", "strategy": "regex"}, {"invalid_query"}),
    "empty query": ("ax_find", {"app": "{app}", "query": ""}, {"invalid_query", "invalid_parameter"}),
    "unknown strategy": ("ax_find", {"app": "{app}", "query": "x", "strategy": "magic"}, {"invalid_parameter"}),
    "wrong type": ("ax_get_tree", {"app": "{app}", "max_depth": "deep"}, {"invalid_parameter"}),
    "missing parameters": ("ax_click", {}, {"invalid_parameter"}),
    "unknown parameter": ("ax_find", {"app": "{app}", "query": "x", "colour": "red"}, {"invalid_parameter"}),
    "coordinates off every monitor": ("ax_click_at", {"x": 99999, "y": -99999}, {"invalid_parameter"}),
    "negative timeout": ("ax_wait_idle", {"app": "{app}", "timeout_ms": -5}, {"invalid_parameter"}),
    "empty region": ("ax_screenshot", {"region": {"x": 0, "y": 0, "w": 0, "h": 0}}, {"invalid_parameter"}),
    "region off every monitor": ("ax_screenshot", {"region": {"x": 90000, "y": 90000, "w": 10, "h": 10}},
                                 {"invalid_parameter"}),
    "unknown key": ("ax_key_press", {"app": "{app}", "key": "hyperspace", "mode": "focus"}, {"invalid_parameter"}),
    "unknown modifier": ("ax_key_press", {"app": "{app}", "key": "a", "modifiers": ["hyper"]}, {"invalid_parameter"}),
    "unknown direction": ("ax_scroll", {"app": "{app}", "direction": "inwards"}, {"invalid_parameter"}),
    "drag from nowhere": ("ax_drag", {"app": "{app}"}, {"invalid_parameter"}),
    "value that is no number": ("ax_set_value", {"app": "{app}", "query": "role:slider Volume", "value": "loud"},
                                {"invalid_parameter"}),
    "value out of range": ("ax_set_value", {"app": "{app}", "query": "role:slider Volume", "value": "1e9"},
                           {"invalid_parameter", "refused"}),
    "10 MB to type": ("ax_type", {"app": "{app}", "query": "Name", "text": "x" * 10_000_000}, {"too_large"}),
    "10 MB to type with the keyboard": ("ax_type", {"app": "{app}", "query": "Name", "text": "x" * 10_000_000,
                                                    "mode": "focus"}, {"too_large"}),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(client, desktop, gtk3_shared, case):
    tool, arguments, codes = CASES[case]
    arguments = {name: value.format(app=gtk3_shared.app) if value == "{app}" else value
                 for name, value in arguments.items()}
    state, seat = gtk3_shared.state(), witness.seat(desktop)
    answer = client.call(tool, **arguments)
    assert answer.is_error, answer
    assert answer.code in codes, answer
    error = answer.fields["error"]
    assert error["message"] and error["message"] in answer.text
    assert error.get("next") or error.get("found") or answer.code == "invalid_parameter", error
    assert len(answer.text) < 4000, "an error never repeats a large input"
    assert gtk3_shared.state() == state, "something was half done"
    assert not seat.differences(witness.seat(desktop))
    assert client.do("ax_find", app=gtk3_shared.app, query="role:button Count").fields["found"], "the server is unwell"


def test_each_bad_parameter_is_named(client):
    answer = client.call("ax_scroll", direction="sideways", amount="much", speed=3)
    assert answer.code == "invalid_parameter"
    for name in ("app", "direction", "amount", "speed"):
        assert name in answer.text, answer.text


def test_near_misses_are_offered(client, gtk3_shared):
    answer = client.call("ax_find", app=gtk3_shared.app, query="role:button Cuont")
    assert "Count" in answer.text


def test_ambiguous_name_lists_the_candidates(client, desktop, gtk3_shared):
    other = applications.start(desktop, "gtk3")
    try:
        answer = client.call("ax_find", app="fixture-gtk3", query="Name")
        assert answer.code == "app_ambiguous", answer
        for app in (gtk3_shared, other):
            assert any(app.app in found for found in answer.fields["error"]["found"]), answer.fields
    finally:
        other.stop()


def test_secrets_stay_secret(client, desktop, gtk3_shared):
    secret = "correct-horse-battery"
    typed = client.do("ax_type", app=gtk3_shared.app, query="Secret", text=secret, clear_first=True)
    gtk3_shared.wait("secret", secret)
    answers = [typed, client.call("ax_get_value", app=gtk3_shared.app, query="Secret"),
               client.call("ax_get_attributes", app=gtk3_shared.app, query="Secret"),
               client.call("ax_get_tree", app=gtk3_shared.app, max_depth=30),
               client.call("ax_find", app=gtk3_shared.app, query="Secret")]
    for answer in answers:
        assert secret not in answer.text and secret not in str(answer.fields), answer
    with open(desktop.path("server.log"), encoding="utf-8") as log:
        assert secret not in log.read()

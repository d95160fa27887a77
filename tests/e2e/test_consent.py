"""With `--confirm always` nothing that destroys is reached without a question, whatever the call; the application says what was done."""

import re

import pytest

from support import applications, wait_for
from support.people import Asked, accept, decline

ALWAYS = ["--confirm", "always"]

# What is done, what has the focus before, and whether an answer of yes does harm (else the call only has to ask).
BY_KEY = {
    "kp_enter": "mnemonic", "iso_enter": "mnemonic", "kp_space": "mnemonic", "return": "mnemonic", "space": "mnemonic",
    "alt+d": "safe", "ctrl+d": "safe", "alt+F4": "safe", "delete": "rows", "del": "rows", "kp_delete": "rows",
    "ctrl+delete": "rows", "backspace": "rows",
}
ELEMENTS = {
    "menu": ("ax_set_value", {"query": "menu X", "value": "Delete"}),
    "toggle": ("ax_set_value", {"query": "Delete everything", "value": "true"}),
    "a click": ("ax_click", {"query": "button Delete"}),
    "soft hyphen": ("ax_click", {"query": "role:button lö\u00adschen"}),
    "full width": ("ax_click", {"query": "role:button \uff24\uff45\uff4c\uff45\uff54\uff45"}),
    "Cyrillic": ("ax_click", {"query": "role:button D\u0435lete"}),
    "mnemonic mark": ("ax_click", {"query": "role:button D_elete"}),
    "a drag to itself": ("ax_drag", {"from_query": "button Erase all", "to_query": "button Erase all", "mode": "focus"}),
}
TYPED = {
    "a space": ("mnemonic", {"text": " "}),
    "a tab and a space": ("toggle", {"text": "\t "}),
    "the end of a line": ("field", {"text": "x\n"}),
    "clearing a list": ("rows", {"text": "x", "clear_first": True}),
}


class Bed:
    """The application, a client whose person says no, and one whose person says yes."""

    def __init__(self, desktop):
        self.app = applications.Fixture(desktop, "hazards", commands=True)
        self.no = Asked(desktop.env, arguments=ALWAYS, answers=decline())
        self.yes = Asked(desktop.env, arguments=ALWAYS, answers=accept(confirm=True))
        self.desktop = desktop

    def close(self):
        for client in (self.no, self.yes):
            client.close()
        self.app.stop()

    def focus(self, widget):
        self.desktop.activate(self.app.window)
        focused = self.app.state().get("focused", 0)
        self.app.command(do="focus", widget=widget)
        wait_for("the focus", lambda: self.app.state().get("focused", 0) > focused)

    def asks(self, tool, arguments, prepare=lambda: None, app=True):
        """Calls with a no, which does nothing, and with a yes, which does harm."""
        named = {"app": self.app.app} if app else {}
        for client, does in ((self.no, False), (self.yes, True)):
            prepare()
            before, asked = self.app.state()["harm"], len(client.questions)
            answer = client.call(tool, **named, **arguments)["result"]
            text = answer["content"][0]["text"]
            assert len(client.questions) > asked, text
            if does:
                wait_for("the harm", lambda before=before: self.app.state()["harm"] > before)
            else:
                assert answer["isError"] and answer["structuredContent"]["error"]["code"] == "declined", text
                assert self.app.state()["harm"] == before, self.app.state()
        return self.no.questions[-1]["params"]["message"]


@pytest.fixture(scope="module")
def bed(desktop):
    bed = Bed(desktop)
    yield bed
    bed.close()


@pytest.mark.parametrize("key", BY_KEY)
def test_a_key_asks(bed, key):
    bed.asks("ax_key_press", {"key": key, "mode": "focus"}, lambda: bed.focus(BY_KEY[key]))


@pytest.mark.parametrize("key", ["return", "kp_enter", "iso_enter"])
def test_return_means_the_default_button(bed, key):
    question = bed.asks("ax_key_press", {"key": key, "mode": "focus"}, lambda: bed.focus("field"))
    assert "Erase all" in question, question


@pytest.mark.parametrize("what", ELEMENTS)
def test_what_is_hit_decides(bed, what):
    tool, arguments = ELEMENTS[what]
    bed.asks(tool, arguments)


@pytest.mark.parametrize("what", TYPED)
def test_typed_keys_ask(bed, what):
    widget, arguments = TYPED[what]
    bed.asks("ax_type", {**arguments, "mode": "focus"}, lambda: bed.focus(widget))


@pytest.mark.parametrize("answer", [decline(), accept(confirm=False)], ids=["declined", "unconfirmed"])
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("confirm", ["auto", "always"])
def test_a_no_is_kept_where_the_button_is_called_otherwise_by_then(bed, confirm, revision, answer):
    def rename(label):
        bed.app.command(do="label", widget="safe", label=label)
        wait_for("the label", lambda: bed.app.state().get("label") == label)

    def answers(_parameters):
        rename("Continue")
        return answer["elicitation/create"](_parameters)

    rename("Delete photos")
    client = Asked(bed.desktop.env, revision, ["--confirm", confirm], answers={"elicitation/create": answers})
    presses = bed.app.state()["presses"]
    try:
        found = client.call("ax_find", app=bed.app.app, query="Delete photos")["result"]["content"][0]["text"]
        reference = re.search(r"ref=(e\d+)", found).group(1)
        result = client.call("ax_click", app=bed.app.app, query=reference)["result"]
        assert result["isError"] and "declined" in result["content"][0]["text"], result
        assert len(client.questions) == 1 and bed.app.state()["presses"] == presses
        # What is asked about no more is done.
        client.answers.clear()
        assert not client.call("ax_click", app=bed.app.app, query=reference)["result"].get("isError")
        wait_for("the click", lambda: bed.app.state()["presses"] == presses + 1)
    finally:
        client.close()
        rename("Refresh")


def test_what_a_window_of_the_application_covers_is_not_what_is_hit(bed):
    bed.desktop.activate(bed.app.window)
    bed.app.command(do="palette", widget="field")
    x, y = wait_for("the palette", lambda: bed.app.state().get("palette"))
    harm = bed.app.state()["harm"]
    try:
        answer = bed.no.call("ax_click", app=bed.app.app, query="textbox Name", mode="focus")["result"]
        assert answer["isError"] and bed.app.state()["harm"] == harm, answer
        question = bed.asks("ax_drag", {"from_x": x, "from_y": y, "to_x": x + 1, "to_y": y, "mode": "focus"})
        assert "Delete" in question, question
    finally:
        bed.app.command(do="put_away")
        wait_for("no palette", lambda: bed.app.state().get("palette") is None)


def test_the_question_names_one_of_several_and_its_application(bed):
    found = bed.no.call("ax_find", app=bed.app.app, query="button Remove")["result"]["content"][0]["text"]
    second = re.findall(r"ref=(e\d+)", found)[1]
    before = bed.app.state()["harm"]
    answer = bed.no.call("ax_click", app=bed.app.app, query=second)["result"]
    assert answer["isError"] and bed.app.state()["harm"] == before, answer
    question = bed.no.questions[-1]["params"]["message"]
    assert question.startswith("This will click 'Remove' of 'Letter 2' (number 2 of 3 that are called so) in "), question
    assert "hazards_app" in question, question


def test_what_is_harmless_asks_nothing(bed):
    asked = len(bed.no.questions)
    bed.focus("safe")
    for tool, arguments in (
        ("ax_click", {"query": "button Refresh"}),
        ("ax_type", {"text": "a b", "query": "textbox Name"}),
        ("ax_type", {"text": "a b", "query": "textbox Name", "mode": "focus"}),
        ("ax_key_press", {"key": "tab", "mode": "focus"}),
        ("ax_set_value", {"query": "textbox Name", "value": "delete"}),
    ):
        answer = bed.no.call(tool, app=bed.app.app, **arguments)["result"]
        assert not answer.get("isError"), answer
    assert len(bed.no.questions) == asked, bed.no.questions[asked:]


def test_keys_without_an_application_ask_where_nothing_tells_what_they_do(desktop):
    app = applications.Fixture(desktop, "hazards", env={"NO_AT_BRIDGE": "1"}, commands=True)
    no = Asked(desktop.env, arguments=ALWAYS, answers=decline())
    try:
        for key in ["r", "m", "space", "x", "return"]:
            desktop.activate(app.window)
            app.command(do="focus", widget="line")
            answer = no.call("ax_key_press", key=key, mode="focus")["result"]
            assert answer["isError"] and answer["structuredContent"]["error"]["code"] == "declined", answer
        assert app.state()["harm"] == 0
        assert len(no.questions) == 5
    finally:
        no.close()
        app.stop()

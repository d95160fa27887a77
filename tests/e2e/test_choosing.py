"""Which of several elements is meant, on real applications."""

import pytest

from support import applications, wait_for, witness


@pytest.fixture
def editor(desktop):
    app = applications.Application(desktop, ["mousepad", "--disable-server"], "Mousepad")
    yield app
    app.stop()


@pytest.fixture
def bystander(desktop):
    app = applications.Application(
        desktop, ["/usr/bin/python3", str(applications.APPS / "bystander.py")], "Bystander")
    yield app
    app.stop()


def test_a_part_of_a_word_of_a_description_is_no_match(client, editor):
    """The description of mousepad's "Redo" says "undone"."""
    wait_for("Redo to be found", lambda: client.call(
        "ax_find", app=editor.app, query="menuitem Redo").fields.get("found"))
    for query in ("button Don", "menuitem Don"):
        answer = client.call("ax_find", app=editor.app, query=query)
        assert "Redo" not in answer.text, answer.text
        acted = client.call("ax_click", app=editor.app, query=query)
        assert acted.code == "element_not_found", acted.text
    assert "Redo" in client.do("ax_find", app=editor.app, query="menuitem undone").text


def test_text_goes_into_the_only_text_area_without_being_told(desktop, client, editor, bystander):
    desktop.activate(bystander.window)
    answer = client.do("ax_type", app=editor.app, text="written without a query")
    assert answer.effect == "confirmed", answer.text
    wait_for("the text to arrive", lambda: "written without a query" in witness.texts(desktop, editor.process, "text"))
    assert desktop.active_window() == bystander.window


def test_keys_are_told_where_they_went(desktop, client, editor):
    answer = client.do("ax_type", app=editor.app, text="typed by keys", mode="focus")
    assert answer.effect == "confirmed" and "textbox" in answer.text, answer.text
    wait_for("the text to arrive", lambda: "typed by keys" in witness.texts(desktop, editor.process, "text"))

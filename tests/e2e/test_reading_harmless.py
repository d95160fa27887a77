"""Reading harms nothing: a browser that shows every kind of input lives on, whatever is read of it."""

import os

import pytest

from support import applications, wait_for
from support.session import LATE

# What is asked for value and attributes one by one, beside what the trees read: kinds of input that have a number, a text or neither.
ASKED = ["Number", "Number without a value", "Number with bounds", "Range", "Time", "Meter", "Progress", "Progress without a value",
         "Text area", "Password", "Spin button without numbers", "Check box"]
# How many elements the page has at least.
ELEMENTS = 60


@pytest.fixture(params=["firefox", "chromium"])
def page(request, desktop):
    shown = applications.Page(desktop, request.param, commands=True, file="every_input.html")
    yield shown
    shown.stop()


def test_a_page_with_every_input_survives_being_read(desktop, page, client):
    def alive(after):
        assert os.path.exists(f"/proc/{page.process}"), f"the browser ended after {after}"
        page.command(do="answer")

    wait_for("the whole page to be in the tree", every=0.25, condition=lambda: client.call(
        "ax_find", app=page.app, query="text='The end'").code is None)
    tree = client.do("ax_get_tree", app=page.app, max_depth=20)
    assert tree.text.count("\n") > ELEMENTS, tree.text
    alive("a tree")
    for _ in range(3):
        client.do("ax_get_tree", app=page.app, max_depth=20, include_invisible=True)
        alive("a tree with what is not visible")
    for name in ASKED:
        for tool in ("ax_get_value", "ax_get_attributes"):
            answer = client.call(tool, app=page.app, query=f"title='{name}'")
            assert answer.code not in LATE, answer
            alive(f"{tool} of {name}")
    client.do("ax_find", app=page.app, query="role:spinbutton")
    client.do("ax_get_tree", app=page.app, max_depth=20)
    alive("all of it")

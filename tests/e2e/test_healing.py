"""Queries whose element has another name by now, on real applications: looking heals, acting does not guess."""

import pytest

from support import applications, wait_for
from support.session import Session

TOOLKITS = ["gtk3", "gtk4", "qt5"]


@pytest.fixture(params=TOOLKITS)
def app(request, desktop):
    own = applications.start(desktop, request.param, commands=True)
    for name in ("First", "Second", "Third"):
        own.command(do="add_button", name=name)
    yield own
    own.stop()


@pytest.fixture(scope="module")
def session(desktop):
    own = Session(desktop.env, log=desktop.path("healing.log"))
    yield own
    own.close()


def find(session, app, query):
    return session.call("ax_find", app=app.app, query=query)


def test_a_renamed_element_is_found_but_nothing_is_done_to_it(session, app):
    wait_for("the button is there", lambda: not find(session, app, "button Second").is_error)
    app.command(do="rename_button", index=1, name="Discard")
    wait_for("the button has its new name", lambda: not find(session, app, "Discard").is_error)
    found = find(session, app, "button Second")
    assert not found.is_error, found.text
    assert found.fields["title"] == "Discard" and "was healed" in found.fields["healed"]
    assert found.fields["confidence"] < 0.8
    before = app.state()
    refused = session.call("ax_click", app=app.app, query="button Second")
    assert refused.code == "element_not_found" and "Discard" in refused.text, refused.text
    assert app.state() == before


def test_an_element_that_is_gone_is_not_replaced_by_its_neighbour(session, app):
    wait_for("the button is there", lambda: not find(session, app, "button Second").is_error)
    app.command(do="remove_button", index=1)
    wait_for("the button is gone", lambda: find(session, app, "button Second").is_error)
    missed = find(session, app, "button Second")
    assert missed.code == "element_not_found" and "tried title_exact" in missed.text, missed.text
    before = app.state()
    assert session.call("ax_click", app=app.app, query="button Second").is_error
    assert app.state() == before

"""Real clicks where a part of a window counts its places from an origin of its own: LibreOffice's toolbars do."""

import threading

import pytest

from support import applications, wait_for
from support.desktop import Desktop
from support.session import Session


MARKS = "role:button Formatting Marks"


def position(client, app):
    """Where the button is, once there is an answer."""
    return wait_for("the button", lambda: client.call("ax_find", app=app.app, query=MARKS).fields.get("position"), every=0.2)


@pytest.fixture(scope="module")
def writer():
    desktop = Desktop()
    try:
        app = applications.start(desktop, "libreoffice")
        client = Session(desktop.env, log=desktop.path("server.log"))
        try:
            position(client, app)
            yield app, client
        finally:
            client.close()
    finally:
        desktop.stop()


@pytest.mark.parametrize("is_shown", [True, False])
def test_the_pointer_clicks_a_button_of_a_toolbar(writer, is_shown):
    """The separator that is 25 pixels lower, in the next toolbar, does not cover it."""
    app, client = writer
    app.command(do="marks", on=not is_shown)
    client.do("ax_click", app=app.app, query=MARKS, mode="focus")
    wait_for(f"formatting marks {is_shown}", lambda: app.content()["formatting_marks"] == is_shown)


# Longer than handeye waits for an application to say who it is, once and twice.
@pytest.mark.parametrize("seconds", [2, 4, 5])
def test_one_that_was_silent_at_first_is_known_for_what_it_is(writer, seconds):
    """What LibreOffice is made with decides how its places are read, for as long as the connection lasts."""
    app, client = writer
    fresh = Session(app.desktop.env, log=app.desktop.path("fresh.log"))
    thaw = threading.Timer(seconds, app.thaw)
    try:
        app.freeze()
        thaw.start()
        fresh.call("ax_find", app=app.app, query=MARKS)
        thaw.join()
        assert position(fresh, app) == position(client, app)
    finally:
        thaw.join()
        fresh.close()

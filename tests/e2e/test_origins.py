"""Real clicks where a part of a window counts its places from an origin of its own: LibreOffice's toolbars do."""

import pytest

from support import applications, wait_for
from support.desktop import Desktop
from support.session import Session


@pytest.fixture(scope="module")
def writer():
    desktop = Desktop()
    try:
        app = applications.start(desktop, "libreoffice")
        client = Session(desktop.env, log=desktop.path("server.log"))
        try:
            wait_for("the toolbar to be there", lambda: client.call(
                "ax_find", app=app.app, query="role:button Formatting Marks").fields.get("found"), every=0.2)
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
    client.do("ax_click", app=app.app, query="role:button Formatting Marks", mode="focus")
    wait_for(f"formatting marks {is_shown}", lambda: app.content()["formatting_marks"] == is_shown)

"""Where handeye says that a button is, it is, at every scale: a click just inside of each corner counts, one outside does not.
The application's own counter judges."""

import pytest

from support import applications, wait_for
from support.desktop import Desktop
from support.session import LATE, Session

# Corners of a button may be round, so a click has to land some logical pixels inside.
INSIDE = 4
# A click as many logical pixels beyond the edge does not count. GTK 4 leaves out a border and padding (17 and 5).
OUTSIDE = {"gtk3": 4, "gtk4": 20, "qt5": 4, "firefox": 4, "chromium": 4}


@pytest.fixture(scope="module", params=[1, 1.5, 2])
def scaled(request):
    """A desktop that announces a scale to its programs, and a client."""
    desktop = Desktop(size="2560x2000", scale=request.param)
    client = Session(desktop.env, log=desktop.path("server.log"))
    yield desktop, client, request.param
    client.close()
    desktop.stop()


@pytest.mark.parametrize("toolkit", list(OUTSIDE))
def test_button_is_where_its_extents_are(scaled, toolkit):
    desktop, client, scale = scaled
    app = applications.start(desktop, toolkit)
    try:
        desktop.activate(app.window)
        client.do("ax_wait_idle", app=app.app)
        places = []

        def rests():
            # A browser lays a page out for accessibility some time after it has drawn it.
            found = client.call("ax_find", app=app.app, query="Count").fields
            places.append((found.get("position"), found.get("size")))
            return found if found.get("found") and found["size"][0] > 0 and places[-2:-1] == places[-1:] else None
        found = wait_for("the button to be at one place twice", rests, every=0.2)
        (x, y), (width, height) = found["position"], found["size"]
        left, top, right, bottom = x, y, x + width - 1, y + height - 1
        # The button is as large as one that people can hit, in logical pixels.
        assert 40 * scale <= width and 15 * scale <= height <= 60 * scale, found

        def click(at_x, at_y):
            def clicked():
                answer = client.call("ax_click_at", x=round(at_x), y=round(at_y), mode="focus")
                # An application that is late is not clicked.
                assert not answer.is_error or answer.code in LATE, answer
                return not answer.is_error
            wait_for("the application to answer", clicked)

        inside, outside = INSIDE * scale, OUTSIDE[toolkit] * scale
        for count, (at_x, at_y) in enumerate([
            (left + inside, top + inside), (right - inside, top + inside),
            (left + inside, bottom - inside), (right - inside, bottom - inside),
        ], 1):
            click(at_x, at_y)
            wait_for(f"click {count} at {at_x},{at_y} of {found} to be counted", lambda: app.state()["count"] == count)
        for at_x, at_y in [
            (left - outside, y + height / 2), (right + outside, y + height / 2),
            (x + width / 2, top - outside), (x + width / 2, bottom + outside),
        ]:
            click(at_x, at_y)
        # A click that is known to count comes after those, so that none of them is still on its way.
        click(x + width / 2, y + height / 2)
        wait_for("the last click to be counted", lambda: app.state()["count"] >= 5)
        assert app.state()["count"] == 5, "a click outside of the button was counted"
    finally:
        app.stop()

"""Pictures of one element, over MCP and on the command line, judged by what another program sees of the screen."""

import pytest

from support import aim, applications, pictures, wait_for
from support.canvas import Canvas


@pytest.fixture(scope="module")
def app(desktop):
    own = applications.start(desktop, "gtk3", commands=True)
    desktop.run(["xdotool", "mousemove", "1270", "1010"])
    yield own
    own.stop()


def place(desktop, app, widget):
    """Where a widget is in its window, by the application's own word."""
    app.command(do="tell_place", name=widget)
    return app.state()["place"]


def seen(desktop, app):
    """What another program sees in the window while nothing moves."""
    return pictures.still(lambda: pictures.xwd(desktop, "-id", str(app.window)))


def test_an_element_is_pictured_by_itself_also_where_it_is_covered(desktop, client, handeye, app, tmp_path):
    left, top, width, height = place(desktop, app, "Count")
    theirs = seen(desktop, app).crop(left, top, width, height)
    found = client.do("ax_find", app=app.app, query="button:Count").fields
    for query in ("button:Count", found["element_ref"]):
        answer = client.do("ax_screenshot", app=app.app, query=query)
        pictures.assert_equal(pictures.of(answer), theirs, "xwd")
        assert answer.fields["size"] == [width, height] and 'button "Count' in answer.text, answer.text
    x, y, *_ = aim.client_area(desktop, app)
    assert answer.fields["position"] == [x + left, y + top]
    # A click in the picture reaches the element.
    count = app.state()["count"]
    client.do("ax_click_at", screenshot=answer.fields["id"], x=width // 2, y=height // 2, mode="focus")
    app.wait("count", count + 1)
    desktop.run(["xdotool", "mousemove", "1270", "1010"])

    # It lights up below the pointer, and for some time after that has left.
    wait_for("the button to look as before", lambda: seen(desktop, app).crop(left, top, width, height).rgb == theirs.rgb)
    cover = Canvas(desktop, "--at", f"{x - 20},{y - 40}", "--size", "900x700")
    try:
        code, fields = handeye("screenshot", "--app", app.app, "--query", "button:Count", "-o", "count.png")
        assert code == 0 and fields["size"] == [width, height], fields
        pictures.assert_equal(pictures.decoded((tmp_path / "count.png").read_bytes()), theirs, "xwd before")
    finally:
        cover.stop()


def test_what_is_not_on_view_is_an_error(client, handeye, app):
    answer = client.call("ax_screenshot", app=app.app, query="No such thing")
    assert answer.is_error and answer.code == "element_not_found", answer.text
    region = {"x": 0, "y": 0, "w": 5, "h": 5}
    answer = client.call("ax_screenshot", app=app.app, query="button:Count", region=region)
    assert answer.is_error and answer.code == "invalid_parameter" and "region" in answer.text, answer.text
    assert handeye("screenshot", "--app", app.app, "--query", "No such thing")[0] != 0

"""Real clicks of several calls on one place: each call counts by itself, and two clicks are not a double click."""

from support import applications, wait_for


def test_every_double_click_counts(client, desktop):
    app = applications.start(desktop, "gtk3")
    try:
        wait_for("the button", lambda: client.call("ax_find", app=app.app, query="role:button Multi").fields.get("found"))
        for number in range(1, 5):
            client.do("ax_click", app=app.app, query="role:button Multi", mode="focus", click_type="double")
            app.wait("double", number)
    finally:
        app.stop()


def test_two_clicks_open_nothing(client, desktop):
    """A row that is clicked and clicked again right after is selected, as it was; a double click would open it."""
    app = applications.start(desktop, "rows")
    try:
        row = "role:cell Basement file"
        wait_for("the row", lambda: client.call("ax_find", app=app.app, query=row).fields.get("found"))
        for _ in range(2):
            calls = [client.start("ax_click", app=app.app, query=row, mode="focus") for _ in range(3)]
            for call in calls:
                assert not call.result(60).is_error
        # What the clicks might have opened would be reported before what this one opens.
        client.do("ax_click", app=app.app, query="role:cell Cellar file", mode="focus", click_type="double")
        wait_for("a row to open", lambda: app.state()["activated"])
        assert app.state()["activated"] == ["Cellar file"]
    finally:
        app.stop()

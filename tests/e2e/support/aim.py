"""Points of pictures: where a widget is, by its application's own word, and which pixel of a picture shows it."""

import struct


def client_area(desktop, app):
    """x, y, width, height of a window without its decoration, by xwininfo."""
    fields = dict(line.strip().split(":", 1) for line in desktop.run(["xwininfo", "-id", str(app.window)]).splitlines()
                  if ":" in line)
    return tuple(int(fields[name]) for name in ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height"))


def middle(desktop, app, widget="Count"):
    """The middle of a widget on the screen, by the application's and the X server's word."""
    app.command(do="tell_place", name=widget)
    left, top, width, height = app.state()["place"]
    x, y, *_ = client_area(desktop, app)
    return x + left + width // 2, y + top + height // 2


def png_size(path):
    """Width and height, by the file's own header."""
    with open(path, "rb") as file:
        return struct.unpack(">II", file.read(24)[16:])


def picture(client, desktop, app, kind):
    """Takes a picture: (id, its left and top edge on the screen, screen pixels for one of its pixels across and down)."""
    what, way = kind.split(" ") if " " in kind else (kind, "file")
    arguments = {}
    if what == "window":
        arguments["app"] = app.app
    elif what == "region":
        x, y, width, height = client_area(desktop, app)
        # Wider than what is put into an answer unscaled.
        arguments["region"] = {"x": max(x - 30, 0), "y": max(y - 20, 0), "w": max(width, 1600), "h": height + 10}
    answer = client.do("ax_screenshot", **arguments)
    width, height = png_size(answer.fields["path"])
    if way == "file":
        return answer.fields.get("file_id") or answer.fields["id"], *answer.fields["position"], 1.0, 1.0
    shown = answer.fields["size"]
    return answer.fields["id"], *answer.fields["position"], width / shown[0], height / shown[1]


def pixel(taken, point):
    """The arguments that name a point of the screen as a pixel of a picture."""
    shot, left, top, across, down = taken
    return {"screenshot": shot, "x": int((point[0] - left) / across), "y": int((point[1] - top) / down)}


def clicks(app):
    """How often the button was clicked, by the application's own state."""
    return app.state()["count"]


def refused(answer, *words):
    """Checks that a call was refused because its picture is stale, and that the answer says so."""
    assert answer.is_error and answer.code == "stale_screenshot", answer
    for word in words:
        assert word in answer.text, answer.text
    assert "ax_screenshot" in answer.text

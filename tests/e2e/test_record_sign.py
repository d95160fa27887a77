"""While a person is recorded the screen shows it, according to other programs: xwininfo, xprop and the pixels of maim."""

import json
import os
import re
import signal

import pytest

from support import PATIENCE, TESTS, people, pictures, wait_for
from support.desktop import end_group
from support.recorder import Person, Recorder, handeye, ready, recording_resource, settle, yes_or_no

RED = (0xe0, 0x1b, 0x24)
WHITE = (0xff, 0xff, 0xff)


class Sign:
    """The sign on a desktop, as others see it."""

    def __init__(self, desktop):
        self.desktop = desktop

    def window(self):
        """Its window, once it is on view: the number, the place and the size; else None."""
        # xwininfo fails where a window goes while it lists them, and is asked again.
        tree = self.desktop.run(["xwininfo", "-root", "-tree"], check=False)
        found = re.search(r'^ +(0x[0-9a-f]+) "handeye records"', tree, re.MULTILINE)
        stats = self.desktop.run(["xwininfo", "-id", found[1]], check=False) if found else ""
        if "IsViewable" not in stats:
            return None
        numbers = [re.search(rf"{what}: +(-?\d+)", stats)[1]
                   for what in ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")]
        return int(found[1], 16), *map(int, numbers)

    def is_seen(self):
        """Whether its dot and its word can be seen in a picture of the screen."""
        window = self.window()
        if not window:
            return False
        _, x, y, width, height = window
        rgb = pictures.maim(self.desktop, "-u", "-g", f"{width}x{height}+{x}+{y}").rgb
        pixels = [tuple(rgb[at:at + 3]) for at in range(0, len(rgb), 3)]
        return pixels.count(RED) > len(pixels) // 40 and pixels.count(WHITE) > len(pixels) // 20

    def shown(self):
        wait_for("the sign", self.is_seen)

    def gone(self):
        wait_for("the sign to go", lambda: not self.window())


@pytest.fixture
def sign(desktop):
    """There is none at first."""
    sign = Sign(desktop)
    assert not sign.window()
    return sign


@pytest.fixture
def recorder(desktop, tmp_path):
    """A recording that runs."""
    recorder = Recorder(desktop, tmp_path / "flow.yaml")
    yield recorder
    end_group(recorder.process)


def test_it_is_there_while_a_recording_runs_and_no_window_for_anybody(desktop, sign, recorder):
    assert sign.is_seen(), "the recording began without its sign"
    window, x, y, width, height = sign.window()
    assert x > 640 and y > 512 and x + width <= 1280 and y + height <= 1024, "it is in the lower right corner"
    assert '"handeye"' in desktop.run(["xprop", "-id", str(window), "WM_CLASS"])
    listed = json.loads(handeye(desktop, "windows", "--format", "json").stdout)
    assert all(other["pid"] != recorder.process.pid and "records" not in other["title"] for other in listed), listed
    assert "handeye" not in handeye(desktop, "apps").stdout
    recorder.end()
    sign.gone()


def test_it_goes_with_the_process(sign, recorder):
    sign.shown()
    os.killpg(recorder.process.pid, signal.SIGKILL)
    recorder.process.wait(PATIENCE)
    sign.gone()


def test_over_mcp_it_is_there_from_the_yes_to_the_end(desktop, sign):
    for end in ("stop", "close"):
        seen = []
        answers = {"elicitation/create": lambda _: seen.append(sign.window()) or
                   {"action": "accept", "content": {"confirm": True}}}
        client = people.Asked(desktop.env, people.MODERN, ["--toolsets", "default,compose"], answers=answers)
        try:
            assert json.loads(recording_resource(client, "start")["result"]["contents"][0]["text"])["recording"]
            assert seen == [None], "it is no answer to a question that nobody has answered"
            assert sign.is_seen(), "the recording began without its sign"
            if end == "stop":
                assert "result" in recording_resource(client, "stop")
                sign.gone()
        finally:
            client.close()
        sign.gone()


def test_there_is_none_without_a_yes(desktop, sign):
    client = people.Asked(desktop.env, arguments=["--toolsets", "default,compose"], answers=yes_or_no(False))
    try:
        assert "does not want" in json.dumps(recording_resource(client, "start"))
        assert not sign.window()
    finally:
        client.close()


def test_a_click_at_its_place_reaches_what_is_beneath_and_is_recorded(desktop, sign, recorder):
    app = ready(desktop, "gtk3")
    try:
        person = Person(desktop, app.app)
        sign.shown()
        _, x, y, width, height = sign.window()
        place = [0, 0]

        def is_beneath():
            """Moves the window until its button is there: where a move leads depends on the borders that the window manager draws."""
            left, top = person.place("button Count")
            if abs(left - x - width // 2) < width // 4 and abs(top - y - height // 2) < height // 4:
                return True
            place[0] += x + width // 2 - left
            place[1] += y + height // 2 - top
            desktop.run(["xdotool", "windowmove", str(app.window), *map(str, place)])
            wait_for("the window to move", lambda: person.place("button Count") != (left, top))
            return False
        wait_for("the button to be beneath", is_beneath)
        sign.shown()
        person.click("button Count")
        settle(app, count=1)
        text = recorder.end()
        assert text.count("tool:") == 1 and "button \"Count\"" in text.replace("\\", ""), (text, recorder.text())
    finally:
        app.stop()


def test_it_stays_above_windows_that_open_over_it(desktop, sign, recorder):
    sign.shown()
    popup = desktop.start(["/usr/bin/python3", str(TESTS / "apps/popup.py")], "popup")
    try:
        launcher = wait_for("the popup", lambda: re.search(
            r'(0x[0-9a-f]+) "Launcher"', desktop.run(["xwininfo", "-root", "-tree"], check=False)))[1]
        _, x, y, _, _ = sign.window()
        desktop.run(["xdotool", "windowmove", launcher, str(x - 20), str(y - 10), "windowraise", launcher])

        def is_above():
            """Children of the root are listed from the topmost down."""
            children = desktop.run(["xwininfo", "-root", "-children"])
            return children.index("handeye records") < children.index("Launcher")
        wait_for("the sign to come up again", is_above)
        sign.shown()
    finally:
        end_group(popup)


def test_who_takes_it_away_ends_the_recording(desktop, sign, recorder):
    sign.shown()
    desktop.run(["xdotool", "windowunmap", str(sign.window()[0])])
    assert recorder.process.wait(PATIENCE) == 0, recorder.text()
    assert "its sign" in recorder.text(), recorder.text()
    sign.gone()

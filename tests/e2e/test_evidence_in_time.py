"""What changes by itself now and then, and what the action before does late, is not evidence; what an action does at once is.

Judged by the application's own record.
"""

import re
import subprocess

import pytest

from support import BINARY, applications, wait_for
from support.desktop import Desktop
from support.session import Session
from support.shared import made_once
from support.swing import noisy_swing

TOOLKITS = ["gtk3", "qt5", "chromium", "firefox"]
# Milliseconds between two changes.
PERIODS = [700, 1000]
ROUNDS = 4
# How near to a click, in milliseconds, a change of the text cannot be distinguished from the effect of the click by a client that does not
# know the text (decision 0052), and how often a click is repeated that came so near.
NEAR = 250
ATTEMPTS = 10


class Bed:
    """An application of which a text changes now and then, and a client that was there before that began."""

    def __init__(self, toolkit, every):
        self.desktop = Desktop()
        if toolkit in ("chromium", "firefox"):
            self.app = applications.Page(self.desktop, toolkit, commands=True, file="noisy.html")
        else:
            self.app = applications.start(self.desktop, f"noisy_{toolkit}", commands=True)
        self.client = self.connect()
        wait_for("the last button to be exposed", lambda: self.client.call(
            "ax_find", app=self.app.app, query="role:button Remove").fields.get("found"), every=0.2)
        if every:
            self.app.command(do="tick", every=every)
            wait_for("the text to be exposed", lambda: self.client.call(
                "ax_find", app=self.app.app, query="tock").fields.get("found"), every=0.2)
            # What has never been seen to change may do so for the first time just with a click.
            for _ in range(2):
                self.client.do("ax_get_tree", app=self.app.app)
                self.after_a_tock()
            self.client.do("ax_get_tree", app=self.app.app)

    def connect(self):
        """A client that knows nothing yet."""
        return Session(self.desktop.env, log=self.desktop.path("server.log"))

    def click(self, name, client=None):
        """Clicks a button of that name."""
        return (client or self.client).do("ax_click", app=self.app.app, query=f"role:button {name}")

    def after_a_tock(self):
        """Waits until the text has just changed, so that it changes next while the click is watched, and not just as it is sent."""
        tocks = self.app.state()["tocks"]
        return wait_for("the text to change", lambda: (now := self.app.state()["tocks"]) > tocks and now, every=0.01)

    def click_nothing(self, click, every):
        """Has `click` click the button that does nothing while the text stands still, and returns its answer. The application's record
        has whether the text did: on a busy machine a click may take as long as it stands still."""
        for _ in range(ATTEMPTS):
            clicks, tocks = self.app.state()["nothing"], self.after_a_tock()
            answer = click("Nothing")
            wait_for("the click", lambda clicks=clicks: self.app.state()["nothing"] == clicks + 1)
            clicked_at = self.app.state()["clicked_at"]
            since, stood_still = clicked_at["since"], clicked_at["tock"] == tocks
            if every - since >= NEAR and (since >= NEAR or stood_still):
                return answer
        raise AssertionError(f"each of {ATTEMPTS} clicks came within {NEAR} ms of a change")

    def count(self, client=None):
        """Clicks the button that counts, which has to be confirmed; by what it did, unless the client has just come."""
        before = self.app.state()["count"]
        answer = self.click("Count", client)
        wait_for("the click", lambda: self.app.state()["count"] == before + 1, 10)
        assert answer.effect == "confirmed", answer.text
        assert client or "counted" in answer.fields["effect"]["evidence"], answer.text

    def stop(self):
        self.client.close()
        self.desktop.stop()


@pytest.fixture(scope="module")
def beds():
    with made_once(Bed) as beds:
        yield beds


@pytest.mark.parametrize("every", PERIODS)
@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_a_slow_text_proves_nothing(beds, toolkit, every):
    bed = beds(toolkit, every)
    for _ in range(ROUNDS):
        before = bed.app.state()
        answer = bed.click("Nothing")
        assert answer.effect == "unconfirmed", answer.text
        assert bed.app.state()["count"] == before["count"]
        bed.count()


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_a_slow_text_proves_nothing_to_one_who_has_just_come(beds, toolkit):
    bed = beds(toolkit, 1000)
    for _ in range(ROUNDS):
        fresh = bed.connect()
        try:
            # It has no look at the text before its action, but connecting may take as long as the text does not change.
            fresh.do("ax_find", app=bed.app.app, query="role:button Nothing")
            answer = bed.click_nothing(lambda name, fresh=fresh: bed.click(name, fresh), 1000)
            assert answer.effect == "unconfirmed", answer.text
        finally:
            fresh.close()
        fresh = bed.connect()
        try:
            bed.count(fresh)
        finally:
            fresh.close()


@pytest.mark.parametrize("toolkit", ["gtk3", "qt5"])
def test_a_slow_text_proves_nothing_to_a_command(beds, toolkit):
    bed = beds(toolkit, 1000)
    command = lambda name: subprocess.run(  # noqa: E731
        [BINARY, "click", f"role:button {name}", "--app", bed.app.app], env=bed.desktop.env, check=True, timeout=60,
        capture_output=True, text=True).stdout
    for _ in range(ROUNDS):
        said = bed.click_nothing(command, 1000)
        assert "Unconfirmed" in said, said
        before = bed.app.state()["count"]
        said = command("Count")
        wait_for("the click", lambda before=before: bed.app.state()["count"] == before + 1, 10)
        assert "Confirmed" in said, said


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_a_late_effect_is_not_that_of_the_next_action(beds, toolkit):
    bed = beds(toolkit, None)
    # It comes a second after the click, of which 0.7 s are over when the next click is begun.
    for _ in range(2):
        before = bed.app.state()["later"]
        answer = bed.click("Later")
        assert answer.effect == "unconfirmed", answer.text
        answer = bed.click("Nothing")
        assert answer.effect == "unconfirmed", answer.text
        wait_for("the late effect", lambda before=before: bed.app.state()["later"] == before + 1, 10)
        bed.count()


@pytest.fixture(scope="module")
def swing(tmp_path_factory):
    """The application on Java Swing, with a slow text."""
    with noisy_swing(tmp_path_factory.mktemp("classes"), "-Dtick=700") as (app, client, happened):
        # A Java that has just started may pause for longer than its clock ever does.
        wait_for("its clock to go", lambda: re.search("tock ([3-9]|[1-9][0-9])", client.do("ax_get_tree", app=app.app).text), every=0.5)
        yield app, client, happened


def test_a_slow_text_in_java_proves_nothing(swing):
    app, client, happened = swing
    for _ in range(ROUNDS):
        before = happened()
        answer = client.do("ax_click", app=app.app, query="role:button Nothing")
        assert answer.effect == "unconfirmed", answer.text
        assert happened() == before
        answer = client.do("ax_click", app=app.app, query="role:button Count")
        wait_for("the click", lambda before=before: happened() == before + 1, 10)
        assert answer.effect == "confirmed", answer.text

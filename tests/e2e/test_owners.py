"""Elements of other processes in an application's tree: accepted where they stand there, under the name of their owner; left out
where an application only says so."""

import json
import os
import sys

import pytest

from support import PATIENCE, applications, tail, wait_for
from support.session import Session


class Embedded(applications.Application):
    """`tests/apps/plug_app.py`: a window and, by a process of its own, a button in it."""

    def __init__(self, desktop, by_stranger):
        number = next(applications._numbers)
        title = f"Socket {number}"
        self.log = desktop.path(f"plug-{number}.log")
        words = ["/usr/bin/python3", str(applications.APPS / "plug_app.py"), title]
        self.commands = desktop.path(f"plug-{number}.commands")
        os.mkfifo(self.commands)
        env = {"APP_LOG": self.log, "APP_COMMANDS": self.commands, "PYTHONDONTWRITEBYTECODE": "1"}
        self.plug = None
        if by_stranger:
            socket = desktop.path(f"socket-{number}")
            super().__init__(desktop, words, title, {**env, "PLUG_FILE": socket})
            wait_for("the number of the socket", lambda: os.path.exists(socket))
            with open(socket, encoding="utf-8") as file:
                self.plug = desktop.start([*words, file.read()], f"plug-{number}", env)
        else:
            super().__init__(desktop, words, title, env)
        wait_for("the plug to begin", lambda: os.path.exists(f"{self.log}.state"))

    def owner(self):
        """The process that shows the button."""
        return self.plug.pid if self.plug else processes_below(self.process)[0]

    def put_in(self):
        """Has the button put into the socket."""
        with open(self.commands, "w", encoding="utf-8") as fifo:
            fifo.write(json.dumps({"id": 1, "do": "plug"}) + "\n")

    def clicks(self):
        """How often the embedded button was clicked, by its own word."""
        with open(f"{self.log}.state", encoding="utf-8") as file:
            return json.load(file)["count"]


def processes_below(parent):
    """The processes that another one started."""
    with open(f"/proc/{parent}/task/{parent}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


@pytest.fixture(params=["child", "stranger"])
def embedded(request, desktop, client):
    app = Embedded(desktop, request.param == "stranger")
    wait_for("the plug to be on the bus", lambda: any(
        known.get("pid") == app.owner() for known in client.do("ax_list_apps").fields["apps"]))
    app.put_in()
    yield app
    app.stop()


def test_what_a_plug_shows_is_its_owners(desktop, embedded):
    owner = embedded.owner()
    questions = []

    async def agree(_, parameters):
        from mcp.types import ElicitResult
        questions.append(parameters.message)
        return ElicitResult(action="accept", content={"confirm": True})

    client = Session(desktop.env, elicit=agree)
    try:
        def line():
            text = client.do("ax_get_tree", app=embedded.app, max_depth=20).text
            return next((line for line in text.splitlines() if '"Delete theirs"' in line), None)
        shown = wait_for("the embedded button in the tree", line)
        assert f"(process {owner})]" in shown, shown
        own = client.do("ax_find", app=embedded.app, query='button "Delete mine"')
        assert "process" not in own.text, own.text
        # The tag can be pasted back with the line.
        found = client.do("ax_find", app=embedded.app, query=shown.strip().removeprefix("- "))
        assert found.fields["found"], found.text
        clicked = client.do("ax_click", app=embedded.app, query='button "Delete theirs"')
        wait_for("the click to reach it", lambda: embedded.clicks() == 1, PATIENCE)
        assert f"(process {owner})" in clicked.text, clicked.text
        assert questions and f"(process {owner})" in questions[0], questions
    finally:
        client.close()


def test_what_an_application_only_claims_is_not_there(desktop, client):
    victim = applications.Fixture(desktop, "danger")
    log, output = desktop.path("thief.log"), desktop.path("thief.out")
    # Only what the desktop's registry lists can be found and claimed.
    client.do("ax_get_tree", app=victim.app)
    thief = desktop.start([sys.executable, str(applications.APPS / "hostile.py"), "thief"], "thief",
                          {"APP_LOG": log, "VICTIM": "Delete All Data"})
    try:
        def listed():
            assert thief.poll() is None, tail(output)
            return any(app.get("pid") == thief.pid for app in client.do("ax_list_apps").fields["apps"])
        wait_for("the thief to be listed", listed)
        tree = client.do("ax_get_tree", app=str(thief.pid), max_depth=20)
        assert '"Trap"' in tree.text, tree.text
        assert "Delete All Data" not in tree.text, tree.text
        assert "1 element of another process is left out" in tree.text, tree.text
        assert tree.fields["omitted"] == 1
        assert client.call("ax_click", app=str(thief.pid), query='button "Delete All Data"').is_error
        with open(log, encoding="utf-8") as file:
            asked = [json.loads(line) for line in file if line.endswith("\n")]
        assert any(call["member"] == "GetChildren" and call["path"].endswith("panel") for call in asked), \
            "its claim was never heard"
        assert victim.state()["deleted"] == 0
        # Where it is, it can be used.
        client.do("ax_click", app=victim.app, query='button "Delete All Data"')
        victim.wait("deleted", 1)
    finally:
        thief.kill()
        thief.wait(PATIENCE)
        victim.stop()

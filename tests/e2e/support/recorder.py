"""`handeye record`, as a person in front of the desktop uses it."""

import json
import signal
import subprocess

from . import BINARY, PATIENCE, applications, history, wait_for


class Recorder:
    """`handeye record`, which runs until it is ended."""

    def __init__(self, desktop, path, *words):
        self.path = str(path)
        self.said = str(path) + ".said"
        with open(self.said, "w", encoding="utf-8") as said:
            self.process = subprocess.Popen([BINARY, "record", "--yes", "--output", self.path, *words], env=desktop.env,
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        wait_for("the recording to begin", lambda: "Recording what you do" in self.text())

    def text(self):
        """What it has printed."""
        with open(self.said, encoding="utf-8") as said:
            return said.read()

    def end(self):
        """Ends it and returns the file that it wrote."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE) == 0, self.text()
        with open(self.path, encoding="utf-8") as file:
            return file.read()


class Person:
    """Somebody at the pointer and the keyboard."""

    def __init__(self, desktop, app):
        self.desktop, self.app = desktop, app

    def do(self, *words):
        self.desktop.run(["xdotool", *words])

    def place(self, query):
        """Where an element is, once it is on view: a browser has places for a page a moment after the page has loaded."""
        (x, y), (width, height) = wait_for(f"{query} to be on view", lambda: self.shows(query))
        return x + width // 2, y + height // 2

    def click(self, query, button="1"):
        x, y = self.place(query)
        self.do("mousemove", "--sync", str(x), str(y), "click", button)

    def move(self, query):
        """Moves the pointer to an element."""
        x, y = self.place(query)
        self.do("mousemove", "--sync", str(x), str(y))

    def shows(self, query):
        """The position and the size of an element that is on view, else None."""
        out = self.desktop.run([BINARY, "find", query, "--app", self.app, "--format", "json"], check=False)
        found = json.loads(out) if out.startswith("{") else {}
        position, size = found.get("position"), found.get("size")
        return (position, size) if position and size and size[0] > 0 else None

    def type(self, text):
        for number, line in enumerate(text.split("\n")):
            if number:
                self.do("key", "Return")
            self.do("type", "--delay", "40", line)


def recording_resource(client, what):
    """Reads `handeye://recording/start` or `stop` over MCP, in as many rounds as it takes; returns the JSON-RPC answer."""
    more = {}
    for _ in range(4):
        answer = client.receive(client.send("resources/read", uri=f"handeye://recording/{what}", **more))
        result = answer.get("result", {})
        if result.get("resultType") != "input_required":
            return answer
        more = client.respond(result)
    raise AssertionError("it asks without end")


def yes_or_no(answer):
    """A person who answers the question whether to record like this."""
    return {"elicitation/create": lambda _question: {"action": "accept", "content": {"confirm": answer}}}


def handeye(desktop, *words, check=True, **options):
    """Runs a command of handeye."""
    done = history.run([BINARY, *words], env=desktop.env, capture_output=True, text=True, timeout=120, check=False,
                       **options)
    assert not check or done.returncode == 0, (words, done.stdout, done.stderr)
    return done


def settle(app, **values):
    """Waits until the application itself has these values."""
    for key, value in values.items():
        app.wait(key, value)


def ready(desktop, toolkit, **options):
    """A fixture application whose window is the active one."""
    app = applications.start(desktop, toolkit, **options)
    desktop.activate(app.window)
    return app


def again(desktop, recorder, toolkit, *words, options=None, **values):
    """Replays the recording in a fresh application, which ends with these values; `options` are those of `ready`. The finished replay."""
    app = ready(desktop, toolkit, **(options or {}))
    try:
        done = handeye(desktop, "replay", recorder.path, *words)
        settle(app, **values)
    finally:
        app.stop()
    return done

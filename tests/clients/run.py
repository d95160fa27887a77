"""Runs a client with the stand-in as its model, and keeps what the server sent and what the model got."""

import dataclasses
import json
import os
import signal
import subprocess
import time

from .scene import Scene
from .standin import StandIn
from .standin.play import Play
from support import tail, wait_for

# The whole conversation takes about half a minute.
LONGEST = 240


@dataclasses.dataclass
class Run:
    """What one conversation left behind. `ended_by` is the signal that ended the client; `is_left`: its server went on."""

    client: str
    version: str
    play: Play
    requests: list
    wire: list
    seconds: float
    output: str
    ended_by: str | None
    is_left: bool
    state: dict
    names: dict
    violations: set
    faults: list

    def messages(self, sender):
        """The output of the client, the server or the relay."""
        return [line["message"] for line in self.wire if line["from"] == sender]

    def hello(self):
        """The first request: what the client says of itself and what it speaks."""
        return next(message for message in self.messages("client") if message.get("method") in ("initialize", "server/discover"))

    def identity(self):
        """The client's name and version, as it says them to the server."""
        return self._said("clientInfo")

    def capabilities(self):
        """What the client says that it can do."""
        return self._said("clientCapabilities", "capabilities")

    def revision(self):
        """The revision of the protocol that calls are made in."""
        answer = next(message["result"] for message in self.messages("server")
                      if message.get("id") == self.hello()["id"] and "result" in message)
        return answer.get("protocolVersion") or self._said("protocolVersion")

    def _said(self, name, older=None):
        params = self.hello()["params"]
        return params.get(older or name) or params.get("_meta", {}).get(f"io.modelcontextprotocol/{name}") or {}

    def calls(self):
        """The calls as they went over the wire: (parameters, result or error, questions, progress), in their order."""
        found = {}
        for line in self.wire:
            message = line["message"]
            if line["from"] == "client" and message.get("method") == "tools/call":
                found[message["id"]] = {"params": message["params"], "at": line["at"]}
            elif line["from"] == "server" and message.get("id") in found and "method" not in message:
                found[message["id"]] |= {"result": message.get("result"), "error": message.get("error"), "until": line["at"]}
        return list(found.values())


def run(kind, modules, home, make_scene=Scene):
    """Runs a client from its start to its end."""
    scene = make_scene()
    try:
        play = Play(scene.steps())
        model = StandIn(play)
        try:
            return _run(kind, modules, home, scene, play, model)
        finally:
            model.stop()
    finally:
        scene.stop()


def _run(kind, modules, home, scene, play, model):
    record = os.path.join(home, "wire.jsonl")
    client = kind(modules, home, model.url, scene.server(record), scene.environment())
    output = os.path.join(home, "output.txt")
    start = time.monotonic()
    with open(output, "wb") as file:
        process = subprocess.Popen(client.command(), env=client.env(), cwd=client.work, stdin=subprocess.DEVNULL, stdout=file,
                                   stderr=file, start_new_session=True)
    try:
        try:
            wait_for("the last step", lambda: process.poll() is not None or scene.is_last(play, lines(record)), LONGEST, every=0.2)
            ended_by = interrupt(process)
            is_left = not ends(record, 10)
        except AssertionError as fault:
            raise AssertionError(f"{kind.name}, in step {play.underway()}: {fault}\nit said: {tail(output)}\n"
                                 f"the stand-in: {''.join(model.faults)[-3000:]}") from None
    finally:
        end_everything(home)
        process.wait()
    return Run(
        client=kind.name, version=kind.version(modules), play=play, requests=model.requests, wire=lines(record),
        seconds=time.monotonic() - start, output=tail(output), ended_by=ended_by, is_left=is_left,
        state=scene.state(), names=scene.names(), violations=model.violations,
        faults=model.faults)


def interrupt(process):
    """Ends a client as a person would, then as a machine would; returns the name of the signal that it took, or None."""
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return None
        process.send_signal(sign)
        try:
            process.wait(10)
            return sign.name
        except subprocess.TimeoutExpired:
            continue
    return None


def ends(record, timeout):
    """Whether each server that was started ends by itself in time."""
    try:
        return wait_for("the server to end", lambda: has_ended(record), timeout)
    except AssertionError:
        return False


def end_everything(home):
    """Ends what the client started, also what made itself independent: all that has its home."""
    mine = b"HOME=" + os.fsencode(home)
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                if mine in file.read().split(b"\0"):
                    os.kill(int(process), signal.SIGKILL)
        except OSError:
            continue  # It has ended, or belongs to another user.


def lines(record):
    """What the relay recorded."""
    try:
        with open(record, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return []


def has_ended(record):
    """Whether each server that was started has ended."""
    notes = [line["message"] for line in lines(record) if line["from"] == "relay"]
    return sum("environment" in note for note in notes) == sum("ended" in note for note in notes)

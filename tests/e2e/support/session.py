"""The official Python client as a plain, synchronous object, so that a test reads from top to bottom."""

import concurrent.futures
import contextlib
import dataclasses
import os
import time

from anyio.from_thread import start_blocking_portal
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

from . import BINARY, PATIENCE, advice, tail
from .history import HISTORY

# The errors about an application that is late for one question, as any may be on a busy machine.
LATE = ("app_not_responding", "timeout")
# Tools that do nothing and so can be called again.
LOOKS = {"ax_connect", "ax_find", "ax_get_attributes", "ax_get_tree", "ax_get_value", "ax_list_apps", "ax_list_windows",
         "ax_screenshot", "ax_wait_idle"}


@dataclasses.dataclass
class Answer:
    """What a tool call answered."""

    is_error: bool
    text: str
    fields: dict
    pictures: list
    texts: list
    meta: dict
    content: list
    seconds: float
    finished: float

    @property
    def code(self):
        """The error's code, or None."""
        error = self.fields.get("error", {}) if self.is_error else {}
        # A workflow says in words why it failed, beside its other fields.
        return error.get("code") if isinstance(error, dict) else "workflow_failed"

    @property
    def effect(self):
        """The effect's status, or None."""
        return (self.fields.get("effect") or {}).get("status")


class Session:
    """One `handeye mcp serve` and a client that talks to it."""

    def __init__(self, env, mode="auto", arguments=(), log=None, cwd=None, prefix=(), elicit=None, sample=None,
                 **options):
        self._log = log
        self._stack = contextlib.ExitStack()
        self._portal = self._stack.enter_context(start_blocking_portal())
        env = {"HANDEYE_LOG_FILE": log or os.devnull, **env}
        command, *words = [*prefix, BINARY, "mcp", "serve", *arguments]
        parameters = StdioServerParameters(command=command, args=words, env=env, cwd=cwd)
        errors = self._stack.enter_context(open(log or os.devnull, "a", encoding="utf-8"))
        asked = {"elicitation_callback": elicit, "sampling_callback": sample}
        asked = {name: callback for name, callback in asked.items() if callback}
        before = children()
        self.client = self._stack.enter_context(self._portal.wrap_async_context_manager(
            Client(stdio_client(parameters, errlog=errors), mode=mode, **asked, **options)))
        started = children() - before
        self.process = next(iter(started), None)

    def start(self, tool, **arguments):
        """Begins a call; the future gives its answer."""
        return self._portal.start_task_soon(self._call, tool, arguments)

    def call(self, tool, timeout=60, **arguments):
        """Calls a tool and waits for its answer."""
        future = self.start(tool, **arguments)
        try:
            answer = future.result(timeout)
        except concurrent.futures.TimeoutError:
            future.cancel()
            raise AssertionError(f"{tool} did not answer within {timeout} s: {arguments}{self.said()}") from None
        advice.check(tool, arguments, answer)
        return answer

    def do(self, tool, **arguments):
        """Calls a tool that has to succeed. One that only looks is called again where the application was late."""
        end = time.monotonic() + PATIENCE
        answer = self.call(tool, **arguments)
        while answer.code in LATE and tool in LOOKS and time.monotonic() < end:
            time.sleep(0.2)
            answer = self.call(tool, **arguments)
        assert not answer.is_error, f"{tool} {arguments}: {answer.text} {answer.fields}{self.said()}"
        return answer

    def said(self):
        """The end of the server's log, for the message of a failure."""
        return f"\nthe server's log ends with:\n{tail(self._log, 12)}" if self._log else ""

    def ask(self, method, *arguments, timeout=60):
        """Calls a method of the client itself and waits for its result."""
        return self._portal.start_task_soon(getattr(self.client, method), *arguments).result(timeout)

    def tools(self):
        """The tools by name."""
        return {tool.name: tool for tool in self._portal.call(self.client.list_tools).tools}

    async def _call(self, tool, arguments):
        start = time.monotonic()
        noted = HISTORY.call(tool, arguments)
        try:
            result = await self.client.call_tool(tool, arguments)
        except Exception as failure:
            noted.answered(repr(failure))
            raise
        finished = time.monotonic()
        content = result.content
        answer = Answer(
            is_error=bool(result.is_error),
            text="\n".join(part.text for part in content if part.type == "text"),
            fields=result.structured_content or {},
            content=list(content),
            pictures=[part for part in content if part.type == "image"],
            texts=[part.text for part in content if part.type == "text"],
            meta=result.meta or {},
            seconds=finished - start,
            finished=finished,
        )
        noted.answered(f"{answer.code or 'ok'}: {answer.text or answer.fields}")
        return answer

    def close(self):
        """Ends the server by closing its input."""
        self._stack.close()


def children():
    """The processes that this one started."""
    found = set()
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(process))
    return found

"""The fixed sequence that the stand-in plays, whatever the client calls the tools and however late it offers them."""

import dataclasses
import re
import threading
import time

from .turn import Call, Received, Say, Tool

SERVER = "handeye"
# Some ask their model before their servers are up, so a search may have to be repeated: how often, and the seconds between.
_SEARCHES, _PAUSE = 20, 0.5


@dataclasses.dataclass
class Step:
    """One call. `arguments` is what it is called with, or a function from what was received so far to that."""

    name: str
    tool: str
    arguments: object = dataclasses.field(default_factory=dict)
    before: object = None


class Play:
    """Plays `steps` with the client that asks, and keeps what it hands to its model.

    `instructions_seen` are the texts in which the server's instructions may be.
    `received` maps the name of a step to what came back, `offered` the names of tools as the client writes them to `Tool`,
    `skipped` has the steps whose tool was never offered.
    """

    def __init__(self, steps):
        self.steps = steps
        self.received, self.offered, self.skipped = {}, {}, []
        self.wire, self.instructions_seen, self.searched = None, [], None
        self._lock = threading.Lock()
        self._next, self._pending, self._searches = 0, None, 0

    def __call__(self, wire, turn):
        with self._lock:
            return self._move(wire, turn)

    def underway(self):
        """The name of the step that was called and has not come back."""
        pending = self._pending
        return pending[0].name if pending and pending[0] else None

    def _move(self, wire, turn):
        ours = {tool.name: tool for tool in turn.tools if plain_name(tool)}
        finder = next((tool for tool in turn.tools if tool.name in ("ToolSearch", "tool_search")), None)
        if not ours and not finder and not self._pending:
            # A title for the conversation, and what else they have written beside it.
            return Say("A test.")
        self.wire = wire
        self.offered.update(ours)
        self.instructions_seen = [*turn.descriptions, turn.system]
        if self._pending:
            step, call = self._pending
            if call.id not in turn.results:
                return call if self._is_offered(call, turn) else Say("A test.")
            if step:
                self.received[step.name] = turn.results[call.id]
            else:
                self.searched = turn.results[call.id]
                self._found(turn)
            self._pending = None
        return self._following(finder)

    def _found(self, turn):
        """Where what was found is called through another tool, it is not offered itself."""
        through = next((tool for tool in turn.tools if tool.name == "tool_call"), None)
        if through:
            for name in re.findall(rf"\bmcp__{SERVER}__\w+", self.searched.text):
                self.offered[name] = Tool(name, "", {}, through=through)

    @staticmethod
    def _is_offered(call, turn):
        return any(tool.name == call.tool.name for tool in turn.tools)

    def _following(self, finder):
        while self._next < len(self.steps):
            step = self.steps[self._next]
            tool = next((tool for tool in self.offered.values() if plain_name(tool) == step.tool), None)
            if not tool and finder and self._searches < _SEARCHES:
                if self._searches:
                    time.sleep(_PAUSE)
                self._searches += 1
                return self._start(None, finder, self._search(finder))
            self._next += 1
            if not tool:
                self.skipped.append(step.name)
                continue
            if step.before:
                step.before()
            arguments = step.arguments(self.received) if callable(step.arguments) else step.arguments
            return self._start(step, tool, arguments)
        return Say("Finished.")

    def _search(self, finder):
        wanted = sorted({step.tool for step in self.steps})
        if "max_results" in finder.schema.get("properties", {}):
            return {"query": "select:" + ",".join(f"mcp__{SERVER}__{name}" for name in wanted), "max_results": len(wanted)}
        return {"query": " ".join([SERVER, *wanted]), "limit": 50}

    def _start(self, step, tool, arguments):
        number = f"call_{self._next}_{tool.name}"[:40]
        call = (Call(number, tool.through, {"name": tool.name, "arguments": arguments}) if tool.through
                else Call(number, tool, arguments))
        self._pending = (step, call)
        return call


_PREFIX = re.compile(rf"^(?:tools\.)?(?:mcp_+)?{SERVER}[_.-]+(?=[a-z])")


def plain_name(tool: Tool):
    """The server's name of one of its tools, or None for a tool of another server."""
    if tool.namespace and SERVER in tool.namespace:
        return tool.name
    match = _PREFIX.match(tool.name)
    return tool.name[match.end():] if match else None


def look_of(received: Received | None):
    """The name of a look (t3) in what a model got."""
    found = re.search(r"\bt\d+\b", received.text if received else "")
    return found.group() if found else "t1"

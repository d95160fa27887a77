"""Does a task with pointer and keyboard, as somebody does it who is recorded: menus are opened before their items are clicked."""

import re

from .. import wait_for
from ..session import Session

# How deep a menu may be in others.
_DEPTH = 4
_OPENS = re.compile(r'ax_click with query: "(e\d+)", mode: "focus" opens the menu')


class Hand:
    """A client that acts in the foreground alone."""

    def __init__(self, desktop, folder):
        self._desktop = desktop
        self._session = Session(desktop.env, arguments=["--toolsets", "default,compose"], log=str(folder / "hand.log"))

    def follow(self, flow, values):
        """Does the steps of a workflow, with these values of its variables."""
        for step in flow["steps"]:
            args = {name: _filled(value, values) for name, value in step["args"].items()}
            if step["tool"] == "ax_click":
                self._click(args)
            else:
                self._session.do(step["tool"], **args)
            if wait := step.get("wait_until"):
                self._wait(args["app"], {name: _filled(value, values) for name, value in wait.items()})

    def _click(self, args, depth=0):
        answer = self._session.call("ax_click", **args)
        if answer.code != "refused" or "which is not open" not in answer.text:
            assert not answer.is_error, (args, answer.text, answer.fields)
            return
        assert depth < _DEPTH, answer.text
        [opener] = set(_OPENS.findall(answer.text))
        before = self._desktop.popups()
        self._click({"app": args["app"], "query": opener, "mode": "focus"}, depth + 1)
        wait_for(f"the menu of {args} to open", lambda: self._desktop.popups() - before)
        self._click(args, depth + 1)

    def _wait(self, app, condition):
        step = {"tool": "ax_connect", "args": {"app": app}, "wait_until": condition}
        self._session.do("ax_workflow", steps=[step])

    def close(self):
        """Ends the client."""
        self._session.close()


def _filled(value, values):
    if not isinstance(value, str):
        return value
    return re.sub(r"\{\{var\.(\w+)\}\}", lambda found: str(values[found[1]]), value)

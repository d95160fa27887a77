"""A task in other circumstances than those in which its workflow was written."""

import copy
import json
import re

import yaml

from .. import wait_for

# What a relabelled element is called in the file of a variant.
OTHER = "Formerly known"


def read(path):
    """A workflow file: its fields."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def write(path, flow):
    """Writes a workflow file."""
    path.write_text(yaml.safe_dump(flow, sort_keys=False, allow_unicode=True), encoding="utf-8")


def move(desktop, window):
    """Gives a window another place and another size."""
    before = _geometry(desktop, window)
    desktop.run(["wmctrl", "-i", "-r", hex(window), "-b", "remove,maximized_vert,maximized_horz"])
    desktop.run(["wmctrl", "-i", "-r", hex(window), "-e", "0,170,110,1000,780"])
    wait_for("the window to have moved", lambda: _geometry(desktop, window) != before)


def _geometry(desktop, window):
    return desktop.run(["xdotool", "getwindowgeometry", "--shell", str(window)])


def by_hand(flow):
    """The same task with pointer and keyboard, as somebody does it who is recorded."""
    steps = []
    for step in flow["steps"]:
        args = step["args"]
        if step["tool"] != "ax_set_value":
            steps.append({**step, "args": {**args, **({"mode": "focus"} if step["tool"] in ("ax_click", "ax_type") else {})}})
            continue
        click = {"tool": "ax_click", "args": {"app": args["app"], "query": args["query"], "mode": "focus"}}
        if args["value"] in ("true", "false"):
            steps.append({**step, **click})
            continue
        steps += [click, {"tool": "ax_key_press", "args": {"app": args["app"], "key": "ctrl+a", "mode": "focus"}},
                  {**step, "tool": "ax_type", "args": {"app": args["app"], "text": args["value"], "mode": "focus"}}]
    return {**flow, "steps": steps}


def relabelled(flow):
    """A recording in which one element, the first that has a name and a locator, is called otherwise. None if it has none."""
    changed = copy.deepcopy(flow)
    for step in changed["steps"]:
        name = (step.get("locator") or {}).get("name")
        if name and name in step["args"].get("query", ""):
            step["args"]["query"] = step["args"]["query"].replace(name, OTHER)
            step["locator"] = json.loads(re.sub(re.escape(json.dumps(name)), json.dumps(OTHER), json.dumps(step["locator"])))
            return changed
    return None

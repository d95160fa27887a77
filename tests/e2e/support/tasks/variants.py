"""A task in other circumstances than those in which its workflow was written."""

import copy
import json

import yaml

from .. import wait_for

# What a relabelled element is called in the file of a variant.
OTHER = "Formerly known"
# Rows, cells, links and tabs of another name are other ones by design (docs/healing.md).
_CONTROLS = ("button", "checkbox", "combobox", "menuitem", "menuitemcheckbox", "menuitemradio", "radio", "slider", "spinbutton", "textbox")


def read(path):
    """A workflow file: its fields."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def write(path, flow):
    """Writes a workflow file."""
    path.write_text(yaml.safe_dump(flow, sort_keys=False, allow_unicode=True), encoding="utf-8")


def move(desktop, window):
    """Gives a window another place and another size."""
    before = _geometry(desktop, window)
    # Some applications open their windows where the last one was.
    place = "60,70,1060,820" if "X=170\n" in before or "WIDTH=1000\n" in before else "170,110,1000,780"
    desktop.run(["wmctrl", "-i", "-r", hex(window), "-b", "remove,maximized_vert,maximized_horz"])
    desktop.run(["wmctrl", "-i", "-r", hex(window), "-e", f"0,{place}"])
    wait_for("the window to have moved", lambda: _geometry(desktop, window) != before)


def _geometry(desktop, window):
    return desktop.run(["xdotool", "getwindowgeometry", "--shell", str(window)])


def by_hand(flow):
    """The same task with pointer and keyboard, as somebody does it who is recorded."""
    steps = []
    for step in flow["steps"]:
        args = step["args"]
        click = {"tool": "ax_click", "args": {"app": args["app"], "query": args.get("query"), "mode": "focus"}}
        if step["tool"] == "ax_type" and args.get("query", "").startswith("textbox ") and not args.get("clear_first"):
            # Somebody clicks a field that is empty, and types.
            steps += [click, {**step, "args": {name: value for name, value in args.items() if name != "query"}}]
            continue
        if step["tool"] != "ax_set_value":
            steps.append({**step, "args": {**args, **({"mode": "focus"} if step["tool"] in ("ax_click", "ax_type") else {})}})
            continue
        if args["value"] in ("true", "false"):
            steps.append({**step, **click})
            continue
        # Of a list that is open, somebody clicks the option.
        if args["query"].startswith("combobox ") and ">>" not in args["query"]:
            steps += [click, {**step, "tool": "ax_click", "args": {**click["args"], "query": f'menuitem "{args["value"]}"'}}]
            continue
        steps += [click, {"tool": "ax_key_press", "args": {"app": args["app"], "key": "ctrl+a", "mode": "focus"}},
                  {**step, "tool": "ax_type", "args": {"app": args["app"], "text": args["value"], "mode": "focus"}}]
    return {**flow, "steps": steps}


def _mark(role, label):
    """How a locator marks an element that was there: FNV-1a, folded (crates/handeye-locator/src/survey.rs)."""
    long = 0xCBF29CE484222325
    for byte in (role + label).encode():
        long = (long ^ byte) * 0x100000001B3 % 2 ** 64
    return f"{(long ^ long >> 16 ^ long >> 32 ^ long >> 48) & 0xFFFF:04x}"


def _renamed(locator, name, native):
    """A locator in which the element of that role is called otherwise. What is around it keeps its name, as a dialog that is called like its button."""
    around = [[role, *place, OTHER if (role, label) == (native, name) else label, own] for role, *place, label, own in locator.get("path", [])]
    rest = {field: value for field, value in locator.items() if field != "path"}
    rest = json.loads(json.dumps(rest, ensure_ascii=False).replace(json.dumps(name, ensure_ascii=False), json.dumps(OTHER)))
    return {**rest, "path": around} if "path" in locator else rest


def relabelled(flow):
    """A recording of an application in which one control, the first that has a name, was called otherwise. None if it has none.

    It is as if it had been made with that application: no query and no locator has the label that the element has now.
    """
    for step in flow["steps"]:
        name = (step.get("locator") or {}).get("name")
        role, _, rest = step["args"].get("query", "").partition(" ")
        if name and name in rest and role in _CONTROLS:
            break
    else:
        return None
    changed = copy.deepcopy(flow)
    for each in changed["steps"]:
        if name in each["args"].get("query", ""):
            each["args"]["query"] = each["args"]["query"].replace(name, OTHER)
        if each.get("locator"):
            locator = _renamed(each["locator"], name, step["locator"]["role"])
            marks = locator.get("beside", "")
            marks = [marks[at:at + 4] for at in range(0, len(marks), 4)]
            locator["beside"] = "".join(_mark(role, OTHER) if mark == _mark(role, name) else mark for mark in marks)
            each["locator"] = locator
    return changed

"""Reads a tree or finds a button with pyatspi or dogtail, and prints what that took as one line of JSON.

Usage: atspi_peer.py tree|find pyatspi|dogtail APP [TITLE]; APP is a name or the number of a process. Starting Python and importing is not counted.
"""

import json
import logging
import sys
import time

import pyatspi

# An element with more is a spreadsheet.
MOST_CHILDREN = 1000
BUTTONS = (pyatspi.ROLE_PUSH_BUTTON, pyatspi.ROLE_TOGGLE_BUTTON)


def is_meant(candidate, name):
    """Whether an application has that name or is that process."""
    return candidate.get_process_id() == int(name) if name.isdigit() else candidate.name == name


def application(name):
    """The application of that name or process."""
    for candidate in pyatspi.Registry.getDesktop(0):
        if candidate is not None and is_meant(candidate, name):
            return candidate
    raise SystemExit(f"no application {name}")


def read(node):
    """Role, name, states, extents, actions and value of one element; the states."""
    node.getRole()
    _ = node.name
    states = node.getState()
    interfaces = pyatspi.listInterfaces(node)
    if "Component" in interfaces:
        node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
    if "Action" in interfaces:
        action = node.queryAction()
        for number in range(action.nActions):
            action.getName(number)
    if "Value" in interfaces:
        _ = node.queryValue().currentValue
    return states


def children(node):
    """The children of an element; of a spreadsheet, which has 2^31, the cells that are in view."""
    if node.childCount <= MOST_CHILDREN:
        return node
    if "Table" not in pyatspi.listInterfaces(node):
        return []
    component, table = node.queryComponent(), node.queryTable()
    left, top, width, height = component.getExtents(pyatspi.DESKTOP_COORDS)
    corners = [(left + 1, top + 1), (left + width - 2, top + height - 2)]
    cells = [component.getAccessibleAtPoint(*corner, pyatspi.DESKTOP_COORDS) for corner in corners]
    if None in cells:
        return []
    (first_row, first_column), (last_row, last_column) = (
        (table.getRowAtIndex(index), table.getColumnAtIndex(index)) for index in (cell.getIndexInParent() for cell in cells))
    return (table.getAccessibleAt(row, column)
            for row in range(first_row, last_row + 1) for column in range(first_column, last_column + 1))


def walk(node, shown, depth=0):
    """Reads `node` and, where it is in view, what is below it. Returns (elements, those in view)."""
    try:
        states = read(node)
    except (LookupError, NotImplementedError, RuntimeError):
        return 1, 0
    showing = states.contains(shown)
    total, visible = 1, int(showing)
    # An application and its windows are looked into in any case, as handeye does.
    if not showing and depth >= 2:
        return total, visible
    for child in children(node):
        if child is not None:
            more, seen = walk(child, shown, depth + 1)
            total, visible = total + more, visible + seen
    return total, visible


def find(node, title, shown, depth=0):
    """The first button called `title`, depth first, in what is in view."""
    if node.getRole() in BUTTONS and node.name in (title, f"{title} {title}"):
        return node
    if depth >= 2 and not node.getState().contains(shown):
        return None
    if node.childCount > MOST_CHILDREN:
        return None
    for child in node:
        found = find(child, title, shown, depth + 1) if child is not None else None
        if found is not None:
            return found
    return None


def timed(work):
    """What `work` returns, and how long it took in milliseconds."""
    start = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - start) * 1000


def shown_state(app):
    """GTK 4 never says SHOWING; VISIBLE has to do."""
    is_gtk4 = app.toolkitName == "GTK" and app.toolkitVersion.startswith("4")
    return pyatspi.STATE_VISIBLE if is_gtk4 else pyatspi.STATE_SHOWING


def main():
    what, library, name, *title = sys.argv[1:]
    if library == "dogtail":
        logging.disable(logging.CRITICAL)
        from dogtail.config import config
        config.load({"checkForA11y": False, "logDebugToFile": False, "logDebugToStdOut": False, "searchCutoffCount": 1})
        import dogtail.tree

        def work():
            if name.isdigit():
                app = next(candidate for candidate in dogtail.tree.root.applications() if is_meant(candidate, name))
            else:
                app = dogtail.tree.root.application(name, retry=False)
            return app.child(title[0], roleName="push button", retry=False)
    elif what == "tree":
        def work():
            app = application(name)
            return walk(app, shown_state(app))
    else:
        def work():
            app = application(name)
            found = find(app, title[0], shown_state(app))
            if found is None:
                raise SystemExit(f"no button {title[0]} in {name}")
            return found
    first, cold = timed(work)
    _, warm = timed(work)
    result = {"cold_ms": cold, "warm_ms": warm}
    if what == "tree":
        result["nodes"], result["showing"] = first
    print(json.dumps(result))


main()

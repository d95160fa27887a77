"""Read everything: every element of an application through every call, and by handeye's own tools with everything on.

The application must survive, keep its elements, and answer as fast as before.
"""

import contextlib
import re
import statistics
import time

from support.desktop import Desktop
from support.session import Session

from . import applications, calls
from .bus import Bus, walk

# How many elements are read one by one with handeye's own tools, and how many altogether by hand.
ONE_BY_ONE = {"short": 25, "long": 400}
ELEMENTS = {"short": 4000, "long": 20_000}
# An answer may be slower by this much before it counts: the machine is busy with other things too.
SLOWER = 2.0
SLACK = 0.004


@contextlib.contextmanager
def running(application):
    """An application on a desktop of its own, once its tree is stable."""
    desktop = Desktop()
    try:
        bus = Bus(desktop)
        app = applications.Running(desktop, bus, application)
        settle(app)
        yield app
    finally:
        desktop.stop()


def settle(app, rounds=40):
    """Waits until two walks in a row find as many elements; an application that is never stable is taken as it is."""
    counts = []
    for _ in range(rounds):
        counts.append(len(walk(app.bus, app.name, 3000)[0]))
        if counts[-1] > 1 and counts[-3:] == [counts[-1]] * 3:
            return
        time.sleep(0.4)


def quickness(app, elements):
    """How long one answer takes: the best of several medians, in seconds."""
    sample = [element.call("Accessible", "GetState") for element in elements[:40]]
    rounds = []
    for _ in range(5):
        took = []
        for call in sample:
            start = time.monotonic()
            app.bus.ask(call, patience=20)
            took.append(time.monotonic() - start)
        rounds.append(statistics.median(took))
    return min(rounds)


def read(application, form, rng):
    """Reads one application; returns a row of the table, with what went wrong in `faults`."""
    row = {"application": application.name, "toolkit": application.toolkit, "faults": [], "survived": True}
    with running(application) as app:
        elements, cut = walk(app.bus, app.name, ELEMENTS[form])
        row.update(elements=len(elements), cut=cut, before=quickness(app, elements))
        by_tools(app, form, rng, row)
        if row["survived"]:
            elements, _ = walk(app.bus, app.name, ELEMENTS[form])
            by_hand(app, elements, row)
        if row["survived"]:
            compare(app, form, row)
            return row
    if "raw_calls" not in row:
        # What handeye has killed cannot be asked by hand any more; another one can.
        with running(application) as app:
            by_hand(app, walk(app.bus, app.name, ELEMENTS[form])[0], row)
    return row


def lives(app, row, what):
    """Whether it survived; says what it died of if not."""
    if not app.is_alive():
        row["survived"] = False
        row["faults"].append(f"died at {what}: {app.ending()}")
    return row["survived"]


def compare(app, form, row):
    """What is left of it, and how fast it answers now."""
    left, _ = walk(app.bus, app.name, ELEMENTS[form])
    row["left"] = len(left)
    if len(left) < 0.8 * row["elements"]:
        row["faults"].append(f"{row['elements']} elements before, {len(left)} after")
    row["after"] = min(quickness(app, left) for _ in range(3))
    if row["after"] > SLOWER * row["before"] + SLACK:
        row["faults"].append(f"an answer took {row['before'] * 1e3:.2f} ms before and {row['after'] * 1e3:.2f} ms after")


def by_tools(app, form, rng, row):
    """Everything that handeye's own tools read, with everything on."""
    session = Session(app.desktop.env, log=app.desktop.path("server.log"))
    target = str(app.process)
    asked = [0]
    refused = {}

    def call(tool, **arguments):
        if not row["survived"]:
            return None
        asked[0] += 1
        answer = session.call(tool, timeout=120, **arguments)
        if answer.is_error:
            refused[f"{tool}: {answer.code}"] = refused.get(f"{tool}: {answer.code}", 0) + 1
        lives(app, row, f"{tool} {arguments}")
        return answer
    try:
        call("ax_list_apps")
        call("ax_list_windows", app=target)
        call("ax_get_tree", app=target, max_depth=60)
        tree = call("ax_get_tree", app=target, max_depth=60, include_invisible=True)
        references = list(dict.fromkeys(re.findall(r"\[ref=(e\d+)\]", tree.text))) if tree else []
        row["referenced"] = len(references)
        call("ax_screenshot", app=target, annotate=True)
        call("ax_wait_idle", app=target)
        for query in ("role:button", "//*[last()]", "zzz no such element"):
            call("ax_find", app=target, query=query)
        for reference in rng.sample(references, min(len(references), ONE_BY_ONE[form])):
            call("ax_get_value", app=target, query=reference)
            call("ax_get_attributes", app=target, query=reference)
        call("ax_get_tree", app=target, max_depth=60, include_invisible=True)
    finally:
        session.close()
    row["tool_calls"], row["refusals"] = asked[0], refused


def by_hand(app, elements, row):
    """Every call of the list, about every element."""
    has_id = app.application.toolkit not in ("Gecko", "Chromium")
    owners = {element.key: element for element in elements}
    last = {}
    follow, errors, count = [], {}, 0
    for batch in (calls_of(elements, has_id), follow):
        for call, reply in app.bus.each(batch, patience=30):
            count += 1
            if reply.error is not None:
                errors[reply.error] = errors.get(reply.error, 0) + 1
                if reply.error == "late" or reply.error.endswith("NoReply"):
                    last.setdefault(reply.error, []).append(str(call))
                continue
            if batch is not follow and (call.bus, call.path) in owners:
                follow.extend(calls.after(call, reply, owners[call.bus, call.path]))
    row["raw_calls"], row["errors"] = count, errors
    lives(app, row, "raw calls")
    for error, unanswered in last.items():
        row["faults"].append(f"{len(unanswered)} calls without an answer ({error}); the first: {'; '.join(unanswered[:6])}")


def calls_of(elements, has_id):
    """Every call about each of them, and the load as a whole."""
    for element in elements:
        yield from calls.of(element, has_id)
        if element.parent is None:
            yield type(element)(element.bus, "/org/a11y/atspi/cache", 0, None, 0).call("Cache", "GetItems")


def run(form, rng, application):
    """A shard: one application by its name."""
    calls.check_documented()
    return read(next(known for known in applications.ALL if known.name == application), form, rng)

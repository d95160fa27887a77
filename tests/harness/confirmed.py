"""Every "confirmed" against the application's own state, in random actions on one toolkit.

False: confirmed, and the state does not say so. Wrong: something else changed. Untold: an error, and yet it happened.
Of the actions that had their effect at most one in twenty may be unconfirmed.
"""

import collections

from support import wait_for
from support.desktop import Desktop
from support.session import Session

from . import actions, fixtures

# How long the application's own state may take to tell of what was confirmed, and of what was only sent.
SOON = 20.0
MAYBE = 2.0
MOST_UNCONFIRMED = 0.05
# So few say nothing of a rate.
FEW = 20
# What of a long list of faults is kept.
KEPT = 10


def run(form, rng, toolkit, count, part=0):
    """A shard: `count` random actions on the fixture of a toolkit."""
    del form, part
    row = {"toolkit": toolkit, "faults": []}
    tally, found = collections.Counter(), collections.defaultdict(list)
    desktop = Desktop()
    try:
        app = fixtures.start(desktop, toolkit)
        session = Session(desktop.env, log=desktop.path("server.log"))
        try:
            fixtures.exposed(session, app, "Count", "Item 3")
            for number in range(count):
                action = actions.draw(rng, app.state(), rng.choice(["background", "background", "focus"]))
                one(session, app, action, number, tally, found)
        finally:
            session.close()
    finally:
        desktop.stop()
    row.update(tally=dict(tally), codes=dict(found.pop("codes", collections.Counter())),
               found={kind: listed[:KEPT] for kind, listed in found.items()})
    for kind in ("false", "wrong", "untold"):
        if tally[kind]:
            row["faults"].append(f"{tally[kind]} {kind}: {' | '.join(found[kind][:3])}")
    if tally["effective"] >= FEW and tally["unconfirmed"] > MOST_UNCONFIRMED * tally["effective"]:
        row["faults"].append(f"{tally['unconfirmed']} of {tally['effective']} effective actions unconfirmed: "
                             f"{' | '.join(found['unconfirmed'][:3])}")
    return row


def one(session, app, action, number, tally, found):
    """One action, and what became of it."""
    before = app.state()
    answer = session.call(action.tool, timeout=120, app=app.app, **action.arguments)
    tally["actions"] += 1
    told = answer.code or answer.effect
    shows = lambda: app.state().get(action.key) == action.value  # noqa: E731
    try:
        wait_for("its effect", shows, SOON if told == "confirmed" else 0.3 if answer.is_error else MAYBE)
        happened = True
    except AssertionError:
        happened = False
    after = app.state()
    others = sorted(key for key in after if key != action.key and after[key] != before.get(key) and key not in actions.ASIDE)
    words = f"#{number} {action}: {told}: {' '.join(answer.text.split())[:260]}; before {before.get(action.key)!r}, " \
            f"after {after.get(action.key)!r}"
    note = lambda kind: (tally.update([kind]), found[kind].append(words))  # noqa: E731
    if others:
        words += f"; others: {({key: (before.get(key), after[key]) for key in others})}"
        note("wrong")
    if answer.is_error:
        tally["refused"] += 1
        found.setdefault("codes", collections.Counter()).update([f"{action.tool} {action.key}: {told}"])
        if happened and not action.is_idle:
            note("untold")
    else:
        tally["dispatched"] += 1
        if told == "confirmed" and not happened:
            note("false")
        elif told == "confirmed" and action.is_idle and action.tool == "ax_click":
            note("idle but confirmed")
        elif happened and not action.is_idle:
            tally["effective"] += 1
            if told != "confirmed":
                note("unconfirmed")
    look_for_popups(app, words, tally, found)


def look_for_popups(app, words, tally, found):
    """Notes and closes a menu that an action left open."""
    if popups(app.desktop, app):
        tally["popup left"] += 1
        found["popup left"].append(words)
        app.desktop.run(["xdotool", "key", "Escape"], check=False)


def popups(desktop, app):
    """The windows of a process that are mapped and not managed: its open menus and lists."""
    managed = {window for window, _, _ in desktop.windows()}
    listed = desktop.run(["xdotool", "search", "--onlyvisible", "--pid", str(app.process)], check=False).split()
    found = []
    for window in map(int, listed):
        if window in managed:
            continue
        told = desktop.run(["xwininfo", "-id", str(window)], check=False)
        if "Override Redirect State: yes" in told and "Map State: IsViewable" in told:
            found.append(window)
    return found

"""Every "confirmed" against the application's own state, in random actions on one toolkit.

False: confirmed, and the state does not say so. Wrong: something else changed. Untold: an error, and yet it happened.
Of the actions that had their effect at most one in twenty may be unconfirmed. What a refusal advises is done, once for each advice.
"""

import collections
import dataclasses
import time

from support import advice, wait_for
from support.desktop import Desktop
from support.session import LATE, Session

from . import actions, fixtures

# How long the application's own state may take to show what was confirmed, and what was only sent.
SOON = 20.0
# The same once enough of it has been false: a shard that is wrong all the time is not to take an hour.
LATER = 4.0
ENOUGH = 3
MAYBE = 2.0
MOST_UNCONFIRMED = 0.05
# So few say nothing of a rate.
FEW = 20
# What of a long list of faults is kept.
KEPT = 10


def run(form, rng, toolkit, count, part=0):
    """A shard: `count` random actions on the fixture of a toolkit."""
    del part
    row = {"toolkit": toolkit, "faults": []}
    tally, found = collections.Counter(), collections.defaultdict(list)
    desktop = Desktop()
    try:
        session = Session(desktop.env, log=desktop.path("server.log"))
        try:
            subject = fixtures.Subject(desktop, session, toolkit)
            for number in range(count):
                action = subject.draw(rng, rng.choice(["background", "background", "focus"]))
                answer = one(session, subject, action, number, tally, found)
                if answer.is_error:
                    follow(session, subject, action, answer, tally, found)
        finally:
            session.close()
    finally:
        desktop.stop()
    row.update(tally=dict(tally), times={part: round(seconds, 1) for part, seconds in subject.times.items()},
               codes=dict(found.pop("codes", collections.Counter())),
               found={kind: listed[:KEPT] for kind, listed in found.items()})
    row["faults"] += lies(tally, found)
    # Whether an effect is seen within the settle time depends on the load: a question for the long form.
    if form == "long" and tally["effective"] >= FEW and tally["unconfirmed"] > MOST_UNCONFIRMED * tally["effective"]:
        row["faults"].append(f"{tally['unconfirmed']} of {tally['effective']} effective actions unconfirmed: "
                             f"{' | '.join(found['unconfirmed'][:3])}")
    return row


def lies(tally, found):
    """What may never be: each kind with its first cases."""
    return [f"{tally[kind]} {kind}: {' | '.join(found[kind][:3])}" for kind in ("false", "wrong", "untold", "bad advice") if tally[kind]]


def one(session, subject, action, number, tally, found, close_menu=None):
    """One action, and what became of it. Returns the answer. A menu that is meant to open is closed by `close_menu`, else by a key of the user."""
    before = subject.state()
    judge_late(subject, before, tally, found)
    start = time.monotonic()
    answer = session.call(action.tool, timeout=120, app=subject.app, **action.arguments)
    called = time.monotonic()
    tally["actions"] += 1
    told = answer.code or answer.effect
    shows = lambda: action.has_happened(subject.state())  # noqa: E731
    try:
        soon = SOON if tally["false"] < ENOUGH else LATER
        wait_for("its effect", shows, soon if told == "confirmed" else 0.3 if answer.is_error else MAYBE)
        happened = True
    except AssertionError:
        happened = False
    after = subject.state()
    others = sorted(key for key in after if key != action.key and after[key] != before.get(key) and key not in action.aside)
    words = f"#{number} {action}: {told}: {' '.join(answer.text.split())[:260]}; before {before.get(action.key)!r}, " \
            f"after {after.get(action.key)!r}"
    note = lambda kind: (tally.update([kind]), found[kind].append(words))  # noqa: E731
    if others:
        words += f"; others: {({key: (before.get(key), after[key]) for key in others})}"
        note("wrong")
    if answer.is_error:
        tally["refused"] += 1
        found.setdefault("codes", collections.Counter()).update([f"{action.tool} {action.key}: {told}"])
        if happened and not action.is_idle and told not in LATE:
            note("untold")
    else:
        tally["dispatched"] += 1
        if told == "confirmed" and not happened:
            note("false")
        elif told == "confirmed" and action.is_idle and action.tool in ("ax_click", "ax_scroll"):
            # It may have moved the focus, or say that it was so before. Anything else has come by itself.
            told_so = "now focused" in answer.text or "as it was" in answer.text
            note("idle but confirmed" if told_so else "false")
        elif happened and not action.is_idle:
            tally["effective"] += 1
            if told != "confirmed":
                note("unconfirmed")
    judged = time.monotonic()
    if action.opens_menu and close_menu:
        close_menu()
    look_for_popups(subject, words, tally, found, is_meant=action.opens_menu)
    subject.last = Last(action, after, words, answer.is_error and told not in LATE)
    for part, seconds in (("calls", called - start), ("effects", judged - called), ("popups", time.monotonic() - judged)):
        subject.times[part] = subject.times.get(part, 0) + seconds
    return answer


def follow(session, subject, action, answer, tally, found):
    """Does what a refusal advises, unless the same was advised before. It leads somewhere, and not back."""
    after = advice.template(answer.fields["error"].get("next") or "")
    arguments = {"app": subject.app, **action.arguments}
    if after in subject.advised or advice.next_call(action.tool, arguments, answer) is None:
        return
    subject.advised.add(after)
    subject.last = None
    tally["advice followed"] += 1
    try:
        advice.followed(session, action.tool, arguments, answer)
    except AssertionError as wrong:
        tally["bad advice"] += 1
        found["bad advice"].append(str(wrong))
    look_for_popups(subject, after, tally, found, is_meant=True)
    rest(subject)


def rest(subject):
    """Waits until the state has not changed for a while: what was advised may show late, and does not belong to the next action."""
    seen = [subject.state(), time.monotonic()]

    def is_still():
        now = subject.state()
        if now != seen[0]:
            seen[:] = [now, time.monotonic()]
        return time.monotonic() - seen[1] > MAYBE
    wait_for("the state to stand still", is_still)


@dataclasses.dataclass(frozen=True)
class Last:
    """What was done last: the state after it, the answer about it, and whether the answer reports a failure."""

    action: actions.Action
    after: dict
    words: str
    has_failed: bool


def judge_late(subject, now, tally, found):
    """What has changed since the last action was judged is its doing too."""
    last, subject.last = subject.last, None
    if last is None:
        return
    changed = {key: (last.after[key], now[key]) for key in now if now[key] != last.after.get(key) and key not in last.action.aside}
    own = changed.pop(last.action.key, None)
    if changed:
        tally["wrong"] += 1
        found["wrong"].append(f"{last.words}; later others: {changed}")
    if own and last.has_failed and not last.action.is_idle and last.action.has_happened(now):
        tally["untold"] += 1
        found["untold"].append(f"{last.words}; later {own}")


def look_for_popups(subject, words, tally, found, is_meant=False):
    """Notes and closes a menu that an action left open."""
    if not subject.popups():
        return
    if not is_meant:
        tally["popup left"] += 1
        found["popup left"].append(words)
    for _ in range(5):
        # A menu that is just opening may not receive the first one.
        subject.desktop.run(["xdotool", "key", "Escape"], check=False)
        try:
            wait_for("the menu to be closed again", lambda: not subject.popups(), 2, 0.1)
        except AssertionError:
            continue
        return
    tally["popup stays"] += 1
    found["popup stays"].append(words)

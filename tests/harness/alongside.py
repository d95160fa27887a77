"""A user works alongside: random background actions on an application, by itself or by the agent's own pointer and keyboard, while a user types
and uses menus in another window.

No character may be lost, doubled or misplaced, no window activated, no popup left.
"""

import collections
import subprocess

from support import wait_for
from support.desktop import Desktop
from support.session import Session

from . import confirmed, fixtures
from .user import User

# Three of four are dispatched, not refused.
LEAST_DISPATCHED = 0.75
# New dialogs get the focus from the window manager, whichever process opens them, until it is given back: drawn less often, as the user's next
# key may go there.
RARE = ("_dialog",)
# Chromium holds the user's pointer for a drag, so that no menu of the user opens, and makes its window the active one at the drop: the answer
# reports both. Its drags are those of the matrix and of test_agent_seat.py.
FORCED = {"chromium": ("_drag",)}


class Watch:
    """Every window that the window manager makes active from now on, according to xprop."""

    def __init__(self, desktop):
        self._path = desktop.path("active.txt")
        with open(self._path, "wb") as file:
            self._process = subprocess.Popen(["stdbuf", "-oL", "xprop", "-root", "-spy", "_NET_ACTIVE_WINDOW"], stdout=file,
                                             env=desktop.env)

    def others(self, own):
        """The windows that were active and are not the user's own."""
        with open(self._path, encoding="utf-8") as file:
            seen = [line.rsplit(None, 1)[-1] for line in file if "0x" in line]
        return [word for word in seen if int(word, 16) != own]

    def stop(self):
        """Ends it."""
        self._process.terminate()
        self._process.wait(10)


def run(form, rng, toolkit, count, characters, part=0):
    """A shard: so many actions on the fixture of a toolkit while so many characters are typed."""
    del form, part
    row = {"toolkit": toolkit, "faults": []}
    tally, found = collections.Counter(), collections.defaultdict(list)
    desktop = Desktop()
    try:
        session = Session(desktop.env, log=desktop.path("server.log"))
        try:
            subject = fixtures.Subject(desktop, session, toolkit)
            user = User(desktop, rng.random())
            desktop.activate(user.editor.window)
            watch = Watch(desktop)
            user.start()
            try:
                for number in range(count):
                    if user.faults:
                        break
                    act(session, subject, rng, number, tally, found)
                user.finish(characters)
            finally:
                watch.stop()
        finally:
            session.close()
    finally:
        others = watch.others(user.editor.window)
        desktop.stop()
    row.update(tally=dict(tally), characters=len(user.typed), menus=user.menus, activated=len(others),
               codes=dict(found.pop("codes", {})), found={kind: listed[:6] for kind, listed in found.items()})
    row["faults"] += user.faults + confirmed.lies(tally, found)
    if others:
        row["faults"].append(f"{len(others)} windows of others were activated")
    if tally["popup left"]:
        row["faults"].append(f"{tally['popup left']} popups left: {' | '.join(found['popup left'][:3])}")
    if tally["dispatched"] < LEAST_DISPATCHED * tally["actions"]:
        row["faults"].append(f"only {tally['dispatched']} of {tally['actions']} actions were dispatched")
    return row


def close_own_menu(session, subject):
    """Has the agent close the menu that it has opened, which stays open for it; one that does not close is found left."""
    for _ in range(3):
        if not subject.popups():
            return
        session.call("ax_key_press", timeout=120, app=subject.app, key="escape")
        try:
            wait_for("the menu to be closed", lambda: not subject.popups(), 2, 0.1)
        except AssertionError:
            continue


def act(session, subject, rng, number, tally, found):
    """One random action in the background."""
    if rng.random() < 0.1:
        # What opens, moves or presses: whether it is refused or done, it must not be noticed.
        tool, arguments = rng.choice([("ax_click", {"query": "File"}), ("ax_click", {"query": subject.query("Size")}),
                                      ("ax_scroll", {"query": "Items", "direction": "down"}),
                                      ("ax_key_press", {"key": "space"})])
        subject.last = None
        answer = session.call(tool, timeout=120, app=subject.app, **arguments)
        tally["actions"] += 1
        tally["refused" if answer.is_error else "dispatched"] += 1
        words = f"#{number} {tool} {arguments}: {answer.code or answer.effect}: {' '.join(answer.text.split())[:200]}"
        if answer.fields.get("effect", {}).get("route") == "agent_seat":
            close_own_menu(session, subject)
        confirmed.look_for_popups(subject, words, tally, found)
        return
    action = subject.draw(rng, "background", RARE + FORCED.get(subject.toolkit, ()), real="background")
    confirmed.one(session, subject, action, number, tally, found, close_menu=lambda: close_own_menu(session, subject))

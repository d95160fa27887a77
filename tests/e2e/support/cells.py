"""The cells of the matrix: an action in an application beside a user, judged by the application's own state and by witnesses of the desktop."""

import re

from . import PATIENCE, applications, wait_for, window_managers
from .desktop import Desktop
from .session import LATE, Session
from .user import User, differences

# Begins as a sentence does: Writer would make it so.
TYPED = "Né 漢字 ok"
# The actions whose effect is a menu, and those whose effect is the last key.
LEAVES_A_MENU, LEAVES_A_KEY = ("right click", "select"), ("key",)

# The keys that follow the click of a key sequence, where there are others.
SEQUENCES = {"libreoffice": "home shift+end x y", "xterm": "x y"}
# The codes of answers that say that nothing was done.
REFUSALS = ("refused", "not_supported", "action_failed", "app_not_accessible", "stale_reference")


class Bed:
    """A desktop with the application of a toolkit, a user who works in another window, and a client; `manager` is a window manager instead of openbox."""

    def __init__(self, toolkit, manager=None):
        self.kind = (toolkit, manager) if manager else (toolkit,)
        self.toolkit = toolkit
        self.before, self.other = None, {}
        self.desktop = Desktop()
        if manager and manager != window_managers.NONE:
            window_managers.replace(self.desktop, manager)
        self.user = User(self.desktop)
        self.app = applications.start(self.desktop, toolkit, **({} if toolkit in ("libreoffice", "xterm") else {"commands": True}))
        if manager:
            # Each places windows as it likes, and these are not to cover each other.
            self.move(self.user.window, 800, 780)
            self.move(self.app.window, 20, 40)
        if manager == window_managers.NONE:
            # It has placed the windows.
            window_managers.leave(self.desktop)
        self.client = Session(self.desktop.env, log=self.desktop.path("server.log"))
        self.tools = self.client.tools()
        # A page or a document is on the bus some time after its window; what is drawn last is looked for.
        for last in {"libreoffice": ["//document//paragraph[3]"], "xterm": []}.get(toolkit, ["Drop target", "Item 3"]):
            wait_for(f"{toolkit} to expose {last}", lambda: self.client.call(
                "ax_find", app=self.app.app, query=last).fields.get("found"), every=0.2)

    def move(self, window, x, y):
        """Has the window manager put a window there."""
        self.desktop.run(["xdotool", "windowmove", "--sync", str(window), str(x), str(y)])

    def calm(self, action):
        """Closes menus that are open, parks the pointer and gives the user's window the focus."""
        self.user.rest()
        if action in LEAVES_A_KEY or self.before in LEAVES_A_MENU:
            self.client.call("ax_key_press", app=self.app.app, key="escape")
        self.before = action
        self.app.rest()
        looks = [self.user.look()]
        if not self.user.is_at_work(looks[0]):
            if len(self.kind) == 1:
                self.desktop.activate(self.user.window)
            elif self.kind[1] == window_managers.NONE:
                self.user.take_focus()
            else:
                # Some window managers let nobody but the user change windows.
                self.user.come_back()
        # What the tests themselves have begun is over before the desktop is looked at.
        wait_for("the desktop to stand still", lambda: looks.append(self.user.look()) or looks[-2:-1] == looks[-1:], every=0.05)

    def open_other(self):
        """Opens another window of the application beside the others; `other` is a point of it as the end of a drag."""
        if not self.other:
            title = f"Other {self.toolkit}"
            self.app.command(do="other_window", title=title)
            window = str(self.desktop.window(title)[0])
            self.desktop.run(["xdotool", "windowsize", window, "240", "340", "windowmove", "--sync", window, "1030", "640"])
            # Below what a browser has above a page.
            self.other = {"to_x": 1130, "to_y": 900}

    def renew(self):
        """Another desktop: what disturbed the user may have left this one so that no other cell says anything."""
        self.stop()
        self.__init__(*self.kind)

    def stop(self):
        self.client.close()
        self.user.stop()
        self.desktop.stop()


def common_cell(bed, action):
    """The call of a cell for the fixture applications: tool, arguments, and the state that shows its effect."""
    state = bed.app.state()
    far = "Item 25" if state["selected"] != "Item 25" else "Item 24"
    more = lambda key: lambda now: now[key] > state[key]  # noqa: E731
    return {
        "click": ("ax_click", {"query": "role:button Count"}, lambda now: now["count"] == state["count"] + 1),
        "double click": ("ax_click", {"query": "role:button Multi", "click_type": "double"},
                         lambda now: now["double"] == state["double"] + 1 and now["triple"] == state["triple"]),
        "triple click": ("ax_click", {"query": "role:button Multi", "click_type": "triple"}, more("triple")),
        "hover": ("ax_click", {"query": "role:button Multi", "click_type": "hover"}, more("hovered")),
        "right click": ("ax_click", {"query": "role:button Multi", "click_type": "right"},
                        lambda now: now["context"] == state["context"] + 1),
        "type": ("ax_type", {"query": "Name", "text": TYPED, "clear_first": True}, lambda now: now["name"] == TYPED),
        "set value": ("ax_set_value", {"query": "role:slider Volume", "value": "70" if state["volume"] != 70 else "40"},
                      lambda now: now["volume"] == (70 if state["volume"] != 70 else 40)),
        "toggle": ("ax_click", {"query": "role:checkbox Agree"}, lambda now: now["agree"] != state["agree"]),
        "select": ("ax_click", {"query": "Item 3" if state["selected"] != "Item 3" else "Item 2"},
                   lambda now: now["selected"] == ("Item 3" if state["selected"] != "Item 3" else "Item 2")),
        "scroll": ("ax_scroll", {"query": "Items", "direction": "down", "amount": 60}, more("scroll")),
        "key": ("ax_key_press", {"key": "k", "modifiers": ["ctrl"]}, lambda now: now["chord"] == "ctrl+k"),
        "drag": ("ax_drag", {"from_query": "Drag source", "to_query": "Drop target"}, more("dropped")),
        "drag to another window": ("ax_drag", {"from_query": "Drag source", **bed.other}, more("dropped_there")),
        "scroll to element": ("ax_click", {"query": far}, lambda now: now["selected"] == far),
        "key sequence": ("ax_click", {"query": "Name"}, lambda now: now["name"] == "xy"),
    }[action]


def office_cell(bed, action):
    """The same for Writer, whose controls are its own."""
    state = bed.app.state()
    first = "//document//paragraph[1]"
    return {
        "click": ("ax_click", {"query": "role:button Formatting Marks"},
                  lambda now: now["formatting_marks"] != state["formatting_marks"]),
        "double click": ("ax_click", {"query": first, "click_type": "double"}, lambda now: now["selection"] != ""),
        "triple click": ("ax_click", {"query": first, "click_type": "triple"}, lambda now: now["selection"].count(" ") > 5),
        "right click": ("ax_click", {"query": first, "click_type": "right"}, lambda now: now["popups"] > state["popups"]),
        "type": ("ax_type", {"query": first, "text": TYPED}, lambda now: TYPED in now["text"]),
        "set value": ("ax_set_value", {"query": first, "value": "set as a whole"},
                      lambda now: "set as a whole" in now["text"]),
        "toggle": ("ax_set_value", {"query": "role:button Formatting Marks",
                                    "value": "false" if state["formatting_marks"] else "true"},
                   lambda now: now["formatting_marks"] != state["formatting_marks"]),
        "select": ("ax_click", {"query": "role:menuitem Select All"}, lambda now: now["selection"] != ""),
        "scroll": ("ax_scroll", {"query": "role:document", "direction": "down", "amount": 300},
                   lambda now: now["scroll"] > state["scroll"]),
        "key": ("ax_key_press", {"key": "b", "modifiers": ["ctrl"]}, lambda now: now["bold"] != state["bold"]),
        "key sequence": ("ax_click", {"query": first}, lambda now: "xy" in now["text"]),
        "drag": ("ax_drag", {"from_query": first, "to_query": "//document//paragraph[3]"},
                 lambda now: now["selection"] != ""),
    }[action]


def xterm_cell(bed, action):
    """The same for xterm, by coordinates: it shows no elements."""
    state, point = bed.app.state(), dict(zip("xy", bed.app.point()))
    more = lambda key, by: lambda now: now[key] == state[key] + by  # noqa: E731
    (from_x, from_y), (to_x, to_y) = bed.app.point(0.2, 0.2), bed.app.point(0.8, 0.8)
    return {
        "click": ("ax_click_at", point, more("pressed", 1)),
        "double click": ("ax_click_at", {**point, "click_type": "double"}, more("pressed", 2)),
        "triple click": ("ax_click_at", {**point, "click_type": "triple"}, more("pressed", 3)),
        "hover": ("ax_click_at", {**point, "click_type": "hover"}, lambda now: now["hovered"] > state["hovered"]),
        "right click": ("ax_click_at", {**point, "click_type": "right"}, more("right", 1)),
        "type": ("ax_type", {"text": "typed"}, lambda now: now["text"] == state["text"] + "typed"),
        "scroll": ("ax_scroll", {"direction": "down", "amount": 300}, lambda now: now["wheel"] > state["wheel"]),
        "key": ("ax_key_press", {"key": "k"}, lambda now: now["text"] == state["text"] + "k"),
        "key sequence": ("ax_click_at", point, lambda now: now["text"] == state["text"] + "xy"),
        "drag": ("ax_drag", {"from_x": from_x, "from_y": from_y, "to_x": to_x, "to_y": to_y}, more("pressed", 1)),
    }[action]


def judge(answer, happened, moved):
    """The outcome of a cell and the reason of a refusal; fails where handeye's report is false."""
    if moved:
        return "disturbs the user", "what changed: " + ", ".join(word.partition(":")[0] for word in moved)
    if answer.is_error:
        assert not happened, f"answered {answer.code}, yet it happened: {answer.text}"
        assert answer.code in REFUSALS, f"{answer.code}: {answer.text}"
        return "refused", reason_of(answer)
    if happened:
        return ("delivered", None) if answer.effect == "confirmed" else ("delivered, not confirmed", None)
    assert answer.effect != "confirmed", f"said confirmed, yet the application knows nothing of it: {answer.text}"
    return "no effect, said so", None


def run_cell(bed, toolkit, action, mode, wanted):
    """The outcome of a cell, the reason of a refusal, how much the user typed meanwhile, and what the answer reports."""
    for tries_left in (3, 2, 1, 0):
        answer, happened, moved, typed = try_cell(bed, toolkit, action, mode, wanted)
        if moved:
            bed.renew()
        # A busy application may be late, and may take up a drag when that is over already (docs/known-limits.md): neither says anything of the cell.
        lost = action.startswith("drag") and str(wanted).startswith("delivered")
        if moved or happened or not tries_left or not (answer.code in LATE or lost):
            break
    outcome, reason = judge(answer, happened, moved)
    said = f"{outcome}: {moved} {answer.text}"
    print(said)
    return outcome, reason, typed, said


def is_as_wanted(outcome, wanted):
    """Whether a cell is as the table has it. Whether handeye sees an effect in time depends on the load of the machine; whether it happens does not."""
    return outcome == wanted or (outcome.startswith("delivered") and str(wanted).startswith("delivered"))


def reason_of(answer):
    """A refusal's reason, without what differs from run to run."""
    message = answer.fields["error"]["message"]
    message = re.sub(r"\be\d+\b", "the element", message)
    message = re.sub(r"\s+", " ", message).replace("|", "/").strip()
    return re.sub(r"\bFixture [a-z0-9]+ \d+\b", "the window", message)


def try_cell(bed, toolkit, action, mode, wanted):
    """The answer of a cell's call, whether its effect came, what of the user's it moved, and how much the user typed meanwhile."""
    if action == "drag to another window":
        bed.open_other()
    bed.calm(action)
    tool, arguments, shows = {"libreoffice": office_cell, "xterm": xterm_cell}.get(toolkit, common_cell)(bed, action)
    known = bed.tools[tool].input_schema["properties"]
    arguments.update({name: value for name, value in (("mode", mode), ("app", bed.app.app)) if name in known})
    moved, typed, before = [], 0, bed.user.look()
    if mode == "background":
        bed.user.begin()
    answer = bed.client.call(tool, **arguments)
    for key in SEQUENCES.get(toolkit, "ctrl+a x y").split() if action == "key sequence" else []:
        answer = answer if answer.is_error else bed.client.call("ax_key_press", app=bed.app.app, key=key, mode=mode)
    if mode == "background":
        moved = differences(before, bed.user.look())
        typed, wrong = bed.user.end()
        moved += wrong + differences(before, bed.user.look(), ("modifiers_and_buttons", "keys"))
    # An effect that is expected may take its time on a busy machine; for one that is not, a while has to do.
    patience = 0.2 if answer.is_error else PATIENCE if str(wanted).startswith("delivered") and not action.startswith("drag") else 5
    try:
        happened = bool(wait_for("the effect", lambda: shows(bed.app.state()), patience))
    except AssertionError:
        happened = False
    return answer, happened, moved, typed

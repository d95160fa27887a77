"""Random actions on the fixture applications, each with what the application's own state must say after it."""

import dataclasses

SIZES = ("Small", "Medium", "Large")
COLOURS = ("Red", "Green", "Blue")
TABS = ("General", "Advanced")
WORDS = ("plain", "née", "漢字", "a & b", "x < y", "100 %")
# What an action may change beside its aim: the last key, the position of a list, what a focus-mode click on the way selects, and what the
# pointer is over. A drag moves over something, too.
ASIDE = {"chord", "scroll", "place", "hovered"}
ASIDE_OF_DRAGS = ASIDE | {"dragged_over"}


@dataclasses.dataclass(frozen=True)
class Action:
    """A call, the key of the state that it is about, and the value that this has afterwards."""

    tool: str
    arguments: dict
    key: str
    value: object
    # Whether the state is so already: then nothing has to happen, and no change may be confirmed.
    is_idle: bool = False

    # What it says of its value, where there is no single one: a place that is further down than before.
    reached: object = None
    # It leaves a menu open, as it is meant to.
    opens_menu: bool = False

    def has_happened(self, state):
        """Whether the application's own state is as it is to be."""
        return self.reached(state.get(self.key)) if self.reached else state.get(self.key) == self.value

    @property
    def aside(self):
        """The keys that it may change beside its own."""
        return ASIDE_OF_DRAGS if self.tool == "ax_drag" else ASIDE

    def __str__(self):
        return f"{self.tool} {self.arguments} (for {self.key} = {self.value!r})"


def draw(rng, state, mode, without=(), real="focus"):
    """One action that is possible in this state, `without` those of these names. Those of `REAL` are done in the mode `real`."""
    kinds = [_click] * 4 + [_toggle, _toggle, _radio, _size, _volume, _amount, _select, _text, _text, _tab, _dialog]
    if "double" in state:
        kinds += [_double, _context, _drag, _key, _scroll, _scroll]
    if state.get("dialog"):
        kinds += [_dialog] * 8
    kind = rng.choice([kind for kind in kinds if kind.__name__ not in without])
    action = kind(rng, state)
    if action.tool != "ax_set_value":
        action.arguments["mode"] = real if kind.__name__ in REAL else mode
    return action


def _click(_rng, state):
    return Action("ax_click", {"query": "role:button Count"}, "count", state["count"] + 1)


def _toggle(rng, state):
    key, query = rng.choice([("agree", "role:checkbox Agree"), ("bold", "Bold")])
    return Action("ax_click", {"query": query}, key, not state[key])


def _radio(rng, state):
    colour = rng.choice(COLOURS)
    return Action("ax_click", {"query": colour}, "colour", colour, is_idle=state["colour"] == colour)


def _size(rng, state):
    size = rng.choice(SIZES)
    return Action("ax_set_value", {"query": "Size", "value": size}, "size", size, is_idle=state["size"] == size)


def _volume(rng, state):
    value = rng.randrange(101)
    return Action("ax_set_value", {"query": "role:slider Volume", "value": str(value)}, "volume", value,
                  is_idle=state["volume"] == value)


def _amount(rng, state):
    value = rng.randrange(101)
    return Action("ax_set_value", {"query": "Amount", "value": str(value)}, "amount", value, is_idle=state["amount"] == value)


def _select(rng, state):
    row = f"Item {rng.randrange(1, 6)}"
    return Action("ax_click", {"query": row}, "selected", row, is_idle=state["selected"] == row)


def _text(rng, state):
    key, query = rng.choice([("name", "Name"), ("notes", "Notes")])
    text = f"{rng.choice(WORDS)} {rng.randrange(1000)}"
    tool = rng.choice(["ax_type", "ax_set_value"])
    if tool == "ax_set_value":
        return Action(tool, {"query": query, "value": text}, key, text, is_idle=state[key] == text)
    return Action(tool, {"query": query, "text": text, "clear_first": True}, key, text, is_idle=state[key] == text)


def _tab(rng, state):
    tab = rng.choice(TABS)
    return Action("ax_click", {"query": tab}, "tab", tab, is_idle=state["tab"] == tab)


def _dialog(_rng, state):
    if state.get("dialog"):
        return Action("ax_click", {"query": "Close About"}, "dialog", False)
    return Action("ax_click", {"query": "About"}, "dialog", True)


# What only a pointer or a keyboard does: the user's, or the agent's own.
REAL = ("_double", "_context", "_drag", "_key")


def _double(_rng, state):
    return Action("ax_click", {"query": "role:button Multi", "click_type": "double"}, "double", state["double"] + 1)


def _context(_rng, state):
    return Action("ax_click", {"query": "role:button Multi", "click_type": "right"}, "context",
                  state["context"] + 1, opens_menu=True)


def _drag(_rng, state):
    return Action("ax_drag", {"from_query": "Drag source", "to_query": "Drop target"},
                  "dropped", state["dropped"] + 1)


def _key(rng, state):
    shift = rng.random() < 0.5
    chord = "shift+f9" if shift else "f9"
    return Action("ax_key_press", {"key": "f9", "modifiers": ["shift"] if shift else []}, "chord", chord,
                  is_idle=state["chord"] == chord)


def _scroll(rng, state):
    direction, before = rng.choice(["down", "up"]), state["scroll"]
    if direction == "down":
        return Action("ax_scroll", {"query": "Items", "direction": direction, "amount": 60}, "scroll", f"more than {before}",
                      reached=lambda now: now > before)
    # At the top there is nothing that it could do.
    return Action("ax_scroll", {"query": "Items", "direction": direction, "amount": 60}, "scroll", f"less than {before}",
                  is_idle=before == 0, reached=lambda now: now < before or before == 0)

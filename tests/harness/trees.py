"""Every tree against an independent walk of the bus, and against the picture of the windows.

Missing: an element that shows, says its name and has a size, and whose name is not in handeye's outline.
Extra: a name in the outline that no element has, or only elements that say themselves that they do not show, and that is
no title of a window on the screen either.
Misnamed: a missing one and an extra one of the same parent, which resemble each other.
Unseen: a word that is read on the screen, that an element has, and that the outline does not have.
"""

import collections
import difflib
import os
import re
import subprocess

from support.session import Session

from . import applications
from .bus import walk
from .reading import ELEMENTS, running

# The outline cuts a longer name.
SHOWN = 60
# What of a long table of faults is kept.
KEPT = 12
# Read with less certainty a word may be another one.
CERTAIN = 85
LINE = re.compile(r'^\s*- (?P<role>[\w-]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?')
WORD = re.compile(r"^[A-Za-z]{4,}$")
# Controls that a person can distinguish from one another, by AT-SPI's names.
CONTROLS = {"push button", "button", "toggle button", "check box", "radio button", "menu", "menu item", "check menu item",
            "radio menu item", "page tab", "link", "combo box", "entry", "slider", "spin button"}
# What an outline leaves out on purpose.
FOLDED = {"scroll bar", "separator"}


def plain(name, toolkit=""):
    """A name as it can be compared: without what is laid out, masked or cut, and as a person would say it."""
    words = re.sub(r"[\s\u200b\ufffc\u200e\u200f\u2028\u2029]+", " ", name or "").strip()
    if toolkit == "GTK 4":
        # It falls back to the widget's type, calls all tabs and all bars of them the same, and says the label of a button twice.
        if re.fullmatch(r"([A-Z][a-z0-9]+){2,}", words) or words in ("Tab", "Tab list"):
            return ""
        half = words[:len(words) // 2]
        if words == f"{half} {half}":
            words = half
    return words[:SHOWN].rstrip()


def outline_names(text):
    """The names in an outline, with how often each occurs."""
    found = collections.Counter()
    for line in text.splitlines():
        match = LINE.match(line)
        if match and match["name"] is not None:
            found[plain(re.sub(r"\\(.)", lambda part: {"n": " ", "t": " "}.get(part[1], part[1]), match["name"]))] += 1
    return found


def may_show(element, toolkit, size):
    """Whether an element can be on the screen, judged by its own states alone. `size` is None for one without a place."""
    if toolkit == "GTK 4":
        # It says that its windows show and says of the rest only that it is visible, also of pages that are turned away from:
        # those have no size.
        return "visible" in element.states and (size is None or min(size) > 0)
    # A box of a page may have no height and show by what it holds; Firefox calls a button in a tab showing and not visible.
    return "showing" in element.states and "defunct" not in element.states


def shows(element, toolkit, known):
    """Whether an element shows, and all that it is in."""
    if element.key in known:
        return known[element.key]
    # GTK 4 says of its windows only that they show.
    states = {"visible"} if toolkit == "GTK 4" else {"visible", "showing"}
    own = element.depth < 1 or states <= element.states and "defunct" not in element.states
    known[element.key] = own and (element.parent is None or shows(element.parent, toolkit, known))
    return known[element.key]


def sizes(app, elements):
    """The extents of those that have any: key to (x, y, width, height)."""
    asked = {element.call("Component", "GetExtents", "u", (0,)): element.key for element in elements
             if "Component" in element.interfaces}
    return {asked[call]: reply.value for call, reply in app.bus.each(asked) if reply.error is None}


def seen_by_walk(app, form):
    """By the independent walk: the elements that show by their names, the names that may show, all names, whether it was cut.

    A name may show where the element says so and something that it is in does not: toolbars of wxWidgets are like that.
    """
    elements, cut = walk(app.bus, app.name, ELEMENTS[form])
    known, toolkit = {}, app.application.toolkit
    described = {call.path: plain(reply.value) for call, reply in app.bus.each(
        [element.get("Accessible", "Description") for element in elements]) if isinstance(reply.value, str)}
    named = [element for element in elements if element.depth and (element.name or described.get(element.path))]
    extents = sizes(app, named)
    # LibreOffice keeps a menu bar of its own behind the one that GTK draws.
    twice = {"menu", "menu item"} if toolkit == "LibreOffice" else ()
    showing, counted, may = {}, collections.Counter(), {plain(element.name) for element in elements[:1]}
    for element in named:
        size = extents[element.key][2:] if element.key in extents else None
        if may_show(element, toolkit, size):
            may |= {plain(element.name), plain(element.name, toolkit), described.get(element.path, "")}
        name = plain(element.name, toolkit)
        if name and element.role not in FOLDED and min(size or (1,)) > 0 and shows(element, toolkit, known):
            showing.setdefault(name, []).append(element)
            if element.role in CONTROLS and element.role not in twice:
                counted[name] += 1
    return showing, may, {plain(element.name) for element in named}, cut, counted


def texts(app, form):
    """What the elements that may show say, as one text: where a word of the screen may come from."""
    elements, _ = walk(app.bus, app.name, ELEMENTS[form])
    extents = sizes(app, elements)
    elements = [element for element in elements if min(extents.get(element.key, (0, 0, 0, 0))[2:]) > 0
                and may_show(element, app.application.toolkit, None)]
    asked = [element.call("Text", "GetText", "ii", (0, 400)) for element in elements if "Text" in element.interfaces]
    values = [reply.value for _, reply in app.bus.each(asked) if isinstance(reply.value, str)]
    # The outline cuts what is longer.
    return " ".join(text[:SHOWN - 15] for text in [element.name or "" for element in elements] + values)


def words_on_screen(app):
    """What tesseract reads in the windows of the application."""
    found = set()
    for window, process, _title in app.desktop.windows():
        if process != app.process:
            continue
        picture = app.desktop.path(f"window-{window}.png")
        app.desktop.run(["import", "-window", str(window), "-silent", picture], check=False)
        if not os.path.exists(picture):
            continue
        large = app.desktop.path(f"window-{window}-large.png")
        app.desktop.run(["convert", picture, "-colorspace", "Gray", "-resize", "250%", large])
        table = subprocess.run(["tesseract", large, "-", "--psm", "11", "tsv"], capture_output=True, text=True, check=False,
                               timeout=180, env={**app.desktop.env, "OMP_THREAD_LIMIT": "1"}).stdout
        for line in table.splitlines()[1:]:
            *_, certainty, word = line.split("\t")
            if float(certainty) >= CERTAIN and WORD.match(word.strip()):
                found.add(word.strip())
    return found


def judge(app, form):
    """The row of an application."""
    row = {"application": app.application.name, "toolkit": app.application.toolkit, "faults": []}
    before, may_before, names_before, cut, counted = seen_by_walk(app, form)
    session = Session(app.desktop.env, log=app.desktop.path("server.log"))
    try:
        answer = session.call("ax_get_tree", timeout=120, app=str(app.process), max_depth=60)
        whole = session.call("ax_get_tree", timeout=120, app=str(app.process), max_depth=60, include_invisible=True)
    finally:
        session.close()
    if answer.is_error:
        row["faults"].append(f"no tree: {answer.text[:300]}")
        return row
    words = words_on_screen(app) if app.application.pictured else set()
    known_words = texts(app, form)
    after, may_after, names_after, _, counted_after = seen_by_walk(app, form)
    outline, text = outline_names(answer.text), plain_text(answer.text)
    missing = [name for name in before if name in after and name not in outline and name not in text]
    fewer = [name for name in before if name in after and name in outline and len(name) > 1 and
             min(counted[name], counted_after[name]) > outline[name]]
    hidden_too = {name for name in (*names_before, *names_after)}
    shown = may_before | may_after
    titles = {title for _, process, title in app.desktop.windows() if process == app.process}
    extra = [name for name in outline if name and name not in shown | titles and
             not any(resembles(name, other) for other in shown)]
    if cut:
        # Of what was not walked nothing is known.
        extra = []
    misnamed = []
    for name in list(extra):
        twin = next((other for other in missing if difflib.SequenceMatcher(None, name, other).ratio() > 0.6), None)
        if twin:
            misnamed.append(f"{name!r} is {twin!r}")
            extra.remove(name)
            missing.remove(twin)
    unseen = sorted(word for word in words if re.search(rf"\b{word}\b", known_words) and
                    not re.search(rf"\b{word}\b", text))
    row.update(elements=len(before), cut=cut, listed=answer.fields.get("shown"), omitted=answer.fields.get("omitted"),
               with_hidden=whole.fields.get("shown"), missing=kept(missing), fewer=kept(fewer),
               extra=kept([name if name not in hidden_too else f"{name} (hidden)" for name in extra]),
               misnamed=kept(misnamed), words=len(words), unseen=kept(unseen),
               read=sum(1 for word in words if re.search(rf"\b{word}\b", text)))
    for what in ("missing", "fewer", "extra", "misnamed", "unseen"):
        count, listed = row[what]
        if count:
            row["faults"].append(f"{count} {what}: {'; '.join(listed)}")
    return row


def resembles(name, other):
    """Whether one is the other as an outline shows it: a label that is repeated, a mnemonic, one that is cut."""
    return other == f"{name} {name}" or (len(name) >= SHOWN - 3 and other.startswith(name[:SHOWN - 4])) \
        or name.rstrip("…") and name.endswith("…") and other.startswith(name.rstrip("…").rstrip())


def plain_text(outline):
    """An outline as one text, laid out as names are compared."""
    return re.sub(r"\s+", " ", re.sub(r"\\n|\\t", " ", outline).replace('\\"', '"').replace("\\\\", "\\"))


def kept(found):
    """How many, and the first of them."""
    return len(found), [str(one)[:70] for one in found[:KEPT]]


def run(form, rng, application):
    """A shard: one application by its name."""
    del rng  # nothing here is random
    with running(next(known for known in applications.ALL if known.name == application)) as app:
        return judge(app, form)

"""The calls that handeye sends to read an application, each with arguments that it could send.

The list in the product is closed, and its table in the documentation is compared with this one: a call that is new there, or that
went, fails here until it is known here too.
"""

import re

from support import REPOSITORY

from .bus import PREFIX

# Coordinates relative to the screen, the only ones that handeye uses.
SCREEN = 0
# As many characters of a text as one read asks for at most.
MAX_TEXT = 4000

PROPERTIES = (
    ("Accessible", "Name"), ("Accessible", "Description"), ("Accessible", "ChildCount"), ("Accessible", "AccessibleId"),
    ("Accessible", "Parent"),
    ("Value", "CurrentValue"), ("Value", "MinimumValue"), ("Value", "MaximumValue"), ("Value", "MinimumIncrement"),
    ("Text", "CharacterCount"), ("Text", "CaretOffset"),
)
# Of the application's own element only.
ROOT_PROPERTIES = (("Application", "ToolkitName"), ("Application", "Version"))
METHODS = (
    ("Accessible", "GetState", "", lambda element: ()),
    ("Accessible", "GetRole", "", lambda element: ()),
    ("Accessible", "GetInterfaces", "", lambda element: ()),
    ("Accessible", "GetAttributes", "", lambda element: ()),
    ("Accessible", "GetIndexInParent", "", lambda element: ()),
    ("Accessible", "GetRelationSet", "", lambda element: ()),
    ("Action", "GetActions", "", lambda element: ()),
    ("Action", "GetName", "i", lambda element: (0,)),
    ("Component", "GetExtents", "u", lambda element: (SCREEN,)),
    ("Selection", "GetSelectedChild", "i", lambda element: (0,)),
    ("Text", "GetText", "ii", lambda element: (0, 1)),
)
# Sent only to elements that say that they have the children, or to containers.
OTHERS = (("Accessible", "GetChildren"), ("Accessible", "GetChildAtIndex"), ("Component", "GetAccessibleAtPoint"),
          ("Table", "GetAccessibleAt"), ("Table", "GetRowAtIndex"), ("Table", "GetColumnAtIndex"),
          ("Application", "GetApplicationBusAddress"), ("Cache", "GetItems"))
ALL = frozenset([*PROPERTIES, *ROOT_PROPERTIES, *OTHERS, *((interface, member) for interface, member, _, _ in METHODS)])
# A list longer than this is never asked for as a whole.
MAX_CHILDREN = 1000


def of(element, has_id=True):
    """Every call about one element. Single properties are asked for of elements that do not offer the interface too: one
    that has lost it meanwhile is asked like that."""
    for interface, member in PROPERTIES:
        if member != "AccessibleId" or has_id:
            yield element.get(interface, member)
    for interface, member, signature, arguments in METHODS:
        if interface == "Accessible" or interface in element.interfaces:
            yield element.call(interface, member, signature, arguments(element))
    if element.children:
        if element.children <= MAX_CHILDREN:
            yield element.call("Accessible", "GetChildren")
        for index in {0, element.children - 1}:
            yield element.call("Accessible", "GetChildAtIndex", "i", (index,))
    if "Table" in element.interfaces and element.children:
        yield element.call("Table", "GetAccessibleAt", "ii", (0, 0))
        for index in {0, element.children - 1}:
            yield element.call("Table", "GetRowAtIndex", "i", (index,))
            yield element.call("Table", "GetColumnAtIndex", "i", (index,))
    if element.parent is None:
        for interface, member in ROOT_PROPERTIES:
            yield element.get(interface, member)
        yield element.call("Application", "GetApplicationBusAddress")


def after(call, reply, element):
    """What handeye asks once it has an answer: the text of a text, what lies at a point of an area."""
    if reply.error is not None:
        return
    if call.member == "CharacterCount" and isinstance(reply.value, int) and reply.value > 0:
        yield element.call("Text", "GetText", "ii", (0, min(reply.value, MAX_TEXT)))
    if call.member == "GetExtents" and element.children:
        x, y, width, height = reply.value
        if width > 0 and height > 0 and x > -100_000 and y > -100_000:
            for point in ((x + width // 2, y + height // 2), (x + 8, y + 8), (x + width - 8, y + height - 8)):
                yield element.call("Component", "GetAccessibleAtPoint", "iiu", (*point, SCREEN))


def documented():
    """The calls in the product's own table, or None before there is one."""
    page = REPOSITORY / "docs/reference/read-calls.md"
    if not page.exists():
        return None
    rows = re.findall(r"^\| `([\w.]+)` \| (?:method|property) \| `(\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 20, f"{page} has {len(rows)} rows that can be read"
    return frozenset((interface.removeprefix(PREFIX), member) for interface, member in rows if interface.startswith(PREFIX))


def check_documented():
    """Fails where the product reads by a call that is not known here, or no longer by one that is."""
    listed = documented()
    assert listed in (None, ALL), f"docs/reference/read-calls.md and tests/harness/calls.py differ in {sorted(listed ^ ALL)}"

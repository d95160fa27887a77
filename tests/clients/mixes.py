"""What a client makes of answers of every kind: the cells of its column in the second table of `docs/clients.md`."""

import re

from support.provider import size

from . import compare, probe

ROWS = {"text_fields": "text, fields", "fields": "fields alone", "text_picture": "text, picture",
        "text_fields_picture": "text, fields, picture", "error_text_fields": "error: text, fields", "error_fields": "error: fields alone",
        "texts": "two texts", "link": "text, link to a resource", "embedded": "text in a resource", "large_picture": "picture of 2560x1600"}
LONGEST = "longest text, in characters"


def column(kind, talk):
    """All cells of a client, by the names of the rows."""
    return {"client": f"{kind.name} {talk.version}", **{title: _cell(kind, talk, name) for name, title in ROWS.items()},
            LONGEST: _longest(talk)}


def _cell(kind, talk, name):
    received = talk.play.received.get(name)
    if not received:
        return "no answer"
    if name == "texts":
        return _texts(kind.unwrap(received.texts))
    if name == "large_picture":
        return _large(received)
    told = received.text + str(received.others)
    marks = {"text": probe.TEXT, "fields": probe.FIELDS["marker"], "link": "probe://linked", "resource": "The resource of it."}
    parts = [part for part, mark in marks.items() if mark in told]
    if received.pictures:
        parts.append("picture")
    elif "picture" in name and "iVBORw0KGgo" in told:
        parts.append("picture as text")
    return ", ".join(parts) or "**nothing**"


def _texts(texts):
    if len(texts) > 1:
        return "two"
    between = re.search(r"First block\.(.*)Second block\.", texts[0], re.DOTALL) if texts else None
    if not between:
        return "**lost**"
    return {"": "**joined without a separator**", "\n": "joined by a newline", "\n\n": "joined by an empty line"}.get(
        between.group(1), f"joined by `{between.group(1).strip()}`")


def _large(received):
    if not received.pictures:
        return "**as text**" if "iVBORw0KGgo" in received.text else "**lost**"
    shown = size(received.pictures[0][1])
    if compare.encoded(received.pictures[0])[1] == probe.picture(*probe.LARGE)["data"]:
        return "unchanged"
    said = "and says so" if any("2560" in text for text in received.texts) else "**and does not say so**"
    return f"{'changed' if shown == probe.LARGE else 'scaled to ' + 'x'.join(map(str, shown))}, {said}"


def _longest(talk):
    whole = []
    for thousands in probe.LENGTHS:
        received = talk.play.received.get(f"long_{thousands}")
        # Some hand on JSON, where a line ends otherwise.
        if received and all(line in received.text for line in probe.long(thousands).splitlines()):
            whole.append(thousands)
    if not whole:
        return "**none**"
    if whole[-1] == probe.LENGTHS[-1]:
        return f"over {whole[-1]},000"
    return f"{whole[-1]},000, not {probe.LENGTHS[probe.LENGTHS.index(whole[-1]) + 1]},000"

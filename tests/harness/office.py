"""Random actions on LibreOffice Writer, judged by what the document says over UNO."""

from .actions import Action

PARAGRAPHS = range(1, 6)


def state(writer):
    """What these actions change: the first paragraphs, the marks, and how many paragraphs there are."""
    told = writer.content()
    lines = told["text"].split("\n")
    return {**{f"paragraph {number}": lines[number - 1] for number in PARAGRAPHS}, "marks": told["formatting_marks"],
            "length": len(lines)}


def draw(rng, now, mode, without=(), real="focus"):
    """One action that is possible in this state."""
    del without, real
    kind = rng.randrange(3)
    number = rng.choice(PARAGRAPHS)
    key, query = f"paragraph {number}", f"//document//paragraph[{number}]"
    text = f"Written {rng.randrange(10_000)} née 漢字"
    if kind == 0:
        return Action("ax_set_value", {"query": query, "value": text}, key, text)
    if kind == 1:
        return Action("ax_type", {"query": query, "text": text, "clear_first": True, "mode": "background"}, key, text)
    return Action("ax_click", {"query": "role:button Formatting Marks", "mode": mode}, "marks", not now["marks"])

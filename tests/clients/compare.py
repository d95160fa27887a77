"""Compares what a model got with what the server sent, and both with what another client got on another desktop."""

import base64
import re

_NAME = re.compile(r"page-[\dTZ-]+\.(png|jpg)")
_TIME = re.compile(r"\b\d+ ms\b")


def lines(texts, names):
    """The lines of an answer without what differs from scene to scene and from moment to moment."""
    text = "\n".join(texts)
    for name, meaning in names.items():
        text = re.sub(rf"(?<!\d){re.escape(name)}(?!\d)", meaning, text)
    text = _TIME.sub("<time>", _NAME.sub("<name>", text))
    return [line.strip() for line in text.splitlines() if line.strip()]


def sent(result):
    """What the server sent as texts and as pictures (kind, base64)."""
    content = result["content"]
    return ([part["text"] for part in content if part["type"] == "text"],
            [(part["mimeType"], part["data"]) for part in content if part["type"] == "image"])


def missing(wanted, found):
    """The lines that are wanted and not found, in their order: the message of a failure."""
    rest = list(found)
    gone = []
    for line in wanted:
        if line in rest:
            rest.remove(line)
        else:
            gone.append(line)
    return gone


def encoded(picture):
    """A picture that a model got, as `sent` has it."""
    kind, data = picture
    return kind, base64.b64encode(data).decode()

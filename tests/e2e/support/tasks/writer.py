"""The tasks of LibreOffice Writer."""

from . import Task, odf, office

_LINES = ["Minutes of the meeting", "The colour of the cover is red. Colour matters.", "Next colour: blue"]


def _start(desktop, folder):
    odf.write_text(folder / "minutes.odt", _LINES)
    return office.start(desktop, folder / "minutes.odt", "writer")


def _is_heading(folder):
    (first, text), *rest = odf.paragraphs(folder / "minutes.odt")
    assert (first.tag, text) == (odf.name("text:h"), _LINES[0]), (first.tag, text)
    assert first.get(odf.name("text:outline-level")) == "1", first.attrib
    assert [(each.tag, line) for each, line in rest] == [(odf.name("text:p"), line) for line in _LINES[1:]], rest


TASKS = [
    Task("format-a-heading", "LibreOffice Writer", _start, _is_heading),
]

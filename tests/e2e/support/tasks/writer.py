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


def _is_replaced(folder):
    lines = [line for _, line in odf.paragraphs(folder / "minutes.odt")]
    assert lines == [_LINES[0], "The color of the cover is red. color matters.", "Next color: blue"], lines


def _has_table(folder):
    tables = list(odf.body(folder / "minutes.odt").iter(odf.name("table:table")))
    assert len(tables) == 1, tables
    rows = list(tables[0].iter(odf.name("table:table-row")))
    assert [len(list(row.iter(odf.name("table:table-cell")))) for row in rows] == [3, 3], rows
    lines = [line for _, line in odf.paragraphs(folder / "minutes.odt") if line]
    assert lines == _LINES, lines


def _is_pdf(folder):
    data = (folder / "minutes.pdf").read_bytes() if (folder / "minutes.pdf").exists() else b""
    assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF"), data[:20]
    assert data.count(b"/Type/Page/") + data.count(b"/Type/Page\n") + data.count(b"/Type /Page\n") >= 1, "no page"


TASKS = [
    Task("format-a-heading", "LibreOffice Writer", _start, _is_heading, is_recordable=True),
    Task("replace-a-word", "LibreOffice Writer", _start, _is_replaced, is_recordable=True),
    Task("insert-a-table", "LibreOffice Writer", _start, _has_table, is_recordable=True),
    Task("export-as-pdf", "LibreOffice Writer", _start, _is_pdf, is_recordable=True),
]

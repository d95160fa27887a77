"""The tasks of LibreOffice Calc."""

from . import Task, browsers, odf, office

_ROWS = [["Item", "Price"], ["Pear", 3], ["Apple", 7], ["Fig", 5]]
_TEXTS = [[str(value) for value in row] for row in _ROWS]


def _start(desktop, folder):
    odf.write_sheet(folder / "prices.ods", _ROWS)
    return office.start(desktop, folder / "prices.ods", "calc")


class _Both:
    """Calc with an empty sheet, and a browser with a table."""

    def __init__(self, desktop, folder):
        self._browser = browsers.Firefox(desktop, folder)
        odf.write_sheet(folder / "copied.ods", [])
        self._calc = office.start(desktop, folder / "copied.ods", "calc")
        self.window, self.process, self.app = self._calc.window, self._calc.process, self._calc.app

    def stop(self):
        """Ends both."""
        self._calc.stop()
        self._browser.stop()


def _is_summed(folder):
    rows = odf.cells(folder / "prices.ods")
    assert [[text for _, text in row] for row in rows] == [*_TEXTS, ["", "15"]], rows
    assert rows[-1][1][0].get(odf.name("table:formula")) == "of:=SUM([.B2:.B4])", rows[-1][1][0].attrib


def _is_sorted(folder):
    assert odf.texts(folder / "prices.ods") == [_TEXTS[0], *sorted(_TEXTS[1:])], odf.texts(folder / "prices.ods")


def _is_bold(folder):
    path = folder / "prices.ods"
    weights = [[odf.style(path, cell, "table").get("font-weight") for cell, _ in row] for row in odf.cells(path)]
    assert weights == [[None, "bold"], [None, None], [None, None], [None, None]], weights


def _is_csv(folder):
    path = folder / "prices.csv"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    assert text.splitlines() == [",".join(row) for row in _TEXTS], text


def _is_copied(folder):
    texts = odf.texts(folder / "copied.ods")
    assert [row for row in texts if row in ([*browsers.TABLE])] == browsers.TABLE, texts


TASKS = [
    Task("sum-a-column", "LibreOffice Calc", _start, _is_summed, is_recordable=True),
    Task("sort-by-a-column", "LibreOffice Calc", _start, _is_sorted, is_recordable=True),
    Task("format-a-cell", "LibreOffice Calc", _start, _is_bold, is_recordable=True),
    Task("export-as-csv", "LibreOffice Calc", _start, _is_csv, is_recordable=True),
    Task("copy-a-table-from-firefox", "LibreOffice Calc", _Both, _is_copied, is_recordable=True),
]

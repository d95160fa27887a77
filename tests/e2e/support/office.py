"""LibreOffice Writer with a document made here. Its own state is asked over UNO, LibreOffice's own interface."""

import itertools
import random

from . import PATIENCE, wait_for, witness
from .applications import Application

_numbers = itertools.count(1)
_PARAGRAPHS = 80
# Enough words that the middle of a line is on one.
_FILLING = "has words enough that a click into the middle of its line hits one of them"
_DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
  <office:body><office:text>{paragraphs}</office:text></office:body>
</office:document>
"""
_CELL = '<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
_SHEET = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
    office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
  <office:body><office:spreadsheet><table:table table:name="Orders">{rows}</table:table></office:spreadsheet></office:body>
</office:document>
"""


class Office(Application):
    """A window of LibreOffice: `kind` is `writer` or `calc`, `ending` that of the document, which has `content`."""

    def __init__(self, desktop, kind, ending, content):
        number = next(_numbers)
        document = desktop.path(f"fixture-{number}.{ending}")
        with open(document, "w", encoding="utf-8") as file:
            file.write(content)
        self._pipe = f"handeye-e2e-{id(self)}-{number}"
        super().__init__(desktop, [
            "soffice", "--norestore", "--nologo", "--nofirststartwizard", f"--{kind}",
            f"-env:UserInstallation=file://{desktop.path(f'office-{number}')}",
            f"--accept=pipe,name={self._pipe};urp;", document,
        ], f"fixture-{number}.{ending}", {"SAL_USE_VCLPLUGIN": "gtk3"})
        self._document = wait_for("LibreOffice to take a UNO connection", self._connect, every=0.2)

    def _connect(self):
        import uno  # Debian's, for Debian's own Python only
        from com.sun.star.connection import NoConnectException
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        try:
            remote = resolver.resolve(f"uno:pipe,name={self._pipe};urp;StarOffice.ComponentContext")
        except NoConnectException:
            return None
        desktop = remote.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", remote)
        return desktop.getCurrentComponent()


class Writer(Office):
    """A Writer window."""

    def __init__(self, desktop):
        lines = (f"<text:p>Paragraph {line} {_FILLING}</text:p>" for line in range(1, _PARAGRAPHS + 1))
        super().__init__(desktop, "writer", "fodt", _DOCUMENT.format(paragraphs="".join(lines)))

    def state(self):
        """What the document and its view are like."""
        # First, because asking for the cursor brings the view back to it.
        scrolled = self._scrolled()
        controller = self._document.CurrentController
        cursor = controller.ViewCursor
        return {
            "text": self._document.Text.String,
            "selection": cursor.String,
            "bold": cursor.CharWeight > 100,
            "pages": controller.PageCount,
            "popups": len(self.desktop.run(["xdotool", "search", "--onlyvisible", "--pid", str(self.process)],
                                           check=False).split()),
            "scroll": scrolled,
            "formatting_marks": controller.ViewSettings.ShowNonprintingCharacters,
        }

    def content(self):
        """The part of its state that the document alone has, at once."""
        return {"text": self._document.Text.String,
                "formatting_marks": self._document.CurrentController.ViewSettings.ShowNonprintingCharacters}

    def rest(self):
        """Puts back the first paragraph and the cursor to the start, and waits until the view has followed."""
        self._do_write(0, f"Paragraph 1 {_FILLING}")
        self._document.CurrentController.ViewCursor.gotoStart(False)
        wait_for("the view to be at the start", lambda: self._scrolled() == 0)

    def _scrolled(self):
        return witness.value(self.desktop, self.process, "scroll bar", "Vertical scroll bar")

    def wait(self, key, value, timeout=PATIENCE):
        """Waits until its own state says so."""
        wait_for(f"{self.title}: {key} = {value!r} (is {self.state().get(key)!r})",
                 lambda: self.state().get(key) == value, timeout)

    def command(self, **command):
        """Has another party, a UNO client, change the document or its window."""
        getattr(self, f"_do_{command.pop('do')}")(**command)

    def _paragraph(self, index):
        paragraphs = self._document.Text.createEnumeration()
        listed = []
        while paragraphs.hasMoreElements():
            listed.append(paragraphs.nextElement())
        return listed[index % len(listed)], len(listed)

    def _do_write(self, index, text):
        self._paragraph(index)[0].setString(text)

    def _do_append(self, text):
        body = self._document.Text
        body.insertString(body.End, f"\n{text}", False)

    def _do_remove(self, index):
        paragraph, count = self._paragraph(index)
        if count > 2:
            self._document.Text.removeTextContent(paragraph)

    def _do_style(self, index, name):
        self._paragraph(index)[0].ParaStyleName = name

    def _do_marks(self, on):
        self._document.CurrentController.ViewSettings.ShowNonprintingCharacters = on

    def _do_ruler(self, on):
        self._document.CurrentController.ViewSettings.ShowHoriRuler = on

    def _do_page(self, number):
        self._document.CurrentController.ViewCursor.jumpToPage(number)

    def _do_toolbar(self, name, on):
        layout = self._document.CurrentController.Frame.LayoutManager
        (layout.showElement if on else layout.hideElement)(f"private:resource/toolbar/{name}")


class Calc(Office):
    """A Calc window with a sheet of some rows."""

    def __init__(self, desktop, rows):
        content = _SHEET.format(rows="".join(
            f"<table:table-row>{''.join(_CELL.format(text=text) for text in row)}</table:table-row>" for row in rows))
        super().__init__(desktop, "calc", "fods", content)

    def write(self, column, row, text):
        """Has another party, a UNO client, write into a cell."""
        self._document.Sheets.getByIndex(0).getCellByPosition(column, row).String = text

    def wait_for_selection(self, column, row):
        """Waits until this cell is the one that is selected."""
        def is_selected():
            address = self._document.CurrentSelection.CellAddress
            return (address.Column, address.Row) == (column, row)
        wait_for(f"the cell at {column}, {row} to be selected", is_selected)

    def read(self, column, row):
        """What a cell contains."""
        return self._document.Sheets.getByIndex(0).getCellByPosition(column, row).String


def random_actions(seed):
    """An endless, replayable stream of commands for Writer."""
    pick = random.Random(seed)
    for number in itertools.count(1):
        index, text = pick.randrange(1000), f"Written {number} {pick.choice(['plain', 'née', '漢字', '😀'])}"
        yield pick.choice([
            {"do": "write", "index": index, "text": text},
            {"do": "write", "index": pick.randrange(10), "text": text},
            {"do": "append", "text": text},
            {"do": "remove", "index": index},
            {"do": "style", "index": pick.randrange(10), "name": pick.choice(["Heading 1", "Text body", "Standard"])},
            {"do": "marks", "on": pick.random() < 0.5},
            {"do": "ruler", "on": pick.random() < 0.5},
            {"do": "page", "number": pick.randrange(1, 4)},
            {"do": "toolbar", "name": pick.choice(["drawbar", "textobjectbar", "findbar"]), "on": pick.random() < 0.5},
        ])

"""LibreOffice Writer with a document made here. Its own state is asked over UNO, LibreOffice's own interface."""

import itertools

from . import wait_for, witness
from .applications import Application

_numbers = itertools.count(1)
_PARAGRAPHS = 80
_DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
  <office:body><office:text>{paragraphs}</office:text></office:body>
</office:document>
"""


class Writer(Application):
    """A Writer window."""

    def __init__(self, desktop):
        number = next(_numbers)
        document = desktop.path(f"fixture-{number}.fodt")
        with open(document, "w", encoding="utf-8") as file:
            lines = (f"<text:p>Paragraph {line}</text:p>" for line in range(1, _PARAGRAPHS + 1))
            file.write(_DOCUMENT.format(paragraphs="".join(lines)))
        self._pipe = f"handeye-e2e-{id(self)}-{number}"
        super().__init__(desktop, [
            "soffice", "--norestore", "--nologo", "--nofirststartwizard", "--writer",
            f"-env:UserInstallation=file://{desktop.path(f'office-{number}')}",
            f"--accept=pipe,name={self._pipe};urp;", document,
        ], f"fixture-{number}.fodt", {"SAL_USE_VCLPLUGIN": "gtk3"}, window_timeout=90)
        self._document = wait_for("LibreOffice to take a UNO connection", self._connect, 30, 0.2)

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

    def state(self):
        """What the document and its view are like."""
        controller = self._document.CurrentController
        cursor = controller.ViewCursor
        return {
            "text": self._document.Text.String,
            "selection": cursor.String,
            "bold": cursor.CharWeight > 100,
            "pages": controller.PageCount,
            "popups": len(self.desktop.run(["xdotool", "search", "--onlyvisible", "--pid", str(self.process)],
                                           check=False).split()),
            "scroll": witness.value(self.desktop, self.process, "scroll bar", "Vertical scroll bar"),
            "formatting_marks": controller.ViewSettings.ShowNonprintingCharacters,
        }

    def wait(self, key, value, timeout=5):
        """Waits until its own state says so."""
        wait_for(f"{self.title}: {key} = {value!r} (is {self.state().get(key)!r})",
                 lambda: self.state().get(key) == value, timeout)

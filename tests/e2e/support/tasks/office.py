"""LibreOffice on a document of a task, as somebody has it who uses it every day: without first questions."""

import itertools
import os

from .. import wait_for, witness
from ..applications import Application

_numbers = itertools.count(1)


def start(desktop, document, component):
    """Opens a document; `component` is `writer` or `calc`."""
    profile = document.parent / f"profile-{next(_numbers)}"
    os.makedirs(profile)
    app = Application(desktop, [
        "soffice", "--norestore", "--nologo", "--nofirststartwizard", f"--{component}", f"-env:UserInstallation=file://{profile}",
        str(document)], document.name, {"SAL_USE_VCLPLUGIN": "gtk3"})
    # It answers nothing for some seconds after its window is there.
    wait_for(f"{app.title} to answer", lambda: witness.children(desktop, app.process, "tool bar", "Standard"))
    return app

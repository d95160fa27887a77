"""The tasks of GNOME Text Editor (GTK 4)."""

from ..applications import Application
from . import Task, witnesses


def _start(desktop, folder):
    document = folder / "list.txt"
    document.write_text("milk\nbread\n", encoding="utf-8")
    return Application(desktop, ["gnome-text-editor", "--standalone", str(document)], "list.txt")


def _is_saved(folder):
    witnesses.file_is(folder / "list.txt", "milk\nbread\nbutter\n")


TASKS = [
    Task("write-and-save", "GNOME Text Editor", _start, _is_saved, is_recordable=True, has_folder_in_title=True),
]

"""The tasks of Mousepad (GTK 3)."""

from ..applications import Application
from . import Task, witnesses

_TEXT = "the cat sat  \nThe Cat, category\t\nno cat\n"


def _start(desktop, folder):
    document = folder / "note.txt"
    document.write_text(_TEXT, encoding="utf-8")
    return Application(desktop, ["mousepad", "--disable-server", str(document)], "note.txt")


def _is_replaced(folder):
    witnesses.file_is(folder / "note.txt", "the dog sat  \nThe Cat, category\t\nno dog\n")


def _is_saved_as(folder):
    witnesses.file_is(folder / "clean.txt", "the cat sat\nThe Cat, category\nno cat\n")
    witnesses.file_is(folder / "note.txt", _TEXT)


def _is_without_tabs(folder):
    text = (folder / "note.txt").read_text(encoding="utf-8")
    assert "\t" not in text and text.split() == _TEXT.split(), repr(text)


TASKS = [
    Task("turn-tabs-into-spaces", "Mousepad", _start, _is_without_tabs, is_recordable=True),
    Task("replace-whole-words", "Mousepad", _start, _is_replaced, {"old": "cat", "new": "dog"}, is_recordable=True),
    Task("strip-spaces-and-save-as", "Mousepad", _start, _is_saved_as, is_recordable=True),
]

"""The tasks of KWrite (Qt 5)."""

from ..applications import Application
from . import Task, witnesses

_TEXT = "2024-05-17 meeting\n2024-06-01 holiday\nno date\n"


def _start(desktop, folder):
    document = folder / "dates.txt"
    document.write_text(_TEXT, encoding="utf-8")
    return Application(desktop, ["kwrite", str(document)], "dates.txt", {"XDG_CONFIG_HOME": str(folder / "settings")})


def _is_uppercase(folder):
    witnesses.file_is(folder / "dates.txt", _TEXT.upper())


def _has_line_ends(folder):
    witnesses.file_is(folder / "dates.txt", _TEXT.replace("\n", "\r\n"))


def _is_rewritten(folder):
    witnesses.file_is(folder / "dates.txt", "17.05.2024 meeting\n01.06.2024 holiday\nno date\n")


TASKS = [
    Task("replace-by-a-pattern", "KWrite", _start, _is_rewritten, is_recordable=True),
    Task("make-all-uppercase", "KWrite", _start, _is_uppercase, is_recordable=True),
    Task("save-with-windows-line-ends", "KWrite", _start, _has_line_ends, is_recordable=True),
]

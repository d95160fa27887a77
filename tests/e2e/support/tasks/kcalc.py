"""The tasks of KCalc (Qt 5)."""

from ..applications import Application
from . import Task, witnesses


def _start(desktop, folder):
    witnesses.remember(desktop, folder)
    return Application(desktop, ["kcalc"], "KCalc")


def _is_copied(folder):
    copied = witnesses.ask(folder, "xclip", "-o", "-selection", "clipboard")
    assert copied == "108", f"the clipboard holds {copied!r}"


TASKS = [
    Task("multiply-and-copy", "KCalc", _start, _is_copied, is_recordable=True),
]

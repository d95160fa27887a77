"""The tasks of Thunar (GTK 3)."""

from ..applications import Application
from . import Task


def _start(desktop, folder):
    pictures = folder / "pictures"
    pictures.mkdir()
    for number in (1, 2, 3):
        (pictures / f"IMG_{number}.txt").write_text(f"{number}\n", encoding="utf-8")
    return Application(desktop, ["thunar", str(pictures)], "pictures")


def _is_made(folder):
    assert (folder / "pictures/Archive").is_dir(), sorted(each.name for each in (folder / "pictures").iterdir())


TASKS = [
    Task("make-a-folder", "Thunar", _start, _is_made),
]

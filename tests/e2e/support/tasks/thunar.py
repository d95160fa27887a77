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


def _names(folder):
    return sorted(each.name for each in (folder / "pictures").iterdir())


def _is_renamed(folder):
    assert _names(folder) == ["IMG_1.txt", "IMG_3.txt", "holiday.txt"], _names(folder)
    assert (folder / "pictures/holiday.txt").read_text(encoding="utf-8") == "2\n"


def _is_duplicated(folder):
    names = _names(folder)
    added = [name for name in names if not name.startswith("IMG_") or "copy" in name]
    assert len(names) == 4 and len(added) == 1, names
    assert (folder / "pictures" / added[0]).read_text(encoding="utf-8") == "1\n"


TASKS = [
    Task("make-a-folder", "Thunar", _start, _is_made, is_recordable=True),
    Task("rename-a-file", "Thunar", _start, _is_renamed, is_recordable=True),
    Task("duplicate-a-file", "Thunar", _start, _is_duplicated, is_recordable=True),
]

"""What other programs of the desktop of a task report: settings and the clipboard."""

import json
import subprocess

_KEPT = "desktop.json"


def remember(desktop, folder):
    """Keeps how the desktop of this run is reached, for its judge."""
    (folder / _KEPT).write_text(json.dumps(desktop.env), encoding="utf-8")


def ask(folder, *words):
    """What a program prints on the desktop of this run."""
    env = json.loads((folder / _KEPT).read_text(encoding="utf-8"))
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=20, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


def file_is(path, wanted):
    """A file that has exactly this text, line ends included."""
    assert path.exists(), f"{path} is not there"
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    assert text == wanted, f"{path.name} holds {text!r}"

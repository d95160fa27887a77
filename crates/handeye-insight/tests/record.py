#!/usr/bin/env python3
"""Records the windows of the corpus again: each in a private desktop of its own, from the real application.

    cargo build && cargo build -p handeye-linux --example record_tree
    crates/handeye-insight/tests/record.py [NAME ...] [--pictures FOLDER]

A step is a key for the window with the focus, `click:QUERY` for an element, `type:TEXT`, or `sleep:SECONDS` for what no condition shows.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
HANDEYE = ROOT / "target/debug/handeye"
RECORD = ROOT / "target/debug/examples/record_tree"
CORPUS = HERE / "corpus"


def tree():
    """What the application shows now."""
    return subprocess.run([RECORD], capture_output=True, text=True, timeout=40).stdout


def settled(before=None):
    """The tree once two looks in a row are the same, and another one than `before`."""
    deadline = time.monotonic() + 12
    last = None
    while time.monotonic() < deadline:
        now = tree()
        if now and now == last and now != before:
            return now
        last = now
        time.sleep(0.4)
    return last


def step(action):
    """Does one step."""
    kind, _, rest = action.partition(":")
    if kind == "click":
        done = subprocess.run([HANDEYE, "click", rest, "--app", os.environ.get("APP", "frontmost")],
                              capture_output=True, text=True, timeout=30)
        if done.returncode not in (0, 3):
            print("click", rest, done.returncode, done.stderr.strip()[:200], file=sys.stderr)
    elif kind == "type":
        subprocess.run(["xdotool", "type", "--delay", "20", rest], timeout=30, check=False)
    elif kind == "sleep":
        time.sleep(float(rest))
    else:
        subprocess.run(["xdotool", "key", action], timeout=30, check=False)


def inside(name, picture):
    """Records one window, within its private desktop."""
    window = json.loads((HERE / "windows.json").read_text())[name]
    home = tempfile.mkdtemp(prefix="corpus")
    for folder in ("Documents", "Pictures", "Music"):
        os.mkdir(f"{home}/{folder}")
    for file in ("notes.txt", "list.csv", "Documents/letter.txt", "Pictures/a.svg"):
        pathlib.Path(home, file).write_text("one,two,three\nfour,five,six\n")
    for page in re.findall(r"PAGE(\w+)", window["run"]):
        pathlib.Path(home, f"{page}.html").write_text((HERE / "pages" / f"{page}.html").read_text())
    environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": f"{home}/.config", "GTK_MODULES": "gail:atk-bridge",
                   "QT_ACCESSIBILITY": "1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "ACCESSIBILITY_ENABLED": "1",
                   "GNOME_ACCESSIBILITY": "1", "LANG": window.get("lang", "C.UTF-8"),
                   "LANGUAGE": window.get("lang", "C")[:2]}
    command = re.sub(r"PAGE(\w+)", rf"file://{home}/\1.html", window["run"])
    process = subprocess.Popen(shlex.split(command), cwd=home, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        now = settled()
        for action in window.get("steps", []):
            step(action)
            now = settled(None if action.startswith("sleep:") else now)
        if picture:
            subprocess.run(["import", "-window", "root", "-resize", "50%", f"{picture}/{name}.png"], timeout=20, check=False)
    finally:
        os.killpg(process.pid, 15)
    (CORPUS / f"{name}.tree").write_text(now.replace(home, "/home/user").replace(os.path.basename(home), "user"))
    print(name, len(now.splitlines()))


def main():
    arguments = sys.argv[1:]
    picture = None
    if "--pictures" in arguments:
        at = arguments.index("--pictures")
        picture = arguments[at + 1]
        del arguments[at:at + 2]
    if arguments[:1] == ["--inside"]:
        inside(arguments[1], picture)
        return
    for name in arguments or json.loads((HERE / "windows.json").read_text()):
        command = [HANDEYE, "desktop", "run", "--size", "1280x900", "--", sys.executable, __file__, "--inside", name]
        done = subprocess.run(command + (["--pictures", picture] if picture else []), capture_output=True, text=True,
                              timeout=120)
        print(done.stdout.strip() or f"{name}: FAILED {done.stderr.strip()[-300:]}", done.stderr.strip()[-200:], flush=True)


if __name__ == "__main__":
    main()

"""The demo as a moving picture: commands in a terminal, and above it what they do to a real desktop.

Usage: record.py FOLDER OUTPUT.gif. It starts itself again inside of `handeye desktop run`, types commands of handeye, and takes a picture of the
desktop after each. A frame is the desktop with the terminal below it. It ends with an error where a command fails, where an effect is not
confirmed, where the user's window lost the focus, or where the file is too large.
"""

import functools
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from demo import INSIDE, Failed, scene, seat, window_of  # noqa: E402
from support import BINARY, wait_for  # noqa: E402

WIDTH, HEIGHT = 800, 430
"""Pixels of the desktop, which is not scaled in the picture."""
ROWS, COLUMNS = 10, 94
"""Lines of the terminal, and characters in each."""
LARGEST = 1_000_000
"""Most bytes of the file."""
TYPING, READING, LAST = 22, 240, 450
"""How long a frame is shown, in hundredths of a second."""
TEXT = "Dear moon,\ngreetings from handeye: é, 漢字 and ☺.\n"
CELL = 8
"""Pixels of a character of the terminal in its font at 13 points; a wide one has two cells."""
NARROW = "DejaVu-Sans-Mono"
INK, PROMPT, PAPER = "#d8dee9", "#a3be8c", "#20252c"


class Film:
    """The frames, in the order in which they are shown."""

    def __init__(self, folder):
        self.folder, self.frames, self.lines = folder, [], []
        folder.mkdir(parents=True, exist_ok=True)

    def desktop(self):
        subprocess.run(["/usr/bin/import", "-silent", "-window", "root", str(self.folder / "desktop.png")], check=True)

    def show(self, lines, time):
        """Adds a frame: the desktop as it was captured last, and these lines below it."""
        path = self.folder / f"frame-{len(self.frames):02}.png"
        drawn = []
        for row, line in enumerate(lines[-ROWS:]):
            drawn += ["-fill", PROMPT if line.startswith("$ ") else INK]
            for column, font, text in runs(line):
                text = text.replace("\\", "\\\\").replace("%", "%%")
                drawn += ["-font", font, "-annotate", f"+{12 + column * CELL}+{HEIGHT + 22 + row * 18}", text]
        subprocess.run(["/usr/bin/convert", str(self.folder / "desktop.png"), "-background", PAPER, "-gravity", "NorthWest",
                        "-extent", f"{WIDTH}x{HEIGHT + 14 + ROWS * 18}", "-gravity", "None", "-pointsize", "13",
                        *drawn, str(path)], check=True)
        self.frames.append((path, time))

    def run(self, *words, keep=6):
        """Types a command, runs it, and shows what it printed and what became of the desktop."""
        shown = shlex.join("Dear moon, …" if word == TEXT else pathlib.Path(word).name if "/" in word else word for word in words)
        for end in (len(shown) // 3, 2 * len(shown) // 3):
            self.show([*self.lines, f"$ {shown[:end]}▁"], TYPING)
        self.show([*self.lines, f"$ {shown}"], 2 * TYPING)
        result = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if result.returncode:
            raise Failed(f"{shown}: exit code {result.returncode}: {result.stdout}{result.stderr}")
        self.lines = [f"$ {shown}", *fitted(result.stdout, keep)]
        self.desktop()
        self.show(self.lines, READING)
        return result.stdout

    def save(self, output):
        """Writes the film: few colours, and of each frame only what differs from the one before."""
        timed = [word for path, time in self.frames for word in ("-delay", str(time), str(path))]
        subprocess.run(["/usr/bin/convert", *timed, "-loop", "0", "+dither", "-colors", "96", "-layers", "optimize", str(output)], check=True)
        size = output.stat().st_size
        print(f"{output}: {len(self.frames)} frames, {size // 1024} kB", flush=True)
        if size > LARGEST:
            raise Failed(f"{output} has {size} bytes, more than {LARGEST}")


@functools.cache
def wide_font():
    """The file of a font for Chinese characters."""
    return subprocess.run(["fc-match", "-f", "%{file}", "Noto Sans CJK SC"], capture_output=True, text=True, check=True).stdout


def runs(line):
    """The words of a line with their column and font; ImageMagick drops spaces at the beginning, and takes one font at a time."""
    column, found = 0, []
    for is_wide, characters in itertools.groupby(line, lambda character: unicodedata.east_asian_width(character) in "WF"):
        text = "".join(characters)
        spaces = len(text) - len(text.lstrip(" "))
        if text.strip():
            found.append((column + spaces, wide_font() if is_wide else NARROW, text.strip(" ")))
        column += len(text) * (1 + is_wide)
    return found


def fitted(text, most):
    """The first lines of an answer, in lines that fit. Paths of this machine are left out."""
    lines = [part for line in text.splitlines() for part in textwrap.wrap(re.sub(r"…?/\S*/", "", line), COLUMNS, subsequent_indent="  ",
                                                                          drop_whitespace=False, replace_whitespace=False) or [""]]
    return [*lines[:most], f"… {len(lines) - most} more lines"] if len(lines) > most + 1 else lines


def record(folder, frames, output):
    with scene(folder) as (letter, _):
        film = Film(frames)
        place("Mousepad", 20, 30, 520, 340)
        place("Bystander", 400, 240, 380, 130)
        before = seat()
        app = ["--app", "mousepad"]
        film.desktop()
        film.show(["# A letter in a text editor. The user works in the window in front of it,",
                   "# and handeye works in the background: no focus, no pointer."], READING)
        film.run(BINARY, "tree", *app, keep=8)
        confirmed(film.run(BINARY, "type", TEXT, *app, "--clear-first"))
        confirmed(film.run(BINARY, "click", "button Save", *app))
        wait_for("the file on disk to hold the text", lambda: letter.read_text(encoding="utf-8") == TEXT, 5)
        film.run("cat", str(letter))
        after = seat()
        if before != after:
            raise Failed(f"the user was disturbed: {before} -> {after}")
        film.lines += ["", "# Active window, pointer and window order are what they were."]
        film.show(film.lines, LAST)
        film.save(output)


def place(title, x, y, width, height):
    """Moves a window; its frame is around that."""
    (window,) = window_of(title)
    subprocess.run(["xdotool", "windowsize", "--sync", window, str(width), str(height), "windowmove", "--sync", window, str(x), str(y)], check=True)


def confirmed(said):
    if "Confirmed" not in said:
        raise Failed(f"the effect was not confirmed: {said}")


def main():
    folder, output = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    if os.environ.get(INSIDE):
        try:
            # The window's title shows the path of the letter.
            with tempfile.TemporaryDirectory(prefix="demo-") as place:
                record(pathlib.Path(place), folder / "frames", output)
        except (Failed, AssertionError) as failure:
            print(f"The recording failed: {failure}", flush=True)
            return 1
        return 0
    size = f"{WIDTH}x{HEIGHT}"
    return subprocess.run([BINARY, "desktop", "run", "--size", size, "--", sys.executable, __file__, str(folder), str(output)],
                          env={**os.environ, INSIDE: "1"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

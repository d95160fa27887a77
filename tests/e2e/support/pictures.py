"""Pictures as plain pixels: those of handeye, and those that other programs take at the same moment."""

import base64
import dataclasses
import os
import struct
import subprocess
import time

from . import PATIENCE


@dataclasses.dataclass(frozen=True)
class Picture:
    """Its size, and three bytes for each pixel."""

    width: int
    height: int
    rgb: bytes

    @property
    def size(self):
        """Width and height."""
        return self.width, self.height

    def crop(self, x, y, width, height):
        """A part of it, which has to lie inside."""
        assert x >= 0 and y >= 0 and x + width <= self.width and y + height <= self.height, (x, y, width, height, self)
        rows = (((y + row) * self.width + x) * 3 for row in range(height))
        return Picture(width, height, b"".join(self.rgb[start:start + width * 3] for start in rows))

    def differences(self, other):
        """How many pixels are others, and the smallest rectangle around them (left, top, right, bottom)."""
        if self.size != other.size:
            return f"{self.width}x{self.height} against {other.width}x{other.height} pixels"
        unequal = [at for at in range(self.width * self.height)
                   if self.rgb[at * 3:at * 3 + 3] != other.rgb[at * 3:at * 3 + 3]]
        if not unequal:
            return ""
        columns = [at % self.width for at in unequal]
        box = (min(columns), unequal[0] // self.width, max(columns), unequal[-1] // self.width)
        return f"{len(unequal)} of {self.width}x{self.height} pixels differ, all within {box}"

    def __repr__(self):
        return f"Picture({self.width}x{self.height})"


def assert_equal(ours, other, program):
    """Fails and says where they differ."""
    assert ours.rgb == other.rgb and ours.size == other.size, f"handeye and {program}: {ours.differences(other)}"


def decoded(encoded):
    """The pixels of a PNG or JPEG, by ImageMagick."""
    ppm = subprocess.run(["/usr/bin/convert", "-", "-depth", "8", "ppm:-"], input=encoded, capture_output=True,
                         check=True, timeout=60).stdout
    kind, size, depth, rgb = ppm.split(b"\n", 3)
    assert (kind, depth) == (b"P6", b"255"), ppm[:20]
    return Picture(*map(int, size.split()), rgb)


def of(answer):
    """The picture of an answer of handeye: its file, else the one that came inline."""
    path = answer.fields.get("path")
    if path:
        with open(path, "rb") as file:
            return decoded(file.read())
    assert len(answer.pictures) == 1, answer
    return decoded(base64.b64decode(answer.pictures[0].data))


def saved_by(answer):
    """The pictures that the tool `image` saved: its files by their labels."""
    found = {}
    for saved in answer.fields["saved_files"]:
        with open(saved["path"], "rb") as file:
            found[saved["item_label"]] = decoded(file.read())
    return found


def at_the_same_moment(witness, ours, timeout=PATIENCE):
    """What handeye and another program see while nothing moves: handeye looks between two equal looks of the other."""
    end = time.monotonic() + timeout
    before = witness()
    while True:
        picture = ours()
        after = witness()
        if before == after:
            return picture, after
        assert time.monotonic() < end, f"the scene never stands still: {before.differences(after)}"
        before = after


def still(witness, timeout=PATIENCE):
    """What another program sees once it sees the same twice."""
    return at_the_same_moment(witness, lambda: None, timeout)[1]


def maim(desktop, *arguments):
    """A picture by maim; `-i WINDOW`, `-g WxH+X+Y`, `-u` without the pointer."""
    return decoded(_output(desktop, ["maim", "--format=png", *arguments]))


def imagemagick(desktop, *arguments):
    """A picture by ImageMagick's import; `-window root`, `-window WINDOW`, `-crop WxH+X+Y`."""
    return decoded(_output(desktop, ["import", "-silent", *arguments, "+repage", "png:-"]))


def xwd(desktop, *arguments):
    """A picture by xwd; `-root`, `-id WINDOW`, `-frame`. What it writes is read here: ImageMagick mixes up alpha."""
    dump = _output(desktop, ["xwd", "-silent", *arguments])
    names = ("header version format depth width height offset order unit bit_order pad bits line visual red green blue "
             "per_rgb entries colours window_width window_height window_x window_y border").split()
    header = dict(zip(names, struct.unpack(f">{len(names)}I", dump[:len(names) * 4])))
    assert header["order"] == 0 and header["bits"] in (24, 32), header
    assert (header["red"], header["green"], header["blue"]) == (0xff0000, 0xff00, 0xff), header
    start = header["header"] + header["colours"] * 12
    # Windows of several visuals are put together in three bytes a pixel.
    width, height, line, step = header["width"], header["height"], header["line"], header["bits"] // 8
    rows = b"".join(dump[start + row * line:start + row * line + width * step] for row in range(height))
    rgb = bytearray(width * height * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = rows[2::step], rows[1::step], rows[0::step]
    return Picture(width, height, bytes(rgb))


def _output(desktop, words):
    result = subprocess.run(words, env={**os.environ, **desktop.env}, capture_output=True, timeout=60, check=False,
                            stdin=subprocess.DEVNULL)
    assert result.returncode == 0, f"{words}: {result.stderr.decode(errors='replace')}"
    return result.stdout

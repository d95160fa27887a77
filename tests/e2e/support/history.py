"""What a test did so far: the programs that it started and its last calls, for the report of a failure.

Everything is bounded: a test that makes thousands of calls keeps the last ones, each in short.
"""

import collections
import dataclasses
import functools
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time

from . import BINARY, REPOSITORY

MOST_CALLS, MOST_PROGRAMS = 12, 12
"""How many calls and programs a report shows."""
LONGEST = 400
"""Most characters of one call's arguments, and of its answer."""
TOOLKITS = ("libgtk-3.so", "libgtk-4.so", "libQt5Core.so", "libQt6Core.so", "libwebkit2gtk-4", "libjvm.so")
"""Libraries whose version matters as much as that of the program which has loaded them."""


def short(value):
    """A value in one line: its beginning and its end, with the number of characters between them."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    text = text.encode("utf-8", "backslashreplace").decode().replace("\n", "⏎")
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST - 100]} […{len(text) - LONGEST} characters…] {text[-100:]}"


class Call:
    """A call under way, or one that was answered."""

    def __init__(self, what, arguments):
        self.what, self.arguments, self.answer, self.took = what, short(arguments), None, None
        self._begun = time.monotonic()

    def answered(self, answer):
        """Notes the answer, whatever it is; returns it."""
        self.took = time.monotonic() - self._begun
        self.answer = short(answer)
        return answer

    def __str__(self):
        if self.answer is None:
            return f"{self.what} {self.arguments}\n    no answer after {time.monotonic() - self._begun:.1f} s"
        return f"{self.what} {self.arguments}\n    {self.took:.2f} s: {self.answer}"


@dataclasses.dataclass
class Program:
    """A program that was started on a desktop."""

    words: list
    child: subprocess.Popen
    in_this_test: bool = True
    files: list = dataclasses.field(default_factory=list)
    """What ran in its session just before a test ended it."""


class History:
    """The calls of the current test, and the programs that run or were started in it."""

    def __init__(self):
        self._lock = threading.Lock()
        self._calls = collections.deque(maxlen=MOST_CALLS)
        self._counted = 0
        self._programs = []

    def begin_test(self):
        """Forgets the calls of the test before, and its programs that have ended."""
        with self._lock:
            self._calls.clear()
            self._counted = 0
            self._programs = [program for program in self._programs if program.child.poll() is None]
            for program in self._programs:
                program.in_this_test = False

    def started(self, words, child):
        """Notes a program, a leader of its session."""
        with self._lock:
            self._programs.append(Program([str(word) for word in words], child))

    def ending(self, child):
        """Notes what a program consists of, which is about to be ended."""
        with self._lock:
            found = [program for program in self._programs if program.child is child]
        for program in found:
            program.files = session_files(child.pid) or program.files

    def call(self, what, arguments):
        """Notes that a call is made; its answer is to be added to what this returns."""
        call = Call(what, arguments)
        with self._lock:
            self._calls.append(call)
            self._counted += 1
        return call

    def text(self):
        """The report: handeye, the programs with their versions, and the last calls with their answers."""
        with self._lock:
            programs, calls, counted = list(self._programs), list(self._calls), self._counted
        lines = [f"handeye: {handeye_version()}"]
        lines += [f"application: {described(program)}" for program in programs[-MOST_PROGRAMS:]]
        if len(programs) > MOST_PROGRAMS:
            lines.append(f"(and {len(programs) - MOST_PROGRAMS} that were started before)")
        lines.append(f"calls: {counted}" + (f", the last {len(calls)}:" if counted > len(calls) else ""))
        return "\n".join([*lines, *map(str, calls)])


def described(program):
    """A program by its words, whether it runs, and the packages of what runs in its session."""
    words = short(" ".join(os.path.basename(word) if word.startswith("/") else word for word in program.words))
    code = program.child.poll()
    state = f"process {program.child.pid}" if code is None else f"ended with {code}"
    files = session_files(program.child.pid) or program.files or [found for found in [shutil.which(program.words[0])] if found]
    versions = dict.fromkeys(package_version(os.path.realpath(file)) for file in files)
    when = "" if program.in_this_test else ", started before this test"
    return f"{words} ({state}{when}): {', '.join(versions)}"


def session_files(leader):
    """The executables of the processes in a session, and the toolkits that they have loaded."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()
            if int(fields[3]) != leader:
                continue
            found[os.readlink(folder / "exe")] = True
            for line in (folder / "maps").read_text(encoding="utf-8", errors="replace").splitlines():
                path = line.split(None, 5)[5:]
                if path and any(toolkit in path[0] for toolkit in TOOLKITS):
                    found[path[0]] = True
        except OSError:
            continue  # It has just ended.
    return list(found)


def printed_by(*words):
    """What a command prints; nothing where it fails or is not there: a report never takes the place of the failure."""
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=10, check=False).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


@functools.cache
def package_version(file):
    """The Debian package of a file with its version; the file's own path where it is of none."""
    file = file.removesuffix(" (deleted)")
    for path in (file, file.removeprefix("/usr")):  # Merged folders are known by one of their names.
        owner = printed_by("dpkg-query", "--search", path)
        if owner:
            package = owner.split("\n", 1)[0].rsplit(": ", 1)[0].split(",")[0]
            version = printed_by("dpkg-query", "--show", "--showformat", "${Version}", package)
            return f"{package.split(':')[0]} {version}"
    return file


@functools.cache
def handeye_version():
    """What the binary says of itself, and the commit that the tests are of."""
    version = printed_by(BINARY, "--version")
    commit = printed_by("git", "-C", str(REPOSITORY), "describe", "--always", "--dirty", "--abbrev=12")
    return f"{version or 'no version'} at commit {commit or 'unknown'}, {BINARY}"


HISTORY = History()
"""That of this process, which runs one test at a time."""


def run(words, **options):
    """Runs a command to its end, as `subprocess.run` does, and notes it with what it printed."""
    call = HISTORY.call("$", " ".join("handeye" if word == BINARY else str(word) for word in words))
    try:
        done = subprocess.run(words, **options)
    except subprocess.SubprocessError as failure:
        call.answered(repr(failure))
        raise
    call.answered(f"exit code {done.returncode}: {printed(done.stdout)} {printed(done.stderr)}")
    return done


def printed(stream):
    """What a command wrote, as text."""
    return stream.decode(errors="replace") if isinstance(stream, bytes) else stream or ""

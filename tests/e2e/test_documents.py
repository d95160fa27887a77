"""The sessions in README, tutorial and how-tos, typed into a shell as they are: what is printed is what the page shows. The scripts
of the how-tos are run: each command has to succeed.

In a page, `…` stands for anything (on a line of its own for any lines), and every number for any number.
"""

import os
import re
import subprocess
import tempfile
import threading
import time

import pytest

from support import BINARY, PATIENCE, REPOSITORY, history, wait_for
from support.desktop import outside

PAGES = ["README.md", "docs/tutorial.md", "docs/how-to/use-in-scripts.md"]
# What this machine lacks, or what would ask a model.
NEEDS_MORE = ("handeye analyze", "HANDEYE_AI_PROVIDERS")
MARK = "-- that was all --"
PROGRAM_TIME = 20
# What programs say in the background of the same terminal, and Mousepad of a user who is root.
OF_OTHERS = re.compile(r"G[\w-]+-WARNING|you are using the root account")
# Commands that change nothing, so that a person would give them again.
READS = ("handeye apps", "handeye tree", "handeye find ", "handeye list")


class Shell:
    """A shell that is typed into. Programs that are started in it read on from the same input, as at a terminal."""

    def __init__(self, env):
        self.process = subprocess.Popen(["bash"], env=env, cwd=env["HOME"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, bufsize=1)
        self.lines = []
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()

    def run(self, command):
        """Types a command; returns the lines that it prints."""
        with self._news:
            begin = len(self.lines)
            self.process.stdin.write(f"{command}\nprintf '\\n%s\\n' '{MARK}'\n")
            self.process.stdin.flush()
            done = self._news.wait_for(lambda: MARK in self.lines[begin:], timeout=PATIENCE)
            assert done, f"{command!r} does not end: {self.lines[begin:]}"
            return [line for line in self.lines[begin:self.lines.index(MARK, begin)] if not OF_OTHERS.search(line)]

    def close(self):
        """Ends it and all that was started in it."""
        self.process.stdin.close()
        self.process.wait(PATIENCE)


def sessions(page):
    """The commands of a page's console blocks, each with the lines that it prints."""
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        command, printed = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, printed
                command, printed = line[2:], []
            else:
                printed.append(line)
        yield command, printed


def pattern(lines):
    """What lines of a page say of what is printed."""
    def part(line):
        if line.strip() in ("…", "[…]"):
            return r"(?:.*\n)*?"
        escaped = re.escape(line.rstrip()).replace("…", ".*")
        return re.sub(r"\d+", r"\\d+", re.sub(r"\\\.(?=\d)", r"\\.", escaped)) + r" *\n"
    return "".join(map(part, lines)) + r"\n*"


def fits(printed, lines):
    printed = [line for line in printed if line.strip()]
    return re.fullmatch(pattern(line for line in lines if line.strip()), "".join(f"{line}\n" for line in printed)) is not None


@pytest.fixture
def home():
    """A folder with a short path, so that titles with it are not cut."""
    with tempfile.TemporaryDirectory(prefix="home-", dir="/tmp") as folder:
        yield folder


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_is_printed(page, home):
    env = {**outside(os.environ), "HOME": home, "PATH": os.path.dirname(BINARY) + os.pathsep + os.environ["PATH"],
           "LC_ALL": "C.UTF-8", "HANDEYE_LOG_FILE": os.devnull}
    shell = Shell(env)
    try:
        steps = list(sessions(page))
        if not steps[0][0].startswith("handeye desktop run"):
            shell.run("handeye desktop run -- bash")
            shell.run("mousepad & ")
        starting = True
        for command, expected in steps:
            if any(need in command for need in NEEDS_MORE):
                continue
            printed = shell.run(command)
            if command == "handeye doctor":
                # The seat that it tried goes a moment later, while a person reads. No window is active then for a tenth of a second.
                wait_for("the seat to go", lambda: not any("handeye seat" in line for line in shell.run("xinput list --name-only")))
            # What was put into the background a moment ago may not be a process yet, and not have drawn its window.
            deadline = time.monotonic() + (PROGRAM_TIME if starting and command.startswith(READS) else 0)
            while not fits(printed, expected) and time.monotonic() < deadline:
                printed = shell.run(command)
            assert fits(printed, expected), "\n".join([f"{page}: $ {command}", *printed, "-- instead of --", *expected])
            starting = command.rstrip().endswith("&") or (starting and command.startswith(READS))
    finally:
        shell.close()


# Lines of scripts that cannot be run here, by a part of them, each with the reason.
NOT_HERE = {
    "HANDEYE_AI_PROVIDERS": "asks a model",
    "HANDEYE_GPU_BOX": "asks a model",
    "OPENAI_API_KEY": "asks a model",
    "ollama": "asks a model",
    "handeye analyze": "asks a model",
    "claude mcp add": "Claude Code is not on the path; test_client_install has it",
    "handeye mcp install": "asks at the terminal; test_client_install has it",
    "npx ": "downloads; test_clients runs the Inspector",
    "apt-get install": "needs root; tests/packages.txt has the packages",
    "--app my": "an application of the reader",
    "./my-script.sh": "a script of the reader",
    "--http": "stays up; test_http has it",
    "COPROC": "belongs to the line before, which stays up",
    "chromium --force": "stays up; the fixtures start it so",
    "code --force": "not in the distribution",
}


def scripts():
    """The `sh` blocks of the how-tos: page, number and text without the lines that cannot be run here."""
    for page in sorted((REPOSITORY / "docs/how-to").glob("*.md")):
        blocks = re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        yield page.name, [keep_lines(block) for block in blocks]


def keep_lines(block):
    return "".join(line for line in block.splitlines(keepends=True) if not any(part in line for part in NOT_HERE))


@pytest.mark.parametrize(("page", "blocks"), [case for case in scripts() if "".join(case[1]).strip()],
                         ids=[page for page, blocks in scripts() if "".join(blocks).strip()])
def test_the_scripts_of_a_page_succeed(page, blocks, home):
    env = {**outside(os.environ), "HOME": home, "PATH": os.path.dirname(BINARY) + os.pathsep + os.environ["PATH"],
           "LC_ALL": "C.UTF-8", "HANDEYE_LOG_FILE": os.devnull, "PS1": "$ "}
    for block in filter(str.strip, blocks):
        named = re.match(r"#!/bin/bash\n# (\S+\.sh):", block)
        if named:
            # It is run by the block after it.
            with open(os.path.join(home, named.group(1)), "w", encoding="utf-8") as file:
                file.write(block)
            continue
        with open(os.path.join(home, "block.sh"), "w", encoding="utf-8") as file:
            file.write(f"set -eo pipefail\nmousepad >/dev/null 2>&1 &\n{UNTIL_IT_SHOWS}\n{block}")
        done = history.run([BINARY, "desktop", "run", "--monitor", "1280x1024", "--monitor", "800x600", "--", "bash", "block.sh"],
                           env=env, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
        assert done.returncode == 0, f"{page}: {done.returncode}\n{block}\n{done.stdout}\n{done.stderr}"


UNTIL_IT_SHOWS = "until handeye find textbox --app mousepad --format quiet; do sleep 0.1; done"

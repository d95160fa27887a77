"""From a bare Debian root to a letter: what `docs/bare-root.md` says, done and timed.

In a root made by debootstrap there is no display, no session bus and nothing of handeye's. The release binary is copied in, root
installs what `handeye doctor` lists, and an ordinary user adds handeye to two clients with `handeye mcp install`, starts each in a
private desktop with the stand-in as its model, and lets it finish a letter in Mousepad. Judged by the file on the disk.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from support import REPOSITORY

from . import runners
from .standin import StandIn
from .standin.play import Play, Step

DOCUMENT = REPOSITORY / "docs/bare-root.md"
MIRROR = "http://deb.debian.org/debian"
USER = "anna"
HOME = pathlib.Path("home") / USER
LETTER = "letter.txt"
BEGUN = "Dear Ms Hopper,\n\n"
WRITTEN = "the compiler works. Thank you for the moth.\n\nYours, Anna\n"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# One conversation takes some seconds; a client that waits for something that it does not get takes longer.
LONGEST = 180


class Root:
    """A bare Debian with one ordinary user."""

    def __init__(self, folder, modules):
        self.folder, self.modules = pathlib.Path(folder), modules

    def make(self, packages):
        """Unpacks the base system. What an earlier run has downloaded is taken from `packages`."""
        packages.mkdir(parents=True, exist_ok=True)
        # The ordinary user has to get in.
        self.folder.chmod(0o755)
        words = ["debootstrap", "--variant=minbase", f"--cache-dir={packages}", "bookworm", str(self.folder), MIRROR]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=900)
        (self.folder / "opt/clients").mkdir()

    def _inside(self, words):
        """The words that run `words` as root inside, with processes of its own, all of which end with it."""
        script = 'mount -t proc proc "$0/proc" && mount --bind "$1" "$0/opt/clients" && root="$0" && shift && exec chroot "$root" "$@"'
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, str(self.folder),
                str(self.modules), "env", "-i", f"PATH={PATH}", "HOME=/root", "LC_ALL=C.UTF-8", *words]

    def as_root(self, *words):
        """Runs a command as root; returns what it prints."""
        return self._run(self._inside(words), words)

    def as_user(self, command, **variables):
        """Runs a command line as the ordinary user, as after a login; returns what it prints."""
        given = "".join(f"export {name}='{value}'; " for name, value in variables.items())
        return self._run(self._inside(["su", "-", USER, "-c", given + command]), command)

    @staticmethod
    def _run(words, told):
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1200, check=False)
        assert done.returncode == 0, f"{told}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout


class Clock:
    """The steps with their times, each printed when it is over."""

    def __init__(self):
        self.rows = []

    def step(self, who, what, action):
        """Does a step; returns what it gave."""
        begun = time.monotonic()
        result = action()
        self.rows.append((who, what, time.monotonic() - begun))
        print(f"{self.rows[-1][2]:7.1f} s  {who}: {what}", flush=True)
        return result


def missing_packages(report):
    """The packages that `handeye doctor --format json` says to install."""
    found = set()
    for check in json.dumps(report).split("apt-get install")[1:]:
        words = re.split(r"[\"\\;&|]", check)[0].split()
        found.update(word.strip("`'.,") for word in words if not word.startswith("-"))
    return sorted(found)


def letter_steps():
    """What the model does: it looks, goes to the end of the letter, writes the rest, saves it, and looks again."""
    app = {"app": "mousepad"}
    return [
        Step("applications", "ax_list_apps"),
        Step("tree", "ax_get_tree", app),
        Step("end", "ax_key_press", {**app, "key": "ctrl+end", "mode": "focus"}),
        Step("type", "ax_type", {**app, "query": "role:textbox", "text": WRITTEN}),
        Step("save", "ax_click", {**app, "query": "menu File >> menuitem Save"}),
        Step("after", "ax_get_tree", app),
    ]


def configure_codex(root, url):
    """What a user of Codex has already: a model."""
    file = root.folder / HOME / ".codex/config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"# Anna's settings\n{runners.codex_model(url)}", encoding="utf-8")


CLAUDE = "/opt/clients/node_modules/.bin/claude -p go --allowedTools mcp__handeye ToolSearch"
CODEX = "/opt/clients/node_modules/.bin/codex exec --skip-git-repo-check go"


def write_letter(root, client, url):
    """Starts Mousepad with a letter that was begun, and the client beside it; returns when the client has ended."""
    letter = root.folder / HOME / LETTER
    letter.write_text(BEGUN, encoding="utf-8")
    os.chown(letter, 1000, 1000)
    nowhere = "http://127.0.0.1:9"
    variables = {"DUMMY": "x", "ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": url, "DISABLE_AUTOUPDATER": "1",
                 "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "HTTPS_PROXY": nowhere, "HTTP_PROXY": nowhere,
                 "NO_PROXY": "127.0.0.1,localhost"}
    root.as_user(f"handeye desktop run -- sh -c 'mousepad {LETTER} & handeye wait-idle --app mousepad >/dev/null 2>&1; "
                 f"timeout {LONGEST} {client} 2>&1'", **variables)
    text = letter.read_text(encoding="utf-8")
    assert text.split() == (BEGUN + WRITTEN).split(), f"the letter says {text!r}"


def run(clock, root, binary, cache):
    """All steps."""
    clock.step("root", "debootstrap --variant=minbase bookworm", lambda: root.make(cache))
    clock.step("root", "copy the release binary to /usr/local/bin/handeye",
               lambda: shutil.copy(binary, root.folder / "usr/local/bin/handeye"))
    shutil.copy(os.path.realpath(shutil.which("node")), root.folder / "usr/local/bin/node")
    root.as_root("useradd", "--create-home", "--shell", "/bin/bash", USER)

    def diagnose():
        words = root._inside(["su", "-", USER, "-c", "handeye doctor --format json"])
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        return missing_packages(json.loads(done.stdout))
    packages = clock.step(USER, "handeye doctor", diagnose)
    assert packages, "doctor lists nothing to install in a bare root"
    clock.step("root", f"apt-get install --no-install-recommends {' '.join(packages)}", lambda: root.as_root(
        "sh", "-c", f"apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends {' '.join(packages)}"))
    clock.step("root", "apt-get install --no-install-recommends mousepad", lambda: root.as_root(
        "sh", "-c", "DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends mousepad"))
    for name, client in (("claude-code", CLAUDE), ("codex", CODEX)):
        play = Play(letter_steps())
        model = StandIn(play)
        try:
            if name == "codex":
                configure_codex(root, model.url)
                root.as_root("chown", "-R", f"{USER}:", f"/{HOME}/.codex")
            clock.step(USER, f"handeye mcp install {name}", lambda name=name: root.as_user(f"handeye mcp install {name}"))
            try:
                clock.step(USER, f"handeye desktop run: mousepad {LETTER}, and {name} beside it until the letter is saved",
                           lambda client=client, model=model: write_letter(root, client, model.url))
            except AssertionError as fault:
                received = {step: [text[:600] for text in got.texts] for step, got in play.received.items()}
                raise AssertionError(f"{name}: {fault}\nreceived: {json.dumps(received, indent=1, ensure_ascii=False)}\n"
                                     f"skipped: {play.skipped}; the stand-in: {''.join(model.faults)[-2000:]}") from None
            assert not play.skipped and not model.faults, (play.skipped, model.faults)
        finally:
            model.stop()


def write(rows, commit):
    """The page."""
    total = sum(seconds for _, _, seconds in rows)
    table = "\n".join(f"| {who} | {what} | {seconds:.1f} |" for who, what, seconds in rows)
    DOCUMENT.write_text(f"""# From a bare Debian to a letter

Written by `cargo xtask test --bare-root --write` at `{commit}` on {time.strftime('%Y-%m-%d', time.gmtime())}: a root that debootstrap made, without display and
session bus, in processes of its own. The packages are those that `handeye doctor` lists there. Each client has a stand-in for its model, which
reads the tree, goes on with the letter, saves it by the menu and looks again; the run fails if the file does not contain the letter.
Downloads come from a mirror, which makes up most of the time.

| who | step | seconds |
| --- | --- | ---: |
{table}
| | together | {total:.1f} |
""", encoding="utf-8")
    print(f"written: {DOCUMENT}")


def main():
    """The command line."""
    parser = argparse.ArgumentParser(prog="clients.bare_root", description=__doc__)
    parser.add_argument("--binary", required=True, help="the release binary")
    parser.add_argument("--cache", required=True, help="where downloaded packages of the base system are kept")
    parser.add_argument("--write", action="store_true", help="write docs/bare-root.md")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("bare-root: debootstrap and chroot need root")
    if not shutil.which("debootstrap"):
        sys.exit("bare-root: apt-get install --no-install-recommends debootstrap")
    clock = Clock()
    with tempfile.TemporaryDirectory(prefix="bare-", dir=pathlib.Path(options.cache).parent) as folder:
        run(clock, Root(folder, pathlib.Path(os.environ["HANDEYE_CLIENTS"]).parent), options.binary, pathlib.Path(options.cache))
    if options.write:
        commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
        write(clock.rows, commit.stdout.strip())


if __name__ == "__main__":
    main()

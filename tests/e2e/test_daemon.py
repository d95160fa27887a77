"""The process that the commands of one desktop share: names that last, and that nothing of it disturbs other processes."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time

import pytest

from support import BINARY, PATIENCE, applications, history, quick_once, wait_for
from support.desktop import Desktop, outside
from support.provider import Provider

OK, FAULT, NO_APP, NO_ELEMENT, LATE, CANCELLED = 0, 1, 3, 4, 7, 8


class Shell:
    """Commands on a desktop that share its daemon."""

    def __init__(self, desktop, **env):
        self.env = {name: value for name, value in {**desktop.env, **env}.items() if value is not None}
        if "HANDEYE_NO_DAEMON" not in env:
            self.env.pop("HANDEYE_NO_DAEMON", None)

    def start(self, *words, binary=BINARY, cwd=None, **env):
        """Starts a command."""
        return subprocess.Popen([binary, *words], env={**self.env, **env}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd)

    def run(self, *words, timeout=PATIENCE, **options):
        """Runs a command: (exit code, standard output, standard error)."""
        child = self.start(*words, **options)
        output, errors = child.communicate(timeout=timeout)
        return child.returncode, output.decode(errors="replace"), errors.decode(errors="replace")

    def ok(self, *words, **options):
        """Runs a command that has to succeed: its standard output."""
        code, output, errors = self.run(*words, **options)
        assert code == OK, f"{words} ended with {code}: {output}{errors}"
        return output

    def status(self):
        """What `handeye daemon status` reports."""
        return json.loads(self.ok("daemon", "status", "--json"))

    def pid(self):
        """The daemon's process."""
        return self.status()["pid"]

    def reference(self, role, name, app):
        """The reference of an element in the outline of an application."""
        outline = self.ok("tree", "--app", app, "--depth", "20")
        found = re.search(rf'- {role} "{re.escape(name)}" \[ref=(e\d+)\]', outline)
        assert found, outline
        return found[1]


@pytest.fixture
def shell(desktop):
    """Commands that share a daemon, which is not there yet."""
    own = Shell(desktop)
    own.ok("daemon", "stop")
    yield own
    own.ok("daemon", "stop")


def is_running(pid):
    """Whether a process is there and no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def daemons(env):
    """The processes that are daemons of the desktop of `env`."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            environment = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"daemon-server" in words and f"DISPLAY={env['DISPLAY']}".encode() in environment and is_running(process):
            found.append(int(process))
    return found


@pytest.mark.parametrize("toolkit", ["gtk3", "qt5"])
def test_a_reference_means_the_same_element_in_the_next_command(desktop, shell, toolkit):
    app = applications.start(desktop, toolkit)
    try:
        reference = shell.reference("button", "Count", app.app)
        assert f"[ref={reference}]" in shell.ok("click", reference, "--app", app.app)
        app.wait("count", 1)
        shell.ok("click", reference)  # a reference knows its application
        app.wait("count", 2)
        name = shell.reference("textbox", "Name", app.app)
        shell.ok("type", "by reference", "--element", name)
        app.wait("name", "by reference")
        assert "by reference" in shell.ok("get", name)
        assert json.loads(shell.ok("find", "role:button Count", "--app", app.app, "--format", "json"))["element_ref"] == reference
        root = json.loads(shell.ok("tree", "--app", app.app, "--depth", "20", "--format", "json"))
        assert re.search(rf'"ref": "{reference}"', json.dumps(root))
    finally:
        app.stop()


def test_a_reference_is_healed_and_a_dead_one_is_told(desktop, shell):
    app = applications.start(desktop, "gtk3", commands=True)
    try:
        app.command(do="add_button", name="Fresh")
        reference = shell.reference("button", "Fresh", app.app)
        app.command(do="remove_button", index=0)
        code, output, errors = shell.run("click", reference)
        assert code == NO_ELEMENT and output == ""
        assert "stale_reference" in errors and "handeye" in errors, errors
        app.command(do="add_button", name="Fresh")
        assert "healed" in shell.ok("click", reference)
    finally:
        app.stop()
    wait_for("the application to be gone", lambda: shell.run("click", reference)[0] == NO_APP)
    code, _, errors = shell.run("click", "e99999")
    assert code == NO_ELEMENT and "unknown_reference" in errors and "daemon" in errors, errors


def test_what_changed_since_an_earlier_look(desktop, shell, gtk3):
    first = shell.ok("tree", "--app", gtk3.app)
    look = re.search(r"^look: (t\d+)$", first, re.M)[1]
    gtk3.command(do="set_name", text="new text")
    since = shell.ok("tree", "--app", gtk3.app, "--since", look)
    assert "new text" in since and len(since) < len(first) / 2, since


def test_a_picture_is_the_same_in_another_folder(shell, gtk3, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    unset = Shell.__new__(Shell)
    unset.env = {name: value for name, value in shell.env.items() if name != "HANDEYE_SCREENSHOT_DIR"}
    taken = json.loads(unset.ok("screenshot", "--app", gtk3.app, "--format", "json", cwd=here))
    assert pathlib.Path(taken["path"]).parent == here / ".handeye-screenshots"
    button = json.loads(unset.ok("find", "role:button Count", "--app", gtk3.app, "--format", "json"))
    x = button["position"][0] + button["size"][0] // 2 - taken["position"][0]
    y = button["position"][1] + button["size"][1] // 2 - taken["position"][1]
    unset.ok("click-at", str(x), str(y), "--screenshot", taken["id"], "--mode", "focus", cwd=there)
    gtk3.wait("count", 1)


def test_folders_and_variables_are_those_of_the_command(shell, gtk3_shared, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    for folder in (one, two):
        told = shell.ok("screenshot", "--app", gtk3_shared.app, "--output", "a/shot.png", cwd=folder)
        assert "a/shot.png" in told and str(folder) not in told, told
        assert (folder / "a/shot.png").read_bytes().startswith(b"\x89PNG")
    shell.ok("screenshot", "--app", gtk3_shared.app, cwd=one, HANDEYE_SCREENSHOT_DIR="mine")
    assert len(list((one / "mine").glob("page-*.png"))) == 1
    shell.ok("image", "--path", "pictures/x.png", cwd=two)
    assert list((two / "pictures").glob("x*.png"))
    pixels = shell.start("screenshot", "--app", gtk3_shared.app, "--output", "-").communicate(timeout=60)[0]
    assert pixels.startswith(b"\x89PNG") and pixels.endswith(b"IEND\xaeB`\x82")


def test_keys_come_with_the_command_and_stay_out_of_the_daemon(shell):
    provider = Provider()
    try:
        secret = "sk-secret-of-the-command"
        keys = {"OPENAI_API_KEY": secret, "HANDEYE_AI_PROVIDERS": "openai/gpt-4o", "HANDEYE_OPENAI_BASE_URL": provider.url}
        assert "A picture." in shell.ok("image", "--question", "What is this?", **keys)
        assert secret in json.dumps(provider.questions[0].headers)
        assert secret.encode() not in pathlib.Path(f"/proc/{shell.pid()}/environ").read_bytes()
        code, _, errors = shell.run("image", "--question", "What is this?")
        assert code != OK and "HANDEYE_AI_PROVIDERS" in errors, errors
    finally:
        getattr(provider, "close", lambda: None)()


def without_names(text):
    """The text without what only the commands of a daemon can use or what replaces it, and without what differs each time."""
    text = re.sub(r" \[ref=e\d+\]| --root (e\d+|'[^']*'|\w+)", "", text)
    text = re.sub(r"^look: t\d+\n", "", text, flags=re.M)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d-]+Z", "TIME", text)


def without_fields(value):
    """The same for fields."""
    if isinstance(value, dict):
        left_out = ("element_ref", "ref", "look", "debug_logs", "connected")
        return {name: without_fields(item) for name, item in value.items() if name not in left_out}
    if isinstance(value, list):
        return [without_fields(item) for item in value]
    return without_names(value) if isinstance(value, str) else value


@pytest.mark.parametrize("way", ["text", "json", "quiet", "envelope"])
def test_output_is_the_same_with_and_without_the_daemon(desktop, gtk3_shared, way):
    together, alone = Shell(desktop), Shell(desktop, HANDEYE_NO_DAEMON="1")
    app = ["--app", gtk3_shared.app]
    flags = ["--json-output"] if way == "envelope" else ["--format", way]
    for words in (
        ["check"], ["windows", *app], ["windows"], ["find", "role:button Count", *app], ["find", "No such", *app],
        ["get", "Name", *app], ["attributes", "role:button Count", *app], ["tree", *app], ["tree", "--depth", "2", *app],
        ["list"], ["list", "running_applications"], ["connect", gtk3_shared.app], ["wait", *app],
        ["find", "x", "--app", "no-such-app"], ["click", "No such element", *app], ["click", "Item", *app],
        ["find", "//[", "--strategy", "xpath", *app], ["key", "f5"],
        ["click-at", "1", "1"], ["analyze", "/nonexistent.png", "What?"], ["tree", "--since", "t999", *app],
    ):
        first, second = (shell.run(*words, *flags) for shell in (alone, together))
        assert first[0] == second[0], (words, first, second)
        if way in ("json", "envelope"):
            shown = [without_fields(json.loads(output)) for output in (first[1], second[1])]
        else:
            shown = [without_names(output) for output in (first[1], second[1])]
        if words[0] == "wait":
            shown = [re.sub(r"\d+", "N", str(part)) for part in shown]
        if "--since" not in words and "Item" not in words:
            assert shown[0] == shown[1], words
            assert without_names(first[2]) == without_names(second[2]), words
    together.ok("daemon", "stop")


def test_ten_commands_at_once_start_one_daemon(desktop, shell):
    def all_share_it():
        shell.ok("daemon", "stop")
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            outputs = list(pool.map(lambda _: shell.ok("windows"), range(10)))
        assert len(set(outputs)) == 1
        # Those that came too late to be the one are about to end.
        wait_for("one daemon to be left", lambda: daemons(desktop.env) == [shell.pid()])
        # A command that is not greeted in time, as on a busy machine, does its work alone.
        return shell.status()["answered"] == 10
    wait_for("ten commands that are all answered by one daemon", all_share_it)


def test_two_desktops_have_two_daemons(desktop, shell, gtk3_shared):
    other = Desktop()
    try:
        there = Shell(other)
        app = applications.start(other, "gtk3")
        reference = there.reference("button", "Count", app.app)
        shell.reference("button", "Count", gtk3_shared.app)
        assert there.pid() != shell.pid()
        before = gtk3_shared.state()["count"]
        there.ok("click", reference)
        app.wait("count", 1)
        assert gtk3_shared.state()["count"] == before
    finally:
        other.stop()


@contextlib.contextmanager
def frozen(app):
    """The application does not answer as long as the block runs."""
    app.freeze()
    try:
        yield
    finally:
        app.thaw()


def test_a_daemon_that_is_killed_in_a_call(shell, gtk3):
    reference = shell.reference("button", "Count", gtk3.app)
    pid = shell.pid()
    with frozen(gtk3):
        acting = shell.start("click", reference)
        looking = shell.start("get", "Name", "--app", gtk3.app)
        wait_for("the calls to run", lambda: shell.status()["calls"] == 2)
        os.kill(pid, signal.SIGKILL)
        _, errors = acting.communicate(timeout=PATIENCE)
        assert acting.returncode == FAULT and b"daemon was lost" in errors and b"look before" in errors, errors
        # A command that only looks has lost nothing: it works alone, and reports what is wrong with the application.
        _, errors = looking.communicate(timeout=PATIENCE)
        assert looking.returncode == LATE and b"daemon" not in errors, errors
    assert shell.ok("find", "role:button Count", "--app", gtk3.app)
    assert shell.pid() != pid
    code, _, errors = shell.run("click", "e77777")
    assert code == NO_ELEMENT and "daemon" in errors


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_command_that_ends_takes_its_call_with_it(shell, gtk3, number):
    shell.ok("tree", "--app", gtk3.app)
    def seconds_to_the_end():
        child = shell.start("click", "role:button Count", "--app", gtk3.app)
        wait_for("the call to run", lambda: shell.status()["calls"] == 1)
        child.send_signal(number)
        started = time.monotonic()
        _, errors = child.communicate(timeout=PATIENCE)
        if number != signal.SIGKILL:
            assert child.returncode == CANCELLED and b"cancelled" in errors, errors
        wait_for("the call to end", lambda: shell.status()["calls"] == 0)
        return time.monotonic() - started
    with frozen(gtk3):
        quick_once("the end of a command and its call", 2, seconds_to_the_end)
    assert gtk3.state()["count"] == 0
    shell.ok("click", "role:button Count", "--app", gtk3.app)
    gtk3.wait("count", 1)


def test_a_deadline_holds_in_the_daemon(shell, gtk3):
    shell.ok("tree", "--app", gtk3.app)
    def seconds():
        started = time.monotonic()
        code, _, errors = shell.run("--timeout", "0.7", "click", "role:button Count", "--app", gtk3.app)
        # What is left of it when the daemon gets the call.
        left = re.search(r"(\d+) ms", errors)
        assert code == LATE and left and 0 < int(left[1]) <= 700, errors
        return time.monotonic() - started
    with frozen(gtk3):
        quick_once("a command with a deadline of 0.7 s", 3, seconds)


def test_a_daemon_that_hangs_holds_nobody_up(shell, gtk3_shared):
    shell.ok("windows")
    pid = shell.pid()
    os.kill(pid, signal.SIGSTOP)
    try:
        def seconds():
            started = time.monotonic()
            assert "Count" in shell.ok("find", "role:button Count", "--app", gtk3_shared.app)
            return time.monotonic() - started
        quick_once("a command beside a daemon that hangs", 6, seconds)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert shell.pid() == pid


def test_it_ends_when_it_is_idle(desktop):
    # Long enough that it is still there when it is looked for.
    shell = Shell(desktop, HANDEYE_DAEMON_IDLE="3")
    shell.ok("windows")
    (pid,) = daemons(desktop.env)
    wait_for("the daemon to end", lambda: not is_running(pid))
    assert shell.status() == {"running": False}
    assert not os.path.exists(f"{desktop.env['HANDEYE_DESKTOP']}/daemon"), "the last one takes the folder away"
    shell.ok("windows")
    assert daemons(desktop.env) not in ([], [pid])
    shell.run("daemon", "stop")


def test_start_and_stop_by_hand(desktop):
    shell = Shell(desktop)
    assert "No daemon" in shell.ok("daemon", "status")
    told = json.loads(shell.ok("daemon", "start", "--json"))
    assert told["running"] and told["pid"] == shell.pid() and is_running(told["pid"])
    assert shell.ok("daemon", "start") == shell.ok("daemon", "status")
    assert json.loads(shell.ok("daemon", "stop", "--json")) == {"stopped": True}
    wait_for("its process to be gone", lambda: not is_running(told["pid"]))
    assert json.loads(shell.ok("daemon", "stop", "--json")) == {"stopped": False}


def test_what_gains_nothing_starts_none(desktop):
    shell = Shell(desktop)
    for words in (["completions", "bash"], ["doctor"], ["check"], ["clean", "--dry-run"], ["daemon", "status"],
                  ["desktop", "status"], ["analyze", "/nonexistent.png", "What?"], ["--no-daemon", "windows"],
                  ["windows", "--no-daemon"]):
        shell.run(*words)
        assert daemons(desktop.env) == [], words
    Shell(desktop, HANDEYE_NO_DAEMON="true").ok("windows")
    assert daemons(desktop.env) == []
    Shell(desktop, HANDEYE_NO_DAEMON="false").ok("windows")
    assert len(daemons(desktop.env)) == 1
    shell.ok("daemon", "stop")


@pytest.mark.parametrize("way", ["stop", "killed holder", "killed supervisor", "killed display"])
def test_nothing_is_left_after_the_desktop(way):
    desktop = Desktop()
    shell = Shell(desktop)
    shell.ok("windows")
    (pid,) = daemons(desktop.env)
    folder = desktop.env["HANDEYE_DESKTOP"]
    if way == "stop":
        desktop.stop()
    elif way == "killed display":
        desktop.kill_display()
    else:
        with open(f"{folder}/state.json", encoding="utf-8") as file:
            supervisor = json.load(file)["supervisor"]
        os.kill(desktop._holder.pid if way == "killed holder" else supervisor, signal.SIGKILL)
    wait_for("the daemon to end", lambda: not is_running(pid))
    if way != "killed supervisor":  # then the next handeye sweeps
        wait_for("the folder to go", lambda: not os.path.exists(folder))
    if way != "stop":
        desktop.stop()
    history.run([BINARY, "desktop", "stop", "no-such-desktop"], env=desktop_free(desktop.env), capture_output=True,
                check=False, timeout=PATIENCE)
    wait_for("the folder to be swept", lambda: not os.path.exists(folder))
    assert daemons(desktop.env) == []


def desktop_free(env):
    """The environment outside of a desktop."""
    return {name: value for name, value in outside(env).items() if name != "XDG_RUNTIME_DIR"}


def test_a_desktop_that_was_joined_takes_the_daemon_with_it():
    started = history.run([BINARY, "desktop", "start", "--json", "--size", "800x600"], capture_output=True, text=True,
                          env=desktop_free(os.environ), check=True, timeout=60)
    info = json.loads(started.stdout)
    env = {**desktop_free(os.environ), **info["environment"]}
    env.pop("HANDEYE_NO_DAEMON", None)
    try:
        history.run([BINARY, "windows"], env=env, check=True, capture_output=True, timeout=60)
        (pid,) = daemons(env)
    finally:
        history.run([BINARY, "desktop", "stop", info["name"]], env=desktop_free(os.environ), check=True, timeout=60)
    wait_for("the daemon to end", lambda: not is_running(pid))
    wait_for("the folder to go", lambda: not os.path.exists(info["folder"]))


def test_it_keeps_nothing_open_that_its_first_command_had(desktop, shell, tmp_path):
    lock = tmp_path / "lock"
    for words in (f"exec 9>{lock}; flock 9; {BINARY} windows", f"exec {{more}}>{lock}; flock $more; {BINARY} windows"):
        shell.ok("daemon", "stop")
        subprocess.run(["bash", "-c", words], env=shell.env, check=True, capture_output=True, timeout=PATIENCE)
        assert len(daemons(desktop.env)) == 1
        subprocess.run(["flock", "--nonblock", str(lock), "true"], check=True, timeout=PATIENCE)


def test_another_build_replaces_it(shell, gtk3_shared, tmp_path):
    shell.reference("button", "Count", gtk3_shared.app)
    pid = shell.pid()
    other = tmp_path / "handeye"
    shutil.copy(BINARY, other)
    assert "Count" in shell.ok("find", "role:button Count", "--app", gtk3_shared.app, binary=str(other))
    wait_for("the old one to end", lambda: not is_running(pid))
    replaced = shell.pid()
    assert replaced != pid and os.readlink(f"/proc/{replaced}/exe") == str(other)
    shell.ok("windows")
    assert shell.pid() != replaced, "and back"


def test_the_socket_is_for_its_owner_alone(shell):
    shell.ok("windows")
    path = pathlib.Path(shell.status()["socket"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.fixture
def runtime(desktop):
    """A runtime folder of the test's own, outside of the desktop's, that other users can look into."""
    folder = tempfile.mkdtemp(prefix="handeye-runtime-", dir="/tmp")
    os.chmod(folder, 0o755)
    yield pathlib.Path(folder), Shell(desktop, XDG_RUNTIME_DIR=folder, HANDEYE_DESKTOP=None)
    shutil.rmtree(folder)


def test_a_link_in_place_of_the_folder_is_not_followed(desktop, runtime, tmp_path):
    folder, shell = runtime
    (folder / "handeye").symlink_to(tmp_path)
    assert shell.ok("windows")
    assert list(tmp_path.iterdir()) == [] and daemons(desktop.env) == []
    (folder / "handeye").unlink()
    (folder / "handeye").mkdir()
    (folder / "handeye/daemon").symlink_to(tmp_path)
    assert shell.ok("windows")
    assert list(tmp_path.iterdir()) == [] and daemons(desktop.env) == []


def test_a_runtime_folder_of_the_session_is_used_and_left_clean(desktop, runtime):
    folder, shell = runtime
    shell.ok("windows")
    assert shell.status()["socket"].startswith(f"{folder}/handeye/daemon/")
    shell.ok("daemon", "stop")
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can become another user")
def test_another_user_is_refused(runtime):
    folder, shell = runtime
    shell.ok("windows")
    path = shell.status()["socket"]
    # Even where the folder is open to others.
    for part in (path, os.path.dirname(path), os.path.dirname(os.path.dirname(path))):
        os.chmod(part, 0o777)
    script = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.settimeout(10)\ns.connect(sys.argv[1])\n"
              "s.sendall(b'\"status\"\\n')\nprint(s.recv(100))\n")
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    told = subprocess.run([*as_nobody, "/usr/bin/python3", "-c", script, path], capture_output=True, text=True,
                          timeout=30, check=False)
    assert told.stdout.strip() == "b''" or "ConnectionReset" in told.stderr or "BrokenPipe" in told.stderr, told
    # And a socket of another user is not used: the command works alone.
    shell.ok("daemon", "stop")
    server = ("import os, socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\nos.chmod(sys.argv[1], 0o777)\n"
              "s.listen(5)\nprint('listening', flush=True)\nwhile True:\n  c, _ = s.accept()\n"
              "  try:\n    print(len(c.recv(100000)), flush=True)\n  except OSError: print(0, flush=True)\n")
    os.makedirs(os.path.dirname(path), mode=0o777)
    os.chmod(os.path.dirname(path), 0o777)
    os.chmod(os.path.dirname(os.path.dirname(path)), 0o777)
    with subprocess.Popen([*as_nobody, "/usr/bin/python3", "-c", server, path], stdout=subprocess.PIPE, text=True) as impostor:
        try:
            assert impostor.stdout.readline() == "listening\n"
            assert shell.ok("windows")
            assert impostor.stdout.readline() == "0\n", "nothing was said to it"
        finally:
            impostor.kill()


@pytest.mark.parametrize("sent", [
    b"\n", b"garbage\n", b"\xff\xfe\x00\n", b"{}\n", b'{"call": {}}\n', b'{"call"', b"", b'"cancel"\n', b'"nonsense"\n',
    b'{"call": {"words": [], "settings": null, "limit_ms": null, "picture": false, "logs": false}}\n',
    b'{"call": {"words": [{"Unix": [300]}], "settings": null, "limit_ms": null, "picture": false, "logs": false}}\n',
    b'{"call": {"words": [{"Unix": [109, 99, 112]}], "settings": {}, "limit_ms": 0, "picture": true, "logs": true}}\n',
    b"[" * 100_000 + b"\n", b"x" * (17 * 1024 * 1024),
], ids=lambda sent: repr(sent[:24]))
def test_nonsense_on_the_socket_harms_nobody(shell, sent):
    shell.ok("windows")
    told = shell.status()
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(10)
        peer.connect(told["socket"])
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            peer.sendall(sent)
            peer.shutdown(socket.SHUT_WR)
            while peer.recv(65536):
                pass
    shell.ok("windows")
    assert shell.pid() == told["pid"]


def test_many_silent_connections_keep_no_command_from_working(shell):
    shell.ok("windows")
    path = shell.status()["socket"]
    with contextlib.ExitStack() as open_ones:
        for _ in range(100):
            peer = open_ones.enter_context(socket.socket(socket.AF_UNIX))
            peer.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                peer.connect(path)
        assert shell.ok("windows")
    wait_for("the daemon to answer again", lambda: shell.run("daemon", "status")[0] == OK)


def test_logs_of_a_command_are_its_own(shell, gtk3_shared):
    together = json.loads(shell.ok("--json-output", "find", "role:button Count", "--app", gtk3_shared.app))
    assert any("handeye::audit" in line and "ax_find" in line for line in together["debug_logs"])
    code, _, errors = shell.run("windows", HANDEYE_LOG_LEVEL="info")
    assert code == OK and "ax_list_windows" in errors and "ax_find" not in errors
    assert shell.run("windows")[2] == ""

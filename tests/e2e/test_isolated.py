"""An isolated desktop: what its programs reach, as they and the kernel say, and that handeye works on them from outside."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import threading

import pytest

from support import BINARY, history, wait_for
from support.people import Asked, accept
from support.session import Session

MISSING, NOT_FOUND = 6, 127

# Runs inside, and says what it reaches: files, sockets, processes, variables.
PROBE = """
import json, os, socket, sys
def reached(address, kind=socket.AF_INET):
    with socket.socket(kind) as line:
        line.settimeout(5)
        try:
            line.connect(address)
            return True
        except OSError:
            return False
def can(do):
    try:
        do()
        return True
    except OSError:
        return False
asked = json.loads(sys.argv[1])
print(json.dumps({
    "home": sorted(os.listdir(os.path.expanduser("~"))),
    "files": {path: can(lambda: open(path, "rb").read(1)) for path in asked["files"]},
    "writes": {path: can(lambda: open(path, "a").close()) for path in asked["writes"]},
    "hosts": {f"{host}:{port}": reached((host, port)) for host, port in asked["hosts"]},
    "sockets": {path: reached(path, socket.AF_UNIX) for path in asked["sockets"]},
    "abstract": {path: reached(chr(0) + path, socket.AF_UNIX) for path in asked["abstract"]},
    "process": os.path.exists(f"/proc/{asked['process']}/exe") and os.readlink(f"/proc/{asked['process']}/exe"),
    "variables": sorted(os.environ),
    "environments": "".join(open(f"/proc/{p}/environ").read() for p in os.listdir("/proc") if p.isdigit()),
    "open": [os.readlink(f"/proc/{p}/fd/{n}") for p in os.listdir("/proc") if p.isdigit() for n in os.listdir(f"/proc/{p}/fd")
             if int(n) > 2 and os.path.lexists(f"/proc/{p}/fd/{n}")],
    "arguments": "".join(open(f"/proc/{p}/cmdline").read() for p in os.listdir("/proc") if p.isdigit()),
}))
"""


def probe(*flags, env=None, pass_fds=(), **asked):
    """What a program inside reaches."""
    asked = {"files": [], "writes": [], "hosts": [], "sockets": [], "abstract": [], "process": 1, **asked}
    result = inside("/usr/bin/python3", "-c", PROBE, json.dumps(asked), flags=flags, env=env, pass_fds=pass_fds)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def inside(*command, flags=(), env=None, pass_fds=()):
    words = [BINARY, "desktop", "run", "--isolate", *flags, "--", *command]
    return history.run(words, pass_fds=pass_fds, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
                       env={**os.environ, **(env or {})})


@contextlib.contextmanager
def started(words, **options):
    """A program that ends with the test, if it has not by then."""
    child = subprocess.Popen(words, **options)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


@pytest.fixture
def listener():
    """A server at a port of this machine that accepts every client."""
    with socket.create_server(("", 0)) as server:
        def serve():
            while True:
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                line.sendall(b"hello")
                line.close()
        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


@pytest.fixture
def home(tmp_path):
    """A home folder with a secret in it."""
    folder = tmp_path / "home"
    (folder / ".config" / "handeye").mkdir(parents=True)
    (folder / ".ssh").mkdir()
    (folder / ".ssh" / "id").write_text("secret")
    return folder


def test_nothing_outside_is_reached(tmp_path, home, listener):
    path = str(tmp_path / "socket")
    passed = tmp_path / "passed"
    with socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as abstract, open(passed, "w", encoding="ascii") as file:
        named.bind(path)
        named.listen()
        abstract.bind(f"\0handeye-test-{os.getpid()}")
        abstract.listen()
        found = probe(
            files=[str(home / ".ssh" / "id"), "/etc/shadow", "/etc/passwd", "/usr/bin/env"],
            writes=["/usr/bin/x", "/etc/passwd", str(home / "mine"), "/tmp/mine", "/.flatpak-info"],
            pass_fds=[file.fileno()], hosts=[("127.0.0.1", listener), ("localhost", listener), (socket.gethostname(), listener)],
            sockets=[path], abstract=[f"handeye-test-{os.getpid()}"], process=os.getpid(),
            env={"HOME": str(home), "OPENAI_API_KEY": "sk-not-to-be-seen", "HANDEYE_HTTP_TOKEN": "not-to-be-seen-either"})
    assert found["files"] == {str(home / ".ssh" / "id"): False, "/etc/shadow": False, "/etc/passwd": True, "/usr/bin/env": True}
    assert found["writes"] == {"/usr/bin/x": False, "/etc/passwd": False, str(home / "mine"): True, "/tmp/mine": True,
                               "/.flatpak-info": False}
    assert not any(found["hosts"].values()) and not any(found["sockets"].values()) and not any(found["abstract"].values()), found
    assert ".ssh" not in found["home"] and not (home / "mine").exists() and not os.path.exists("/tmp/mine")
    own = os.readlink(f"/proc/{os.getpid()}/exe")
    assert found["process"] != own, "the process of this number is another one inside"
    # Neither in a variable of any process nor in its arguments; and no file that somebody had open is passed on.
    assert not [name for name in found["variables"] if "KEY" in name or "TOKEN" in name], found["variables"]
    assert "not-to-be-seen" not in found["arguments"] + found["environments"]
    assert found["environments"] and str(passed) not in found["open"], found["open"]


def test_what_is_named_is_reached_and_nothing_beside_it(tmp_path, listener):
    with socket.create_server(("", 0)) as other:
        beside = other.getsockname()[1]
        read, write = tmp_path / "read", tmp_path / "write"
        for folder in (read, write):
            folder.mkdir()
            (folder / "there").write_text("x")
        host = socket.gethostname()
        found = probe(
            "--allow-path", str(read), "--allow-path", f"{write}:rw",
            "--allow-host", f"localhost:{listener}", "--allow-host", f"{host}:{listener}",
            files=[str(read / "there"), str(write / "there")], writes=[str(read / "new"), str(write / "new")],
            hosts=[("localhost", listener), (host, listener), ("localhost", beside), (host, beside)])
    assert all(found["files"].values())
    assert found["writes"] == {str(read / "new"): False, str(write / "new"): True}
    assert (write / "new").exists() and not (read / "new").exists()
    assert found["hosts"] == {f"localhost:{listener}": True, f"{host}:{listener}": True, f"localhost:{beside}": False,
                              f"{host}:{beside}": False}
    answer = inside("/usr/bin/python3", "-c", f"import socket; print(socket.create_connection(('localhost', {listener})).recv(9))",
                    flags=["--allow-host", f"localhost:{listener}"])
    assert "hello" in answer.stdout, answer


def test_the_buses_start_programs_inside_alone():
    def gdbus(method, *words, address="--session"):
        return (f"gdbus call {address} --dest org.freedesktop.DBus --object-path /org/freedesktop/DBus "
                f"--method org.freedesktop.DBus.{method} {' '.join(words)}")
    variables = gdbus("UpdateActivationEnvironment", "\"{'LD_PRELOAD': '/tmp/x.so'}\"")
    accessibility = ("--address $(gdbus call --session --dest org.a11y.Bus --object-path /org/a11y/bus "
                     "--method org.a11y.Bus.GetAddress | cut -d\"'\" -f2)")
    of_accessibility = gdbus("UpdateActivationEnvironment", "\"{'LD_PRELOAD': '/tmp/x.so'}\"", address=accessibility)
    script = f"""
        {gdbus("StartServiceByName", "org.xfce.Xfconf", "0")} >/dev/null || exit 1
        for i in $(seq 100); do pgrep -c xfconfd >/dev/null && break; sleep 0.05; done
        echo "inside: $(pgrep -c xfconfd)"
        {variables} 2>&1 | grep -o AccessDenied
        {of_accessibility} 2>&1 | grep -o AccessDenied"""
    result = inside("sh", "-c", script)
    assert result.stdout.split() == ["inside:", "1", "AccessDenied", "AccessDenied"], result


def test_the_exit_code_and_signals_are_those_of_the_command(tmp_path):
    assert inside("sh", "-c", "exit 7").returncode == 7
    absent = inside("no-such-program")
    assert absent.returncode == NOT_FOUND and "no-such-program" in absent.stderr and "--allow-path" in absent.stderr
    ready = tmp_path / "ready"
    script = f"trap 'exit 5' TERM; touch {ready}; sleep 60 & wait"
    with started([BINARY, "desktop", "run", "--isolate", "--allow-path", f"{tmp_path}:rw", "--", "sh", "-c", script],
                       stdin=subprocess.DEVNULL) as running:
        wait_for("the command to run", ready.exists)
        running.terminate()
        assert running.wait(20) == 5


def test_files_of_the_caller_are_not_opened_again(tmp_path):
    given, errors, output = (tmp_path / name for name in ("given", "errors", "output"))
    given.write_text("given\n")
    errors.write_text("from before\n")
    script = ("read line; echo \"$line\"; dd if=/proc/self/fd/2 of=/tmp/seen iflag=nonblock count=1 2>/dev/null; grep -c before /tmp/seen; "
              "echo changed 2>/dev/null >> /proc/self/fd/0; : > /proc/self/fd/2; echo said >&2")
    with open(given, encoding="ascii") as stdin, open(output, "w", encoding="ascii") as stdout, open(errors, "a", encoding="ascii") as stderr:
        subprocess.run([BINARY, "desktop", "run", "--isolate", "--", "bash", "-c", script], stdin=stdin, stdout=stdout, stderr=stderr,
                       timeout=60, check=True)
    assert given.read_text() == "given\n" and output.read_text() == "given\n0\n"
    assert errors.read_text().startswith("from before\n") and errors.read_text().endswith("said\n"), errors.read_text()


def test_the_folder_of_the_desktops_is_not_shared():
    # Where they are without a folder of the session, which the tests have none of.
    result = inside("true", flags=["--allow-path", "/tmp:rw"], env={"XDG_RUNTIME_DIR": ""})
    assert result.returncode != 0 and f"handeye-{os.getuid()}" in result.stderr, result


def test_outside_of_a_desktop_that_has_ended_nothing_is_started(tmp_path):
    made = tmp_path / "made"
    env = {**os.environ, "HANDEYE_DESKTOP_ISOLATED": "1", "HANDEYE_DESKTOP": str(tmp_path), "HANDEYE_LOG_FILE": os.devnull}
    errors = tmp_path / "errors"
    with open(errors, "w", encoding="utf-8") as file, started([BINARY, "mcp", "serve", "--", "touch", str(made)], env=env,
                                                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=file):
        wait_for("the refusal", lambda: "cannot be started in the sandbox" in errors.read_text(encoding="utf-8"))
    assert not made.exists()


def of_sandbox(mark):
    """The processes, by the numbers of this machine, whose arguments contain `mark`."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if mark.encode() in file.read() and int(process) != os.getpid():
                    found.append(int(process))
        except OSError:
            continue
    return found


def test_nothing_is_left_when_the_supervisor_is_killed(tmp_path):
    mark = f"left-{os.getpid()}"
    ready = tmp_path / "ready"
    script = f"touch {ready}; (exec -a {mark} sleep 600) & wait"
    with started([BINARY, "desktop", "run", "--isolate", "--allow-path", f"{tmp_path}:rw", "--", "bash", "-c", script],
                       stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_for("the command to run", lambda: ready.exists() and any(is_sleep(pid) for pid in of_sandbox(mark)))
        with open(f"/proc/{running.pid}/task/{running.pid}/children", encoding="ascii") as file:
            supervisor = int(file.read().split()[0])
        servers = [pid for pid in of_sandbox("Xvfb") if os.readlink(f"/proc/{pid}/exe").endswith("/Xvfb") and supervisor in (parent(pid), parent(parent(pid)))]
        assert servers and all(os.readlink(f"/proc/{pid}/ns/ipc") != os.readlink("/proc/self/ns/ipc") for pid in servers), servers
        os.kill(supervisor, signal.SIGKILL)
        running.wait(20)
        wait_for("the sandbox to end", lambda: not of_sandbox(mark))


def parent(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def is_sleep(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe").endswith("/sleep") or b"sleep" in open(f"/proc/{pid}/comm", "rb").read()
    except OSError:
        return False


def test_without_bubblewrap_its_package_is_named(tmp_path):
    for program in ("Xvfb", "dbus-daemon", "openbox", "sh"):
        os.symlink(shutil.which(program), tmp_path / program)
    result = inside("sh", "-c", "true", env={"PATH": str(tmp_path)})
    assert result.returncode == MISSING and "bubblewrap" in result.stderr, result


def test_handeye_works_on_it_from_outside(tmp_path):
    note = tmp_path / "note.txt"
    note.write_text("a note")
    # The rules for applications go by the file that runs, and see it there too.
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
           "HANDEYE_ALLOWED_APPS": f"exe:{shutil.which('mousepad')}"}
    session = Session(env, log=str(tmp_path / "log"), arguments=[
        "--desktop", "private", "--isolate", "--allow-path", str(note), "--image-responses", "inline", "--",
        "mousepad", "--disable-server", str(note)])
    try:
        app = wait_for("the editor", lambda: next(
            (app for app in session.do("ax_list_apps").fields["apps"] if app["name"].lower() == "mousepad"), None))
        # Its number is the one that it has on this machine.
        assert os.readlink(f"/proc/{app['pid']}/exe") == shutil.which("mousepad")
        with open(f"/proc/{app['pid']}/status", encoding="ascii") as status:
            numbers = next(line for line in status if line.startswith("NSpid")).split()[1:]
        assert len(numbers) == 2, "it has another number inside"
        wait_for("the note", lambda: "a note" in session.do("ax_get_tree", app="mousepad").text)
        answer = session.do("ax_set_value", app="mousepad", query="role:textbox", value="written from outside")
        assert answer.effect == "confirmed", answer.text
        answer = session.do("ax_click", app="mousepad", query="menu:Document")
        assert not answer.is_error
        assert session.do("ax_list_windows", app="mousepad").fields["windows"]
        assert session.do("ax_screenshot", app="mousepad").pictures
    finally:
        session.close()


def test_scripts_run_inside(tmp_path, listener):
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    (tmp_path / "outside").write_text("x")
    client = Asked(env, "2025-11-25", ["--desktop", "private", "--isolate", "--tools", "ax_run_script"], answers=accept(approve=True))
    try:
        script = f"cat ~/outside || echo absent; pgrep -c openbox; exec 3<>/dev/tcp/127.0.0.1/{listener} || echo no network"
        result = client.call("ax_run_script", script=f"bash -c '{script}' 2>/dev/null")["result"]
        assert result["structuredContent"]["stdout"].split("\n")[:3] == ["absent", "1", "no network"], result
    finally:
        client.close()


# Wants the name of the accessibility bus, and lets an editor run if it is refused.
FALSE_BUS = """
import os
from gi.repository import Gio, GLib
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
try:
    bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                  GLib.Variant("(su)", ("org.a11y.Bus", 6)), None, Gio.DBusCallFlags.NONE, -1)
except GLib.Error as refused:
    assert "AccessDenied" in refused.message, refused
    os.execvp("mousepad", ["mousepad", "--disable-server"])
"""


def test_no_program_takes_the_name_of_the_accessibility_bus(tmp_path):
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    session = Session(env, log=str(tmp_path / "log"), arguments=[
        "--desktop", "private", "--isolate", "--", "/usr/bin/python3", "-c", FALSE_BUS])
    try:
        wait_for("the editor", lambda: "mousepad" in session.do("ax_list_apps").text.lower())
        wait_for("its tree", lambda: 'menu "File"' in session.call("ax_get_tree", app="mousepad").text)
    finally:
        session.close()

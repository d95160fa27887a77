"""The clipboard: what applications copy is read, what is written is pasted, as other programs see both."""

import json
import os
import signal
import struct
import subprocess
import zlib

import pytest

from support import BINARY, history, wait_for
from support.applications import Application
from support.session import Session

ALL = ["--toolsets", "all"]
OWNER = "clipboard-owner"


def png(width, height, noise=False):
    """A picture, whose file is large where it is noise."""
    rows = b"".join(b"\0" + (os.urandom(width * 3) if noise else b"\x40\x80\xc0" * width) for _ in range(height))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


@pytest.fixture(scope="module")
def server(desktop):
    own = Session(desktop.env, arguments=ALL, log=desktop.path("server.log"))
    yield own
    own.close()


def command(desktop, *words, code=0):
    """Runs a command by itself; returns what it prints."""
    run = history.run([BINARY, "clipboard", *words], env=desktop.env, stdin=subprocess.DEVNULL, capture_output=True,
                      text=True, timeout=60, check=False)
    assert run.returncode == code, (run.returncode, run.stdout, run.stderr)
    return run.stdout


def pasted(desktop, target="UTF8_STRING"):
    """What xclip gets, in bytes."""
    words = ["xclip", "-selection", "clipboard", "-o", "-t", target]
    return subprocess.run(words, env=desktop.env, capture_output=True, timeout=60, check=False).stdout


def copied(desktop, content, target="UTF8_STRING"):
    """Has xclip copy something; it stays as its owner."""
    subprocess.run(["xclip", "-selection", "clipboard", "-i", "-t", target], env=desktop.env, input=content, timeout=60,
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def owners(desktop):
    """The processes that keep what this desktop's handeye has copied."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{process}/environ", "rb") as file:
                environment = file.read().split(b"\0")
        except OSError:
            continue
        if OWNER.encode() in words and f"DISPLAY={desktop.env['DISPLAY']}".encode() in environment:
            found.append(int(process))
    return found


def test_what_a_command_copies_outlives_it_until_something_else_is_copied(desktop):
    command(desktop, "write", "Grüße, 漢字 🎉\nline two")
    assert pasted(desktop).decode() == "Grüße, 漢字 🎉\nline two"
    targets = pasted(desktop, "TARGETS").decode().split()
    assert {"TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "UTF8_STRING", "text/plain"} <= set(targets)
    assert "STRING" not in targets, "Latin 1 does not have these characters"
    assert len(owners(desktop)) == 1
    command(desktop, "write", "Grüße")
    assert pasted(desktop, "STRING") == "Grüße".encode("latin-1")
    wait_for("the first owner to end", lambda: len(owners(desktop)) == 1)
    copied(desktop, b"from xclip")
    wait_for("the owner to end", lambda: not owners(desktop))
    assert command(desktop, "read") == "from xclip\n"


def test_what_a_server_copies_outlives_it(desktop):
    session = Session(desktop.env, arguments=ALL)
    assert session.do("ax_clipboard", action="write", text="kept").fields["success"] is True
    assert session.do("ax_clipboard", action="read").fields["text"] == "kept"
    session.close()
    assert pasted(desktop) == b"kept"


def test_every_form_is_written_and_read(desktop, server, tmp_path):
    picture, text = tmp_path / "a b.png", tmp_path / "ñ.txt"
    picture.write_bytes(png(800, 800, noise=True))
    text.write_text("")
    server.do("ax_clipboard", action="write", text="plain", html="<b>bold</b>", path=str(picture),
              files=[str(text), "sftp://host/x"])
    assert pasted(desktop) == b"plain" and pasted(desktop, "text/html") == b"<b>bold</b>"
    assert pasted(desktop, "image/png") == picture.read_bytes(), "1.9 MB, in parts"
    uri = f"file://{tmp_path}/%C3%B1.txt"
    assert pasted(desktop, "text/uri-list").decode() == f"{uri}\r\nsftp://host/x\r\n"
    assert pasted(desktop, "x-special/gnome-copied-files").decode() == f"copy\n{uri}\nsftp://host/x"
    read = {form: server.do("ax_clipboard", action="read", format=form).fields for form in ("text", "html", "files", "png")}
    assert (read["text"]["text"], read["html"]["text"]) == ("plain", "<b>bold</b>")
    assert read["files"]["files"] == [uri, "sftp://host/x"]
    assert "image/png" in read["text"]["formats"]
    with open(read["png"]["path"], "rb") as file:
        assert file.read(24)[16:] == struct.pack(">II", 800, 800)
    command(desktop, "read", "--format", "png", "--path", str(tmp_path / "out.png"))
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_an_application_pastes_what_was_written_and_its_copy_is_read(desktop, server):
    name = desktop.path("letter.txt")
    with open(name, "w", encoding="utf-8") as file:
        file.write("")
    app = Application(desktop, ["mousepad", "--disable-server", name], "letter.txt")
    try:
        desktop.activate(app.window)
        server.do("ax_clipboard", action="write", text="Dear Ada,\nñ 漢")
        server.do("ax_key_press", app=app.app, key="ctrl+v", mode="focus")
        server.do("ax_key_press", app=app.app, key="ctrl+s", mode="focus")

        def saved():
            with open(name, encoding="utf-8") as file:
                return file.read() == "Dear Ada,\nñ 漢\n" or file.seek(0) == 0 and file.read() == "Dear Ada,\nñ 漢"
        wait_for("the application to save what was pasted", saved)
        copied(desktop, b"something else")
        server.do("ax_key_press", app=app.app, key="ctrl+a", mode="focus")
        server.do("ax_key_press", app=app.app, key="ctrl+c", mode="focus")
        wait_for("the application to have copied", lambda: pasted(desktop).startswith(b"Dear"))
        assert server.do("ax_clipboard", action="read").fields["text"].startswith("Dear Ada,\nñ 漢")
    finally:
        app.stop()


def test_a_long_text_is_read_whole_by_a_command_and_cut_for_a_model(desktop, server):
    copied(desktop, b"x" * 900_000)
    assert len(command(desktop, "read")) == 900_001
    answer = server.do("ax_clipboard", action="read")
    assert "[left out: 888000 characters at the end]" in answer.text and len(answer.text) < 13_000


def test_a_password_is_not_read(desktop, server):
    copied(desktop, b"secret", "x-kde-passwordManagerHint")
    answer = server.call("ax_clipboard", action="read")
    assert answer.code == "refused" and "password" in answer.text
    assert "password" not in command(desktop, "read", code=5)


def test_a_stalled_owner_costs_seconds_and_no_more(desktop, server):
    child = desktop.start(["xclip", "-selection", "clipboard", "-i", "-quiet", "/etc/hostname"], "stalled")
    with open("/etc/hostname", "rb") as file:
        content = file.read()
    # What the test before has copied may still be there.
    wait_for("xclip to have copied", lambda: pasted(desktop) == content)
    os.kill(child.pid, signal.SIGSTOP)
    try:
        answer = server.call("ax_clipboard", action="read")
        assert answer.code == "app_not_responding" and answer.seconds < 8
        # It does not hinder writing.
        server.do("ax_clipboard", action="write", text="after")
        assert pasted(desktop) == b"after"
    finally:
        os.kill(child.pid, signal.SIGCONT)
        child.kill()


def test_bad_input_is_explained(desktop, server):
    for arguments, code in [({"action": "write"}, "invalid_parameter"), ({"action": "read", "text": "a"}, "invalid_parameter"),
                            ({"action": "write", "text": "x" * 1_100_000}, "too_large"),
                            ({"action": "write", "path": "/etc/hostname"}, "unsupported_image"),
                            ({"action": "write", "files": ["/no/such"]}, "invalid_parameter")]:
        assert server.call("ax_clipboard", **arguments).code == code
    command(desktop, "write", code=2)
    assert server.do("ax_clipboard", action="read").fields["text"] == "after", "the clipboard is as it was"


def test_the_session_is_reported(desktop, server):
    info = server.do("ax_session_info").fields
    assert info["security_mode"] == "normal" and info["subscriptions"] == 0 and info["uptime_seconds"] > 0
    assert desktop.env["DISPLAY"] in info["display"]
    before = info["action_count"]
    app = Application(desktop, ["mousepad", "--disable-server"], "Mousepad")
    try:
        server.do("ax_key_press", app=app.app, key="a", mode="focus")
        info = server.do("ax_session_info").fields
        assert info["action_count"] == before + 1
        assert any("mousepad" in name.lower() for name in info["connected_apps"])
    finally:
        app.stop()
    read_only = Session(desktop.env, arguments=[*ALL, "--read-only"])
    try:
        assert read_only.do("ax_session_info").fields["security_mode"] == "sandboxed"
        assert "ax_clipboard" not in read_only.tools()
    finally:
        read_only.close()
    printed = json.loads(history.run([BINARY, "session", "--format", "json"], env=desktop.env, capture_output=True, text=True,
                                     timeout=60, check=True).stdout)
    assert printed["action_count"] == 0 and printed["machine"]

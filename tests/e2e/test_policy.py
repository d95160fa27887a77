"""What a user lets an agent touch: rules of security.toml, modes and limits, judged by the applications and the pixels."""

import os
import shutil
import subprocess

import pytest

from support import BINARY, history, wait_for
from support.applications import Application
from support.conversation import Stdio
from support.people import MODERN, Asked, accept, decline
from support.pictures import decoded
from support.signing_in import PYTHON, SignIn

LEGACY = "2025-11-25"
# The two shades of what is masked.
MASK = (b"\x20" * 3, b"\x60" * 3)


class Rules:
    """A file of rules, and handeye with it."""

    def __init__(self, desktop, folder):
        self.path = folder / "security.toml"
        self.env = {**desktop.env, "HANDEYE_SECURITY_FILE": str(self.path), "HANDEYE_AUDIT_LOG": str(folder / "audit.jsonl"),
                    # Requests for a tighter mode reach the servers of this test alone.
                    "XDG_RUNTIME_DIR": str(folder)}

    def write(self, text):
        self.path.write_text(text, encoding="utf-8")
        self.path.chmod(0o600)

    def handeye(self, *words, env=None):
        return history.run([BINARY, *words], env={**self.env, **(env or {})}, capture_output=True, text=True, timeout=60,
                           check=False, stdin=subprocess.DEVNULL)

    def serve(self, *arguments, revision=MODERN):
        client = Stdio(self.env, revision, arguments=["--toolsets", "all,script", *arguments])
        client.begin()
        return client


@pytest.fixture
def rules(desktop, tmp_path):
    return Rules(desktop, tmp_path)


@pytest.fixture
def vault(desktop):
    """A program of the distribution, known by its executable."""
    app = Application(desktop, [shutil.which("xmessage"), "-center", "Gold in the vault"], "xmessage")
    # Its window does not name its process; the X server knows it.
    app.process = app.child.pid
    yield app
    app.stop()


def test_a_denied_application_is_neither_found_nor_seen(rules, gtk3, vault, tmp_path):
    rules.write(f"[apps]\ndenied = ['exe:{os.path.realpath(shutil.which('xmessage'))}']\n")
    for words in (["tree", "--app", "xmessage"], ["screenshot", "--app", vault.app], ["click", "OK", "--app", "xmessage"]):
        done = rules.handeye(*words)
        assert done.returncode == 9 and "line 2 of" in done.stderr, done.stderr
    listed = rules.handeye("windows", "--app", "all").stdout + rules.handeye("apps").stdout
    assert "xmessage" not in listed and gtk3.title in listed, listed
    def masked():
        picture = tmp_path / "screen.png"
        done = rules.handeye("screenshot", "--output", str(picture))
        assert done.returncode == 0, done.stderr
        rgb = decoded(picture.read_bytes()).rgb
        return sum(rgb[at:at + 3] in MASK for at in range(0, len(rgb), 3))
    hidden = masked()
    rules.write("")
    assert hidden > 1_000 and masked() < hidden / 10, hidden


def test_an_allowed_application_is_one_by_what_it_runs_and_not_by_its_name(rules, vault, gtk3):
    rules.write(f"[apps]\nallowed = ['exe:{os.path.realpath(f'/proc/{gtk3.app}/exe')}']\n")
    assert rules.handeye("tree", "--app", gtk3.app).returncode == 0
    assert rules.handeye("tree", "--app", vault.app).returncode == 9
    rules.write("[apps]\nallowed = ['xmessage']\n")
    assert rules.handeye("screenshot", "--app", vault.app).returncode == 9, "every program can take that name"
    assert "proves nothing" in rules.handeye("policy", "check").stdout


def test_what_is_read_only_or_to_be_asked_about_is_not_acted_on(rules, gtk3):
    executable = os.path.realpath(f"/proc/{gtk3.app}/exe")
    rules.write(f"[apps]\nread_only = ['exe:{executable}']\n")
    assert "Count" in rules.handeye("tree", "--app", gtk3.app).stdout
    done = rules.handeye("click", "role:button Count", "--app", gtk3.app)
    assert done.returncode == 9 and "read_only" in done.stderr, done.stderr
    rules.write(f"[apps]\nask_first = ['exe:{executable}']\n")
    for answer, count in ((decline(), 0), (accept(confirm=True), 1)):
        client = Asked(rules.env, MODERN, answers=answer)
        try:
            client.call("ax_click", app=gtk3.app, query="role:button Count")
        finally:
            client.close()
        assert gtk3.state()["count"] == count
    explained = rules.handeye("policy", "explain", "ax_click", "--app", gtk3.app)
    assert explained.returncode == 0 and "asks" in explained.stdout and "line 2" in explained.stdout, explained.stdout


def test_a_mode_is_tightened_while_the_server_runs_and_not_loosened(rules, gtk3, tmp_path):
    rules.write("")
    with rules.serve(revision=LEGACY) as client:
        listed = {tool["name"] for tool in client.request("tools/list")["tools"]}
        assert {"ax_click", "ax_run_script"} <= listed
        assert rules.handeye("mode", "normal").returncode == 2
        assert rules.handeye("mode", "sandboxed").returncode == 0
        wait_for("the notification", lambda: any(message.get("method") == "notifications/tools/list_changed" for message in
                                                list(client.heard)))
        listed = {tool["name"] for tool in client.request("tools/list")["tools"]}
        assert "ax_get_tree" in listed and not listed & {"ax_click", "ax_run_script", "ax_clipboard", "ax_workflow"}
        assert client.refusal("tools/call", name="ax_click", arguments={"app": gtk3.app, "query": "Count"})
    with rules.serve() as later:
        assert "ax_click" in {tool["name"] for tool in later.request("tools/list")["tools"]}, "it began later"


def test_in_the_mode_safe_risk_needs_a_yes_and_scripts_are_off(rules, gtk3):
    rules.write("mode = 'safe'\n")
    assert rules.handeye("mode").stdout.strip() == "safe"
    done = rules.handeye("click", "role:button Count", "--app", gtk3.app)
    assert done.returncode == 0, done.stderr
    gtk3.wait("count", 1)
    done = rules.handeye("click", "role:button Count", "--app", gtk3.app, env={"HANDEYE_AUDIT_LOG": "off"})
    assert done.returncode == 9 and gtk3.state()["count"] == 1, done.stderr
    with rules.serve() as client:
        assert "ax_run_script" not in {tool["name"] for tool in client.request("tools/list")["tools"]}


def test_a_caller_that_asks_too_often_is_told_when_to_come_again(rules, gtk3):
    rules.write("")
    rules.env["HANDEYE_RATE_LIMIT_RPS"] = "3"
    with rules.serve() as client:
        answers = [client.request("tools/call", name="ax_session_info", arguments={}) for _ in range(12)]
        limited = [answer for answer in answers if answer.get("isError")]
        assert limited and len(limited) < 12, answers
        text = limited[0]["content"][0]["text"]
        assert "rate_limit_exceeded" in text or "Rate limit exceeded" in text, text
        refused = wait_for("a refusal", lambda: next((error for error in (
            client.refusal("resources/read", uri="handeye://apps") for _ in range(1)) if error and error["code"] == -32000), None))
        assert refused["data"]["retry_after_ms"] > 0, refused


@pytest.mark.parametrize(("text", "named"), [
    ("[apps]\ndenyed = ['x']\n", ["line 2", "denyed"]), ("mode = 'nromal'\n", ["line 1", "is not a mode"]),
    ("[apps]\ndenied = ['exe:vault']\n", ["line 2", "whole path"]), ("[apps\n", ["line 1"]),
])
def test_rules_that_cannot_be_understood_end_it_at_the_start(rules, text, named):
    rules.write(text)
    for words in (["apps"], ["mcp", "serve"], ["policy", "check"], ["doctor"]):
        done = rules.handeye(*words)
        assert done.returncode == 2 and all(part in done.stderr for part in named), (words, done.stderr)


def test_rules_that_somebody_else_could_have_written_are_refused(rules, tmp_path):
    rules.write("[apps]\ndenied = ['x']\n")
    rules.path.chmod(0o666)
    assert rules.handeye("apps").returncode == 9
    rules.path.chmod(0o600)
    link = tmp_path / "link.toml"
    link.symlink_to(rules.path)
    assert rules.handeye("apps", env={"HANDEYE_SECURITY_FILE": str(link)}).returncode == 9
    assert rules.handeye("apps", env={"HANDEYE_SECURITY_FILE": str(tmp_path / "none.toml")}).returncode == 2
    assert rules.handeye("apps", env={"AXTERMINATOR_SECURITY_MODE": "nromal"}).returncode == 2


@pytest.mark.parametrize("mode", ["background", "focus"])
def test_what_copies_is_not_pressed_where_nothing_may_be_copied(rules, desktop, mode):
    own = SignIn(desktop)
    try:
        rules.write(f"[apps]\nno_clipboard = ['exe:{PYTHON}']\n")
        with rules.serve() as client:
            refused = client.call("ax_click", app=own.app, query="button:Copy", mode=mode)
            assert refused["isError"] and refused["structuredContent"]["error"]["code"] == "blocked", refused
            assert "no_clipboard" in refused["structuredContent"]["error"]["message"], refused
            assert not client.call("ax_click", app=own.app, query="button:Show", mode=mode).get("isError")
            own.wait("clear", True)
    finally:
        own.stop()

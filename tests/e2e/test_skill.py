"""The skill: served by the extension, printed, installed; and every command in it works on a real application."""

import hashlib
import json
import os
import re
import subprocess

import pytest

from support import BINARY, applications, history
from support.wire import Wire

URI = "skill://handeye/SKILL.md"
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}
# What may say no here, with its exit code: a machine may lack something, and an empty editor has nothing to scroll.
MAY_SAY_NO = {"doctor": 6, "scroll": 5}


def handeye(env, *words, **options):
    return history.run([BINARY, *words], env=env, capture_output=True, text=True, timeout=60, check=False,
                       stdin=subprocess.DEVNULL, **options)


@pytest.fixture
def shell(desktop):
    """The environment of a person's shell: its commands share a process, which ends with the test."""
    folder = desktop.path("bin")
    os.makedirs(folder, exist_ok=True)
    if not os.path.lexists(f"{folder}/handeye"):
        os.symlink(os.path.abspath(BINARY), f"{folder}/handeye")
    env = {name: value for name, value in desktop.env.items() if name != "HANDEYE_NO_DAEMON"}
    env["PATH"] = f"{folder}:{env['PATH']}"
    yield env
    handeye(env, "daemon", "stop")


@pytest.fixture
def mousepad(desktop):
    app = applications.Application(desktop, ["mousepad", "--disable-server"], "Mousepad")
    yield app
    app.stop()


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_extension_serves_it(desktop, era):
    wire = Wire(desktop.env)
    meta = {} if era == "legacy" else {"_meta": MODERN}
    try:
        hello = wire.initialize() if era == "legacy" else wire.request("server/discover", **meta)["result"]
        assert "io.modelcontextprotocol/skills" in hello["capabilities"]["extensions"]
        (skill,) = wire.request("skills/list", **meta)["result"]["skills"]
        assert skill["uri"] == URI and skill["frontmatter"]["name"] == "handeye"
        assert wire.request("skills/get", uri=URI, **meta)["result"]["skill"] == skill
        (content,) = wire.request("resources/read", uri=URI, **meta)["result"]["contents"]
        raw = content["text"].encode()
        (file,) = skill["resources"]
        assert file == {"uri": URI, "size": len(raw), "digest": "sha256:" + hashlib.sha256(raw).hexdigest()}
        assert skill["frontmatter"]["description"] in content["text"]
        unknown = wire.request("skills/get", uri="skill://other/SKILL.md", **meta)
        assert unknown["error"]["code"] == -32602
    finally:
        wire.close()


def test_it_is_printed_and_installed(desktop, tmp_path):
    text = handeye(desktop.env, "skill").stdout
    assert text.startswith("---\nname: handeye\n")
    home = tmp_path / "home"
    home.mkdir()
    env = {**desktop.env, "HOME": str(home)}
    assert handeye(env, "skill", "install").returncode == 0
    assert (home / ".claude/skills/handeye/SKILL.md").read_text() == text
    told = json.loads(handeye(env, "skill", "install", "--dir", str(tmp_path / "own"), "--format", "json").stdout)
    assert told["path"] == str(tmp_path / "own/SKILL.md")
    (tmp_path / "own/SKILL.md").write_text("---\nname: mine\n---\n")
    assert handeye(env, "skill", "install", "--dir", str(tmp_path / "own")).returncode == 2
    assert (tmp_path / "own/SKILL.md").read_text() == "---\nname: mine\n---\n"


def commands(text):
    """The lines of its shell blocks that call handeye, without their comments."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("handeye ")]


def test_every_command_in_it_works(shell, mousepad):
    lines = commands(handeye(shell, "skill").stdout)
    assert len(lines) >= 15
    found = handeye(shell, "find", "Line Numbers", "--app", mousepad.app, "--format", "json")
    reference = json.loads(found.stdout)["element_ref"]
    for line in lines:
        # The reference of a real element stands in for that of the text.
        line = re.sub(r"\be12\b", reference, line)
        result = subprocess.run(["sh", "-c", line], env=shell, capture_output=True, text=True, timeout=60, check=False,
                                stdin=subprocess.DEVNULL)
        told = f"{line}: {result.returncode}\n{result.stdout}{result.stderr}"
        assert result.returncode in (0, MAY_SAY_NO.get(line.split()[1], 0)), told


def test_the_loop_of_the_text_changes_the_application(shell, gtk3):
    tree = handeye(shell, "tree", "--app", gtk3.app, "--depth", "20").stdout
    reference = re.search(r'button "Count"[^\n]*\[ref=(e\d+)\]', tree).group(1)
    clicked = handeye(shell, "click", reference)
    assert clicked.returncode == 0, clicked.stderr
    gtk3.wait("count", 1)

"""The skill: served by the extension, printed, installed; and every command in it works on a real application."""

import hashlib
import json
import os
import re
import shlex
import subprocess

import pytest

from support import BINARY, applications
from support.wire import Wire

URI = "skill://handeye/SKILL.md"
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}
# It may find something wrong with the machine that runs the test.
MAY_SAY_NO = {"doctor"}


def handeye(env, *words, **options):
    return subprocess.run([BINARY, *words], env=env, capture_output=True, text=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL, **options)


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


def test_every_command_in_it_works(desktop, mousepad):
    text = handeye(desktop.env, "skill").stdout
    lines = commands(text)
    assert len(lines) >= 15
    env = {**desktop.env, "PATH": f"{desktop.path('bin')}:{desktop.env['PATH']}"}
    os.makedirs(desktop.path("bin"), exist_ok=True)
    if not os.path.lexists(desktop.path("bin/handeye")):
        os.symlink(os.path.abspath(BINARY), desktop.path("bin/handeye"))
    found = handeye(env, "find", "Line Numbers", "--app", "mousepad", "--format", "json")
    reference = json.loads(found.stdout)["element_ref"]
    for line in lines:
        # The numbers of a real tree stand in for those of the text.
        line = re.sub(r"\be12\b", reference, line)
        words = shlex.split(line)
        result = subprocess.run(["sh", "-c", line], env=env, capture_output=True, text=True, timeout=60, check=False,
                                stdin=subprocess.DEVNULL)
        told = f"{line}: {result.returncode}\n{result.stdout}{result.stderr}"
        if words[1] in MAY_SAY_NO:
            assert result.returncode in (0, 6), told
        else:
            assert result.returncode == 0, told


def test_the_loop_of_the_text_changes_the_application(gtk3, desktop):
    tree = handeye(desktop.env, "tree", "--app", gtk3.app, "--depth", "20").stdout
    reference = re.search(r'button "Count"[^\n]*\[ref=(e\d+)\]', tree).group(1)
    clicked = handeye(desktop.env, "click", reference)
    assert clicked.returncode == 0, clicked.stderr
    gtk3.wait("count", 1)

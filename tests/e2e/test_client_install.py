"""`mcp install`, `uninstall`, `list` and `doctor`: what is written is judged by the clients themselves, by their own list of servers."""

import dataclasses
import json
import os
import pathlib
import re
import stat
import subprocess

import pytest

from support import BINARY, REPOSITORY
from support.terminal import Terminal

MODULES = pathlib.Path(os.environ.get("HANDEYE_CLIENTS") or REPOSITORY / "target/e2e/clients/node_modules")
# These are installed by `cargo xtask test --long` only.
LONG = MODULES.parent.parent / "clients-long/node_modules"
SERVER = os.path.abspath(BINARY)
NOWHERE = "http://127.0.0.1:9"


@dataclasses.dataclass
class Case:
    """A client that can list its servers: where its file is, what is in it before, and what its list shows of a server."""

    id: str
    program: str
    file: str
    before: str
    shows: str
    absent: str
    modules: pathlib.Path = MODULES
    env: dict = dataclasses.field(default_factory=dict)

    def list(self, home):
        """What its `mcp list` prints, without colours."""
        node = os.path.dirname(os.environ.get("HANDEYE_NODE", ""))
        env = {"PATH": f"{node}:{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1",
               "HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE, "NO_PROXY": "127.0.0.1,localhost", "HANDEYE_LOG_FILE": "/dev/null", **self.env}
        result = subprocess.run([str(self.modules / ".bin" / self.program), "mcp", "list"], env=env, cwd=home, capture_output=True,
                                text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
        assert result.returncode == 0, result
        return re.sub(r"\x1b\[[0-9;]*m", "", result.stdout + result.stderr)


JSON = '{\n\t"mcpServers": {},\n\t"note": [1, 2.50]\n}'
WORDS = f"{SERVER} mcp serve --desktop private"
CASES = [
    Case("claude-code", "claude", ".claude.json", JSON, rf"handeye: {WORDS} - ✔ Connected", "No MCP servers",
         env={"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}),
    Case("codex", "codex", ".codex/config.toml", '# mine\nmodel = "gpt-5.5" # keep\ncheck_for_update_on_startup = false\n',
         rf"handeye +{SERVER} +mcp serve --desktop private .* enabled", "No MCP servers"),
    Case("gemini", "gemini", ".gemini/settings.json", '{\n  // mine\n  "general": { "enableAutoUpdate": false } // keep\n}\n',
         rf"✓ handeye: {WORDS} \(stdio\) - Connected", "No MCP servers", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}),
    Case("qwen", "qwen", ".qwen/settings.json", '{\n  // mine\n  "general": { "disableAutoUpdate": true }\n}\n',
         rf"✓ handeye: {WORDS} \(stdio\) - Connected", "No MCP servers", LONG, {"QWEN_CODE_NO_RELAUNCH": "true"}),
    Case("opencode", "opencode", ".config/opencode/opencode.jsonc", '{\n  // mine\n  "autoupdate": false\n}\n',
         rf"✓ handeye +connected\n.*{WORDS}", "No MCP servers", LONG,
         {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}),
    Case("copilot", "copilot", ".copilot/mcp-config.json", JSON, r"handeye \(local\)", "No MCP servers", LONG,
         {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}),
]


class Home:
    """A home folder, and handeye in it."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8", "TERM": "dumb", "HANDEYE_LOG_FILE": "/dev/null"}

    def path(self, name):
        """The path of a file in it."""
        return self.folder / name

    def write(self, name, text):
        """Writes a file."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *words, code=0, **env):
        """Runs `handeye mcp …`, which has to end with a code."""
        result = subprocess.run([SERVER, "mcp", *words], env={**self.env, **env}, capture_output=True, text=True, timeout=120,
                                check=False, stdin=subprocess.DEVNULL)
        assert result.returncode == code, result
        return result

    def json(self, *words, code=0):
        """What it answers to programs."""
        return json.loads(self.run(*words, "--format", "json", code=code).stdout)

    def files(self):
        """Each file with its bytes and permissions."""
        found = (path for path in self.folder.rglob("*") if path.is_file() or path.is_symlink())
        return {str(path.relative_to(self.folder)): (path.read_bytes(), stat.S_IMODE(path.lstat().st_mode)) for path in found}


@pytest.fixture
def home(tmp_path):
    """An empty home."""
    return Home(tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_client_itself_lists_and_starts_what_was_installed(home, case):
    if case.modules == LONG and not LONG.is_dir():
        pytest.skip("installed by `cargo xtask test --long` only")
    assert case.modules.is_dir(), f"the clients are not in {case.modules}; run `cargo xtask setup`"
    file = home.write(case.file, case.before)
    told = home.json("install", case.id, "--desktop", "private")
    assert told["clients"][0]["change"] == "added" and told["clients"][0]["file"] == str(file)
    assert pathlib.Path(told["clients"][0]["backup"]).read_text(encoding="utf-8") == case.before
    installed = file.read_text(encoding="utf-8")
    shown = case.list(home.folder)
    assert re.search(case.shows, shown), shown
    (checked,) = home.json("doctor", case.id)["clients"]
    assert checked["status"] == "ok", checked
    # What the client itself has written into its file since is not for handeye to take back.
    is_untouched = file.read_text(encoding="utf-8") == installed
    home.run("uninstall", case.id)
    after = file.read_text(encoding="utf-8")
    assert after == case.before if is_untouched else "handeye" not in after
    shown = case.list(home.folder)
    assert "handeye" not in shown and case.absent in shown, shown


def test_nothing_is_named_so_all_that_are_found_are_written_after_a_yes(home):
    home.write(".codex/config.toml", "# mine\n")
    home.write(".gemini/settings.json", "{}\n")
    before = home.files()
    refused = home.run("install", code=2).stderr
    assert "2 files would be changed" in refused and "codex: " in refused and "--yes" in refused
    terminal = Terminal(home.env, "mcp", "install")
    try:
        shown = terminal.until("Change 2 files? [y/N]")
        assert "+[mcp_servers.handeye]" in shown
        assert home.files() == before
        terminal.type("\n")
        assert terminal.end() == 9
        assert home.files() == before
    finally:
        terminal.close()
    terminal = Terminal(home.env, "mcp", "install")
    try:
        terminal.until("Change 2 files? [y/N]")
        terminal.type("y\n")
        assert terminal.end() == 0
        assert "Codex: added 'handeye'" in terminal.shown
    finally:
        terminal.close()
    states = {client["client"]: client["state"] for client in home.json("list")["clients"]}
    assert {id for id, state in states.items() if state == "ready"} == {"codex", "gemini"}
    terminal = Terminal(home.env, "mcp", "uninstall", "--no-input", "--yes")
    try:
        assert terminal.end() == 0
    finally:
        terminal.close()
    assert {name: file for name, file in home.files().items() if "backup" not in name} == before


def test_a_sandbox_is_passed_on_to_the_server(home):
    file = home.write(".cursor/mcp.json", "{}")
    shared = home.path("shared")
    shared.mkdir()
    home.run("install", "cursor", "--desktop", "private", "--isolate", "--allow-path", f"{shared}/../shared:rw",
             "--allow-host", "localhost:3000")
    args = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["handeye"]["args"]
    assert args[:5] == ["mcp", "serve", "--desktop", "private", "--isolate"], args
    assert args[5:] == ["--allow-path", f"{shared}/../shared:rw", "--allow-host", "localhost:3000"], args
    (checked,) = home.json("doctor", "cursor")["clients"]
    assert checked["status"] == "ok", checked


def test_a_dry_run_shows_the_change_and_writes_nothing(home):
    home.write(".codex/config.toml", "# mine\n")
    before = home.files()
    shown = home.run("install", "--dry-run", "--read-only", "--toolsets", "find,action").stdout
    assert f'+command = "{SERVER}"' in shown
    assert '+args = ["mcp", "serve", "--toolsets", "find,action", "--read-only"]' in shown
    told = home.json("install", "zed", "--dry-run")
    assert told["dry_run"] and told["clients"][0]["change"] == "added"
    assert home.files() == before


def test_a_backup_has_the_bytes_and_permissions_of_the_file(home):
    text = '{\r\n  // Grüße\r\n  "theme": "dark", /* keep */\r\n  "list": [1, 2.50,],\r\n}'
    file = home.write(".config/zed/settings.json", "")
    file.write_bytes(text.encode())
    file.chmod(0o640)
    home.run("install", "zed")
    files = home.files()
    assert files[".config/zed/settings.json.handeye-backup"] == (text.encode(), 0o640)
    installed, mode = files[".config/zed/settings.json"]
    assert mode == 0o640
    for kept in ("// Grüße", '"theme": "dark", /* keep */', '"list": [1, 2.50,]'):
        assert kept in installed.decode()
    home.run("uninstall", "zed")
    assert home.files()[".config/zed/settings.json"] == (text.encode(), 0o640)


def test_another_server_of_that_name_is_left_alone(home):
    text = '{"mcpServers": {"handeye": {"command": "/bin/true", "env": {"A": "b"}}}}\n'
    file = home.write(".cursor/mcp.json", text)
    for words in (["install", "cursor"], ["uninstall", "cursor"]):
        refused = home.run(*words, code=2).stderr
        assert "/bin/true" in refused and "--name" in refused
        assert file.read_text() == text
    home.run("uninstall", "--yes")
    assert file.read_text() == text
    assert "another server" in home.run("doctor", "cursor", code=6).stdout
    home.run("install", "cursor", "--name", "eyes")
    assert set(json.loads(file.read_text())["mcpServers"]) == {"handeye", "eyes"}
    home.run("uninstall", "cursor", "--name", "eyes")
    assert file.read_text() == text
    home.run("install", "cursor", "--force")
    assert json.loads(file.read_text())["mcpServers"]["handeye"] == {"command": SERVER, "args": ["mcp", "serve"]}


@pytest.mark.parametrize("kind", ["broken", "link", "read-only", "folder", "binary"])
def test_a_file_that_cannot_be_edited_is_named_and_left_alone(home, kind):
    file = home.write(".gemini/settings.json", '{"a": ' if kind == "broken" else "{}\n")
    if kind == "link":
        file.rename(home.path("dotfiles.json"))
        file.symlink_to(home.path("dotfiles.json"))
    elif kind == "read-only":
        file.chmod(0o444)
    elif kind == "folder":
        file.unlink()
        file.mkdir()
    elif kind == "binary":
        file.write_bytes(b"\xff\xfe{}")
    codex = home.write(".codex/config.toml", "# mine\n")
    before = home.files()
    reason = {"broken": "not valid JSON", "link": "is a link to", "read-only": "is read-only", "folder": "not a plain file",
              "binary": "cannot be read"}[kind]
    for words in (["install", "gemini"], ["install", "gemini", "--force"]):
        refused = home.run(*words, code=1).stderr
        assert str(file) in refused and reason in refused, refused
        assert home.files() == before
    # The others are written, and the fault is reported nevertheless.
    told = home.json("install", "codex", "gemini", code=1)
    assert [("error" in client) for client in told["clients"]] == [False, True]
    assert "handeye" in codex.read_text()
    assert file.is_symlink() == (kind == "link")
    name = ".gemini/settings.json"
    assert home.files().get(name) == before.get(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_file_of_another_user_is_left_alone(home):
    file = home.write(".gemini/settings.json", "{}\n")
    os.chown(file, 65534, 65534)
    assert "belongs to another user" in home.run("install", "gemini", code=1).stderr
    assert file.read_text() == "{}\n" and file.stat().st_uid == 65534


def test_a_file_that_its_client_writes_in_the_meantime_is_left_alone(home):
    file = home.write(".gemini/settings.json", "{}\n")
    terminal = Terminal(home.env, "mcp", "install", "gemini")
    try:
        terminal.until("Change 1 file? [y/N]")
        file.write_text('{"new": 1}\n')
        terminal.type("y\n")
        assert terminal.end() == 1
        assert "changed" in terminal.shown and "in the meantime" in terminal.shown
    finally:
        terminal.close()
    assert home.files() == {".gemini/settings.json": (b'{"new": 1}\n', stat.S_IMODE(file.stat().st_mode))}


def test_settings_of_the_entry_are_kept_when_it_is_installed_again(home):
    entry = {"command": "/old/handeye", "args": ["mcp", "serve"], "env": {"DISPLAY": ":7"}, "trust": True}
    file = home.write(".gemini/settings.json", json.dumps({"mcpServers": {"handeye": entry}}))
    (found,) = [client for client in home.json("list")["clients"] if client["client"] == "gemini"]
    assert found["state"] == "broken" and "/old/handeye does not exist" in found["reason"]
    assert "/old/handeye does not exist" in home.run("doctor", "gemini", code=6).stdout
    home.run("install", "gemini", "--read-only")
    wanted = {**entry, "command": SERVER, "args": ["mcp", "serve", "--read-only"]}
    assert json.loads(file.read_text())["mcpServers"]["handeye"] == wanted


def test_an_unknown_client_or_option_is_told_before_anything_is_written(home):
    for words, known in ((["install", "cursr"], "Did you mean 'cursor'?"), (["install", "emacs"], "claude-code, claude-desktop"),
                         (["install", "zed", "--toolsets", "nonsense"], "nonsense"), (["install", "zed", "--size", "800x600"], "private"),
                         (["install", "zed", "--isolate"], "private"),
                         (["install", "zed", "--desktop", "private", "--isolate", "--allow-host", "anywhere"], "anywhere"),
                         (["install", "zed", "--desktop", "private", "--isolate", "--allow-path", "/absent"], "/absent"),
                         (["install", "zed", "--name", "a b"], "a name has")):
        assert known in home.run(*words, code=2).stderr
    assert "no MCP client was found" in home.run("install", "--yes", code=6).stderr
    assert home.files() == {}


def test_the_doctor_starts_the_server_as_the_client_does(home):
    """A server that ends, says nothing of the protocol, or looks for what this client does not pass."""
    program = home.write("bin/handeye", "")
    program.chmod(0o755)
    for client, script, reason in (
        ("cursor", "echo 'no display' >&2; exit 6", "it ended before it answered: no display"),
        ("cursor", "echo hello; cat", "something other than MCP messages"),
        # Codex passes a few variables only, Claude Code all of them.
        ("codex", f'[ -z "${{DISPLAY:-}}" ] && exec {SERVER} mcp serve --desktop private', ""),
        ("claude-code", f'[ "$DISPLAY" = :77 ] && exec {SERVER} mcp serve --desktop private', ""),
    ):
        program.write_text(f"#!/bin/sh\n{script}\n")
        entry = {"command": str(program), "args": []}
        if client == "codex":
            home.write(".codex/config.toml", f'[mcp_servers.handeye]\ncommand = "{program}"\n')
        else:
            home.write({"cursor": ".cursor/mcp.json", "claude-code": ".claude.json"}[client], json.dumps({"mcpServers": {"handeye": entry}}))
        told = home.run("doctor", client, code=6 if reason else 0, DISPLAY=":77").stdout
        assert (reason if reason else "✓") in told, told

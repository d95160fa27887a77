"""Official clients of all kinds, over stdio and HTTP, in both eras, at a real application."""

import json
import pathlib
import subprocess
import sys

import pytest

from conftest import required
from support import BINARY
from support.http import LATEST, TOKEN

CLIENTS = pathlib.Path(__file__).with_name("clients")
# Who speaks, in which mode, and the revision that comes of it.
SPEAKERS = [
    ("python2", "auto", LATEST), ("python2", "pinned", LATEST), ("python2", "legacy", "2025-11-25"),
    ("python1", "legacy", "2025-11-25"),
    ("typescript2", "auto", LATEST), ("typescript2", "pinned", LATEST), ("typescript2", "legacy", "2025-11-25"),
    ("typescript1", "legacy", "2025-11-25"),
]


def words(client):
    if client.startswith("python"):
        interpreter = sys.executable if client == "python2" else required("HANDEYE_LEGACY_PYTHON")
        return [interpreter, str(CLIENTS / "python.py")]
    return [required("HANDEYE_NODE"), str(CLIENTS / f"{client}.mjs")]


def address(server, transport):
    """Where a client finds the server; `None` if it starts one itself."""
    return {"stdio": None, "http": server.url, "sse": server.url.removesuffix("/mcp") + "/sse"}[transport]


# The transport of 2024-11-05 is for clients with a handshake.
WAYS = [(*speaker, transport) for speaker in SPEAKERS for transport in ("stdio", "http", "sse")
        if transport != "sse" or speaker[1] == "legacy"]


@pytest.mark.parametrize("client, mode, revision, transport", WAYS)
def test_steps(environment, server, bed, tmp_path, client, mode, revision, transport):
    app, before = bed.app, bed.app.state()["count"]
    job = {"client": {"python2": "newer"}.get(client, "older"), "mode": mode, "app": app.app, "title": app.title,
           "app_target": f"PID:{app.process}", "busy": bed.busy.app, "folder": f"{tmp_path}/",
           "url": address(server, transport), "token": TOKEN, "command": [BINARY, "mcp", "serve"]}
    run = subprocess.run([*words(client), json.dumps(job)],
                         env={**environment, "HANDEYE_NODE_MODULES": required("HANDEYE_NODE_MODULES")}, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0 and run.stdout, run.stderr[-3000:]
    told = json.loads(run.stdout.strip().splitlines()[-1])
    wrong = {name: came for name, came in told["steps"].items() if came is not True}
    assert not wrong, json.dumps(wrong, indent=1) + run.stderr[-3000:]
    assert told["version"] == revision
    app.wait("count", before + 1)


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_inspector(desktop, server, bed, inspector, transport, era, tmp_path):
    if transport == "http":
        target = ["--transport", "http", "--server-url", server.url, "--header", f"Authorization: Bearer {TOKEN}"]
    else:
        # The inspector hands on only a few variables of its own.
        target = [word for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XAUTHORITY")
                  if name in desktop.env for word in ("-e", f"{name}={desktop.env[name]}")] + [BINARY, "mcp", "serve"]

    def inspect(*asked):
        output = desktop.run([*inspector, "--cli", "--protocol-era", era, *target, *asked])
        return json.loads(output[output.index("{"):])

    assert "ax_click" in [tool["name"] for tool in inspect("--method", "tools/list")["tools"]]
    app, before = bed.app, bed.app.state()["count"]
    answer = inspect("--method", "tools/call", "--tool-name", "ax_click", "--tool-arg", f'app="{app.app}"',
                     "query=role:button Count")
    assert not answer.get("isError"), answer
    app.wait("count", before + 1)
    assert app.app in json.dumps(inspect("--method", "resources/read", "--uri", "handeye://apps"))
    assert inspect("--method", "resources/templates/list")["resourceTemplates"]
    assert inspect("--method", "prompts/list")["prompts"]

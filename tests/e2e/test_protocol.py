"""Official clients of both protocol eras drive the server: the Python SDK, old and new, and the MCP Inspector."""

import json
import re
import subprocess

import pytest

from support import BINARY, PATIENCE, wait_for
from support.session import Session

TOOLS = {
    "ax_is_accessible", "ax_connect", "ax_list_apps", "ax_find", "ax_get_tree", "ax_get_attributes", "ax_click",
    "ax_click_at", "ax_type", "ax_set_value", "ax_scroll", "ax_drag", "ax_key_press", "ax_screenshot", "ax_get_value",
    "ax_list_windows", "ax_wait_idle",
}
READ_ONLY = {"ax_is_accessible", "ax_list_apps", "ax_find", "ax_get_tree", "ax_get_attributes", "ax_screenshot",
             "ax_get_value", "ax_list_windows", "ax_wait_idle"}

OLDER_CLIENT = """
import asyncio, json, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "serve"], env=dict(os.environ))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        hello = await session.initialize()
        tools = await session.list_tools()
        clicked = await session.call_tool("ax_click", {"app": sys.argv[2], "query": "role:button Count"})
        wrong = await session.call_tool("ax_click", {"app": sys.argv[2]})
        print(json.dumps({"server": hello.serverInfo.name, "version": hello.protocolVersion,
                          "tools": [tool.name for tool in tools.tools], "clicked": clicked.structuredContent,
                          "clicked_error": clicked.isError, "wrong": wrong.structuredContent, "wrong_error": wrong.isError}))

asyncio.run(main())
"""


def test_both_eras_list_the_same_tools(either):
    tools = either.tools()
    assert TOOLS <= set(tools)
    for name in TOOLS:
        tool = tools[name]
        assert tool.description, name
        assert tool.input_schema["type"] == "object", name
        assert tool.annotations.read_only_hint == (name in READ_ONLY), name


def test_newest_era_is_negotiated(desktop):
    session = Session(desktop.env)
    try:
        assert session.client.protocol_version == "2026-07-28"
    finally:
        session.close()


def test_main_job_in_both_eras(either, gtk3):
    connected = either.do("ax_connect", app=gtk3.app)
    assert connected.fields["connected"] is True
    outline = either.do("ax_get_tree", app=gtk3.app, max_depth=20).text
    assert re.search(r'- button "Count" \[ref=e\d+\]', outline), outline
    found = either.do("ax_find", app=gtk3.app, query="role:button Count").fields
    assert found["found"] is True
    answer = either.do("ax_click", app=gtk3.app, query=found["element_ref"])
    gtk3.wait("count", 1)
    assert answer.fields["effect"]["status"] in ("confirmed", "unconfirmed")

    def typed():
        answer = either.do("ax_type", app=gtk3.app, query="Name", text="over MCP", clear_first=True)
        gtk3.wait("name", "over MCP")
        return answer.effect == "confirmed"
    # Whether handeye sees it within its settle time depends on the load of the machine.
    wait_for("typing that is confirmed", typed)
    assert either.do("ax_get_value", app=gtk3.app, query="Name").fields["value"] == "over MCP"


def test_wrong_parameters_are_a_tool_error_in_both_eras(either):
    answer = either.call("ax_click")
    assert answer.is_error
    assert answer.code == "invalid_parameter"
    assert "app" in answer.text and "query" in answer.text


def test_older_python_client(desktop, gtk3, legacy_python):
    output = subprocess.run([legacy_python, "-c", OLDER_CLIENT, BINARY, gtk3.app], env=desktop.env,
                            capture_output=True, text=True, timeout=60, check=False)
    assert output.returncode == 0, output.stderr
    told = json.loads(output.stdout)
    assert told["server"] == "handeye"
    assert TOOLS <= set(told["tools"])
    assert not told["clicked_error"], told
    assert told["wrong_error"] and told["wrong"]["error"]["code"] == "invalid_parameter"
    gtk3.wait("count", 1)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_inspector(desktop, gtk3, inspector, era):
    def inspect(*words):
        # The inspector hands on only a few variables of its own.
        given = [word for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XAUTHORITY")
                 if name in desktop.env for word in ("-e", f"{name}={desktop.env[name]}")]
        output = desktop.run([*inspector, "--cli", "--protocol-era", era, *given, BINARY, "mcp", "serve", *words], timeout=60)
        return json.loads(output[output.index("{"):])

    assert TOOLS <= {tool["name"] for tool in inspect("--method", "tools/list")["tools"]}
    answer = inspect("--method", "tools/call", "--tool-name", "ax_click",
                     "--tool-arg", f'app="{gtk3.app}"', "query=role:button Count")
    assert not answer.get("isError"), answer
    assert answer["structuredContent"]["effect"]["status"] in ("confirmed", "unconfirmed")
    gtk3.wait("count", 1)


def test_server_ends_at_the_end_of_its_input(desktop):
    server = subprocess.Popen([BINARY, "mcp", "serve"], env=desktop.env, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output, _ = server.communicate(timeout=PATIENCE)
    assert server.returncode == 0
    assert output == b"", "standard output belongs to the protocol"


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_server_ends_at_a_signal(desktop, name):
    import signal
    from support.wire import Wire
    wire = Wire(desktop.env)
    wire.initialize()
    wire.process.send_signal(getattr(signal, name))
    assert wire.process.wait(PATIENCE) in (0, 130, 143)
    wire.close()

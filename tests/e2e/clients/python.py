"""Both Python SDKs take the same steps; prints what each came to as JSON: true, or what went wrong."""

import asyncio
import contextlib
import json
import os
import sys

import anyio

JOB = json.loads(sys.argv[1])


def with_token():
    """The way to a server that listens."""
    if JOB["url"].endswith("/sse"):
        from mcp.client.sse import sse_client
        return sse_client(JOB["url"], headers={"Authorization": f"Bearer {JOB['token']}"})
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client
    client = create_mcp_http_client(headers={"Authorization": f"Bearer {JOB['token']}"})
    return streamable_http_client(JOB["url"], http_client=client)


@contextlib.asynccontextmanager
async def newer():
    """mcp 2: both eras."""
    from mcp import StdioServerParameters, types
    from mcp.client.client import Client
    from mcp.client.stdio import stdio_client
    server = with_token() if JOB["url"] else stdio_client(
        StdioServerParameters(command=JOB["command"][0], args=JOB["command"][1:], env=dict(os.environ)),
        errlog=open(os.devnull, "w"))
    mode = {"pinned": "2026-07-28"}.get(JOB["mode"], JOB["mode"])
    async with Client(server, mode=mode) as client:
        yield client, client.protocol_version, types.PromptReference


@contextlib.asynccontextmanager
async def older():
    """mcp 1: the `initialize` era alone."""
    from mcp import ClientSession, StdioServerParameters, types
    from mcp.client.stdio import stdio_client
    if JOB["url"]:
        transport = with_token()
    else:
        transport = stdio_client(StdioServerParameters(command=JOB["command"][0], args=JOB["command"][1:],
                                                       env=dict(os.environ)), errlog=open(os.devnull, "w"))
    try:
        async with transport as streams, ClientSession(*streams[:2]) as client:
            hello = await client.initialize()
            yield client, hello.protocolVersion, types.PromptReference
    except* anyio.BrokenResourceError:
        pass  # This SDK stumbles over an answer that comes while it leaves.


def field(thing, *names):
    """The two SDKs spell fields differently."""
    return next(getattr(thing, name) for name in names if hasattr(thing, name))


async def main():
    told = {"version": None, "steps": {}}

    async def step(name, work):
        try:
            told["steps"][name] = True if await asyncio.wait_for(work(), 40) is not False else "the answer is wrong"
        except Exception as fault:  # Whatever it is, it is what is reported.
            told["steps"][name] = f"{type(fault).__name__}: {fault}"

    async with (newer if JOB["client"] == "newer" else older)() as (client, version, prompt):
        told["version"] = version
        app = JOB["app"]

        async def tools():
            return "ax_click" in [tool.name for tool in (await client.list_tools()).tools]

        async def call():
            answer = await client.call_tool("ax_click", {"app": app, "query": "role:button Count"})
            return not field(answer, "is_error", "isError") and "effect" in field(answer, "structured_content", "structuredContent")

        async def error():
            return field(await client.call_tool("ax_click", {"app": app}), "is_error", "isError") is True

        async def resources():
            return bool((await client.list_resources()).resources)

        async def templates():
            return bool(field(await client.list_resource_templates(), "resource_templates", "resourceTemplates"))

        async def read():
            return app in (await client.read_resource("handeye://apps")).contents[0].text

        async def prompts():
            return bool((await client.list_prompts()).prompts)

        async def get_prompt():
            return bool((await client.get_prompt("debug-ui", {"app_name": app, "element_description": "Count"})).messages)

        async def completion():
            # One that answers at once suggests what it knows; with an application that hangs, it may know later.
            for _ in range(40):
                asked = await client.complete(prompt(type="ref/prompt", name="debug-ui"), {"name": "app_name", "value": "fix"})
                if asked.completion.values:
                    return True
                await asyncio.sleep(0.25)
            return False

        async def progress():
            heard = []

            async def hear(done, total, message):
                heard.append(done)
            await client.call_tool("image", {"app_target": JOB["app_target"], "path": JOB["folder"], "question": "?"}, progress_callback=hear)
            return bool(heard)

        async def cancel():
            waiting = asyncio.ensure_future(client.call_tool("ax_wait_idle", {"app": JOB["busy"], "timeout_ms": 20000}))
            await asyncio.sleep(0.3)
            waiting.cancel()
            try:
                await asyncio.wait_for(waiting, 5)
            except asyncio.CancelledError:
                return True
            return False

        for name, work in [("tools", tools), ("call", call), ("error", error), ("resources", resources),
                           ("templates", templates), ("read", read), ("prompts", prompts), ("prompt", get_prompt),
                           ("completion", completion), ("progress", progress), ("cancel", cancel), ("after", tools)]:
            await step(name, work)
    print(json.dumps(told))


asyncio.run(main())

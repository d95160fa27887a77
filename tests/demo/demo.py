"""The main job from end to end: a real MCP client, a real GTK application, a private desktop.

Usage: demo.py FOLDER. It starts itself again inside of `handeye desktop run`, opens a letter in Mousepad, puts a
window of the user's own in front of it, and has handeye finish the letter in the background. It ends with an error
where an effect is not confirmed, where the file on disk disagrees, or where the user's window lost the focus.
"""

import asyncio
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

from mcp import StdioServerParameters  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

from support import BINARY, TESTS, wait_for  # noqa: E402

LETTER = "Dear moon,\n"
WRITTEN = "greetings from handeye: é, 漢字 and 😀 arrive as they are.\n"
INSIDE = "HANDEYE_DEMO_INSIDE"


class Failed(Exception):
    """Something is not as it should be; the message says what."""


class Demo:
    """The steps, each of them shown with what it took and what came of it."""

    def __init__(self, client, letter):
        self.client, self.letter, self.number = client, letter, 0

    def step(self, title):
        self.number += 1
        print(f"\n{self.number}. {title}", flush=True)

    async def call(self, tool, **arguments):
        shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        start = time.monotonic()
        result = await self.client.call_tool(tool, arguments)
        took = (time.monotonic() - start) * 1000
        print(f"   {tool}({shown})   {took:.1f} ms", flush=True)
        text = "\n".join(part.text for part in result.content if part.type == "text")
        fields = result.structured_content or {}
        if result.is_error:
            raise Failed(f"{tool} failed: {text}")
        effect = fields.get("effect")
        if effect:
            print(f"   effect: {effect['status']}: {effect['evidence']}", flush=True)
            if effect["status"] != "confirmed":
                raise Failed(f"the effect of {tool} was not confirmed")
        return text, fields, result


def show(text, lines=28):
    """Prints an outline, shortened for a person."""
    rows = text.splitlines()
    for row in rows[:lines]:
        print(f"   | {row[:110]}")
    if len(rows) > lines:
        print(f"   | … {len(rows) - lines} more lines")


def active_window():
    text = subprocess.run(["xprop", "-root", "_NET_ACTIVE_WINDOW"], capture_output=True, text=True, check=True).stdout
    return text.rsplit(None, 1)[-1]


def seat():
    """What the user would notice."""
    pointer = subprocess.run(["xdotool", "getmouselocation"], capture_output=True, text=True, check=True).stdout.split()
    stacking = subprocess.run(["xprop", "-root", "_NET_CLIENT_LIST_STACKING"], capture_output=True, text=True, check=True)
    return active_window(), pointer[:2], stacking.stdout


def window_of(title):
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", title], capture_output=True, text=True, check=False)
    return found.stdout.split()[:1]


async def main_job(folder, letter, process):
    server = StdioServerParameters(command=BINARY, args=["mcp", "serve", "--screenshot-dir", str(folder / "screenshots")],
                                   env=dict(os.environ))
    start = time.monotonic()
    async with Client(stdio_client(server)) as client:
        demo = Demo(client, letter)
        demo.step("Start `handeye mcp serve` and list its tools")
        tools = (await client.list_tools()).tools
        print(f"   protocol {client.protocol_version}, {len(tools)} tools, {(time.monotonic() - start) * 1000:.0f} ms")
        print("   " + ", ".join(tool.name for tool in tools))

        demo.step("See what runs, and connect to Mousepad")
        text, _, _ = await demo.call("ax_list_apps")
        show(text)
        _, fields, _ = await demo.call("ax_connect", app=process, alias="letter")
        print(f"   connected to {fields['app_name']} (pid {fields.get('pid')})")

        demo.step("Read its window as an outline")
        text, _, _ = await demo.call("ax_get_tree", app="letter", max_depth=20)
        show(text)
        before = seat()

        demo.step("Type into the document, in the background")
        _, _, _ = await demo.call("ax_type", app="letter", query="role:textbox", text=LETTER + WRITTEN, clear_first=True)
        _, fields, _ = await demo.call("ax_get_value", app="letter", query="role:textbox")
        if fields.get("value") != LETTER + WRITTEN:
            raise Failed(f"the document holds {fields.get('value')!r}")

        demo.step("Find the button “Save” and click it, in the background")
        _, fields, _ = await demo.call("ax_find", app="letter", query="role:button Save")
        print(f"   found {fields['role']} “{fields['title']}” as {fields['element_ref']} at {fields.get('position')}")
        await demo.call("ax_click", app="letter", query=fields["element_ref"])

        demo.step("Ask others whether it is true")
        wait_for("the file on disk to hold the text", lambda: letter.read_text(encoding="utf-8") == LETTER + WRITTEN, 5)
        print(f"   {letter.name} on disk holds the letter: {letter.read_text(encoding='utf-8')!r}")
        after = seat()
        if before != after:
            raise Failed(f"the user was disturbed: {before} -> {after}")
        print(f"   active window {after[0]}, pointer {' '.join(after[1])} and window order are what they were")

        demo.step("Take a picture")
        _, fields, _ = await demo.call("ax_screenshot")
        path = folder / "result.png"
        shutil.move(fields["path"], path)
        print(f"   {path} ({path.stat().st_size // 1024} kB)")


@contextlib.contextmanager
def scene(folder):
    """Within the private desktop: a letter in Mousepad, and the user's own window in front of it. Gives the letter's path and Mousepad's pid."""
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    letter = folder / "letter.txt"
    letter.write_text("draft\n", encoding="utf-8")
    # Mousepad hides its toolbar at first; a person who follows the demo should see the button.
    settings = home / ".config/glib-2.0/settings/keyfile"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[org/xfce/mousepad/preferences/window]\ntoolbar-visible=true\n", encoding="utf-8")
    # Nor should they see that it warns root, which tests in containers run as.
    style = home / ".config/gtk-3.0/gtk.css"
    style.parent.mkdir(parents=True, exist_ok=True)
    style.write_text("window > * > label, window > * > * > label { font-size: 1px; color: transparent; background: none; }\n", encoding="utf-8")
    os.environ.update(HOME=str(home), GSETTINGS_BACKEND="keyfile", XDG_CONFIG_HOME=str(home / ".config"), XDG_DATA_HOME=str(home / ".local/share"),
                      XDG_CACHE_HOME=str(home / ".cache"))
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["xsetroot", "-solid", "#44505c"], check=True)
    started = [subprocess.Popen(["mousepad", "--disable-server", str(letter)], **quiet)]
    try:
        wait_for("Mousepad", lambda: window_of("Mousepad"), 20)
        started.append(subprocess.Popen(["/usr/bin/python3", str(TESTS / "apps/bystander.py"), "The user's own work goes on"], **quiet))
        own = wait_for("the user's window", lambda: window_of("Bystander"), 20)[0]
        wait_for("the user's window to have the focus", lambda: int(active_window(), 16) == int(own), 10)
        yield letter, str(started[0].pid)
    finally:
        for child in started:
            child.terminate()
            child.wait(10)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    if os.environ.get(INSIDE):
        try:
            with scene(folder) as (letter, process):
                asyncio.run(main_job(folder, letter, process))
        except (Failed, AssertionError, ExceptionGroup) as failure:
            reason = failure.exceptions[0] if isinstance(failure, ExceptionGroup) else failure
            print(f"\nThe demo failed: {reason}", flush=True)
            return 1
        print("\nDone: every effect was confirmed, and the file on disk agrees.", flush=True)
        return 0
    print("A private desktop: handeye desktop run --size 1280x800", flush=True)
    return subprocess.run([BINARY, "desktop", "run", "--size", "1280x800", "--", sys.executable, __file__, str(folder)],
                          env={**os.environ, INSIDE: "1"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

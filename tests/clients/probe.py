#!/usr/bin/env python3
"""An MCP server whose answers have every mix of texts, structured content and pictures, in 2026-07-28 and the revisions before.

What a client does with them says what handeye should send. Run as a program it serves on standard input and output.
"""

import base64
import functools
import json
import struct
import sys
import zlib

TEXT, FIELDS = "The text of it.", {"marker": "The fields of it."}
LINE = "{:06d} the quick brown fox jumps over the lazy dog and\n"
# Thousands of characters.
LENGTHS = (6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 52, 64)
NOTHING = {"type": "object", "properties": {}}
LONG = {"type": "object", "properties": {"thousands": {"type": "integer"}}, "required": ["thousands"]}
NEWEST = "2026-07-28"
LARGE = (2560, 1600)


def png(width, height):
    """A picture in grey, with enough in it that its file is not small."""
    rows = b"".join(b"\0" + bytes((x * x + y * 37) >> 4 & 0xF8 for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b"")


def long(thousands):
    """A text of numbered lines, and just under so many thousand characters."""
    count = thousands * 1000 // len(LINE.format(0))
    return "".join(LINE.format(number) for number in range(count))


def text(content=TEXT):
    """A text block."""
    return {"type": "text", "text": content}


@functools.cache
def picture(width, height):
    """A picture block."""
    return {"type": "image", "data": base64.b64encode(png(width, height)).decode(), "mimeType": "image/png"}


def answers():
    """The tools by their names: what each answers."""
    link = {"type": "resource_link", "uri": "probe://linked", "name": "The link of it", "mimeType": "text/plain"}
    embedded = {"type": "resource", "resource": {"uri": "probe://in", "mimeType": "text/plain", "text": "The resource of it."}}
    return {
        "text": {"content": [text()]},
        "text_fields": {"content": [text()], "structuredContent": FIELDS},
        "fields": {"content": [], "structuredContent": FIELDS},
        "text_picture": {"content": [text(), picture(64, 48)]},
        "text_fields_picture": {"content": [text(), picture(64, 48)], "structuredContent": FIELDS},
        "error_text": {"content": [text()], "isError": True},
        "error_text_fields": {"content": [text()], "structuredContent": FIELDS, "isError": True},
        "error_fields": {"content": [], "structuredContent": FIELDS, "isError": True},
        "texts": {"content": [text("First block."), text("Second block.")]},
        "link": {"content": [text(), link]},
        "embedded": {"content": [embedded]},
    }


# That of a large picture takes seconds to make, so it is made when it is asked for.
NAMES = [*answers(), "large_picture"]


class Server:
    """Answers one message after the other."""

    def __init__(self):
        self.answers = answers()
        self.is_newest = False

    def result(self, message):
        """The result of a request, or None for what it does not know."""
        params = message.get("params") or {}
        match message["method"]:
            case "initialize":
                return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": self.info()}
            case "server/discover":
                self.is_newest = True
                return {"supportedVersions": ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", NEWEST],
                        "capabilities": {"tools": {}}, "serverInfo": self.info(), "ttlMs": 1000, "cacheScope": "private"}
            case "tools/list":
                tools = [{"name": name, "description": f"Answers with {name}", "inputSchema": schema}
                         for name, schema in {**{name: NOTHING for name in NAMES}, "long": LONG}.items()]
                return {"tools": tools, "ttlMs": 1000, "cacheScope": "private"} if self.is_newest else {"tools": tools}
            case "tools/call":
                if params["name"] == "long":
                    return {"content": [text(long(params["arguments"]["thousands"]))]}
                if params["name"] == "large_picture":
                    return {"content": [picture(*LARGE)]}
                return self.answers.get(params["name"])
            case "ping":
                return {}
        return None

    @staticmethod
    def info():
        """What it calls itself."""
        return {"name": "probe", "version": "1"}

    def serve(self):
        """Until there is no more input."""
        for line in sys.stdin:
            message = json.loads(line)
            if "id" not in message or "method" not in message:
                continue
            result = self.result(message)
            if result is None:
                answer = {"error": {"code": -32601, "message": f"no method {message['method']}"}}
            else:
                answer = {"result": {"resultType": "complete", **result} if self.is_newest else result}
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)


if __name__ == "__main__":
    Server().serve()

"""Anthropic's messages."""

import json

from .turn import Call, Received, Tool, Turn


def matches(path):
    """Whether a request is one of this format."""
    return path.endswith("/v1/messages")


def _texts(content):
    return [content] if isinstance(content, str) else [part.get("text", "") for part in content or [] if part["type"] == "text"]


def _received(block):
    got = Received(is_error=bool(block.get("is_error")))
    content = block.get("content") or []
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if part["type"] == "text":
            got.texts.append(part["text"])
        elif part["type"] == "image" and part["source"]["type"] == "base64":
            got.add_picture(part["source"]["media_type"], part["source"]["data"])
        else:
            got.others.append(part)
    return got


def read(_path, body):
    """A request as a turn."""
    tools = [Tool(tool["name"], tool.get("description", ""), tool["input_schema"])
             for tool in body.get("tools", []) if "input_schema" in tool]
    results = {}
    system = _texts(body.get("system", []))
    for message in body.get("messages", []):
        if message["role"] == "system":
            system += _texts(message["content"])
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "tool_result":
                results[block["tool_use_id"]] = _received(block)
            elif block["type"] == "text" and message["role"] == "user":
                system.append(block["text"])
    return Turn(tools, results, "\n".join(system))


def write(answer, body, move):
    """Sends what the model says."""
    is_call = isinstance(move, Call)
    block = ({"type": "tool_use", "id": move.id, "name": move.tool.name, "input": {}} if is_call
             else {"type": "text", "text": ""})
    reason = "tool_use" if is_call else "end_turn"
    usage = {"input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 10}
    message = {"id": f"msg_{answer.number}", "type": "message", "role": "assistant", "model": body.get("model"), "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": usage}
    if not body.get("stream"):
        full = {**block, "input": move.arguments} if is_call else {**block, "text": move.text}
        return answer.json({**message, "content": [full], "stop_reason": reason})
    delta = ({"type": "input_json_delta", "partial_json": json.dumps(move.arguments)} if is_call
             else {"type": "text_delta", "text": move.text})
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 10}},
        {"type": "message_stop"},
    ]
    return answer.stream([(event["type"], event) for event in events])

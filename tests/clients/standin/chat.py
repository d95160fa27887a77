"""OpenAI's chat completions, which many others speak too."""

import json

from .turn import Call, Received, Tool, Turn


def matches(path):
    """Whether a request is one of this format."""
    return path.endswith("/chat/completions")


def _add(got, content):
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content or []:
        if part["type"] == "text":
            got.texts.append(part["text"])
        elif part["type"] == "image_url":
            got.add_address(part["image_url"]["url"])
        else:
            got.others.append(part)


def read(_path, body):
    """A request as a turn. Pictures cannot be in the result of a tool here: those of the user's next message count as its."""
    tools = [Tool(tool["function"]["name"], tool["function"].get("description", ""), tool["function"].get("parameters") or {})
             for tool in body.get("tools") or [] if tool.get("type") == "function"]
    results, system, last = {}, [], None
    for message in body.get("messages", []):
        if message["role"] == "tool":
            last = results[message["tool_call_id"]] = Received()
            _add(last, message.get("content"))
        elif message["role"] == "user" and last is not None:
            after = Received()
            _add(after, message.get("content"))
            last.pictures += after.pictures
        elif message["role"] in ("system", "developer", "user"):
            said = Received()
            _add(said, message.get("content"))
            system += said.texts
    return Turn(tools, results, "\n".join(system))


def write(answer, body, move):
    """Sends what the model says."""
    is_call = isinstance(move, Call)
    call = is_call and {"id": move.id, "type": "function",
                        "function": {"name": move.tool.name, "arguments": json.dumps(move.arguments)}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]} if is_call else {"role": "assistant", "content": move.text}
    reason = "tool_calls" if is_call else "stop"
    base = {"id": f"chatcmpl-{answer.number}", "created": 0, "model": body.get("model")}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    if not body.get("stream"):
        return answer.json({**base, "object": "chat.completion", "usage": usage,
                            "choices": [{"index": 0, "message": message, "finish_reason": reason}]})
    if is_call:
        message = {**message, "tool_calls": [{"index": 0, **call}]}
    base["object"] = "chat.completion.chunk"
    chunks = [{**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
              {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}, {**base, "choices": [], "usage": usage}]
    return answer.stream([(None, chunk) for chunk in chunks] + [(None, "[DONE]")])

"""OpenAI's responses."""

import json

from .turn import Call, Received, Tool, Turn


def matches(path):
    """Whether a request is one of this format."""
    return path.endswith("/responses")


def _tools(listed, namespace=None):
    found = []
    for tool in listed or []:
        if tool["type"] == "function":
            found.append(Tool(tool["name"], tool.get("description", ""), tool.get("parameters") or {}, namespace))
        elif tool["type"] == "namespace":
            found += _tools(tool["tools"], tool["name"])
        elif tool["type"] == "tool_search":
            found.append(Tool("tool_search", tool.get("description", ""), tool.get("parameters") or {}))
    return found


def _received(output):
    got = Received()
    for part in [{"type": "input_text", "text": output}] if isinstance(output, str) else output or []:
        if part["type"] in ("input_text", "output_text", "text"):
            got.texts.append(part["text"])
        elif part["type"] == "input_image":
            got.add_address(part["image_url"])
        else:
            got.others.append(part)
    return got


def read(_path, body):
    """A request as a turn. Tools that a search brought are offered from then on."""
    tools = _tools(body.get("tools"))
    results, said, groups = {}, [body.get("instructions") or ""], list(body.get("tools") or [])
    for item in body.get("input", []) if isinstance(body.get("input"), list) else []:
        if item.get("type") == "function_call_output":
            results[item["call_id"]] = _received(item["output"])
        elif item.get("type") == "tool_search_output":
            tools += _tools(item["tools"])
            groups += item["tools"]
            results[item["call_id"]] = Received(others=[item["tools"]])
        elif item.get("role") in ("developer", "user", "system"):
            content = item.get("content")
            said += [content] if isinstance(content, str) else [part.get("text", "") for part in content or []]
    return Turn(tools, results, "\n".join(said), [group.get("description") or "" for group in groups if group["type"] == "namespace"])


def _item(move):
    if not isinstance(move, Call):
        return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": move.text, "annotations": []}]}
    if move.tool.name == "tool_search" and not move.tool.namespace:
        return {"type": "tool_search_call", "id": f"tsc_{move.id}", "call_id": move.id, "status": "completed", "execution": "client",
                "arguments": move.arguments}
    call = {"type": "function_call", "id": f"fc_{move.id}", "call_id": move.id, "name": move.tool.name,
            "arguments": json.dumps(move.arguments), "status": "completed"}
    return {**call, "namespace": move.tool.namespace} if move.tool.namespace else call


def write(answer, body, move):
    """Sends what the model says."""
    item = _item(move)
    usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": f"resp_{answer.number}", "object": "response", "created_at": 0, "model": body.get("model"), "status": "in_progress",
                "output": []}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    if not body.get("stream"):
        return answer.json(done)
    events = [{"type": "response.created", "response": response},
              {"type": "response.output_item.added", "output_index": 0, "item": item}]
    if not isinstance(move, Call):
        events.append({"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0,
                       "delta": move.text})
    events += [{"type": "response.output_item.done", "output_index": 0, "item": item},
               {"type": "response.completed", "response": done}]
    return answer.stream([(event["type"], {**event, "sequence_number": number}) for number, event in enumerate(events)])

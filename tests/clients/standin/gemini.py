"""Gemini's generateContent and streamGenerateContent."""

import re

from .turn import Call, Received, Tool, Turn

_PATH = re.compile(r"/models/[^/:]+:(?:generateContent|streamGenerateContent)$")


def matches(path):
    """Whether a request is one of this format."""
    return bool(_PATH.search(path))


def _received(part):
    response = part["functionResponse"]
    got, value = Received(), response.get("response") or {}
    for key in ("output", "error", "content"):
        if isinstance(value.get(key), str):
            got.texts.append(value[key])
            got.is_error = key == "error"
            break
    else:
        got.others.append(value)
    for more in response.get("parts") or []:
        _data(got, more)
    return got


def _data(got, part):
    if "inlineData" in part:
        got.add_picture(part["inlineData"]["mimeType"], part["inlineData"]["data"])
    elif "text" in part:
        got.texts.append(part["text"])
    else:
        got.others.append(part)


def read(_path, body):
    """A request as a turn. What follows a function's response in the same message belongs to it."""
    tools = [Tool(tool["name"], tool.get("description", ""), tool.get("parametersJsonSchema") or tool.get("parameters") or {})
             for group in body.get("tools") or [] for tool in group.get("functionDeclarations") or []]
    system = [part.get("text", "") for part in (body.get("systemInstruction") or {}).get("parts", [])]
    results = {}
    for content in body.get("contents", []):
        last = None
        for part in content.get("parts", []):
            if "functionResponse" in part:
                last = results[part["functionResponse"].get("id")] = _received(part)
            elif last is not None:
                _data(last, part)
            elif content.get("role") == "user" and "text" in part:
                system.append(part["text"])
    return Turn(tools, results, "\n".join(system))


def write(answer, _body, move):
    """Sends what the model says."""
    part = ({"functionCall": {"id": move.id, "name": move.tool.name, "args": move.arguments}} if isinstance(move, Call)
            else {"text": move.text})
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
    response = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": usage, "modelVersion": "stand-in", "responseId": str(answer.number)}
    if "streamGenerateContent" not in answer.path:
        return answer.json(response)
    return answer.stream([(None, response)])

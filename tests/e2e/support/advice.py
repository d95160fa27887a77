"""What errors and hints advise, as calls: every tool and every parameter that is named has to exist and to take that value.

`check` is called with every answer of every test (see `Session.call`). `calls` gives the calls to tests that make them.
"""

import functools
import json
import os
import re
import subprocess

from . import BINARY

VALUE = r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|-?[\w.]+'
PARAMETER = rf"[A-Za-z_]\w*(?:: |=)(?:{VALUE})"
NAME = r"\b(?:ax_[a-z_]+|screenshot_app_window)\b|\b(?:image|list|analyze)\b(?= with )"
CALL = re.compile(rf"({NAME})(?:(?: with | (?=[a-z_]+=))({PARAMETER}(?:,? (?:and )?(?={PARAMETER}){PARAMETER})*))?")
WITHOUT_VALUES = re.compile(rf"({NAME}) with (?:an? |its |the |\w+er )?([a-z_]+)\b(?!: |=| ?\w*:)")
ONE = re.compile(rf"([A-Za-z_]\w*)(?:: |=)({VALUE})")
# How often advice may lead on before something has to be done.
LONGEST_CHAIN = 4


@functools.lru_cache(maxsize=1)
def tools():
    """The schema of the parameters of every tool that there is."""
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "advice", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "HANDEYE_LOG_FILE": os.devnull}
    with subprocess.Popen([BINARY, "mcp", "serve", "--toolsets", "all"], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as server:
        server.stdin.write("".join(json.dumps(request) + "\n" for request in requests))
        server.stdin.flush()
        for line in server.stdout:
            message = json.loads(line)
            if message.get("id") == 2:
                server.stdin.close()
                return {tool["name"]: tool["inputSchema"] for tool in message["result"]["tools"]}
    raise AssertionError("the server lists no tools")


def unquoted(text):
    """The text with what is in quotes blanked: a value, or what an application shows."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: '"' + "_" * (len(found[0]) - 2) + '"', text)


def value_of(literal):
    """What a value in an advice means."""
    if literal.startswith('"'):
        return json.loads(literal)
    if literal.startswith("'"):
        return literal[1:-1]
    try:
        return json.loads(literal)
    except json.JSONDecodeError:
        return literal


def calls(text):
    """The calls that a text names: (tool, {parameter: value})."""
    blank = unquoted(text)
    found = []
    for call in CALL.finditer(text):
        # A name inside of quotes is not one of handeye's words.
        if blank[call.start():call.start() + len(call[1])] != call[1]:
            continue
        parameters = {name: value_of(literal) for name, literal in ONE.findall(call[2] or "")}
        found.append((call[1], parameters))
    return found


def faults(text):
    """What is wrong with the calls that a text names."""
    wrong = []
    for tool, parameters in calls(text):
        if tool not in tools():
            wrong.append(f"there is no tool {tool}")
            continue
        known = tools()[tool].get("properties", {})
        for name, value in parameters.items():
            if name not in known:
                wrong.append(f"{tool} has no parameter {name}")
                continue
            allowed, kind = known[name].get("enum"), known[name].get("type")
            if allowed and value not in allowed:
                wrong.append(f"{tool} takes no {name}: {value!r}")
            if kind in ("integer", "number") and not isinstance(value, (int, float)):
                wrong.append(f"{tool} takes a number as {name}, not {value!r}")
            if kind == "boolean" and not isinstance(value, bool):
                wrong.append(f"{tool} takes true or false as {name}, not {value!r}")
    return wrong


def advised(answer):
    """The advice in an answer: an error's next, or the hints in its text."""
    error = answer.fields.get("error") if isinstance(answer.fields, dict) else None
    if answer.is_error and isinstance(error, dict) and error.get("next"):
        yield error["next"]
    # Lines of handeye itself begin so; what applications show is in quotes.
    for line in answer.text.split("\n"):
        if line.lstrip().startswith("…") or line.startswith(("Unconfirmed", "Suggestion")):
            yield line


def check(tool, arguments, answer):
    """Fails when an answer advises a call that cannot be made."""
    for text in advised(answer):
        wrong = faults(text)
        assert not wrong, f"{tool} {arguments} advises {text!r}: {'; '.join(wrong)}"


def template(text):
    """The advice without what differs from one element to another: two of one template say the same."""
    return re.sub(r"\d+", "0", unquoted(text).replace("_", ""))


def next_call(tool, arguments, answer):
    """The call that an error advises, as (tool, arguments); `None` if it names none, or leaves out what only the caller knows."""
    after = answer.fields["error"].get("next") or ""
    named = [(name, parameters) for name, parameters in calls(after) if name in tools()]
    if named:
        name, parameters = named[0]
        # What a call does not name is what it was before; a call of another tool takes what it knows.
        known, required = tools()[name]["properties"], tools()[name].get("required", [])
        # Without parameters another look is meant, not the one that failed.
        kept = {key: value for key, value in arguments.items()
                if key in known and (key == "app" or name == tool and parameters)}
        call = {**kept, **parameters}
        return (name, call) if set(required) <= set(call) else None
    lone = {key: value_of(value) for key, value in ONE.findall(after)}
    return (tool, {**arguments, **lone}) if lone else None


def followed(session, tool, arguments, answer=None):
    """Makes a call, then what it advises, and so on: the chain of (call, code). No call comes twice.

    `answer` is that of the first call, where it was made already.
    """
    chain = []
    while True:
        call = (tool, tuple(sorted(arguments.items())))
        assert call not in [made for made, _ in chain], f"the advice leads in a circle: {chain}"
        answer = answer or session.call(tool, **arguments)
        chain.append((call, answer.code))
        assert len(chain) <= LONGEST_CHAIN, f"the advice goes on and on: {chain}"
        following = next_call(tool, arguments, answer) if answer.is_error else None
        if following is None:
            return chain
        (tool, arguments), answer = following, None

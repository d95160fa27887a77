"""What a conversation shows of a client: the cells of its column in the first table of `docs/clients.md`."""

from support.provider import size

from . import compare

# The answers that are the same whatever a client can be asked or can hold, and the one that is an error.
SAME_FOR_ALL = ["applications", "tree", "before", "click", "type", "since", "marks", "picture", "error", "progress"]
ROWS = ["calls itself", "revision", "can be asked", "tools are called", "text", "pictures", "errors", "longest answer",
           "instructions", "question", "progress", "interrupted"]


def column(kind, talk):
    """All cells of a client."""
    identity = talk.identity()
    return {"client": f"{kind.name} {talk.version}", **dict(zip(ROWS, [
        f"`{identity['name']}` {identity['version']}", talk.revision(),
        "yes" if "elicitation" in talk.capabilities() else "no", _tools(talk),
        _texts(kind, talk, [step for step in SAME_FOR_ALL if step != "error"]), _pictures(talk), _texts(kind, talk, ["error"]),
        _longest(kind, talk), _instructions(talk), _question(talk), _progress(talk), _interrupted(talk)]))}


def answers(talk):
    """What the server sent last in each step: the results by the names of the steps."""
    finished = [call["result"] for call in talk.calls()
                if call.get("result") and call["result"].get("resultType") != "input_required"]
    played = [step.name for step in talk.play.steps if step.name not in talk.play.skipped]
    return dict(zip(played, finished))


def _tools(talk):
    if not talk.play.offered:
        return "not offered"
    tool = next(tool for tool in talk.play.offered.values() if tool.name.endswith("list"))
    name = f"`{tool.namespace}`: `{tool.name}`" if tool.namespace else f"`{tool.name}`"
    return f"{name}, found by a search" if talk.play.searched else name


def _texts(kind, talk, steps):
    wanted = found = more = 0
    for step in steps:
        if step not in talk.play.received or step not in answers(talk):
            return f"no answer to '{step}'"
        sent = compare.lines(compare.sent(answers(talk)[step])[0], talk.names)
        came = compare.lines(kind.unwrap(talk.play.received[step].texts), talk.names)
        wanted, found = wanted + len(sent), found + len(sent) - len(compare.missing(sent, came))
        more += len(compare.missing(came, sent))
    said = "whole" if found == wanted else f"**{found} of {wanted} lines**" if found else "**lost**"
    return f"{said}, and more beside it" if more and found else said


def _pictures(talk):
    cells = set()
    for step in ("marks", "picture"):
        received, sent = talk.play.received.get(step), compare.sent(answers(talk)[step])[1] if step in answers(talk) else None
        if not received or not sent:
            return f"no answer to '{step}'"
        came = [compare.encoded(picture) for picture in received.pictures]
        if came == sent:
            cells.add("unchanged")
        elif came:
            cells.add(f"**changed to {'x'.join(map(str, size(received.pictures[0][1])))}**")
        else:
            cells.add("**as text**" if sent[0][1][:100] in received.text else "**lost**")
    return ", ".join(sorted(cells))


def _longest(kind, talk):
    if "long" not in talk.play.received or "long" not in answers(talk):
        return "no answer"
    sent, came = compare.sent(answers(talk)["long"])[0], kind.unwrap(talk.play.received["long"].texts)
    if not compare.missing(compare.lines(sent, {}), compare.lines(came, {})):
        return "whole"
    return f"**cut to {sum(map(len, came))} of {sum(map(len, sent))} characters**"


def _instructions(talk):
    hello = talk.hello()["id"]
    text = next(message["result"] for message in talk.messages("server") if message.get("id") == hello).get("instructions", "")
    # Some indent them.
    text = " ".join(text.split())
    found = max((_common(text, " ".join(place.split())) for place in talk.play.instructions_seen), default=0)
    return "whole" if found == len(text) else f"first {found} characters" if found else "none"


def _common(text, place):
    """How much of the beginning of `text` is in `place`."""
    at = place.find(text[:20])
    if at < 0:
        return 0
    pairs = enumerate(zip(text, place[at:]))
    return next((number for number, (one, other) in pairs if one != other), min(len(text), len(place) - at))


def _question(talk):
    if "elicitation" not in talk.capabilities():
        return "none: it cannot be asked"
    for message in talk.messages("client"):
        responses = list(((message.get("params") or {}).get("inputResponses") or {}).values())
        if isinstance(message.get("result"), dict) and "action" in message["result"]:
            responses.append(message["result"])
        if responses:
            return f"answers `{responses[0]['action']}`"
    return "no answer"


def _progress(talk):
    call = next((call for call in talk.calls() if call["params"]["name"] == "ax_wait_idle"), None)
    if not call or "until" not in call:
        return "no answer"
    waited = "waits" if "progress" in talk.play.received else "does not wait"
    return f"{waited}; {'asks for it' if (call['params'].get('_meta') or {}).get('progressToken') is not None else 'does not ask for it'}"


def _interrupted(talk):
    if not talk.ended_by:
        return "not tried"
    return f"{'**its server goes on**' if talk.is_left else 'its server ends'}{'' if talk.ended_by == 'SIGINT' else f' ({talk.ended_by})'}"


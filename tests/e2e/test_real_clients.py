"""Real clients with a stand-in as their model: what the server sends reaches the model, whole and once."""

import concurrent.futures
import os
import pathlib

import pytest

from clients import compare, facts, run, runners
from clients.measure import DOCUMENT, HANDEYE
from clients.plain import Plain
from clients.scene import ADDED
from support import REPOSITORY
from support.provider import size

MODULES = pathlib.Path(os.environ.get("HANDEYE_CLIENTS") or REPOSITORY / "target/e2e/clients/node_modules")


@pytest.fixture(scope="module")
def conversations(tmp_path_factory):
    """One conversation with each client, all at once, and the same one with the official Python client."""
    assert MODULES.is_dir(), f"the clients are not in {MODULES}; run `cargo xtask setup`"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        homes = {kind: str(tmp_path_factory.mktemp(kind.__name__)) for kind in runners.PINNED}
        yield {"plain": pool.submit(Plain), **{kind: pool.submit(run.run, kind, MODULES, home) for kind, home in homes.items()}}


@pytest.fixture(scope="module", params=runners.PINNED, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.fixture
def talk(conversations, kind):
    return conversations[kind].result()


@pytest.fixture
def plain(conversations):
    return conversations["plain"].result()


def got(talk, kind, step):
    """What the model got in a step, line by line."""
    assert step in talk.play.received, f"{step} did not come back; skipped: {talk.play.skipped}; it said: {talk.output}"
    return compare.lines(kind.unwrap(talk.play.received[step].texts), talk.names)


def answer(talk, step):
    """What the server sent as the last answer of a step: texts and pictures."""
    return compare.sent(facts.answers(talk)[step])


def test_each_step_was_played(talk):
    assert not talk.faults, "".join(talk.faults)
    assert not talk.play.skipped, talk.play.offered
    assert list(talk.play.received) == [step.name for step in talk.play.steps[:-1]], talk.output


@pytest.mark.parametrize("step", [*facts.SAME_FOR_ALL, "double", "question", "long"])
def test_the_model_gets_what_the_server_sends(talk, kind, step):
    wanted = compare.lines(answer(talk, step)[0], talk.names)
    found = got(talk, kind, step)
    assert not compare.missing(wanted, found), f"did not reach the model; it got {found}"
    assert found == wanted, "the model got the same in another order, or more than once"


@pytest.mark.parametrize("step", facts.SAME_FOR_ALL)
def test_the_model_gets_what_a_plain_client_gets(talk, kind, plain, step):
    wanted = compare.lines(plain.received[step].texts, plain.names)
    found = got(talk, kind, step)
    assert not compare.missing(wanted, found), f"did not reach the model; it got {found}"
    assert found == wanted


def test_the_tree(talk, kind):
    tree = got(talk, kind, "tree")
    assert any(line.startswith('- menu "File" [ref=e') for line in tree), tree
    assert any(line.startswith("- textbox [ref=e") and "quick brown fox" in line for line in tree), tree


def test_the_difference_since_a_look(talk, kind):
    difference = got(talk, kind, "since")
    for name in ADDED:
        assert any(line.startswith(f'+ button "{name}" [ref=e') for line in difference), (name, difference)
    assert any("Grüße aus Wien" in line for line in difference), difference


def test_the_list_of_marks_beside_its_picture(talk, kind):
    marks = got(talk, kind, "marks")
    for name in ("Count", "Multi", "Agree", "Bold", "Red", ADDED[0]):
        assert any(line.startswith("e") and f'"{name}"' in line for line in marks), (name, marks)
    assert len(talk.play.received["marks"].pictures) == 1


@pytest.mark.parametrize("step", ["marks", "picture"])
def test_pictures_are_whole(talk, plain, step):
    """Not scaled and not encoded again: the pixels that the model counts are those that a click takes."""
    _, wanted = answer(talk, step)
    assert wanted and [compare.encoded(picture) for picture in talk.play.received[step].pictures] == wanted
    assert [size(file) for _, file in talk.play.received[step].pictures] == [size(file) for _, file in plain.received[step].pictures]


def test_the_hints_of_an_error(talk, kind):
    hints = got(talk, kind, "error")
    assert any(line.startswith("Error: nothing in") for line in hints), hints
    assert 'button "Count"' in hints, hints
    assert any(line.startswith("Suggestion: ") for line in hints), hints


def test_the_effect_of_an_action(talk, kind):
    for step in ("click", "type"):
        assert any("Confirmed: " in line for line in got(talk, kind, step)), got(talk, kind, step)
    assert talk.state["fixture"]["count"] == 1
    assert talk.state["fixture"]["double"] == 1 and "by the agent's own seat" in " ".join(got(talk, kind, "double"))
    assert talk.state["fixture"]["name"] == "Grüße aus Wien"


def test_a_question_or_why_none_was_asked(talk, kind):
    told, deleted = " ".join(got(talk, kind, "question")), talk.state["danger"]["deleted"]
    if "elicitation" in talk.capabilities():
        assert "nothing was done" in told and deleted == 0, told
    else:
        assert "Nobody could be asked" in told and deleted == 1, told


def test_ten_seconds_of_work(talk, kind):
    call = next(call for call in talk.calls() if call["params"]["name"] == "ax_wait_idle")
    assert call["until"] - call["at"] >= 10
    assert any("is idle" in line for line in got(talk, kind, "progress"))
    token = (call["params"].get("_meta") or {}).get("progressToken")
    heard = [message["params"] for message in talk.messages("server") if message.get("method") == "notifications/progress"]
    assert token is None or [step for step in heard if step["progressToken"] == token]


def test_an_answer_as_long_as_the_budget_allows_is_not_cut_again(talk, kind):
    sent, found = "\n".join(answer(talk, "long")[0]), got(talk, kind, "long")
    assert len(sent) > 5000
    assert "\n".join(found) == "\n".join(compare.lines([sent], talk.names))


def test_an_interrupted_call_ends_and_the_server_with_it(talk):
    assert talk.ended_by == "SIGINT", talk.output
    assert not talk.is_left, talk.wire[-5:]
    ended = [message["ended"] for message in talk.messages("relay") if "ended" in message]
    assert ended and set(ended) <= {0}, talk.wire[-5:]


def test_the_tools_are_what_the_model_accepts(talk):
    ours = [wrong for wrong in sorted(talk.violations) if any(wrong.startswith(name) for name in talk.play.offered)]
    assert not ours, ours


def test_the_table_says_what_was_seen(talk, kind):
    """`cargo xtask test --clients --write` writes it again: see tests/clients/README.md."""
    assert HANDEYE.known(DOCUMENT.read_text(encoding="utf-8")).get(kind.name) == facts.column(kind, talk)

"""Progress of a call, as the official client receives it, in both eras of the protocol."""

import pytest

from support import wait_for
from support.coloured import Coloured
from support.session import Session

TITLES = {"Red": "C02010", "Green": "10A020", "Blue": "1020A0"}


@pytest.fixture(scope="module")
def painter(desktop):
    app = Coloured(desktop, "painter", TITLES)
    yield app
    app.stop()


@pytest.fixture(params=["auto", "legacy"])
def session(request, desktop, provider):
    own = Session({**desktop.env, **provider.environment("openai/gpt-4o")}, mode=request.param)
    yield own
    own.close()


class Call:
    """A call under way, and the messages about it."""

    def __init__(self, session, tool, **arguments):
        self.heard, self.heard_at_end, self._portal = [], None, session._portal
        self._future = session._portal.start_task_soon(self._run, session.client, tool, arguments)

    async def _run(self, client, tool, arguments):
        async def hear(progress, total, message):
            self.heard.append((progress, total, message))
        result = await client.call_tool(tool, arguments, progress_callback=hear)
        self.heard_at_end = list(self.heard)
        return result

    def result(self):
        return self._future.result(60)

    def cancel(self):
        self._future.cancel()


def test_each_picture_is_a_step_and_none_follows_the_answer(session, provider, painter, tmp_path):
    with provider.hold():
        call = Call(session, "image", app_target="painter", question="Which colour?", path=str(tmp_path) + "/")
        provider.wait(lambda provider: len(provider.questions) == 3)
    result = call.result()
    assert not result.is_error, result
    steps = [progress for progress, _, _ in call.heard]
    assert steps and steps == sorted(set(steps)), "each tells of more than the one before"
    assert all(total is None or progress <= total for progress, total, _ in call.heard)
    assert any("Asking openai/gpt-4o" in message for _, _, message in call.heard), call.heard
    session.call("list", item_type="server_status")
    assert call.heard == call.heard_at_end, "nothing came after the answer"


def test_progress_is_heard_before_the_answer(session, provider, painter):
    with provider.hold():
        call = Call(session, "image", app_target="painter:WINDOW_TITLE:Red", question="Which colour?")
        provider.wait(lambda provider: provider.questions)
        # The provider holds its answer back, so there is none of the tool either.
        wait_for("a step to be heard", lambda: call.heard)
        assert call.heard_at_end is None
    assert not call.result().is_error


def test_a_client_that_does_not_ask_for_progress_gets_the_answer_alone(session, provider, painter):
    answer = session.call("image", app_target="painter:WINDOW_TITLE:Red", question="Which colour?")
    assert not answer.is_error and answer.fields["analysis_text"]


def test_many_calls_at_once_hear_their_own_progress(session, provider, painter):
    with provider.hold():
        calls = [Call(session, "image", app_target=f"painter:WINDOW_TITLE:{title}", question=title) for title in TITLES]
        provider.wait(lambda provider: len(provider.questions) == 3)
    for title, call in zip(TITLES, calls):
        assert not call.result().is_error
        steps = [progress for progress, _, _ in call.heard]
        assert steps == sorted(set(steps))
        assert all(title in message for _, _, message in call.heard), call.heard

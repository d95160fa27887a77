"""What another process shows inside of a window, and really does: the page of a web view. It can be read and used like the rest, and is
named after the process that it is of, in the outline, in sentences and in questions. The page itself says what was done."""

import os
import re
import signal
import subprocess

import pytest

from support import applications, wait_for
from support.people import Asked, accept, decline

OWNER = re.compile(r"\[of WebKitWebProcess \(process (\d+)\)\]")


@pytest.fixture
def app(desktop):
    started = applications.Fixture(desktop, "webkit", commands=True)
    yield started
    started.stop()


@pytest.fixture
def client(session_of, app):
    """A client, once the page is there."""
    session = session_of()
    wait_for("the page", lambda: 'button "Delete the page"' in outline(session, app))
    return session


@pytest.fixture
def session_of(desktop):
    """Makes clients, and ends them."""
    from support.session import Session
    sessions = []

    def make():
        sessions.append(Session(desktop.env, log=desktop.path("embedded.log")))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


def outline(client, app, **arguments):
    return client.do("ax_get_tree", app=app.app, max_depth=20, **arguments).text


def page_process(app):
    """The process of the page, as the kernel knows it: a child of the application's."""
    found = subprocess.run(["ps", "--ppid", str(app.process), "-o", "pid=,args="], capture_output=True, text=True, check=True)
    return next(int(line.split()[0]) for line in found.stdout.splitlines() if "WebKitWebProcess" in line)


def test_a_page_of_another_process_is_there_under_its_owner(client, app):
    text = outline(client, app)
    document = next(line for line in text.splitlines() if "- document" in line)
    assert OWNER.search(document) and int(OWNER.search(document)[1]) == page_process(app), text
    # Stated once, where the owner changes.
    assert len(OWNER.findall(text)) == 1 and "left out" not in text, text
    for shown in ('button "Around the page"', 'heading "A page"', 'textbox "Who"', 'checkbox "Sure"', '"Words of the page"'):
        assert shown in text, text
    assert "Words that nobody sees" not in text
    # The mark before an item is nothing to type into.
    assert 'listitem "An item"' in text and text.count("textbox") == 1, text
    found = client.do("ax_find", app=app.app, query="Delete the page")
    assert OWNER.search(found.text), found.text


def test_what_the_page_does_by_itself_is_seen(client, app):
    for words in ("Other words", "Words again"):
        app.command(do="say", words=words)
        wait_for(f"the outline to say {words}", lambda words=words: f'"{words}"' in outline(client, app))


def test_a_click_reaches_the_page_and_is_told_under_its_owner(client, app):
    answer = client.do("ax_click", app=app.app, query="Delete the page")
    app.wait("deleted", 1)
    assert f'button "Delete the page" of WebKitWebProcess (process {page_process(app)})' in answer.text, answer.text
    client.do("ax_click", app=app.app, query="Sure")
    app.wait("sure", True)
    client.do("ax_click", app=app.app, query="Around the page")
    app.wait("count", 1)
    answer = client.do("ax_click", app=app.app, query="Delete the page", mode="focus")
    app.wait("deleted", 2)


def test_text_is_typed_into_the_page(client, app):
    client.do("ax_type", app=app.app, query="Who", text="Ada")
    app.wait("who", "Ada")
    client.do("ax_type", app=app.app, query="Who", text="Grace", clear_first=True, mode="focus")
    app.wait("who", "Grace")


@pytest.mark.parametrize("words", [["--confirm", "always"], []], ids=["always", "when it looks dangerous"])
def test_the_question_names_the_owner(desktop, client, app, words):
    owner = f"of WebKitWebProcess (process {page_process(app)}), shown in "
    for answers, deleted in ((decline(), None), (accept(confirm=True), 1)):
        asked = Asked(desktop.env, *(["2025-11-25", words] if words else ["2025-11-25"]), answers=answers)
        try:
            asked.call("ax_click", app=app.app, query="Delete the page")
        finally:
            asked.close()
        assert len(asked.questions) == 1
        message = asked.questions[0]["params"]["message"]
        assert message.startswith(f"This will click 'Delete the page' {owner}"), message
        if deleted is None:
            assert "deleted" not in app.state()
        else:
            app.wait("deleted", deleted)


def test_a_page_that_hangs_or_ends_leaves_the_window_usable(client, app):
    page = page_process(app)
    os.kill(page, signal.SIGSTOP)
    try:
        text = outline(client, app)
        assert 'button "Around the page"' in text and "[busy]" in text, text
        client.do("ax_click", app=app.app, query="Around the page")
        app.wait("count", 1)
        failed = client.call("ax_click", app=app.app, query="Delete the page")
        assert failed.code == "app_not_responding", failed.text
    finally:
        os.kill(page, signal.SIGCONT)
    wait_for("the page to answer again", lambda: "[busy]" not in outline(client, app))
    assert "deleted" not in app.state()
    client.do("ax_click", app=app.app, query="Delete the page")
    app.wait("deleted", 1)
    os.kill(page, signal.SIGKILL)
    wait_for("the page to go", lambda: "Delete the page" not in outline(client, app))
    client.do("ax_click", app=app.app, query="Around the page")
    app.wait("count", 2)

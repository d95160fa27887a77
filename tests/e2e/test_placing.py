"""An element that shows but was not placed yet is waited for, and not refused. Judged by the page."""

import contextlib
import os
import pathlib
import signal

import pytest

from support import applications, wait_for, witness
from support.desktop import Desktop
from support.session import Session


@pytest.fixture(scope="module")
def desktop():
    desktop = Desktop()
    yield desktop
    desktop.stop()


def processes_of_pages(browser):
    """The processes that lay the pages of a Firefox out."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # Those that were forked have their words in one, with spaces between.
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
            if b"-parentPid %d " % browser in words and words.split()[-1] == b"tab":
                found.append(int(folder.name))
    assert found, "Firefox has no process for pages"
    return found


def click_while_held(client, page, log):
    """Clicks a button while what could place it does not run, and lets that go on once handeye waits for it."""
    held = processes_of_pages(page.process)
    for process in held:
        os.kill(process, signal.SIGSTOP)
    try:
        future = client.start("ax_click", app=page.app, query="button Count", mode="focus")
        wait_for("handeye to wait for the place of the button, or to answer",
                 lambda: future.done() or "not in sight yet" in pathlib.Path(log).read_text(encoding="utf-8"))
    finally:
        for process in held:
            os.kill(process, signal.SIGCONT)
    return future.result(60)


def test_a_click_on_a_page_that_is_not_placed_yet(desktop):
    page = applications.Page(desktop, "firefox")
    # Another client sees the page. It asks for no places, and Firefox has its pages send them once somebody does.
    wait_for("the page to be exposed", lambda: witness.value(desktop, page.process, "slider", "Volume") == 20)
    log = desktop.path("placing.log")
    with contextlib.closing(Session({**desktop.env, "HANDEYE_LOG_LEVEL": "debug"}, log=log)) as client:
        answer = click_while_held(client, page, log)
    assert not answer.is_error, answer.text
    assert "not in sight yet" in pathlib.Path(log).read_text(encoding="utf-8"), "the button was placed before, which proves nothing"
    page.wait("count", 1)

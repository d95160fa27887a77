"""The first look at a browser that was just started: its page comes from another process, and is there nevertheless."""

import pathlib

import pytest

from support.conversation import Stdio
from support.people import MODERN
from support.tasks.browsers import Chromium, Firefox


@pytest.mark.parametrize("browser", [Firefox, Chromium])
def test_the_first_search_finds_what_is_on_the_page(desktop, tmp_path, browser):
    folder = pathlib.Path(desktop.path(f"first-page-{tmp_path.name}"))
    folder.mkdir()
    app = browser(desktop, folder)
    try:
        with Stdio(desktop.env, MODERN) as client:
            client.begin()
            found = client.call("ax_find", app=app.app, query="textbox Name")
        assert not found["isError"], found
        assert found["structuredContent"]["title"] == "Name" and found["structuredContent"]["size"], found
    finally:
        app.stop()

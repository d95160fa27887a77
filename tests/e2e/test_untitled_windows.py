"""What windows are called whose application gives them no title."""

from support import TESTS, wait_for
from support.desktop import end_group


def test_a_window_of_gtk4_without_a_title_is_not_called_by_its_class(desktop, client):
    name = "Weather Station"
    program = desktop.start(["/usr/bin/python3", str(TESTS / "apps" / "untitled_gtk4_app.py"), name], "untitled_gtk4")

    def is_called(title):
        def shown():
            text = client.do("ax_get_tree", app=str(program.pid)).text
            return text if f'- window "{title}"' in text and 'button "Rename"' in text else None
        text = wait_for(f"a window called {title}", shown)
        assert text.count("- window ") == 1 and "+MainWindow" not in text, text

    try:
        desktop.window(name)
        is_called(name)
        # Some of them could be the name of a class, but the screen has these.
        for title in ("DetailsWindow", "SaveDialog", "Rain in Oslo", "MainWindow"):
            client.do("ax_click", app=str(program.pid), query="button Rename")
            is_called(title)
    finally:
        end_group(program)


def test_a_window_of_gtk3_without_a_title_has_that_which_the_screen_shows(desktop, client):
    program = desktop.start(["/usr/bin/python3", str(TESTS / "apps" / "untitled_gtk3_app.py"), "Weather Station"], "untitled_gtk3")

    def screen_title():
        titles = {title for _, process, title in desktop.windows() if process == program.pid}
        return next(iter(titles - {"Forecast"}), None) if len(titles) == 2 else None

    def is_called(title):
        wait_for(f"a window called {title}", lambda: f'- window "{title}"' in client.do("ax_get_tree", app=str(program.pid)).text)
    try:
        is_called(wait_for("both windows", screen_title))
        is_called("Forecast")
        client.do("ax_click", app=str(program.pid), query="button Rename")
        is_called("Rain in Oslo")
    finally:
        end_group(program)

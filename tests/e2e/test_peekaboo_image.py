"""`image` of Peekaboo 1.1.2 (sections I.C and II.B) and 1.0.0-beta.17, over MCP and from the shell.

Every window has one colour, so a picture identifies the window that it shows; files are read by ImageMagick, which also takes
the picture of the screen that a capture is compared with.
"""

import base64
import itertools
import json
import os
import re
import subprocess

import pytest

from support import BINARY, coloured, history, wait_for
from support.coloured import Coloured
from support.desktop import Desktop
from support.session import Session

RED, GREEN = "Red: one", "Green — two 漢"
WINDOWS = {RED: "C02010", GREEN: "10A020"}
_folders = itertools.count(1)
TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z"


@pytest.fixture(scope="module")
def desktop():
    """Two monitors side by side, the second one as the primary's right neighbour."""
    own = Desktop(monitors=["1280x1024", "800x600+1280+0"])
    yield own
    own.stop()


@pytest.fixture(scope="module")
def painter(desktop):
    app = Coloured(desktop, "painter", WINDOWS)
    yield app
    app.stop()


@pytest.fixture(scope="module")
def lone(desktop):
    """An application with a single window."""
    app = Coloured(desktop, "lone", {"Lone": "3050D0"})
    yield app
    app.stop()


@pytest.fixture
def folder(desktop):
    """A folder of the test's own, which is not there yet."""
    return desktop.path(f"folder-{next(_folders)}")


@pytest.fixture
def handeye(desktop):
    """Runs handeye in the desktop: (exit code, standard output, standard error)."""
    def run(*words, env=None, cwd=None):
        result = history.run([BINARY, *words], env={**desktop.env, **(env or {})}, capture_output=True, text=True,
                             timeout=60, check=False, stdin=subprocess.DEVNULL, cwd=cwd)
        return result.returncode, result.stdout, result.stderr
    return run


def saved(answer):
    """The paths of the saved files."""
    return [file["path"] for file in answer.fields["saved_files"]]


def pixels(desktop, words):
    """What an ImageMagick command prints as a picture, as bare pixels."""
    return subprocess.run(words, env=desktop.env, capture_output=True, check=True, timeout=60).stdout


def inline(desktop, picture, at="20+20"):
    """Colour of one pixel of a picture in an answer."""
    png = base64.b64decode(picture.data)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    text = subprocess.run(["/usr/bin/convert", "png:-", "-depth", "8", "-crop", f"1x1+{at}", "txt:-"], input=png,
                          capture_output=True, check=True).stdout.decode()
    return coloured.colour(text)


# Targets (section I.C, `app_target`)

@pytest.mark.parametrize("arguments", [{}, {"app_target": ""}])
def test_peekaboo_1_1_2_I_C_app_target_omitted_is_every_screen_by_itself(client, desktop, painter, arguments):
    answer = client.do("image", **arguments)
    files = answer.fields["saved_files"]
    assert [file["item_label"] for file in files] == ["Display 1 / Main", "Display 2"]
    assert [coloured.kind(desktop, file["path"]) for file in files] == [("PNG", 1280, 1024), ("PNG", 800, 600)]
    assert all(os.path.isabs(file["path"]) for file in files)
    assert all(set(file) == {"path", "item_label", "mime_type", "id"} for file in files), "a screen has no window"
    assert answer.pictures == [], "a screen is never in the answer"


@pytest.mark.parametrize("index,crop", [(0, "1280x1024+0+0"), (1, "800x600+1280+0")])
def test_peekaboo_1_1_2_I_C_app_target_screen_index(client, desktop, painter, folder, index, crop):
    path = f"{folder}/one.png"

    def same():
        answer = client.do("image", app_target=f"screen:{index}", path=path)
        assert saved(answer) == [path]
        ours = pixels(desktop, ["/usr/bin/convert", path, "-depth", "8", "rgb:-"])
        return ours == pixels(desktop, ["/usr/bin/import", "-silent", "-window", "root", "-crop", crop, "-depth", "8", "rgb:-"])
    wait_for("handeye and import to see the same screen", same, every=0.3)


def test_peekaboo_1_1_2_I_C_app_target_application_is_all_its_windows(client, desktop, painter):
    answer = client.do("image", app_target="painter")
    files = answer.fields["saved_files"]
    assert {file["window_title"] for file in files} == set(WINDOWS)
    ids = painter.ids()
    for file in files:
        title = file["window_title"]
        assert file["item_label"] == title
        assert file["window_id"] == ids[title]
        assert coloured.kind(desktop, file["path"]) == ("PNG", *painter.size(title)), "no frame, no shadow"
        assert coloured.of_file(desktop, file["path"]) == WINDOWS[title]
    assert [file["window_index"] for file in files] == [0, 1]


@pytest.mark.parametrize("title", [RED, GREEN, "red: ONE", "two", "漢"])
def test_peekaboo_1_1_2_I_C_app_target_window_title(client, desktop, painter, title):
    answer = client.do("image", app_target=f"painter:WINDOW_TITLE:{title}")
    (file,) = answer.fields["saved_files"]
    expected = RED if "one" in title.lower() else GREEN
    assert file["window_title"] == expected
    assert coloured.of_file(desktop, file["path"]) == WINDOWS[expected]


def test_peekaboo_1_1_2_I_C_app_target_window_index_is_that_of_list(client, desktop, painter):
    for front in (RED, GREEN):
        desktop.activate(painter.id_of(front))
        for window in client.do("list", app="painter").fields["window_list"]:
            answer = client.do("image", app_target=f"painter:WINDOW_INDEX:{window['window_index']}")
            (file,) = answer.fields["saved_files"]
            assert file["window_title"] == window["window_title"]
            assert coloured.of_file(desktop, file["path"]) == WINDOWS[window["window_title"]]


def test_peekaboo_1_1_2_I_C_app_target_frontmost(client, desktop, painter, lone):
    desktop.activate(lone.id_of("Lone"))
    files = client.do("image", app_target="frontmost").fields["saved_files"]
    assert [file["window_title"] for file in files] == ["Lone"]
    desktop.activate(painter.id_of(GREEN))
    files = client.do("image", app_target="frontmost").fields["saved_files"]
    assert {file["window_title"] for file in files} == set(WINDOWS)


def test_peekaboo_1_0_0_beta_17_several_exact_matches_are_all_captured(client, desktop):
    apps = [Coloured(desktop, name, {f"{name} window": colour}) for name, colour in (("claude", "111111"), ("Claude", "222222"))]
    try:
        files = client.do("image", app_target="claude").fields["saved_files"]
        assert {coloured.of_file(desktop, file["path"]) for file in files} == {"111111", "222222"}
    finally:
        for app in apps:
            app.stop()


# Focus (section I.C, `capture_focus`)

def test_peekaboo_1_1_2_II_B_background_touches_neither_focus_nor_stacking(client, desktop, painter, lone):
    desktop.activate(lone.id_of("Lone"))

    def seat():
        return (desktop.active_window(), desktop.run(["xprop", "-root", "_NET_CLIENT_LIST_STACKING"]),
                desktop.run(["xdotool", "getmouselocation"]))
    before = seat()
    for target in ("", "screen:0", "painter", f"painter:WINDOW_TITLE:{RED}", "painter:WINDOW_INDEX:1", "frontmost"):
        client.do("image", app_target=target)
    assert seat() == before


def test_peekaboo_1_1_2_II_B_foreground_brings_the_window_to_the_front(client, desktop, painter, lone):
    desktop.activate(lone.id_of("Lone"))
    answer = client.do("image", app_target=f"painter:WINDOW_TITLE:{RED}", capture_focus="foreground")
    assert desktop.active_window() == painter.id_of(RED)
    assert coloured.of_file(desktop, saved(answer)[0]) == WINDOWS[RED]


def test_peekaboo_1_1_2_II_B_a_covered_window_looks_uncovered(client, desktop, painter):
    desktop.run(["xdotool", "windowmove", "--sync", str(painter.id_of(GREEN)), "42", "62"], check=False)
    painter.raise_(GREEN)
    answer = client.do("image", app_target=f"painter:WINDOW_TITLE:{RED}")
    assert coloured.of_file(desktop, saved(answer)[0], "60+60") == WINDOWS[RED]


# Paths (sections II.B and V.C)

@pytest.mark.parametrize("name", ["capture.png", "with space.png", "ünï 漢字.png", ".hidden.png", "a/b/c/deep.png",
                                  "v1.2/../dots.png", "./here.png", "two.dots.png", "quote'\".png"])
def test_peekaboo_1_1_2_V_C_a_file_path_of_one_window_is_used_exactly(client, desktop, painter, folder, name):
    path = f"{folder}/{name}"
    answer = client.do("image", app_target=f"painter:WINDOW_TITLE:{RED}", path=path)
    (reported,) = saved(answer)
    assert os.path.realpath(reported) == os.path.realpath(path)
    assert coloured.of_file(desktop, reported) == WINDOWS[RED]
    assert answer.pictures == [], "with a path the picture is in the file alone"


def test_peekaboo_1_1_2_II_B_file_path_single_screen_uses_exact_path(client, desktop, folder):
    answer = client.do("image", app_target="screen:0", path=f"{folder}/new/screen.png")
    assert saved(answer) == [f"{folder}/new/screen.png"]
    assert coloured.listing(f"{folder}/new") == ["screen.png"], "nothing else is left there"


def test_peekaboo_1_1_2_II_B_file_path_of_several_windows_gets_identifiers(client, desktop, painter, folder):
    answer = client.do("image", app_target="painter", path=f"{folder}/capture.png")
    names = [os.path.basename(path) for path in saved(answer)]
    assert [bool(re.fullmatch(rf"capture_{number}_{TIME}\.png", name)) for number, name in enumerate(names, 1)] == [True, True], names
    assert coloured.listing(folder) == sorted(names)
    client.do("image", app_target="painter", path=f"{folder}/capture.png")
    assert len(coloured.listing(folder)) == 4, "no file is overwritten"


def test_peekaboo_1_1_2_II_B_file_path_of_several_screens_gets_identifiers(client, folder):
    names = [os.path.basename(path) for path in saved(client.do("image", path=f"{folder}/all.jpg"))]
    assert [bool(re.fullmatch(rf"all_{number}_{TIME}\.jpg", name)) for number, name in enumerate(names, 1)] == [True, True], names


@pytest.mark.parametrize("ending", ["", "/", "/.", "/sub/..", "/folder.png/", "/.hidden"])
def test_peekaboo_1_1_2_II_B_a_folder_gets_generated_names(client, desktop, painter, folder, ending):
    answer = client.do("image", app_target="painter", path=folder + ending)
    reported = saved(answer)
    assert len({os.path.realpath(path) for path in reported}) == 2
    expected = os.path.realpath(folder + ending)
    for path in reported:
        assert os.path.dirname(os.path.realpath(path)) == expected
        assert re.fullmatch(rf"handeye_{TIME}_painter_window[01]\.png", os.path.basename(path)), path


def test_peekaboo_1_1_2_II_B_screens_in_a_folder_have_display_suffixes(client, folder):
    names = [os.path.basename(path) for path in saved(client.do("image", path=folder))]
    assert names[0].endswith("_display0_main.png") and names[1].endswith("_display1.png")


def test_peekaboo_1_1_2_V_C_a_folder_that_is_there_may_have_a_dot(client, painter, folder):
    dotted = f"{folder}.d"
    os.mkdir(dotted)
    (path,) = saved(client.do("image", app_target="painter:WINDOW_INDEX:0", path=dotted))
    assert os.path.dirname(path) == dotted


@pytest.mark.parametrize("path,place", [(".", ""), ("relative.png", "relative.png"), ("..", ".."), ("~/home.png", None)])
def test_peekaboo_1_1_2_V_C_a_relative_path_counts_from_the_working_directory(desktop, painter, folder, path, place):
    os.makedirs(f"{folder}/work")
    session = Session(desktop.env, cwd=f"{folder}/work")
    try:
        (reported,) = saved(session.do("image", app_target="painter:WINDOW_INDEX:0", path=path))
        expected = f"{desktop.env['HOME']}/home.png" if place is None else f"{folder}/work/{place}"
        assert os.path.isabs(reported)
        held = os.path.realpath(reported)
        assert os.path.realpath(expected) in (held, os.path.dirname(held))
    finally:
        session.close()


def test_peekaboo_1_1_2_I_B_5_default_save_path(desktop, painter, folder):
    session = Session({**desktop.env, "PEEKABOO_DEFAULT_SAVE_PATH": folder})
    try:
        (window,) = saved(session.do("image", app_target="painter:WINDOW_INDEX:0"))
        screens = saved(session.do("image"))
        assert {os.path.dirname(path) for path in [window, *screens]} == {folder}
        (named,) = saved(session.do("image", app_target="screen:0", path=f"{folder}/else/x.png"))
        assert named == f"{folder}/else/x.png"
    finally:
        session.close()


# Formats (section I.C, `format`)

@pytest.mark.parametrize("fmt,kind,mime", [("png", "PNG", "image/png"), ("jpg", "JPEG", "image/jpeg"), ("data", "PNG", "image/png")])
def test_peekaboo_1_1_2_I_C_mime_type_is_that_of_the_file(client, desktop, painter, folder, fmt, kind, mime):
    answer = client.do("image", app_target=f"painter:WINDOW_TITLE:{RED}", path=folder, format=fmt)
    (file,) = answer.fields["saved_files"]
    assert file["mime_type"] == mime
    assert coloured.kind(desktop, file["path"]) == (kind, *painter.size(RED))
    assert len(answer.pictures) == (1 if fmt == "data" else 0)


def test_peekaboo_1_1_2_I_C_no_path_implies_inline_png(client, desktop, painter):
    for fmt in ("png", "jpg", "data"):
        answer = client.do("image", app_target=f"painter:WINDOW_TITLE:{GREEN}", format=fmt)
        (picture,) = answer.pictures
        assert picture.mime_type == "image/png"
        assert inline(desktop, picture) == WINDOWS[GREEN]
        (file,) = answer.fields["saved_files"]
        assert os.path.dirname(file["path"]) == desktop.env["HANDEYE_SCREENSHOT_DIR"]


def test_peekaboo_1_1_2_I_C_inline_pictures_tell_what_they_show(client, painter):
    answer = client.do("image", app_target="painter")
    ids = painter.ids()
    for picture, file in zip(answer.pictures, answer.fields["saved_files"], strict=True):
        about = picture.meta
        assert about["window_title"] == about["item_label"] == file["window_title"]
        assert about["window_id"] == ids[file["window_title"]]
        assert about["source_path"] == file["path"]


def test_peekaboo_1_1_2_I_C_data_and_path_give_both(client, desktop, painter, folder):
    path = f"{folder}/both.png"
    answer = client.do("image", app_target=f"painter:WINDOW_TITLE:{RED}", path=path, format="data")
    assert saved(answer) == [path] and coloured.of_file(desktop, path) == WINDOWS[RED]
    (picture,) = answer.pictures
    assert inline(desktop, picture) == WINDOWS[RED]


@pytest.mark.parametrize("target", ["", "screen:1"])
def test_peekaboo_1_1_2_I_C_screen_capture_auto_fallback(client, desktop, target):
    answer = client.do("image", app_target=target, format="data")
    assert answer.pictures == []
    assert any('Screen captures cannot use format "data"' in text for text in answer.texts)
    assert all(coloured.kind(desktop, path)[0] == "PNG" for path in saved(answer))


def test_peekaboo_1_1_2_I_C_unknown_format_is_refused(client):
    answer = client.call("image", format="pdf")
    assert answer.is_error and "png, jpg, data" in answer.text
    assert answer.meta["backend_error_code"] == "INVALID_ARGUMENT"


def test_peekaboo_1_1_2_V_C_an_extension_that_contradicts_the_format_is_kept_and_told(client, desktop, painter, folder):
    path = f"{folder}/picture.jpg"
    answer = client.do("image", app_target="painter:WINDOW_INDEX:0", path=path, format="png")
    assert saved(answer) == [path] and coloured.kind(desktop, path)[0] == "PNG"
    assert any("keeps its extension" in text for text in answer.texts)
    client.do("image", app_target="painter:WINDOW_INDEX:0", path=path)
    assert coloured.kind(desktop, path)[0] == "JPEG", "without a format the extension says it"


# Errors (issue 3, bad input; section V.C)

def unwritable(kind, desktop, folder):
    """A path that cannot be written."""
    os.makedirs(folder)
    if kind == "a file as folder":
        with open(f"{folder}/file", "w", encoding="utf-8") as file:
            file.write("x")
        return f"{folder}/file/capture.png"
    if kind == "no such place":
        return "/proc/no/such/capture.png"
    if kind == "too long":
        return f"{folder}/{'x' * 300}.png"
    return f"{folder}/{'d' * 300}/"


@pytest.mark.parametrize("kind", ["a file as folder", "no such place", "too long", "folder too long"])
def test_peekaboo_1_1_2_I_C_pictures_come_although_the_path_cannot_be_written(client, desktop, painter, folder, kind):
    path = unwritable(kind, desktop, folder)
    answer = client.do("image", app_target=f"painter:WINDOW_TITLE:{RED}", path=path, format="data")
    (picture,) = answer.pictures
    assert inline(desktop, picture) == WINDOWS[RED]
    assert answer.fields["saved_files"] == []
    (warning,) = [text for text in answer.texts if text.startswith("Peekaboo Warning:")]
    assert "could not be written" in warning
    answer = client.call("image", app_target=f"painter:WINDOW_TITLE:{RED}", path=path, format="png")
    assert answer.is_error and answer.meta["backend_error_code"] == "FILE_IO_ERROR"
    assert "could not be written" in answer.text and "Suggestion:" in answer.text
    assert [name for name in coloured.listing(folder) if name != "file"] == [], "no part of a file is left"


@pytest.mark.parametrize("target,code,words", [
    ("no-such-app", "APP_NOT_FOUND", "no-such-app"),
    ("edge", "APP_NOT_FOUND", "Edge browser is not running or not found"),
    ("painter:WINDOW_INDEX:2", "WINDOW_NOT_FOUND", "the last one is 1"),
    ("painter:WINDOW_INDEX:-1", "INVALID_ARGUMENT", "WINDOW_INDEX:0"),
    ("painter:WINDOW_INDEX:x", "INVALID_ARGUMENT", "WINDOW_INDEX:0"),
    ("painter:WINDOW_TITLE:Blue", "WINDOW_NOT_FOUND", RED),
    ("painter:WINDOW_ID:5", "APP_NOT_FOUND", "WINDOW_TITLE"),
    ("screen:2", "INVALID_ARGUMENT", "screen:1: 800x600 at (1280, 0)"),
    ("screen:first", "INVALID_ARGUMENT", "screen:0"),
    ("PID:999999", "APP_NOT_FOUND", "PID:999999"),
])
def test_issue_3_bad_targets_have_their_code_and_a_sentence_that_helps(client, painter, target, code, words):
    answer = client.call("image", app_target=target)
    assert answer.is_error
    assert answer.meta["backend_error_code"] == code, answer.text
    assert words in answer.text


def test_issue_3_minimized_windows(client, desktop):
    app = Coloured(desktop, "sleeper", {"awake": "505050", "asleep": "606060"})
    try:
        app.minimize("asleep")
        answer = client.do("image", app_target="sleeper")
        assert [file["window_title"] for file in answer.fields["saved_files"]] == ["awake"]
        assert any("asleep" in text and "minimized" in text for text in answer.texts)
        single = client.call("image", app_target="sleeper:WINDOW_TITLE:asleep")
        assert single.is_error and "minimized" in single.text
        assert single.meta["backend_error_code"] == "CAPTURE_FAILED"
        app.minimize("awake")
        none = client.call("image", app_target="sleeper")
        assert none.is_error and "no visible window" in none.text
        assert none.meta["backend_error_code"] == "WINDOW_NOT_FOUND"
        def woken():
            answer = client.do("image", app_target="sleeper:WINDOW_TITLE:asleep", capture_focus="foreground")
            return coloured.of_file(desktop, saved(answer)[0])
        # A busy program paints a window again some time after it is shown again.
        assert woken() == "606060" or wait_for("the window to be painted again", lambda: woken() == "606060")
    finally:
        app.stop()


def test_peekaboo_1_0_0_beta_17_timeout(desktop, painter):
    session = Session({**desktop.env, "PEEKABOO_CLI_TIMEOUT": "1"})
    try:
        answer = session.call("image", app_target="painter")
        assert answer.is_error and "1 ms" in answer.text
        assert answer.meta["backend_error_code"] == "SWIFT_CLI_TIMEOUT"
    finally:
        session.close()


# Questions (section I.C, analysis logic)

@pytest.fixture
def asking(desktop, provider):
    """A client whose server asks the provider of the test."""
    session = Session({**desktop.env, **provider.environment("openai/gpt-4o")}, log=desktop.path("asking.log"))
    yield session
    session.close()


def test_peekaboo_1_1_2_I_C_each_picture_is_answered_under_its_header(asking, desktop, provider, painter):
    provider.answer = lambda question: f"It has {question.size[0]} columns."
    answer = asking.do("image", app_target="painter", question="How many columns?")
    text = answer.fields["analysis_text"]
    for title in WINDOWS:
        assert re.search(rf"^\W*{re.escape(title)}\W*\nIt has {painter.size(title)[0]} columns\.", text, re.M), text
    assert answer.fields["model_used"] == "openai/gpt-4o"
    assert answer.fields["saved_files"] == [], "the pictures were for the question alone"
    assert answer.pictures == []
    assert any(text in part for part in answer.texts)
    assert [question.text for question in provider.questions] == ["How many columns?"] * 2


def test_peekaboo_1_1_2_I_C_a_question_with_a_path_keeps_the_file(asking, desktop, provider, painter, folder):
    provider.answer = "Red."
    path = f"{folder}/asked.png"
    answer = asking.do("image", app_target=f"painter:WINDOW_TITLE:{RED}", path=path, question="Which colour?", format="data")
    assert answer.fields["analysis_text"] == "Red." and answer.pictures == []
    assert saved(answer) == [path] and coloured.of_file(desktop, path) == WINDOWS[RED]


def test_peekaboo_1_1_2_I_C_a_question_keeps_no_temporary_picture(asking, desktop, painter):
    before = coloured.listing(desktop.env["HANDEYE_SCREENSHOT_DIR"])
    answer = asking.do("image", app_target="screen:0", question="What is it?")
    assert answer.fields["saved_files"] == []
    assert coloured.listing(desktop.env["HANDEYE_SCREENSHOT_DIR"]) == before


def test_peekaboo_1_1_2_I_C_a_failed_analysis_still_reports_the_files(asking, provider, painter, folder):
    provider.failure = (401, {}, '{"error": {"message": "bad key"}}')
    answer = asking.call("image", app_target="painter", path=folder, question="What is it?")
    assert answer.is_error
    assert len(saved(answer)) == 2 and all(os.path.exists(path) for path in saved(answer))
    assert "openai" in answer.fields["analysis_text"].lower()
    assert "model_used" not in answer.fields
    assert answer.meta["analysis_error"]


def test_peekaboo_1_1_2_I_C_analysis_that_is_not_configured_is_told(client, painter, folder):
    answer = client.call("image", app_target="painter:WINDOW_INDEX:0", path=f"{folder}/x.png", question="What is it?")
    assert answer.is_error and saved(answer) == [f"{folder}/x.png"]
    assert "AI analysis not configured on this server." in answer.fields["analysis_text"]


def test_peekaboo_1_1_2_I_C_an_empty_question_is_none(client, desktop, painter):
    answer = client.do("image", app_target=f"painter:WINDOW_TITLE:{RED}", question="")
    assert len(answer.pictures) == 1 and "analysis_text" not in answer.fields


# Without an accessibility bus

def test_windows_are_captured_where_no_accessibility_bus_is(desktop, painter):
    nowhere = "unix:path=/nonexistent/bus"
    session = Session({**desktop.env, "DBUS_SESSION_BUS_ADDRESS": nowhere, "AT_SPI_BUS_ADDRESS": nowhere})
    try:
        desktop.activate(painter.id_of(RED))
        for target in (f"PID:{painter.process}", "frontmost"):
            answer = session.do("image", app_target=target)
            assert {file["window_title"] for file in answer.fields["saved_files"]} == set(WINDOWS)
        listed = session.do("list").fields["application_list"]
        assert painter.process in [app["pid"] for app in listed]
    finally:
        session.close()


# The shell (section II.B)

@pytest.mark.parametrize("words,titles", [
    (["--app", "painter", "--window-title", RED], [RED]),
    (["--app", "painter", "--mode", "multi"], [GREEN, RED]),
    (["--app", "PAINTER", "--mode", "window", "--window-index", "0"], [GREEN]),
    (["--app", "painter"], [GREEN]),
    (["--mode", "frontmost"], [GREEN]),
])
def test_peekaboo_1_1_2_II_B_windows_from_the_shell(handeye, desktop, painter, folder, words, titles):
    desktop.activate(painter.id_of(GREEN))
    code, output, errors = handeye("image", *words, "--path", folder + "/", "--json-output")
    assert (code, errors) == (0, ""), output
    answer = json.loads(output)
    assert answer["success"] is True
    files = answer["data"]["saved_files"]
    assert sorted(file["item_label"] for file in files) == sorted(titles)
    ids = painter.ids()
    for file in files:
        assert coloured.of_file(desktop, file["path"]) == WINDOWS[file["item_label"]]
        assert file["window_id"] == ids[file["item_label"]] and isinstance(file["window_index"], int)
        assert file["mime_type"] == "image/png"


@pytest.mark.parametrize("words,sizes", [([], [(1280, 1024), (800, 600)]), (["--mode", "screen"], [(1280, 1024), (800, 600)]),
                                         (["--screen-index", "1"], [(800, 600)])])
def test_peekaboo_1_1_2_II_B_screens_from_the_shell(handeye, desktop, folder, words, sizes):
    code, output, _ = handeye("image", *words, "--path", f"{folder}/", "--format", "jpg", "--json-output")
    assert code == 0
    files = json.loads(output)["data"]["saved_files"]
    assert [coloured.kind(desktop, file["path"]) for file in files] == [("JPEG", *size) for size in sizes]
    assert [file["mime_type"] for file in files] == ["image/jpeg"] * len(sizes)


def test_peekaboo_1_1_2_II_B_exact_path_from_the_shell(handeye, desktop, painter, folder):
    os.makedirs(folder)
    code, output, _ = handeye("image", "--app", "painter", "--path", "here.png", cwd=folder)
    assert code == 0 and "here.png" in output
    assert coloured.listing(folder) == ["here.png"]


@pytest.mark.parametrize("words,code", [
    (["--app", "no-such-app"], "APP_NOT_FOUND"),
    (["--app", "painter", "--window-index", "7"], "WINDOW_NOT_FOUND"),
    (["--screen-index", "7"], "INVALID_ARGUMENT"),
    (["--mode", "window"], "INVALID_ARGUMENT"),
    (["--app", "painter", "--path", "/proc/nowhere/x.png"], "FILE_IO_ERROR"),
])
def test_peekaboo_1_1_2_II_A_4_errors_from_the_shell(handeye, painter, words, code):
    ended, output, errors = handeye("image", *words, "--json-output")
    answer = json.loads(output)
    assert ended != 0 and errors == ""
    assert answer["success"] is False and answer["error"]["code"] == code
    assert answer["error"]["message"]

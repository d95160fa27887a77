"""`screenshot_app_window`: each requirement of mcp-screenshot-mac."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.parse
import uuid

import pytest

from support import BINARY, PATIENCE, applications, history, quick_once, wait_for
from support.desktop import Desktop
from support.files import identified, in_own_mounts, pixels
from support.session import Session

TOOL = "screenshot_app_window"
# A life of temporary files that a test waits for, in milliseconds: what a busy machine does in between takes less.
LIFE = 5000


@pytest.fixture(scope="module")
def still(desktop):
    """A window that does not animate."""
    app = applications.start(desktop, "qt5")
    yield app
    app.stop()


@pytest.fixture
def temporary(tmp_path):
    """The system's temporary folder for the servers of one test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def serve(desktop, temporary):
    """Starts servers; they end with the test."""
    sessions = []

    def start(prefix=(), log=None, **env):
        sessions.append(Session({**desktop.env, "TMPDIR": str(temporary), **env}, prefix=prefix, log=log))
        return sessions[-1]
    yield start
    for session in sessions:
        session.close()


@pytest.fixture
def client(serve):
    """A server whose temporary folder is the test's own."""
    return serve()


def folders(temporary):
    """The temporary folders that are there."""
    return sorted(path for path in temporary.iterdir() if path.name.startswith("mcp-screenshot-"))


def frame_of(desktop, window):
    """The window with its decoration, by xwininfo and xprop: (x, y, width, height)."""
    x, y, width, height = content_of(desktop, window)
    extents = desktop.run(["xprop", "-id", str(window), "_NET_FRAME_EXTENTS"]).partition("=")[2]
    left, right, top, bottom = (int(number) for number in extents.split(","))
    return x - left, y - top, width + left + right, height + top + bottom


def content_of(desktop, window):
    """The window without its decoration, by xwininfo: (x, y, width, height)."""
    text = desktop.run(["xwininfo", "-id", str(window)])
    return tuple(int(re.search(rf"{name}:\s+(-?\d+)", text)[1])
                 for name in ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height"))


def rect(answer):
    return tuple(answer.fields["rect"][name] for name in "xywh")


# Requirement 1: the server and the definition of the tool

def test_1_1_the_tool_is_there(client):
    assert TOOL in client.tools()


@pytest.mark.parametrize("arguments", [{}, {"format": "png"}, {"appName": ""}, {"bundleId": " ", "appName": "\t"}])
def test_1_2_one_of_bundle_id_and_app_name_is_required(client, arguments):
    answer = client.call(TOOL, **arguments)
    assert answer.is_error and answer.code == "invalid_parameter"
    assert "bundleId" in answer.text and "appName" in answer.text and "required" in answer.text


@pytest.mark.parametrize("name,value", [
    ("format", "gif"), ("format", "PNG"), ("includeShadow", "yes"), ("windowIndex", -1), ("windowIndex", 1.5), ("timeoutMs", 0),
    ("timeoutMs", "soon"), ("preferWindowId", 1), ("bundleId", 7), ("appName", ["a"]), ("app_name", "x"), ("windowID", 3),
])
def test_1_3_types_are_checked_and_faults_are_named(client, still, name, value):
    answer = client.call(TOOL, **{"appName": still.app, name: value})
    assert answer.is_error and answer.code == "invalid_parameter", answer
    assert name in answer.text


def test_1_3_defaults(client, desktop, still):
    properties = client.tools()[TOOL].input_schema["properties"]
    assert set(properties) == {"bundleId", "appName", "format", "includeShadow", "windowIndex", "timeoutMs", "preferWindowId"}
    # A default of false is left out of the schema: each word of a schema is paid for in every conversation.
    unsaid = {name: False for name, field in properties.items() if field["type"] == "boolean"}
    defaults = unsaid | {name: field["default"] for name, field in properties.items() if "default" in field}
    assert defaults == {"format": "png", "includeShadow": False, "windowIndex": 0, "timeoutMs": 15000, "preferWindowId": True}
    answer = client.do(TOOL, appName=still.app)
    assert answer.fields["format"] == "png" and rect(answer) == content_of(desktop, still.window)


def test_1_4_title_description_and_schema(client):
    tool = client.tools()[TOOL]
    assert tool.title and tool.description and tool.input_schema["type"] == "object"
    assert tool.annotations.read_only_hint is True


# Requirement 2: the capture

def test_2_1_by_app_name_and_by_bundle_id(client, still):
    listed = client.do("ax_list_apps").fields["apps"]
    own = next(app for app in listed if app.get("pid") == still.process)
    by_id = client.do(TOOL, bundleId=own["bundle_id"])
    assert by_id.fields["appName"] == own["name"]
    by_name = client.do(TOOL, appName=own["name"])
    assert by_name.fields["appName"] == own["name"] and rect(by_name) == rect(by_id)
    both = client.do(TOOL, bundleId="org.example.nobody", appName=own["name"])
    assert both.fields["appName"] == own["name"], "the name helps where the id does not"


def test_2_1_window_index_counts_from_the_topmost(client, desktop):
    first = applications.start(desktop, "gtk3")
    second = applications.start(desktop, "gtk3")
    try:
        for top, below in [(first, second), (second, first)]:
            desktop.activate(top.window)
            name = next(app["name"] for app in client.do("ax_list_apps").fields["apps"] if app.get("pid") == top.process)
            answer = wait_for("the order of windows to be known", lambda: (lambda got: got if rect(got) == content_of(
                desktop, top.window) else None)(client.do(TOOL, appName=name)))
            assert rect(answer) != rect(client.do(TOOL, appName=name, windowIndex=1)) or content_of(
                desktop, top.window) == content_of(desktop, below.window)
            assert rect(client.do(TOOL, appName=name, windowIndex=1)) == content_of(desktop, below.window)
    finally:
        first.stop()
        second.stop()


def test_2_2_scale_and_a_rect_in_pixels(temporary):
    desktop = Desktop(scale=2)
    session = Session({**desktop.env, "TMPDIR": str(temporary)})
    try:
        app = applications.start(desktop, "gtk3")
        answer = session.do(TOOL, appName=app.app)
        assert answer.fields["scale"] == 2
        assert rect(answer) == content_of(desktop, app.window)
        assert identified(answer.fields["path"])[1:] == rect(answer)[2:]
        app.stop()
    finally:
        session.close()
        desktop.stop()


@pytest.fixture
def covered(desktop, still):
    """The window, covered by another one in part; gives back what it showed before."""
    desktop.activate(still.window)
    cover = applications.start(desktop, "gtk3")
    x, y, _, _ = content_of(desktop, still.window)
    desktop.run(["xdotool", "windowmove", "--sync", str(cover.window), str(x + 30), str(y + 30)], check=False)
    desktop.activate(cover.window)
    yield cover
    cover.stop()


def test_2_3_by_id_a_covered_window_is_whole(client, desktop, still, covered):
    shown = client.do(TOOL, appName=still.app, preferWindowId=False)
    x, y, width, height = content_of(desktop, still.window)
    whole = client.do(TOOL, appName=still.app)
    assert rect(shown) == rect(whole) == (x, y, width, height)
    screen = f"{width}x{height}+{x}+{y}"
    witness = pathlib.Path(whole.fields["path"]).parent / "witness.png"

    def as_the_screen_shows_it():
        got = client.do(TOOL, appName=still.app, preferWindowId=False)
        desktop.run(["import", "-window", "root", "-crop", screen, "+repage", str(witness)])
        return pixels(got.fields["path"]) == pixels(witness)
    wait_for("the picture by place to be what the screen shows", as_the_screen_shows_it)
    covered.stop()
    desktop.run(["xdotool", "mousemove", "1270", "1010"])

    def as_it_was_uncovered():
        desktop.run(["import", "-window", "root", "-crop", screen, "+repage", str(witness)])
        return same_share(pixels(whole.fields["path"]), pixels(witness)) > 0.97
    wait_for("the picture by id to be the window without what covered it", as_it_was_uncovered)


def same_share(one, other):
    """The share of equal bytes of two pictures of one size."""
    return len(one) == len(other) and sum(a == b for a, b in zip(one, other)) / len(one)


@pytest.mark.parametrize("name,kind,ending", [("png", "PNG", ".png"), ("jpg", "JPEG", ".jpg")])
def test_2_4_format(client, still, name, kind, ending):
    answer = client.do(TOOL, appName=still.app, format=name)
    assert identified(answer.fields["path"]) == (kind, *rect(answer)[2:])
    assert answer.fields["format"] == name and answer.fields["path"].endswith(ending)
    link = answer.content[1]
    assert link.mime_type == f"image/{kind.lower()}"


def test_2_4_include_shadow_adds_what_is_around_the_content(client, desktop, still):
    plain = client.do(TOOL, appName=still.app, includeShadow=False)
    whole = client.do(TOOL, appName=still.app, includeShadow=True)
    assert rect(plain) == content_of(desktop, still.window)
    assert rect(whole) == frame_of(desktop, still.window) != rect(plain)
    assert identified(whole.fields["path"])[1:] == rect(whole)[2:]


# Requirement 3: the answer

def test_3_1_fields(client, still):
    fields = client.do(TOOL, appName=still.app).fields
    assert set(fields) == {"path", "uri", "appName", "rect", "scale", "format", "id"}
    assert os.path.isabs(fields["path"]) and os.path.isfile(fields["path"])


def test_3_2_content_is_json_and_a_link(client, still):
    answer = client.do(TOOL, appName=still.app)
    assert [part.type for part in answer.content] == ["text", "resource_link"]
    assert json.loads(answer.content[0].text) == answer.fields
    link = answer.content[1]
    assert str(link.uri) == answer.fields["uri"] and link.name == os.path.basename(answer.fields["path"])
    path = urllib.parse.unquote(urllib.parse.urlsplit(str(link.uri)).path)
    assert path == answer.fields["path"]


def test_3_2_a_uri_is_percent_encoded(serve, tmp_path, still):
    strange = tmp_path / "a b#ü%20?"
    strange.mkdir()
    answer = serve(TMPDIR=str(strange)).do(TOOL, appName=still.app)
    uri = answer.fields["uri"]
    assert uri.isascii() and " " not in uri and "#" not in uri and "?" not in uri
    parts = urllib.parse.urlsplit(uri)
    assert parts.scheme == "file" and urllib.parse.unquote(parts.path) == answer.fields["path"]
    assert os.path.isfile(answer.fields["path"]) and answer.fields["path"].startswith(str(strange))


def test_3_3_rect_has_whole_numbers_and_scale_is_a_number(client, still):
    fields = client.do(TOOL, appName=still.app).fields
    assert set(fields["rect"]) == {"x", "y", "w", "h"}
    assert all(type(number) is int for number in fields["rect"].values())
    assert type(fields["scale"]) in (int, float) and fields["scale"] == 1


def test_3_4_structured_content_is_the_same(client, still):
    answer = client.do(TOOL, appName=still.app)
    assert answer.fields == json.loads(answer.content[0].text)


# Requirement 4: temporary files

def test_4_1_a_folder_for_each_picture(client, still, temporary):
    paths = [pathlib.Path(client.do(TOOL, appName=still.app).fields["path"]) for _ in range(2)]
    assert sorted(path.parent for path in paths) == folders(temporary)
    for path in paths:
        uuid.UUID(path.parent.name.removeprefix("mcp-screenshot-"))
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("variable", ["HANDEYE_SCREENSHOT_TTL_MS", "MCP_SCREENSHOT_MAC_TTL_MS"])
def test_4_2_4_3_a_folder_is_removed_after_its_time(serve, still, temporary, variable):
    client = serve(**{variable: str(LIFE)})
    asked = time.monotonic()
    path = pathlib.Path(client.do(TOOL, appName=still.app).fields["path"])
    assert path.is_file()
    wait_for("the folder to be removed", lambda: not path.parent.exists())
    assert time.monotonic() - asked >= LIFE / 1000, "it is there for its time"
    second = pathlib.Path(client.do(TOOL, appName=still.app).fields["path"])
    third = pathlib.Path(client.do(TOOL, appName=still.app).fields["path"])
    assert second.is_file() and third.is_file()
    wait_for("the later ones to be removed too", lambda: not folders(temporary))


def test_4_2_the_time_is_600_seconds(client, still):
    path = pathlib.Path(client.do(TOOL, appName=still.app).fields["path"])
    (marker,) = [name for name in os.listdir(path.parent) if name != path.name]
    left = int((path.parent / marker).read_text()) / 1000 - time.time()
    assert 600 - PATIENCE < left <= 600


def test_4_3_0_is_never(serve, still, temporary):
    kept = pathlib.Path(serve(HANDEYE_SCREENSHOT_TTL_MS="0").do(TOOL, appName=still.app).fields["path"])
    other = serve(HANDEYE_SCREENSHOT_TTL_MS="300")
    gone = pathlib.Path(other.do(TOOL, appName=still.app).fields["path"])
    wait_for("the one with a time to be removed", lambda: not gone.parent.exists())
    assert kept.is_file() and folders(temporary) == [kept.parent]


def test_4_3_a_time_beyond_all_clocks_is_never(serve, still, temporary):
    client = serve(HANDEYE_SCREENSHOT_TTL_MS=str(2 ** 64 - 1))
    for _ in range(2):
        assert os.path.isfile(client.do(TOOL, appName=still.app).fields["path"])
    assert len(folders(temporary)) == 2


def test_4_4_a_folder_that_cannot_be_removed_is_a_warning(serve, still, tmp_path, temporary):
    if os.geteuid() != 0:
        pytest.skip("only root can change the mounts of another process")
    log = tmp_path / "handeye.log"
    own_disk = in_own_mounts(f'mount -t tmpfs none "{temporary}" && exec "$@"')
    client = serve(prefix=own_disk, HANDEYE_SCREENSHOT_TTL_MS=str(LIFE), HANDEYE_LOG_FILE=str(log), HANDEYE_LOG_LEVEL="warn")
    path = client.do(TOOL, appName=still.app).fields["path"]
    inside = ["nsenter", "--mount", "--target", str(client.process), "mount", "-o"]
    subprocess.run([*inside, "remount,ro", str(temporary)], check=True)
    wait_for("a warning in the log", lambda: log.exists() and "cannot be removed" in log.read_text())
    assert " WARN " in log.read_text()
    seen = f"/proc/{client.process}/root{path}"
    assert os.path.exists(seen)
    answer = client.call(TOOL, appName=still.app)
    assert answer.is_error and answer.text.startswith("CaptureFailed: ") and "read-only" in answer.text
    subprocess.run([*inside, "remount,rw", str(temporary)], check=True)
    client.do(TOOL, appName=still.app)
    wait_for("a later look to remove it", lambda: not os.path.exists(seen))


def test_4_after_a_crash_the_next_start_tidies_only_its_own_and_only_expired(serve, still, temporary):
    crashed = serve(HANDEYE_SCREENSHOT_TTL_MS="100000")
    lives = pathlib.Path(crashed.do(TOOL, appName=still.app).fields["path"])
    short = serve(HANDEYE_SCREENSHOT_TTL_MS=str(LIFE))
    dies = pathlib.Path(short.do(TOOL, appName=still.app).fields["path"])
    for server in (crashed, short):
        os.kill(server.process, signal.SIGKILL)
    foreign = temporary / f"mcp-screenshot-{uuid.uuid4()}"
    foreign.mkdir()
    (foreign / "work.txt").write_text("of somebody")
    odd = temporary / "mcp-screenshot-notes"
    odd.mkdir()
    wait_for("its time to be over", lambda: int((dies.parent / ".handeye-expires").read_text()) / 1000 < time.time())
    assert dies.is_file(), "the dead server cannot have removed it"
    serve()
    wait_for("the expired one to be removed", lambda: not dies.parent.exists())
    assert lives.is_file() and (foreign / "work.txt").is_file() and odd.is_dir()


def test_4_clean_removes_expired_folders(serve, desktop, still, temporary):
    server = serve(HANDEYE_SCREENSHOT_TTL_MS=str(LIFE))
    path = pathlib.Path(server.do(TOOL, appName=still.app).fields["path"])
    os.kill(server.process, signal.SIGKILL)
    env = {**desktop.env, "TMPDIR": str(temporary)}
    words = [BINARY, "clean", "--format", "json", "--screenshot-dir", str(temporary / "none")]
    wait_for("its time to be over", lambda: int((path.parent / ".handeye-expires").read_text()) / 1000 < time.time())
    report = json.loads(subprocess.run(words, env=env, capture_output=True, check=True).stdout)
    assert report["removed"] == [{"path": str(path.parent), "bytes": 0}] and not path.parent.exists()


# Requirement 5: errors

def test_5_1_process_not_found_names_the_application(client, still):
    for arguments in [{"appName": "no such app"}, {"bundleId": "org.example.no-such-app"}]:
        answer = client.call(TOOL, **arguments)
        assert answer.is_error and answer.text.startswith("ProcessNotFound: "), answer
        assert next(iter(arguments.values())) in answer.text


def test_5_2_no_window_says_to_show_it(client, desktop, temporary):
    app = applications.start(desktop, "gtk3")
    try:
        client.do(TOOL, appName=app.app)
        desktop.run(["xdotool", "windowminimize", str(app.window)])
        wait_for("the window manager to have minimized the window", lambda: "Iconic" in desktop.run(
            ["xprop", "-id", str(app.window), "WM_STATE"]))
        answer = client.call(TOOL, appName=app.app)
        assert answer.is_error and answer.text.startswith("NoWindow: ") and "Show the window" in answer.text, answer
    finally:
        app.stop()


@pytest.mark.parametrize("index", [1, 99, 4_294_967_295])
def test_5_2_no_window_of_that_number(client, still, index):
    answer = client.call(TOOL, appName=still.app, windowIndex=index)
    assert answer.is_error and answer.text.startswith("NoWindow: ")
    assert still.title in answer.text and "windowIndex goes from 0 to 0" in answer.text


def test_5_3_capture_failed_where_the_file_cannot_be_written(serve, still, tmp_path):
    answer = serve(TMPDIR=str(tmp_path / "missing")).call(TOOL, appName=still.app)
    assert answer.is_error and answer.text.startswith("CaptureFailed: ") and "missing" in answer.text, answer
    full = tmp_path / "disk"
    full.mkdir()
    small = in_own_mounts(f'mount -t tmpfs -o size=4k none "{full}" && exec "$@"')
    client = serve(TMPDIR=str(full), prefix=small)
    answer = client.call(TOOL, appName=still.app)
    assert answer.is_error and answer.text.startswith("CaptureFailed: ") and "no space" in answer.text, answer
    assert os.listdir(f"/proc/{client.process}/root{full}") == [], "nothing is left"


def test_5_3_5_4_without_a_display(temporary):
    desktop = Desktop()
    # A server beside the desktop: one that belongs to it ends with it.
    beside = {name: value for name, value in desktop.env.items() if name != "HANDEYE_DESKTOP_MEMBER"}
    session = Session({**beside, "TMPDIR": str(temporary)})
    try:
        app = applications.start(desktop, "gtk3")
        session.do(TOOL, appName=app.app)
        desktop.signal_display(signal.SIGSTOP)

        def seconds():
            begun = time.monotonic()
            answer = session.call(TOOL, appName=app.app, timeoutMs=700)
            assert answer.is_error and answer.text.startswith("Timeout: ") and app.app in answer.text, answer
            took = time.monotonic() - begun
            assert took > 0.6
            return took
        quick_once("a call with a deadline of 0.7 s, one over look-up and capture,", 3, seconds)
        desktop.signal_display(signal.SIGCONT)
        wait_for("the server to capture again", lambda: not session.call(TOOL, appName=app.app).is_error)
        desktop.kill_display()
        wait_for("the application to have lost its display", lambda: app.child.poll() is not None)
        answer = session.call(TOOL, appName="anything")
        assert answer.is_error and answer.text.split(": ")[0] in ("ProcessNotFound", "CaptureFailed"), answer
        session.do("ax_is_accessible")
    finally:
        session.close()
        desktop.stop()


def test_5_4_the_deadline_holds_for_an_application_that_hangs(client, desktop):
    app = applications.start(desktop, "gtk3")
    try:
        app.freeze()

        def seconds():
            begun = time.monotonic()
            answer = client.call(TOOL, appName=app.app, timeoutMs=2000)
            assert not answer.is_error or answer.text.startswith("Timeout: "), answer
            return time.monotonic() - begun
        quick_once("a call with a deadline of 2 s", 4, seconds)
    finally:
        app.thaw()
        app.stop()


# The same from a shell

def test_the_command_does_the_same(desktop, still, temporary):
    env = {**desktop.env, "TMPDIR": str(temporary)}

    def run(*words):
        return history.run([BINARY, "app-window", *words], env=env, capture_output=True, text=True, timeout=60, check=False)
    done = run("--app-name", still.app, "--picture-format", "jpg", "--include-shadow")
    assert done.returncode == 0, done.stderr
    fields = json.loads(done.stdout)
    assert identified(fields["path"])[0] == "JPEG" and "id" not in fields
    assert rect_of(json.loads(run("--app-name", still.app, "--format", "json").stdout)) == content_of(desktop, still.window)
    assert run("--app-name", "no such app").returncode == 3
    assert run("--app-name", still.app, "--window-index", "9").returncode == 4
    assert run().returncode == 2
    assert run("--app-name", still.app, "--timeout-ms", "0").returncode == 2


def rect_of(fields):
    return tuple(fields["rect"][name] for name in "xywh")

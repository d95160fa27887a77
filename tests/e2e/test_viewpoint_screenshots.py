"""How a picture reaches a client: each decision of viewpoint-screenshots.md, and files that cannot be written."""

import base64
import datetime
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import time

import pytest

from support import BINARY, applications, history, wait_for
from support.desktop import Desktop
from support.files import identified, in_own_mounts, on_small_disk, pixels
from support.session import Session

NAME = re.compile(r"page-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z(-\d+)?\.png")
DEFAULT = ".handeye-screenshots"
MAX_SIDE, MAX_PIXELS = 1568, 1_150_000


@pytest.fixture(scope="module")
def desktop():
    """A desktop whose background is as rich as a photograph: what it shows takes some 2 MB as PNG."""
    own = Desktop()
    picture = own.path("background.png")
    own.run(["convert", "-seed", "7", "-size", "1280x1024", "plasma:fractal", "-attenuate", "0.5", "+noise", "Gaussian", picture])
    own.run(["display", "-window", "root", picture], check=False)  # ends with 1 though it has done it
    wait_for("the background to be there", lambda: int(own.run(
        ["import", "-window", "root", "-format", "%k", "info:-"])) > 10_000)
    yield own
    own.stop()


@pytest.fixture(scope="module")
def still(desktop):
    """A window that does not animate."""
    app = applications.start(desktop, "qt5")
    yield app
    app.stop()


@pytest.fixture
def here(tmp_path):
    """The working directory of servers and commands."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(desktop, tmp_path):
    """The environment without settings, and a folder for temporary files that is the test's own."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kept = {name: value for name, value in desktop.env.items() if not name.startswith("HANDEYE_SCREENSHOT")}
    return {**kept, "TMPDIR": str(temporary)}


@pytest.fixture
def serve(environment, here):
    """Starts servers in `here`; they end with the test."""
    sessions = []

    def start(*arguments, prefix=(), log=None, **env):
        sessions.append(Session({**environment, **env}, arguments=arguments, cwd=str(here), prefix=prefix, log=log))
        return sessions[-1]
    yield start
    for session in sessions:
        session.close()


@pytest.fixture
def command(environment, here):
    """Runs handeye in `here`: (exit code, standard output as bytes, standard error)."""
    def run(*words, prefix=(), **env):
        ended = history.run([*prefix, BINARY, *map(str, words)], env={**environment, **env}, cwd=here, timeout=60,
                            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return ended.returncode, ended.stdout, ended.stderr.decode()
    return run


def saved(folder):
    """The names in a folder, sorted, without what hides the folder from git."""
    return sorted(set(os.listdir(folder)) - {".gitignore"}) if os.path.isdir(folder) else []


def first_line(answer):
    return answer.text.splitlines()[0]


def test_decision_1_pictures_go_to_a_hidden_folder_of_the_working_directory(serve, here, desktop, still):
    client = serve()
    path = client.do("ax_screenshot").fields["path"]
    (name,) = saved(here / DEFAULT)
    assert NAME.fullmatch(name) and path == str(here / DEFAULT / name)

    def sees_what_import_sees():
        desktop.run(["import", "-window", "root", str(here / "witness.png")])
        return pixels(client.do("ax_screenshot").fields["path"]) == pixels(here / "witness.png")
    wait_for("both to see the same screen, every pixel", sees_what_import_sees)


def test_decision_1_git_does_not_see_the_folder(command, here):
    git = ["git", "-C", str(here)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    assert command("screenshot")[0] == 0 == command("screenshot", "--screenshot-dir", "docs/images")[0]
    subprocess.run([*git, "add", "--all"], check=True)
    added = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True).stdout
    assert DEFAULT not in added and "docs/images/page-" in added, "a folder that was asked for is seen"
    shutil.rmtree(here / DEFAULT)
    (here / DEFAULT).mkdir()
    command("screenshot")
    assert ".gitignore" not in os.listdir(here / DEFAULT), "a folder that was there is left as it is"


def test_decision_2_the_folder_can_be_chosen(serve, tmp_path, here):
    elsewhere = tmp_path / "a folder" / "ünïcode"
    answer = serve("--screenshot-dir", str(elsewhere)).do("ax_screenshot")
    (name,) = saved(elsewhere)
    assert first_line(answer) == f"Screenshot saved to {elsewhere / name} (screen)", "not below the working directory"
    serve(HANDEYE_SCREENSHOT_DIR="shots/here").do("ax_screenshot")
    assert len(saved(here / "shots/here")) == 1
    serve("--screenshot-dir", "flag", HANDEYE_SCREENSHOT_DIR="variable").do("ax_screenshot")
    assert len(saved(here / "flag")) == 1 and not saved(here / "variable"), "the flag wins"
    serve(HANDEYE_SCREENSHOT_DIR="").do("ax_screenshot")
    assert len(saved(here / DEFAULT)) == 1, "an empty variable is none"


@pytest.mark.parametrize("words,env", [((), {}), (("--image-responses=file",), {"HANDEYE_IMAGE_RESPONSES": "omit"}),
                                       ((), {"HANDEYE_IMAGE_RESPONSES": "file"})])
def test_decision_3_file_is_the_default(serve, here, words, env):
    answer = serve(*words, **env).do("ax_screenshot")
    (name,) = saved(here / DEFAULT)
    assert first_line(answer) == f"Screenshot saved to {DEFAULT}/{name} (screen)"
    assert not answer.pictures


@pytest.mark.parametrize("words,env", [(("--image-responses=inline",), {}), ((), {"HANDEYE_IMAGE_RESPONSES": "inline"})])
def test_decision_3_inline_adds_the_picture(serve, here, words, env):
    answer = serve(*words, **env).do("ax_screenshot")
    (name,) = saved(here / DEFAULT)
    assert first_line(answer) == f"Screenshot saved to {DEFAULT}/{name} (screen)"
    assert len(answer.pictures) == 1


def test_decision_3_omit_only_confirms(serve, here):
    answer = serve("--image-responses", "omit").do("ax_screenshot")
    assert answer.text == "Screenshot captured (screen)"
    assert not answer.pictures and "path" not in answer.fields
    assert len(saved(here / DEFAULT)) == 1, "the file is saved all the same"


@pytest.mark.parametrize("words,env", [
    (["--image-responses", "include"], {}), (["--screenshot-keep", "0"], {}), (["--screenshot-keep", "some"], {}),
    ([], {"HANDEYE_IMAGE_RESPONSES": "include"}), ([], {"HANDEYE_SCREENSHOT_KEEP": "-3"}),
    ([], {"HANDEYE_SCREENSHOT_TTL_MS": "10s"}),
])
def test_decision_3_a_setting_that_does_not_exist_is_named(command, words, env):
    code, output, errors = command("mcp", "serve", *words, **env)
    assert code == 2 and not output, (code, output, errors)
    assert (words or list(env))[0] in errors, errors


def test_decision_4_content_is_text_then_image(serve):
    answer = serve("--image-responses", "inline").do("ax_screenshot")
    assert [part.type for part in answer.content] == ["text", "image"]
    assert answer.content[1].mime_type in ("image/jpeg", "image/png")
    base64.b64decode(answer.content[1].data, validate=True)


def shown(answer, tmp_path):
    """What the picture of an answer is: (format, width, height)."""
    (picture,) = answer.pictures
    path = tmp_path / "shown"
    path.write_bytes(base64.b64decode(picture.data))
    kind, *size = identified(path)
    assert picture.mime_type == {"JPEG": "image/jpeg", "PNG": "image/png"}[kind]
    return kind, *size


def test_decision_5_a_large_picture_is_scaled_and_its_file_is_not(serve, tmp_path):
    answer = serve("--image-responses", "inline").do("ax_screenshot")
    kind, width, height = shown(answer, tmp_path)
    assert kind == "JPEG", "a photograph is smaller as JPEG"
    assert width * height <= MAX_PIXELS < 1280 * 1024 and max(width, height) <= MAX_SIDE
    assert width * height > 0.99 * MAX_PIXELS, "as large as it may be"
    assert abs(width / height - 1280 / 1024) < 0.005
    assert identified(answer.fields["path"]) == ("PNG", 1280, 1024)
    assert answer.fields["size"] == [width, height]
    assert answer.fields["id"] != answer.fields["file_id"]
    assert f"The file is {answer.fields['file_id']}, 1280x1024 pixels." in answer.text
    quality = subprocess.run(["identify", "-format", "%Q", str(tmp_path / "shown")], capture_output=True, text=True, check=True)
    assert quality.stdout == "80"


def test_decision_5_no_side_is_longer_than_1568(tmp_path):
    wide = Desktop(size="2400x300")
    session = Session({**wide.env, "HANDEYE_IMAGE_RESPONSES": "inline"})
    try:
        answer = session.do("ax_screenshot")
        kind, width, height = shown(answer, tmp_path)
        assert (width, height) == (1568, 196)
        assert kind == "PNG", "an empty desktop is smaller as PNG"
        assert identified(answer.fields["path"]) == ("PNG", 2400, 300)
    finally:
        session.close()
        wide.stop()


def test_decision_5_a_small_picture_is_left_as_it_is(serve, tmp_path):
    region = {"x": 10, "y": 20, "w": 300, "h": 200}
    answer = serve("--image-responses", "inline").do("ax_screenshot", region=region)
    assert shown(answer, tmp_path)[1:] == (300, 200)
    assert "file_id" not in answer.fields and "The file is" not in answer.text
    answer = serve("--image-responses", "inline").do("ax_screenshot", region={"x": 10, "y": 20, "w": 2, "h": 2})
    assert shown(answer, tmp_path) == ("PNG", 2, 2)
    assert pixels(base64.b64decode(answer.pictures[0].data)) == pixels(answer.fields["path"])


def test_decision_6_the_text_says_where_the_file_is_and_what_it_shows(serve, here, still):
    client = serve()
    region = {"x": 0, "y": 0, "w": 20, "h": 20}
    for arguments, what in [({}, "screen"), ({"region": region}, "part of screen"),
                            ({"app": still.app}, f'window "{still.title}"'),
                            ({"app": still.app, "region": region}, f'part of window "{still.title}"')]:
        answer = client.do("ax_screenshot", **arguments)
        path = pathlib.Path(answer.fields["path"])
        assert first_line(answer) == f"Screenshot saved to {path.relative_to(here)} ({what})"
        width, height = identified(path)[1:]
        x, y = answer.fields["position"]
        assert answer.text.splitlines()[1].startswith(
            f"{answer.fields['id']}: {width}x{height} pixels, top left corner at ({x}, {y}) of the screen, scale 1.")
        assert f'ax_click_at with screenshot: "{answer.fields["id"]}"' in answer.text


def test_decision_7_names_tell_the_time_and_sort_by_it(serve, here):
    client = serve()
    before = datetime.datetime.now(datetime.UTC) - datetime.timedelta(milliseconds=1)
    paths = [pathlib.Path(client.do("ax_screenshot").fields["path"]).name for _ in range(3)]
    after = datetime.datetime.now(datetime.UTC)
    assert paths == sorted(paths) == saved(here / DEFAULT)
    times = [datetime.datetime.strptime(path, "page-%Y-%m-%dT%H-%M-%S-%fZ.png").replace(tzinfo=datetime.UTC) for path in paths]
    assert before <= times[0] <= times[-1] <= after


def test_decision_7_many_servers_at_once_never_take_each_others_names(serve, here):
    clients = [serve() for _ in range(3)]
    region = {"x": 0, "y": 0, "w": 8, "h": 8}
    calls = [client.start("ax_screenshot", region=region) for _ in range(30) for client in clients]
    paths = [call.result(60).fields["path"] for call in calls]
    assert len(set(paths)) == 90 == len(saved(here / DEFAULT))
    for path in paths[::9]:
        assert identified(path) == ("PNG", 8, 8)


def test_risk_the_folder_grows_unbounded_keep_a_count(serve, here):
    folder = here / DEFAULT
    folder.mkdir()
    others = ["mine.png", "page-1.png", "page-2026-01-13T15-30-45-123Z.png.txt"]
    for name in others:
        (folder / name).write_text("mine")
    (folder / "page-2001-01-13T15-30-45-123Z.png").write_text("an old one of handeye")
    (folder / "page-2002-01-13T15-30-45-123Z.png").mkdir()
    client = serve("--screenshot-keep", "3")
    paths = [pathlib.Path(client.do("ax_screenshot").fields["path"]).name for _ in range(5)]
    assert saved(folder) == sorted([*others, "page-2002-01-13T15-30-45-123Z.png", *paths[-3:]])


def test_risk_the_folder_grows_unbounded_keep_a_size(serve, here):
    client = serve(HANDEYE_SCREENSHOT_KEEP="1kB")
    region = {"x": 0, "y": 0, "w": 10, "h": 10}
    for _ in range(12):
        last = client.do("ax_screenshot", region=region).fields["path"]
    sizes = [os.path.getsize(here / DEFAULT / name) for name in saved(here / DEFAULT)]
    assert 1 < len(sizes) < 12 and sum(sizes) <= 1000 < sum(sizes) + max(sizes)
    assert os.path.exists(last)
    large = client.do("ax_screenshot").fields["path"]
    assert saved(here / DEFAULT) == [os.path.basename(large)], "the new one stays though it is larger"


def test_risk_the_folder_grows_unbounded_clean(serve, command, here):
    path = serve().do("ax_screenshot").fields["path"]
    folder = here / DEFAULT
    (folder / "page-2001-01-13T15-30-45-123Z.jpg").write_text("old")
    (folder / "holiday.png").write_text("mine")
    before = saved(folder)
    code, output, _ = command("clean", "--older-than", "1d", "--dry-run", "--format", "json")
    report = json.loads(output)
    assert code == 0 and report["dry_run"] is True
    assert report["removed"] == [{"path": str(folder / "page-2001-01-13T15-30-45-123Z.jpg"), "bytes": 3}]
    assert report["bytes"] == 3 and report["failed"] == []
    assert saved(folder) == before
    code, output, _ = command("clean", "--older-than", "1d")
    assert code == 0 and b"Removed 1 item" in output and b"2001-01-13" in output
    assert saved(folder) == sorted([os.path.basename(path), "holiday.png"])
    code, output, _ = command("clean")
    assert code == 0 and os.path.basename(path).encode() in output
    assert saved(folder) == ["holiday.png"]
    assert command("clean")[:2] == (0, b"Nothing to remove.\n")
    assert command("clean", "--screenshot-dir", "no/such/folder")[0] == 0
    assert command("clean", "--older-than", "soon")[0] == 2
    code, _, errors = command("clean", "--screenshot-dir", "/etc/passwd")
    assert code == 1 and "/etc/passwd" in errors


def test_clean_tells_what_it_cannot_remove(command, here):
    folder = here / DEFAULT
    folder.mkdir()
    (folder / "page-2001-01-13T15-30-45-123Z.png").write_text("old")
    read_only = in_own_mounts(f'mount --bind "{folder}" "{folder}" && mount -o remount,ro,bind "{folder}" && exec "$@"')
    code, output, _ = command("clean", prefix=read_only)
    assert code == 1 and b"could not be removed" in output, output
    assert len(saved(folder)) == 1


# The command line uses the same delivery.

def test_the_command_saves_in_the_same_folder(command, here):
    code, output, errors = command("screenshot")
    (name,) = saved(here / DEFAULT)
    assert code == 0, errors
    assert output.decode().splitlines()[0] == f"Screenshot saved to {DEFAULT}/{name} (screen)"
    assert not re.search(rb"\bs\d+\b", output), "an id ends with the process"
    code, output, _ = command("screenshot", "--screenshot-dir", "other", "--screenshot-keep", "1", "--format", "json")
    fields = json.loads(output)
    assert saved(here / "other") == [os.path.basename(fields["path"])]
    assert "id" not in fields and fields["size"] == [1280, 1024]


def test_the_command_tells_the_path_whatever_a_server_is_configured_to(command):
    code, output, _ = command("screenshot", HANDEYE_IMAGE_RESPONSES="omit")
    assert code == 0 and b"Screenshot saved to" in output


def test_the_command_writes_where_it_is_told(command, here):
    for name, kind in [("a.png", "PNG"), ("made/for it/b.JPG", "JPEG"), (".hidden", "PNG"), ("ö 漢字.jpeg", "JPEG")]:
        code, output, errors = command("screenshot", "-o", name)
        assert code == 0, errors
        assert f"Screenshot saved to {name} (screen)" in output.decode()
        assert identified(here / name) == (kind, 1280, 1024)

    def both_ways_show_the_same():
        (code, output, _), again = command("screenshot", "--output", "-"), command("screenshot", "-o", "a.png")
        assert code == again[0] == 0
        return pixels(output) == pixels(here / "a.png")
    wait_for("two pictures of the same screen", both_ways_show_the_same)
    assert not saved(here / DEFAULT)
    assert not [name for name in saved(here) if name.endswith(".part")]


def test_a_picture_that_is_there_is_replaced_and_keeps_its_permissions(command, here):
    shot = here / "shot.png"
    subprocess.run(["convert", "-size", "3x3", "xc:red", shot], check=True)
    shot.chmod(0o640)
    os.link(shot, here / "second name.png")
    before = (here / "second name.png").read_bytes()
    assert command("screenshot", "-o", "shot.png")[0] == 0
    assert identified(shot) == ("PNG", 1280, 1024) and shot.stat().st_mode & 0o777 == 0o640
    assert (here / "second name.png").read_bytes() == before, "another name of the old picture keeps it"


# Bad input, as far as files are concerned.

def refused(result, *words):
    """Checks that a command ended with an error that helps, and with exit code 1."""
    code, output, errors = result
    assert code == 1 and not output, (code, output, errors)
    for word in ["io", "next:", *words]:
        assert word in errors, errors


@pytest.mark.parametrize("path,why", [
    ("a/folder", "that is a folder"), ("new/", "that is a folder"), ("a/file/below.png", "is a file, not a folder"),
    ("/proc/handeye.png", "/proc/handeye.png"), ("a/dangling.png", "symbolic link"), ("a/pipe", "a pipe"),
    ("a/dangling.png/x.png", "not a folder"), ("x" * 300, "too long"), ("/dev/full", "no space"),
])
def test_a_path_that_cannot_be_written(command, here, path, why):
    (here / "a/folder").mkdir(parents=True)
    (here / "a/file").write_text("mine")
    (here / "a/dangling.png").symlink_to("nowhere")
    os.mkfifo(here / "a/pipe")
    refused(command("screenshot", "-o", path), why, path)
    assert saved(here / "a") == ["dangling.png", "file", "folder", "pipe"] and saved(here) == ["a"]
    assert (here / "a/file").read_text() == "mine" and not saved(here / "a/folder")


@pytest.mark.parametrize("folder,why", [
    ("file", "not a folder"), ("file/below", "not a folder"), ("dangling", "symbolic link"), ("/proc/shots", "/proc/shots"),
])
def test_a_folder_that_cannot_be(serve, command, here, folder, why):
    (here / "file").write_text("mine")
    (here / "dangling").symlink_to("nowhere")
    refused(command("screenshot", "--screenshot-dir", folder), why, "--screenshot-dir")
    client = serve("--screenshot-dir", folder)
    answer = client.call("ax_screenshot")
    assert answer.is_error and answer.code == "io" and why in answer.text, answer
    assert "HANDEYE_SCREENSHOT_DIR" in answer.fields["error"]["next"]
    client.do("ax_list_apps")
    assert saved(here) == ["dangling", "file"]


def test_a_device_takes_the_picture(command):
    assert command("screenshot", "-o", "/dev/null")[0] == 0
    assert pathlib.Path("/dev/null").is_char_device(), "it was not replaced"


def test_disk_full_leaves_no_partial_file(serve, command, here, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    listing = tmp_path / "listing"
    small = in_own_mounts(f'mount -t tmpfs -o size=64k none "{disk}"; "$@"; code=$?; ls -A "{disk}" > "{listing}"; exit $code')
    for words in [("-o", disk / "shot.png"), ("--screenshot-dir", disk)]:
        refused(command("screenshot", *words, prefix=small), "no space", str(disk), "clean")
        assert listing.read_text() == "", "nothing is left"
    client = serve("--screenshot-dir", str(disk), prefix=on_small_disk(disk))
    answer = client.call("ax_screenshot")
    assert answer.is_error and answer.code == "io" and "no space" in answer.text, answer
    inside = f"/proc/{client.process}/root{disk}"
    assert os.listdir(inside) == []
    path = client.do("ax_screenshot", region={"x": 0, "y": 0, "w": 10, "h": 10}).fields["path"]
    assert os.listdir(inside) == [os.path.basename(path)], "what fits is still saved"


def test_disk_full_in_mode_inline_still_shows_the_picture(serve, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    client = serve("--screenshot-dir", str(disk), "--image-responses", "inline", prefix=on_small_disk(disk))
    answer = client.do("ax_screenshot")
    assert "Screenshot captured (screen)" in answer.text and "Not saved" in answer.text and "no space" in answer.text
    assert len(answer.pictures) == 1 and "path" not in answer.fields


def test_a_file_larger_than_allowed_leaves_nothing(command, here):
    limited = ["/usr/bin/python3", "-c", "import os, resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
               "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); os.execv(sys.argv[1], sys.argv[1:])"]
    refused(command("screenshot", "-o", "shot.png", prefix=limited), "larger than")
    refused(command("screenshot", prefix=limited), "larger than")
    assert saved(here) == [DEFAULT] and not saved(here / DEFAULT)


def test_read_only_disk(serve, command, here):
    folder = here / "shots"
    folder.mkdir()
    read_only = in_own_mounts(f'mount --bind "{folder}" "{folder}" && mount -o remount,ro,bind "{folder}" && exec "$@"')
    refused(command("screenshot", "--screenshot-dir", folder, prefix=read_only), "read-only")
    refused(command("screenshot", "-o", folder / "x.png", prefix=read_only), "read-only")
    answer = serve("--screenshot-dir", str(folder), prefix=read_only).call("ax_screenshot")
    assert answer.code == "io" and "read-only" in answer.text
    assert not saved(folder)


def test_folder_deleted_in_between_is_made_again(serve, here):
    client = serve()
    client.do("ax_screenshot")
    shutil.rmtree(here / DEFAULT)
    path = client.do("ax_screenshot").fields["path"]
    assert saved(here / DEFAULT) == [os.path.basename(path)]


def test_working_directory_deleted(serve, here):
    client = serve()
    os.rmdir(here)
    answer = client.call("ax_screenshot")
    assert answer.is_error and answer.code == "io" and "absolute path" in answer.fields["error"]["next"], answer
    here.mkdir()


def test_a_killed_process_leaves_no_partial_picture(environment, here):
    moment = random.Random(7)
    begun = time.monotonic()
    history.run([BINARY, "screenshot", "-o", "warm.png"], env=environment, cwd=here, check=True, capture_output=True)
    took = time.monotonic() - begun
    for _ in range(25):
        child = subprocess.Popen([BINARY, "screenshot"], env=environment, cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moment.uniform(0, took))
        child.kill()
        child.wait()
    for name in saved(here / DEFAULT):
        if NAME.fullmatch(name):
            assert identified(here / DEFAULT / name) == ("PNG", 1280, 1024)
        else:
            assert re.fullmatch(r"\.handeye-\w+\.part", name), name
    (here / DEFAULT).mkdir(exist_ok=True)
    (here / DEFAULT / ".handeye-abandoned.part").write_bytes(b"half a picture")
    history.run([BINARY, "screenshot"], env=environment, cwd=here, check=True, capture_output=True)
    assert all(NAME.fullmatch(name) for name in saved(here / DEFAULT)), "the next start removes what was left"


def test_the_next_server_removes_what_a_dead_one_left_and_nothing_else(serve, here):
    folder = here / DEFAULT
    folder.mkdir()
    for name in [".handeye-abandoned.part", ".handeye-notes", "other.part"]:
        (folder / name).write_text("x")
    (folder / ".handeye-link.part").symlink_to("other.part")
    serve()
    wait_for("the draft to be gone", lambda: not (folder / ".handeye-abandoned.part").exists())
    assert saved(folder) == [".handeye-link.part", ".handeye-notes", "other.part"]


def test_what_was_left_beside_a_named_file_goes_with_the_next_one_there(command, here):
    (here / ".handeye-abandoned.part").write_bytes(b"half a picture")
    assert command("screenshot", "-o", "shot.png")[0] == 0
    assert saved(here) == ["shot.png"]


def test_a_cancelled_call_leaves_no_partial_file(serve, here):
    client = serve()
    client.do("ax_screenshot")
    for delay in range(12):
        call = client.start("ax_screenshot")
        time.sleep(delay / 200)
        call.cancel()
    client.do("ax_screenshot")
    # One that is being written when its call is cancelled comes to its end.
    wait_for("drafts to be gone", lambda: all(map(NAME.fullmatch, saved(here / DEFAULT))))
    for name in saved(here / DEFAULT):
        assert NAME.fullmatch(name) and identified(here / DEFAULT / name) == ("PNG", 1280, 1024), name


@pytest.mark.parametrize("umask", ["000", "022", "027"])
def test_files_and_folders_are_for_their_owner_alone(command, environment, here, umask):
    masked = ["/bin/sh", "-c", f'umask {umask}; exec "$@"', "sh"]
    shots = pathlib.Path(environment["TMPDIR"]) / "made/shots"
    assert command("screenshot", "--screenshot-dir", shots, prefix=masked)[0] == 0
    assert command("screenshot", prefix=masked)[0] == 0
    assert command("screenshot", "-o", "new/folder/a.png", prefix=masked)[0] == 0
    assert command("image", "--mode", "screen", "--path", "images/b.png", prefix=masked)[0] == 0
    for folder in [shots, shots.parent, here / DEFAULT, here / "new", here / "new/folder", here / "images"]:
        assert folder.stat().st_mode & 0o777 == 0o700, folder
        for file in filter(pathlib.Path.is_file, folder.iterdir()):
            assert file.stat().st_mode & 0o777 == 0o600, file


def test_a_link_that_another_user_planted_is_not_followed(command, here, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can make a link of another user")
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "letter.png").write_text("mine")
    here.chmod(0o1777)
    for name, target in [(DEFAULT, victim), ("shot.png", victim / "letter.png"), ("new.png", victim / "new.png")]:
        (here / name).symlink_to(target)
        os.lchown(here / name, 65534, 65534)
    (victim / "page-2001-01-13T15-30-45-123Z.png").write_text("mine too")
    refused(command("screenshot"), "another user", DEFAULT)
    code, _, errors = command("clean")
    assert code == 1 and "another user" in errors
    refused(command("screenshot", "-o", "shot.png"), "another user")
    refused(command("screenshot", "-o", "new.png"), "another user")
    assert saved(victim) == ["letter.png", "page-2001-01-13T15-30-45-123Z.png"] and (victim / "letter.png").read_text() == "mine"

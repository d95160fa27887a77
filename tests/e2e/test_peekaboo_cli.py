"""The command line of Peekaboo 1.1.2, section II.A: the one object of `--json-output`, its error codes and their exit codes."""

import json
import os
import subprocess

import pytest

from support import BINARY, history, wait_for
from support.coloured import Coloured
from support.files import identified

EXITS = {"INTERNAL_SWIFT_ERROR": 1, "INVALID_ARGUMENT": 2, "APP_NOT_FOUND": 3, "WINDOW_NOT_FOUND": 4, "SWIFT_CLI_TIMEOUT": 7,
         "AMBIGUOUS_APP_IDENTIFIER": 10, "PERMISSION_ERROR_SCREEN_RECORDING": 11, "PERMISSION_ERROR_ACCESSIBILITY": 12,
         "CAPTURE_FAILED": 13, "FILE_IO_ERROR": 14, "UNKNOWN_ERROR": 15}


@pytest.fixture
def handeye(desktop, tmp_path):
    """Runs handeye in the desktop: (exit code, standard output, standard error)."""
    def run(*words, env=None, cwd=tmp_path, without=()):
        own = {name: value for name, value in {**desktop.env, **(env or {})}.items() if name not in without}
        result = history.run([BINARY, *words], env=own, capture_output=True, text=True, timeout=60, check=False,
                             stdin=subprocess.DEVNULL, cwd=cwd)
        return result.returncode, result.stdout, result.stderr
    return run


@pytest.fixture
def succeeds(handeye):
    """Runs it with --json-output where it has to succeed: its object."""
    def run(*words, **options):
        code, output, errors = handeye(*words, "--json-output", **options)
        answer = json.loads(output)
        assert errors == "", "nothing goes to standard error"
        assert code == 0 and answer["success"] is True, answer
        assert set(answer) == {"success", "data", "messages", "debug_logs"}
        assert all(isinstance(entry, str) for entry in answer["messages"] + answer["debug_logs"])
        return answer
    return run


@pytest.fixture
def fails(handeye):
    """Runs it where it has to fail, with and without --json-output: its error."""
    def run(code, *words, exit_code=None, **options):
        ended, output, errors = handeye(*words, "--json-output", **options)
        answer = json.loads(output)
        assert errors == "", "nothing goes to standard error"
        assert answer["success"] is False, answer
        assert set(answer) - {"data", "messages"} == {"success", "error", "debug_logs"}
        error = answer["error"]
        assert set(error) == {"code", "message", "details"} and all(isinstance(text, str) for text in error.values())
        assert error["code"] == code, error
        assert ended == (EXITS[code] if exit_code is None else exit_code)
        assert handeye(*words, **options)[0] == ended, "the exit code does not depend on how the answer is printed"
        return error
    return run


@pytest.fixture(scope="module")
def painter(desktop):
    app = Coloured(desktop, "painter", {"Red": "C02010", "Green": "10A020"})
    yield app
    app.stop()


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "shot.png"
    subprocess.run(["/usr/bin/convert", "-size", "64x48", "gradient:red-blue", str(path)], check=True)
    return str(path)


def test_peekaboo_1_1_2_II_A_4_success_of_image(succeeds, painter, tmp_path):
    path = tmp_path / "screen.png"
    answer = succeeds("image", "--mode", "screen", "--path", str(path))
    (saved,) = answer["data"]["saved_files"]
    assert saved["path"] == str(path) and saved["mime_type"] == "image/png"
    assert identified(path)[0] == "PNG"
    assert any("image" in entry for entry in answer["debug_logs"])


def test_peekaboo_1_1_2_II_B_saved_files_of_windows(succeeds, painter, tmp_path):
    folder = tmp_path / "new" / "folder"
    answer = succeeds("image", "--app", "painter", "--mode", "multi", "--path", f"{folder}/", "--format", "jpg")
    saved = answer["data"]["saved_files"]
    ids = painter.ids()
    assert {file["item_label"]: file["window_id"] for file in saved} == ids
    assert sorted(file["window_index"] for file in saved) == [0, 1]
    for file in saved:
        assert file["mime_type"] == "image/jpeg" and identified(file["path"])[0] == "JPEG"


def test_peekaboo_1_1_2_II_C_success_of_list(succeeds, painter):
    applications = succeeds("list", "apps")["data"]["applications"]
    own = next(app for app in applications if app["pid"] == painter.process)
    assert (own["app_name"], own["window_count"]) == ("painter", 2)
    data = succeeds("list", "windows", "--app", "painter", "--include-details", "bounds")["data"]
    assert data["target_application_info"]["pid"] == painter.process
    bounds = {window["window_title"]: window["bounds"] for window in data["windows"]}
    assert (bounds["Red"]["width"], bounds["Red"]["height"]) == painter.size("Red")


def test_analyze_tells_its_answer_and_how_it_was_made(succeeds, provider, picture):
    provider.answer = "A gradient."
    answer = succeeds("analyze", picture, "What?", env=provider.environment("openai/gpt-4o"))
    assert answer["data"] == {"analysis_text": "A gradient.", "model_used": "openai/gpt-4o"}
    assert any(message.startswith("👻 Peekaboo: Analyzed image with openai/gpt-4o in ") for message in answer["messages"])


def test_list_is_a_table_for_people(handeye, painter):
    code, output, errors = handeye("list", "apps")
    assert code == 0 and errors == ""
    head = next(line for line in output.splitlines() if "APPLICATION" in line)
    own = next(line for line in output.splitlines() if " painter " in line)
    assert own[head.index("PID"):].split()[0] == str(painter.process)
    code, output, _ = handeye("list", "windows", "--app", "painter", "--include-details", "ids,bounds")
    head = next(line for line in output.splitlines() if "TITLE" in line)
    red = next(line for line in output.splitlines() if " Red " in line)
    assert red[head.index("ID"):].split()[0] == str(painter.id_of("Red")) or str(painter.id_of("Red")) in red


def test_format_of_the_picture_and_of_the_answer(handeye, painter, tmp_path):
    words = ["image", "--mode", "screen", "--path", str(tmp_path / "a.jpg")]
    code, output, _ = handeye(*words, "--format", "jpg")
    assert code == 0 and "Captured" in output and identified(tmp_path / "a.jpg")[0] == "JPEG"
    code, output, _ = handeye("--format", "json", *words, "--format", "jpg")
    assert code == 0 and json.loads(output)["saved_files"][0]["mime_type"] == "image/jpeg"
    code, output, _ = handeye("list", "apps", "--format", "json")
    assert code == 0 and "application_list" in json.loads(output)


def test_peekaboo_1_1_2_II_A_4_APP_NOT_FOUND(fails, painter):
    error = fails("APP_NOT_FOUND", "image", "--app", "no-such-app")
    assert "no-such-app" in error["message"] and "code: app_not_found" in error["details"]
    fails("APP_NOT_FOUND", "list", "windows", "--app", "no-such-app")


def test_peekaboo_1_1_2_II_A_4_AMBIGUOUS_APP_IDENTIFIER(fails, desktop):
    apps = [Coloured(desktop, f"ledger {kind}", {f"ledger {kind}": "303030"}) for kind in ("books", "notes")]
    try:
        error = fails("AMBIGUOUS_APP_IDENTIFIER", "image", "--app", "ledger")
        for app in apps:
            assert app.name in error["details"] and str(app.process) in error["details"]
    finally:
        for app in apps:
            app.stop()


def test_peekaboo_1_1_2_II_A_4_WINDOW_NOT_FOUND(fails, painter):
    fails("WINDOW_NOT_FOUND", "image", "--app", "painter", "--window-title", "no such title")
    fails("WINDOW_NOT_FOUND", "image", "--app", "painter", "--window-index", "99")


def test_peekaboo_1_1_2_II_A_4_CAPTURE_FAILED(fails, desktop):
    app = Coloured(desktop, "sleeper", {"asleep": "303030"})
    try:
        (window,) = app.ids().values()
        desktop.run(["xdotool", "windowminimize", str(window)])
        wait_for("the window to be minimized",
                 lambda: "Iconic" in desktop.run(["xprop", "-id", str(window), "WM_STATE"], check=False))
        fails("CAPTURE_FAILED", "image", "--app", "sleeper", "--window-title", "asleep")
    finally:
        app.stop()


def test_peekaboo_1_1_2_II_A_4_FILE_IO_ERROR(fails, provider, tmp_path):
    (tmp_path / "file").write_text("no folder")
    error = fails("FILE_IO_ERROR", "image", "--mode", "screen", "--path", str(tmp_path / "file" / "x.png"))
    assert str(tmp_path / "file") in error["message"] + error["details"]
    fails("FILE_IO_ERROR", "analyze", str(tmp_path / "missing.png"), "What?", env=provider.environment("ollama/m"))


@pytest.mark.parametrize("words", [
    ["image", "--mode", "window"], ["image", "--screen-index", "first"], ["image", "--format", "gif"], ["image", "--nonsense"],
    ["list", "windows"], ["list", "windows", "--app", "x", "--include-details", "colour"], ["analyze", "shot.gif", "What?"],
    ["aps"], ["click"], ["apps", "--timeout", "soon"]])
def test_peekaboo_1_1_2_II_A_4_INVALID_ARGUMENT(fails, words):
    assert fails("INVALID_ARGUMENT", *words)["message"]


def test_peekaboo_1_1_2_II_A_5_PERMISSION_ERROR_SCREEN_RECORDING(fails):
    error = fails("PERMISSION_ERROR_SCREEN_RECORDING", "image", without=("DISPLAY", "WAYLAND_DISPLAY"))
    assert "handeye desktop run" in error["details"], "it says how to get one"
    fails("PERMISSION_ERROR_SCREEN_RECORDING", "image", env={"DISPLAY": ":4999"})


def test_peekaboo_1_1_2_II_A_5_PERMISSION_ERROR_ACCESSIBILITY(fails, painter):
    """Pictures and lists need windows alone, so only a command that reads a tree can miss the accessibility bus."""
    nowhere = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus", "AT_SPI_BUS_ADDRESS": ""}
    fails("PERMISSION_ERROR_ACCESSIBILITY", "tree", "--app", str(painter.process), env=nowhere, exit_code=6)


def test_peekaboo_1_0_0_beta_17_SWIFT_CLI_TIMEOUT(fails, provider, picture):
    with provider.hold():
        fails("SWIFT_CLI_TIMEOUT", "analyze", picture, "What?", "--timeout", "0.5", env=provider.environment("ollama/m"))


def test_peekaboo_1_1_2_II_A_4_UNKNOWN_ERROR(fails, picture):
    error = fails("UNKNOWN_ERROR", "analyze", picture, "What?", env={"HANDEYE_AI_PROVIDERS": ""})
    assert "HANDEYE_AI_PROVIDERS" in error["message"] and "code: analysis_unavailable" in error["details"]


def test_other_commands_keep_their_exit_codes(fails, painter):
    fails("APP_NOT_FOUND", "tree", "--app", "no-such-app", exit_code=3)
    fails("UNKNOWN_ERROR", "get", "No Such Element", "--app", str(painter.process), exit_code=4)
    fails("PERMISSION_ERROR_SCREEN_RECORDING", "screenshot", without=("DISPLAY",), exit_code=6)


def test_pictures_stay_when_the_question_cannot_be_asked(handeye, painter, tmp_path):
    path = tmp_path / "asked.png"
    words = ["image", "--app", "painter", "--window-title", "Red", "--path", str(path), "--question", "What?"]
    code, output, errors = handeye(*words, "--json-output", env={"HANDEYE_AI_PROVIDERS": ""})
    answer = json.loads(output)
    assert code == EXITS["UNKNOWN_ERROR"] and errors == "" and answer["success"] is False
    assert answer["data"]["saved_files"][0]["path"] == str(path) and identified(path)[0] == "PNG"
    assert "HANDEYE_AI_PROVIDERS" in answer["error"]["message"]


@pytest.mark.parametrize("words", [
    ["apps"], ["windows"], ["check"], ["tree", "--app", "painter"], ["find", "Red", "--app", "painter"], ["screenshot"],
    ["desktop", "status"], ["doctor"], ["clean"], ["completions", "bash"], ["--help"], ["image", "--help"], ["--version"],
    ["list", "status"]], ids=" ".join)
def test_peekaboo_1_1_2_II_A_4_every_command_prints_one_object(handeye, painter, words):
    if words == ["doctor"]:
        # Each of its probes has 400 ms, which a busy machine may overrun.
        wait_for("a doctor that finds all well", lambda: handeye("doctor")[0] == 0)
    code, output, errors = handeye(*words, "--json-output")
    answer = json.loads(output)
    assert answer["success"] is True and "data" in answer and errors == "", answer
    assert code in (0, 4), "find says no by its exit code"


@pytest.mark.parametrize("words", [["apps"], ["tree", "--app", "painter"], ["windows", "--app", "painter"]], ids=" ".join)
def test_data_is_what_format_json_prints(handeye, painter, words):
    """A difference between the two stays. That between two moments does not: the seat that `doctor` tried goes a second
    later, and for as long as the user's keyboard waits for that, GTK says that no window is active."""
    wait_for("both to print the same", lambda: json.loads(handeye(*words, "--json-output")[1])["data"]
             == json.loads(handeye(*words, "--format", "json")[1]))


def test_peekaboo_1_1_2_II_A_7_debug_messages_go_into_the_answer(handeye, painter):
    loud = {"HANDEYE_LOG_LEVEL": "trace"}
    _, output, errors = handeye("tree", "--app", "painter", "--json-output", env=loud)
    logs = json.loads(output)["debug_logs"]
    assert errors == "" and 0 < len(logs) <= 201
    assert any("handeye" in entry for entry in logs)
    _, _, errors = handeye("tree", "--app", "painter", env=loud)
    assert "handeye" in errors, "without it they go to standard error"


def test_a_picture_on_standard_output_leaves_no_room_for_an_object(handeye):
    code, output, _ = handeye("screenshot", "-o", "-", "--json-output")
    assert code == 2 and json.loads(output)["error"]["code"] == "INVALID_ARGUMENT"


def test_a_reader_that_leaves_early_is_no_fault(desktop):
    reader, writer = os.pipe()
    os.close(reader)
    child = history.run([BINARY, "completions", "zsh", "--json-output"], env=desktop.env, stdout=writer,
                        stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    os.close(writer)
    assert (child.returncode, child.stderr) == (0, "")

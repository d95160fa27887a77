"""`list` of Peekaboo 1.1.2 (sections I.C and II.C) and 1.0.0-beta.17, over MCP and from the shell.

What is listed is compared with what the window manager and the X server say.
"""

import json
import subprocess

import pytest

from support import BINARY, history
from support.coloured import Coloured

WINDOWS = {"Red: one": "C02010", "Green — two 漢": "10A020"}


@pytest.fixture(scope="module")
def painter(desktop):
    app = Coloured(desktop, "painter", WINDOWS)
    yield app
    app.stop()


@pytest.fixture(scope="module")
def twins(desktop):
    """Two applications whose names differ by their capitals alone."""
    apps = [Coloured(desktop, name, {f"{name} window": "203040"}) for name in ("claude", "Claude")]
    yield apps
    for app in apps:
        app.stop()


@pytest.fixture(scope="module")
def chrome(desktop):
    """What looks like a browser and one of its helpers."""
    apps = [Coloured(desktop, "Google Chrome Helper (Renderer)", {"helper": "000000"}),
            Coloured(desktop, "Google Chrome", {"browser": "FFFFFF"})]
    yield apps
    for app in apps:
        app.stop()


@pytest.fixture
def handeye(desktop):
    """Runs handeye in the desktop: (exit code, standard output, standard error)."""
    def run(*words):
        result = history.run([BINARY, *words], env=desktop.env, capture_output=True, text=True, timeout=60, check=False,
                             stdin=subprocess.DEVNULL)
        return result.returncode, result.stdout, result.stderr
    return run


@pytest.mark.parametrize("arguments", [{}, {"item_type": ""}, {"item_type": "running_applications"}])
def test_peekaboo_1_1_2_I_C_running_applications_is_the_default_without_app(client, desktop, painter, arguments):
    answer = client.do("list", **arguments)
    assert set(answer.fields) == {"application_list"}
    listed = {app["pid"]: app for app in answer.fields["application_list"]}
    own = listed[painter.process]
    assert set(own) == {"app_name", "bundle_id", "pid", "is_active", "window_count"}
    assert (own["app_name"], own["window_count"]) == ("painter", 2)
    assert isinstance(own["bundle_id"], str) and isinstance(own["is_active"], bool)
    assert "painter" in answer.texts[0]


def test_peekaboo_1_1_2_I_C_is_active_is_the_application_of_the_active_window(client, desktop, painter, twins):
    for app in (painter, twins[0]):
        desktop.activate(next(iter(app.ids().values())))
        listed = client.do("list").fields["application_list"]
        assert [other["pid"] for other in listed if other["is_active"]] == [app.process]


@pytest.mark.parametrize("arguments", [{}, {"item_type": ""}, {"item_type": "application_windows"}])
def test_peekaboo_1_1_2_I_C_application_windows_is_the_default_with_app(client, painter, arguments):
    fields = client.do("list", app="painter", **arguments).fields
    assert set(fields) == {"window_list", "target_application_info"}
    assert fields["target_application_info"]["app_name"] == "painter"
    assert fields["target_application_info"]["pid"] == painter.process
    assert {window["window_title"] for window in fields["window_list"]} == set(WINDOWS)
    assert all(set(window) == {"window_title", "window_index"} for window in fields["window_list"])


def test_peekaboo_1_1_2_II_C_window_index_is_the_place_in_the_stack(client, desktop, painter):
    for title in (*WINDOWS, *WINDOWS):
        desktop.activate(painter.ids()[title])
        listed = client.do("list", app="painter").fields["window_list"]
        assert [window["window_index"] for window in listed] == [0, 1]
        assert listed[0]["window_title"] == title


def test_peekaboo_1_1_2_I_C_details_ids_and_bounds_are_those_of_the_x_server(client, painter):
    fields = client.do("list", app="painter", include_window_details=["ids", "bounds"]).fields
    ids = painter.ids()
    for window in fields["window_list"]:
        title = window["window_title"]
        assert window["window_id"] == ids[title]
        bounds = window["bounds"]
        assert set(bounds) == {"x", "y", "w", "h"}
        assert (bounds["w"], bounds["h"]) == painter.size(title)
        assert (bounds["x"], bounds["y"]) == painter.place(title)
        assert "is_on_screen" not in window


def test_peekaboo_1_1_2_II_C_off_screen_windows_are_listed_when_asked_for(client, desktop):
    app = Coloured(desktop, "hider", {"shown": "101010", "hidden": "202020"})
    try:
        app.minimize("hidden")
        shown = client.do("list", app="hider").fields["window_list"]
        assert [window["window_title"] for window in shown] == ["shown"]
        both = client.do("list", app="hider", include_window_details=["off_screen"]).fields["window_list"]
        assert [(window["window_title"], window["window_index"], window["is_on_screen"]) for window in both] \
            == [("shown", 0, True), ("hidden", 1, False)]
        counted = {one["pid"]: one["window_count"] for one in client.do("list").fields["application_list"]}
        assert counted[app.process] == 1
    finally:
        app.stop()


@pytest.mark.parametrize("arguments", [{"item_type": "application_windows"},
                                       {"item_type": "application_windows", "app": "  "}])
def test_peekaboo_1_1_2_I_C_app_is_required_for_application_windows(client, arguments):
    answer = client.call("list", **arguments)
    assert answer.is_error
    assert "'app' identifier is required when 'item_type' is 'application_windows'." in answer.text
    assert answer.meta["backend_error_code"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize("item_type", ["running_applications", "server_status", ""])
def test_peekaboo_1_1_2_I_C_details_are_for_application_windows_only(client, item_type):
    answer = client.call("list", item_type=item_type, include_window_details=["ids"])
    assert answer.is_error
    assert "'include_window_details' is only applicable when 'item_type' is 'application_windows'." in answer.text
    assert not client.call("list", item_type=item_type, include_window_details=[]).is_error


def test_peekaboo_1_1_2_I_C_unknown_item_type_is_refused(client):
    answer = client.call("list", item_type="windows")
    assert answer.is_error and "application_windows" in answer.text
    assert answer.meta["backend_error_code"] == "INVALID_ARGUMENT"


def test_peekaboo_1_1_2_I_B_6_server_status(client):
    answer = client.do("list", item_type="server_status")
    lines = answer.texts[0].strip().splitlines()
    assert lines[0] == "--- handeye MCP Server Status ---" and lines[-1] == "---"
    assert lines[1] == "Name: handeye" and lines[2].startswith("Version: ")
    assert lines[3] == "Configured AI Providers (from HANDEYE_AI_PROVIDERS ENV): " \
                       "None Configured. Set HANDEYE_AI_PROVIDERS ENV."


def test_peekaboo_1_0_0_beta_17_several_exact_matches_mean_all(client, twins):
    fields = client.do("list", app="CLAUDE").fields
    assert {window["window_title"] for window in fields["window_list"]} == {"claude window", "Claude window"}


@pytest.mark.parametrize("name", ["painter", "PAINTER", "paint", "inter", "paimter", "PID:{pid}", "{pid}"])
def test_peekaboo_1_1_2_II_C_applications_are_found_fuzzily(client, painter, name):
    fields = client.do("list", app=name.format(pid=painter.process)).fields
    assert fields["target_application_info"]["pid"] == painter.process


def test_peekaboo_1_1_2_II_B_ambiguous_name_lists_the_candidates(client, desktop):
    apps = [Coloured(desktop, f"ledger {kind}", {f"ledger {kind}": "303030"}) for kind in ("books", "notes")]
    try:
        answer = client.call("list", app="ledger")
        assert answer.is_error and answer.meta["backend_error_code"] == "AMBIGUOUS_APP_IDENTIFIER"
        for app in apps:
            assert app.name in answer.text and str(app.process) in answer.text
        chosen = client.do("list", app=f"PID:{apps[1].process}").fields
        assert chosen["target_application_info"]["app_name"] == "ledger notes"
    finally:
        for app in apps:
            app.stop()


def test_peekaboo_1_0_0_beta_17_browser_helpers_never_win(client, chrome):
    for name in ("chrome", "Chrome", "google chrome"):
        assert client.do("list", app=name).fields["target_application_info"]["pid"] == chrome[1].process
    helper = client.do("list", app="chrome helper").fields["target_application_info"]
    assert helper["pid"] == chrome[0].process, "one that is asked for by its name is found"


def test_peekaboo_1_0_0_beta_17_browser_helpers_are_the_last_resort(client, desktop):
    app = Coloured(desktop, "brave-gpu-process", {"brave": "404040"})
    try:
        assert client.do("list", app="brave").fields["target_application_info"]["pid"] == app.process
    finally:
        app.stop()


@pytest.mark.parametrize("name,message", [("opera", "Opera browser is not running or not found"),
                                          ("no-such-app", "no-such-app")])
def test_peekaboo_1_0_0_beta_17_not_found(client, name, message):
    answer = client.call("list", app=name)
    assert answer.is_error and message in answer.text
    assert answer.meta["backend_error_code"] == "APP_NOT_FOUND"


def test_peekaboo_1_1_2_II_C_list_apps_from_the_shell(handeye, painter):
    code, output, errors = handeye("list", "apps", "--json-output")
    assert code == 0 and errors == ""
    answer = json.loads(output)
    assert answer["success"] is True and isinstance(answer["debug_logs"], list)
    own = next(app for app in answer["data"]["applications"] if app["pid"] == painter.process)
    assert set(own) == {"app_name", "bundle_id", "pid", "is_active", "window_count"}
    assert "painter" in handeye("list", "apps")[1]


def test_peekaboo_1_1_2_II_C_list_windows_from_the_shell(handeye, painter):
    code, output, _ = handeye("list", "windows", "--app", "painter", "--include-details", "off_screen,bounds,ids",
                              "--json-output")
    assert code == 0
    data = json.loads(output)["data"]
    assert data["target_application_info"]["pid"] == painter.process
    ids = painter.ids()
    for window in data["windows"]:
        assert window["window_id"] == ids[window["window_title"]]
        assert set(window["bounds"]) == {"x", "y", "width", "height"}
        assert window["is_on_screen"] is True
    code, output, _ = handeye("list", "windows", "--app", "no-such-app", "--json-output")
    answer = json.loads(output)
    assert code != 0 and answer["success"] is False
    assert answer["error"]["code"] == "APP_NOT_FOUND" and answer["error"]["message"]

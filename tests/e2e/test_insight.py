"""Patterns, states and suggestions on real windows: in the state, on request in the tree, in events and in the list of applications."""

import json
import os
import signal
import subprocess
import time

import pytest

from support import BINARY, wait_for


class Shown:
    """A program that shows one window, by its process."""

    def __init__(self, desktop, *command):
        self.process = subprocess.Popen(command, env={**os.environ, **desktop.env}, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, stdin=subprocess.PIPE, text=True)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def read(session, uri):
    return json.loads(session.ask("read_resource", uri).contents[0].text)


def state(session, app):
    try:
        return read(session, f"handeye://app/{app}/state")
    except Exception:  # not there yet
        return {}


@pytest.fixture
def show(desktop):
    shown = []

    def start(*command):
        shown.append(Shown(desktop, *command))
        return shown[-1].process

    yield start
    for program in shown:
        program.stop()


WINDOWS = {
    "login_form": (["--password", "--username"], "auth_required"),
    "file_save_dialog": (["--file-selection", "--save", "--filename=report.txt"], "modal_dialog"),
    "confirmation_dialog": (["--question", "--text=Keep the changes?"], "modal_dialog"),
    "error_alert": (["--error", "--text=The disk is full."], "error"),
    "progress_indicator": (["--progress", "--percentage=40", "--pulsate"], "loading"),
}


@pytest.mark.parametrize("pattern", WINDOWS)
def test_pattern_and_state(client, show, pattern):
    arguments, expected = WINDOWS[pattern]
    process = show("zenity", *arguments)
    found = wait_for(pattern, lambda: next(filter(
        lambda state: state.get("detected_pattern") == pattern, [state(client, process.pid)]), None))
    assert found["detected_state"] == expected, found
    assert found["based_on"] and found["suggestions"], found
    assert all({"action", "tool", "query", "ref"} <= set(next) for next in found["suggestions"]), found
    look = client.do("ax_get_tree", app=str(process.pid), insight=True)
    assert look.fields["detected_pattern"] == pattern and f"pattern: {pattern}" in look.text
    assert "detected_pattern" not in client.do("ax_get_tree", app=str(process.pid)).fields


def test_what_is_suggested_does_it(client, show, tmp_path):
    process = show("zenity", "--file-selection", "--save", f"--filename={tmp_path}/report.txt")
    found = wait_for("the suggestions", lambda: state(client, process.pid).get("suggestions"))
    click = next(next_ for next_ in found if next_["tool"] == "ax_click")
    client.do("ax_click", app=str(process.pid), query=click["ref"])
    # The program prints the file that was chosen, and ends.
    assert process.communicate(timeout=10)[0].strip() == f"{tmp_path}/report.txt"


def test_the_list_of_applications_has_state_and_focused_window(client, desktop, show):
    process = show("zenity", "--question", "--title=Really?", "--text=Keep the changes?")
    wait_for("the dialog", lambda: state(client, process.pid).get("windows"))
    listed = wait_for("its state in the list", lambda: next(
        (app for app in read(client, "handeye://apps")["apps"] if app["pid"] == process.pid and "state" in app), None))
    assert listed["connected"] and listed["state"] == "modal_dialog", listed
    desktop.activate(next(window["id"] for window in client.do("ax_list_windows", app=str(process.pid)).fields["windows"])
                     ) if listed["focused_window"] is None else None
    wait_for("its focused window", lambda: any(
        app.get("focused_window") == "Really?" for app in read(client, "handeye://apps")["apps"]))


def test_a_stopped_application_is_busy_within_a_second(client, show):
    process = show("zenity", "--question", "--text=Keep the changes?")
    wait_for("the dialog", lambda: state(client, process.pid).get("detected_pattern"))
    process.send_signal(signal.SIGSTOP)
    try:
        begun = time.monotonic()
        found = read(client, "handeye://apps")
        took = time.monotonic() - begun
        assert next(app for app in found["apps"] if app["pid"] == process.pid)["state"] == "busy", found
        # Half a second for the answer; the rest is for a busy machine.
        assert took < 3, took
    finally:
        process.send_signal(signal.SIGCONT)
    wait_for("it to answer", lambda: state(client, process.pid).get("detected_state") == "modal_dialog")


def test_a_dialog_event_has_its_pattern(client, show):
    process = show("mousepad", "--disable-server")
    wait_for("the editor", lambda: state(client, process.pid).get("detected_pattern") == "text_editor")
    uri = f"handeye://app/{process.pid}/events"
    read(client, uri)
    client.call("ax_click", app=str(process.pid), query="role:menuitem AND title~=\"Open...\"")
    wait_for("the event", lambda: any(
        event["type"] == "dialog_appeared" and event.get("pattern") == "file_open_dialog"
        for event in read(client, uri)["events"]))


def test_on_the_command_line(desktop, show):
    process = show("zenity", "--error", "--text=The disk is full.")
    look = wait_for("the alert", lambda: next(filter(lambda done: "pattern: error_alert" in done.stdout, [subprocess.run(
        [BINARY, "tree", "--app", str(process.pid), "--insight"], env={**os.environ, **desktop.env}, capture_output=True,
        text=True, timeout=30, check=False)]), None))
    assert "state: error" in look.stdout and "next: Click OK" in look.stdout, look.stdout

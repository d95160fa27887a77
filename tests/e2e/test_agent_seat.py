"""The seat of an agent: what it leaves behind however it ends, several at once, and who is at work beside it."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support import TESTS, applications, wait_for, witness
from support.seat import held, is_pointer_free, keepers
from support.session import Session

MULTI = {"query": "role:button Multi", "click_type": "double"}


@pytest.fixture(scope="module")
def user(desktop):
    """The user's own window, which has the focus."""
    child = desktop.start(["/usr/bin/python3", str(TESTS / "apps" / "bystander.py")], "bystander",
                          {"APP_LOG": desktop.path("bystander.log")})
    found = desktop.window("Bystander")
    desktop.activate(found[0])
    yield found[0]
    child.terminate()


@pytest.fixture
def app(desktop, user):
    own = applications.start(desktop, "gtk3", commands=True)
    desktop.activate(user)
    yield own
    own.stop()


@pytest.fixture
def killed(desktop):
    """Makes clients whose servers may be killed."""
    clients = []

    def make():
        clients.append(Session(desktop.env))
        return clients[-1]
    yield make
    for client in clients:
        try:
            client.close()
        except BaseException:  # noqa: BLE001, S110: the server is gone, which the client may complain of
            pass


def seats(desktop):
    """The pointers of agents that the server has."""
    names = desktop.run(["xinput", "list", "--name-only"]).splitlines()
    return [name for name in names if name.startswith("handeye seat") and name.endswith("pointer")
            and "XTEST" not in name]


def pressed(desktop):
    """How many buttons and keys are pressed, on any device of an agent."""
    count = 0
    for name in desktop.run(["xinput", "list", "--name-only"]).splitlines():
        if name.startswith("handeye seat"):
            state = desktop.run(["xinput", "query-state", name], check=False)
            count += state.count("=down")
    return count


def text_of_user(desktop):
    with open(desktop.path("bystander.log") + ".state", encoding="utf-8") as file:
        return json.load(file).get("name") or ""


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
def test_a_server_that_ends_in_a_drag_leaves_nothing_pressed_and_no_seat(desktop, app, killed, how):
    client = killed()
    before = witness.seat(desktop)
    client.start("ax_drag", app=app.app, from_query="Drag source", to_query="Drop target", duration_ms=9_000)
    wait_for("the button to be pressed", lambda: pressed(desktop) > 0)
    os.kill(client.process, getattr(signal, how))
    wait_for("the seat to be removed", lambda: not seats(desktop), 15)
    wait_for("the keeper to end", lambda: not keepers(desktop))
    assert held(desktop) == (0, 0)
    assert not before.differences(witness.seat(desktop))
    # It was not dropped anywhere, and the application goes on.
    assert app.state()["dropped"] == 0
    other = killed()
    assert other.call("ax_click", app=app.app, **MULTI).effect == "confirmed"


def test_a_server_that_is_killed_while_it_types_gives_the_keys_back(desktop, app, killed):
    before = desktop.run(["xmodmap", "-pke"])
    client = killed()
    text = "".join(chr(0x4E00 + number) for number in range(1500))
    client.start("ax_type", app=app.app, query="role:button Multi", text=text)
    wait_for("keys to be lent", lambda: desktop.run(["xmodmap", "-pke"]) != before)
    os.kill(client.process, signal.SIGKILL)
    wait_for("the keys to be given back", lambda: desktop.run(["xmodmap", "-pke"]) == before)
    wait_for("the seat to be removed", lambda: not seats(desktop), 15)


def test_a_seat_whose_keeper_was_killed_too_is_taken_over(desktop, app, killed):
    client = killed()
    client.start("ax_drag", app=app.app, from_query="Drag source", to_query="Drop target", duration_ms=9_000)
    wait_for("the button to be pressed", lambda: pressed(desktop) > 0)
    for process in (*keepers(desktop), client.process):
        os.kill(process, signal.SIGKILL)
    other = killed()
    assert seats(desktop) == ["handeye seat 1 pointer"]
    other.do("ax_click", app=app.app, **MULTI)
    assert pressed(desktop) == 0
    assert app.state()["dropped"] == 0
    wait_for("the seat to be removed", lambda: not seats(desktop), 15)


def test_ten_callers_at_once_act_each_with_a_seat_of_its_own(desktop, user, app, killed):
    before = witness.seat(desktop)
    clients = [killed() for _ in range(10)]
    count = app.state()["double"]
    calls = [client.start("ax_click", app=app.app, **MULTI) for client in clients]
    answers = [call.result(120) for call in calls]
    assert [answer.code for answer in answers if answer.is_error] == []
    wait_for("ten double clicks", lambda: app.state()["double"] == count + 10)
    assert not before.differences(witness.seat(desktop))
    for client in clients:
        client.close()
    wait_for("all seats to be removed", lambda: not seats(desktop), 30)


def test_the_user_who_types_in_the_same_window_has_precedence(desktop, user, app, killed):
    client = killed()
    client.do("ax_click", app=app.app, **MULTI)
    desktop.activate(app.window)
    typing = subprocess.Popen(["xdotool", "type", "--delay", "60", "x" * 90], env=desktop.env)
    try:
        answer = client.call("ax_click", app=app.app, **MULTI)
        assert typing.poll() is None, "the user has stopped before the answer came"
        assert answer.code == "user_active", answer.text
        assert answer.fields["error"]["retry_after_ms"] > 0
    finally:
        typing.wait(30)
    count = app.state()["double"]
    wait_for("the click to be done in a pause",
             lambda: not client.call("ax_click", app=app.app, **MULTI).is_error)
    wait_for("its effect", lambda: app.state()["double"] > count)
    desktop.activate(user)


def test_an_application_that_ends_in_a_drag_costs_the_call_alone(desktop, app, killed):
    client = killed()
    call = client.start("ax_drag", app=app.app, from_query="Drag source", to_query="Drop target", duration_ms=3_000)
    wait_for("the button to be pressed", lambda: pressed(desktop) > 0)
    app.signal(signal.SIGKILL)
    answer = call.result(60)
    assert answer.is_error or "ended" in answer.text, answer.text
    wait_for("the button to be released", lambda: pressed(desktop) == 0)
    assert client.call("ax_list_apps").is_error is False


@pytest.mark.parametrize("toolkit", ["gtk3", "gtk4", "qt5", "firefox"])
def test_the_pointer_of_the_user_stays_free_while_an_agent_drags(desktop, user, killed, toolkit):
    app = applications.start(desktop, toolkit, commands=True)
    try:
        desktop.activate(user)
        client = killed()
        # The pointer of the user is held for a moment when a seat is removed.
        wait_for("earlier seats to be removed", lambda: not seats(desktop), 15)
        call = client.start("ax_drag", app=app.app, from_query="Drag source", to_query="Drop target", duration_ms=4_000)
        wait_for("the button to be pressed", lambda: pressed(desktop) > 0)
        # Where the application would take the pointer, handeye has it while the drag starts.
        wait_for("the user's pointer to be free", lambda: is_pointer_free(desktop))
        looks, end = [], time.monotonic() + 30
        while pressed(desktop) > 0 and time.monotonic() < end:
            looks.append(is_pointer_free(desktop))
        assert len(looks) > 4
        assert all(looks), [at for at, free in enumerate(looks) if not free] + [len(looks)]
        answer = call.result(60)
        assert answer.effect == "confirmed", answer.text
        assert "held the user's pointer" not in answer.text
    finally:
        app.stop()


def test_a_drag_for_which_an_application_takes_the_users_pointer_reports_that(desktop, user, killed):
    app = applications.start(desktop, "chromium", commands=True)
    try:
        desktop.activate(user)
        answer = killed().call("ax_drag", app=app.app, from_query="Drag source", to_query="Drop target")
        assert answer.effect == "confirmed", answer.text
        assert "held the user's pointer too for this drag" in answer.text
        wait_for("the user's pointer to be free", lambda: is_pointer_free(desktop))
    finally:
        app.stop()


@pytest.mark.parametrize(("command", "title", "item", "dialog", "text"), [
    (["mousepad", "--disable-server"], "Mousepad", 'menuitem "Save As..."', "Save As", "role:window >> role:textbox"),
    (["kwrite", str(TESTS / "apps" / "common.py")], "KWrite", "menuitem File >> menuitem Open...", "Open File",
     'textbox "common.py"')])
def test_a_window_behind_a_modal_dialog_gets_no_input(desktop, user, killed, command, title, item, dialog, text):
    """Qt would make the dialog the active window, and the user's next key would be for that."""
    app = applications.Application(desktop, command, title)
    try:
        client = killed()
        wait_for("its menu", lambda: client.call("ax_find", app=app.app, query=item).fields.get("found"))
        client.do("ax_click", app=app.app, query=item)
        own, *_ = desktop.window(dialog)
        desktop.activate(user)
        before = witness.seat(desktop)
        answer = client.call("ax_click", app=app.app, query=text, click_type="double")
        assert answer.code == "refused", answer.text
        assert f'takes no input until its dialog "{dialog}' in answer.text
        assert not before.differences(witness.seat(desktop))
        # A point leads to the same window.
        for window, place in ((app.window, (0, 40)), (own, (660, 440)), (user, (660, 40))):
            desktop.run(["xdotool", "windowmove", "--sync", str(window), *map(str, place)])
        desktop.run(["xdotool", "windowsize", "--sync", str(app.window), "600", "360"])
        before = witness.seat(desktop)
        answer = client.call("ax_click_at", x=300, y=300, click_type="triple")
        assert answer.code == "refused", answer.text
        assert "takes no input until its dialog" in answer.text
        assert not before.differences(witness.seat(desktop))
    finally:
        app.stop()


def test_a_menu_of_an_agent_belongs_to_the_agent(desktop, user, app, killed):
    client = killed()
    before, popups = witness.seat(desktop), desktop.popups()
    answer = client.call("ax_click", app=app.app, query="role:button Multi", click_type="right")
    assert not answer.is_error, answer.text
    assert answer.fields["effect"]["route"] == "agent_seat"
    wait_for("the menu to be open", lambda: desktop.popups() - popups)
    subprocess.run(["xdotool", "type", "own words"], env=desktop.env, check=True)
    wait_for("the user's words", lambda: text_of_user(desktop).endswith("own words"))
    client.do("ax_key_press", app=app.app, key="escape")
    wait_for("the menu to be closed", lambda: not desktop.popups() - popups)
    assert not before.differences(witness.seat(desktop))


def test_the_pointer_of_an_agent_shows_a_tooltip_and_stays_with_it(desktop, user, killed):
    own = applications.start(desktop, "qt5", commands=True)
    try:
        own.command(do="tooltip", text="Counts what it is clicked")
        desktop.activate(user)
        client, before, popups = killed(), witness.seat(desktop), desktop.popups()
        answer = client.call("ax_click", app=own.app, query="role:button Multi", click_type="hover")
        assert answer.effect == "confirmed" and "Counts what it is clicked" in answer.text, answer.text
        assert own.state()["hovered"] > 0
        assert not before.differences(witness.seat(desktop))
        client.do("ax_find", app=own.app, query="role:button Multi")
        assert seats(desktop) and desktop.popups() - popups
        wait_for("the seat to be removed", lambda: not seats(desktop), 30)
    finally:
        own.stop()


def test_a_seat_goes_when_its_agent_rests_and_the_user_types_in_a_browser(desktop, user, killed):
    page = applications.start(desktop, "chromium", commands=True)
    try:
        client = killed()
        wait_for("the page", lambda: client.call("ax_find", app=page.app, query="Item 3").fields.get("found"), every=0.2)
        desktop.activate(desktop.window("Bystander")[0])
        client.do("ax_click", app=page.app, **MULTI)
        wait_for("the seat to be removed", lambda: not seats(desktop), 15)
        desktop.activate(page.window)
        desktop.run(["xdotool", "key", "ctrl+k"])
        page.wait("chord", "ctrl+k")
        answer = client.call("ax_key_press", app="bystander", key="f5")
        assert answer.code == "refused" and "takes no keys of the user" in answer.text
        assert not seats(desktop)
        desktop.run(["xdotool", "key", "ctrl+m"])
        page.wait("chord", "ctrl+m")
    finally:
        page.stop()


def test_a_menu_of_an_agent_goes_when_the_user_changes_to_a_browser(desktop, user, app, killed):
    page = applications.start(desktop, "chromium", commands=True)
    try:
        client, popups = killed(), desktop.popups()
        wait_for("the page", lambda: client.call("ax_find", app=page.app, query="Item 3").fields.get("found"), every=0.2)
        # Beside it, not over it.
        desktop.run(["xdotool", "windowmove", "--sync", str(page.window), "950", "500"])
        desktop.activate(user)
        client.do("ax_click", app=app.app, query="role:button Multi", click_type="right")
        wait_for("the menu to be open", lambda: desktop.popups() - popups)
        desktop.activate(page.window)
        # It would stay for a minute.
        wait_for("the seat to be removed", lambda: not seats(desktop), 20)
        assert not desktop.popups() - popups
        desktop.run(["xdotool", "key", "ctrl+k"])
        page.wait("chord", "ctrl+k")
    finally:
        page.stop()


def test_a_seat_stays_while_a_program_starts_that_knows_it(desktop, user, app, killed):
    go_on, output = desktop.path("slow-start.commands"), desktop.path("slow-start.out")
    client, popups = killed(), desktop.popups()
    # The seat stays as long as its menu is open.
    client.do("ax_click", app=app.app, query="role:button Multi", click_type="right")
    wait_for("the menu to be open", lambda: desktop.popups() - popups)
    words = ["/usr/bin/python3", str(TESTS / "apps" / "slow_start.py")]
    child = desktop.start(words, "slow-start", {"APP_COMMANDS": go_on})
    try:
        wait_for("the program to know it", lambda: "pointers 2" in Path(output).read_text(encoding="utf-8"))
        client.do("ax_key_press", app=app.app, key="escape")
        until = time.monotonic() + 4
        while time.monotonic() < until and seats(desktop):
            time.sleep(0.1)
        Path(go_on).touch()
        wait_for("its window", lambda: child.poll() is not None or "Slow start" in str(desktop.windows()))
        assert child.poll() is None
        wait_for("the seat to be removed", lambda: not seats(desktop), 30)
        assert child.poll() is None
    finally:
        child.terminate()


def test_a_seat_goes_after_an_action_that_was_refused(desktop, user, app, killed):
    client = killed()
    client.do("ax_click", app=app.app, **MULTI)
    answer = client.call("ax_drag", app=app.app, from_query="Drag source", to_x=1270, to_y=1010, duration_ms=100)
    assert answer.fields.get("effect") or answer.is_error
    missing = client.call("ax_click", app=app.app, query="role:menuitem Context entry", click_type="double")
    assert missing.is_error
    wait_for("the seat to be removed", lambda: not seats(desktop), 15)

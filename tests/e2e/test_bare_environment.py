"""A server or a command that is started without the variables of the session, as many MCP clients start it."""

import json
import re

import pytest

from support.bare import Bare

# The name and the own windows of an application; the X server itself is asked what a window is called.
LETTER = "mousepad --disable-server"
TALK = r"""
import json, subprocess, sys
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(number, method, **params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    for line in server.stdout:
        answer = json.loads(line)
        if answer.get("id") == number:
            return answer["result"]
    sys.exit("the server ended")
ask(1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "bare", "version": "1"})
answer = ask(2, "tools/call", **json.loads(sys.argv[1]))
print(json.dumps(answer))
server.stdin.close()
sys.exit(server.wait(30))
"""


@pytest.fixture
def machine(tmp_path):
    """No session runs here in the beginning."""
    (tmp_path / "talk.py").write_text(TALK)
    return Bare(str(tmp_path))


def probes(text):
    """What `doctor` found, by name."""
    return {probe["name"]: probe for probe in json.loads(text)["probes"]}


def test_a_command_finds_the_session_and_acts_in_it(machine):
    title = machine.good(rf"""
        session 5 "$FOLDER/cookies" Untitled {LETTER}
        bare handeye type 'Dear Ada' --app mousepad >&2
        wait_for on 5 "$FOLDER/cookies" xdotool search --name '^\*Untitled'
        on 5 "$FOLDER/cookies" xdotool search --name Untitled getwindowname
    """)
    assert title.startswith("*Untitled"), title


def test_a_server_finds_the_session_and_acts_in_it(machine):
    call = json.dumps({"name": "ax_type", "arguments": {"app": "mousepad", "text": "Dear Ada"}})
    answer = machine.good(rf"""
        session 5 "$FOLDER/cookies" Untitled {LETTER}
        bare python3 "$FOLDER/talk.py" '{call}' handeye mcp serve
        wait_for on 5 "$FOLDER/cookies" xdotool search --name '^\*Untitled'
    """)
    assert not json.loads(answer).get("isError"), answer


def test_commands_share_a_daemon_that_has_the_session_too(machine):
    title = machine.good(rf"""
        session 5 "$FOLDER/cookies" Untitled {LETTER}
        shared() {{ bare env -u HANDEYE_NO_DAEMON handeye "$@"; }}
        box=$(shared tree --app mousepad | sed -n 's/.*textbox.*\[ref=\(e[0-9]*\)\].*/\1/p')
        shared type 'Dear Ada' --element "$box" >&2
        wait_for on 5 "$FOLDER/cookies" xdotool search --name '^\*Untitled'
        on 5 "$FOLDER/cookies" xdotool search --name Untitled getwindowname
    """)
    assert title.startswith("*Untitled"), title


def test_doctor_tells_where_each_value_came_from(machine):
    found = probes(machine.good(f"""
        session 5 "$FOLDER/cookies" Untitled {LETTER}
        # Each probe has 400 ms, which a busy machine may overrun: then there is another try.
        report() {{ bare handeye doctor --format json > "$FOLDER/report" || true; grep -q DBUS_SESSION "$FOLDER/report" && grep -q XAUTH "$FOLDER/report"; }}
        wait_for report
        cat "$FOLDER/report"
    """))
    assert re.search(r"DISPLAY=:5 from process \d+ \(\S+\)", found["display"]["detail"])
    assert re.search(rf"XAUTHORITY={machine.folder}/cookies from process \d+", found["display"]["detail"])
    assert re.search(r"DBUS_SESSION_BUS_ADDRESS=unix:\S+ from process \d+", found["session_bus"]["detail"])


def test_only_the_cookie_is_missing(machine):
    """As Gemini CLI starts a server."""
    names = machine.good(f"""
        session 5 "$FOLDER/cookies" Untitled {LETTER}
        bus=$(tr '\\0' '\\n' < /proc/$(pgrep -n mousepad)/environ | sed -n 's/^DBUS_SESSION_BUS_ADDRESS=//p')
        gemini() {{ bare DISPLAY=:5 DBUS_SESSION_BUS_ADDRESS="$bus" XDG_RUNTIME_DIR="$FOLDER/run5" handeye "$@"; }}
        wait_for gemini screenshot -o "$FOLDER/shot.png" --app mousepad
        tail -c +2 "$FOLDER/shot.png" | head -c 3
    """)
    assert "PNG" in names


def test_several_sessions_are_listed_and_display_chooses(machine):
    output = machine.good(f"""
        session 5 "$FOLDER/one" Untitled {LETTER}
        session 6 "$FOLDER/two" Other zenity --info --title Other --text Other
        bare handeye apps >&2 && exit 9
        bare DISPLAY=:6 handeye apps
        echo ---
        bare handeye apps 2>&1 || true
    """)
    chosen, told = output.split("---")
    assert "zenity" in chosen and "mousepad" not in chosen
    assert "2 desktop sessions" in told and "DISPLAY=:5" in told and "DISPLAY=:6" in told
    assert "mousepad" in told and "zenity" in told and '"env": {"DISPLAY": ":5"}' in told


def test_the_session_of_the_client_is_meant(machine):
    """The client itself was started in a session, though it passes nothing of it on."""
    output = machine.good(f"""
        session 5 "$FOLDER/one" Untitled {LETTER}
        session 6 "$FOLDER/two" Other zenity --info --title Other --text Other
        DISPLAY=:6 XAUTHORITY="$FOLDER/two" sh -c 'env -i HOME="$HOME" PATH="$PATH" HANDEYE_NO_DAEMON=1 handeye apps; true'
    """)
    assert "zenity" in output and "mousepad" not in output


def test_a_stale_display_is_named_and_a_live_one_used(machine):
    output = machine.good(f"""
        python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/tmp/.X11-unix/X7")'
        DISPLAY=:7 sleep 1000 &
        bare handeye apps 2>&1 && exit 9
        echo ---
        session 5 "$FOLDER/cookies" Untitled {LETTER}
        bare handeye apps
    """)
    told, used = output.split("---")
    assert "display :7 is stale: nothing accepts connections on /tmp/.X11-unix/X7" in told and "sleep" in told
    assert "mousepad" in used


def test_a_wrong_cookie_is_named(machine):
    told = machine.good("""
        # Where the server itself has its cookie is not to be found out.
        cd "$FOLDER"; server 8 right; cd /
        xauth -q -f "$FOLDER/wrong" add :8 . "$(mcookie)"
        DISPLAY=:8 XAUTHORITY="$FOLDER/wrong" sleep 1000 &
        wait_for started sleep
        # An X server has 700 ms to say no, which a busy machine may overrun: then the display is said not to answer.
        for try in 1 2 3 4 5 6 7 8; do
            told=$(bare handeye apps 2>&1) && exit 9
            case "$told" in *"does not answer"*) ;; *) break ;; esac
        done
        echo "$told"
    """)
    assert f"display :8 does not let this user in: the cookie in {machine.folder}/wrong does not match" in told


def test_a_cookie_of_another_user_is_named_and_not_read(machine):
    told = machine.good("""
        server 8 "$FOLDER/cookies"
        chown 1234 "$FOLDER/cookies" || { echo not root; exit 0; }
        DISPLAY=:8 XAUTHORITY="$FOLDER/cookies" sleep 1000 &
        wait_for started sleep
        bare handeye apps 2>&1 && exit 9 || true
    """)
    if told.startswith("not root"):
        pytest.skip("files can be given to another user by root alone")
    assert f"{machine.folder}/cookies belongs to another user (uid 1234)" in told


def test_a_display_of_another_user_is_left_alone(machine):
    told = machine.good("""
        touch "$FOLDER/x"; chown 1234 "$FOLDER/x" || { echo not root; exit 0; }
        setpriv --reuid 1234 --clear-groups Xvfb :9 -ac -screen 0 800x600x24 -nolisten tcp -noreset >/dev/null 2>&1 &
        wait_for on 9 /dev/null xdotool getdisplaygeometry
        DISPLAY=:9 sleep 1000 &
        wait_for started sleep
        bare handeye apps 2>&1 && exit 9 || true
    """)
    if told.startswith("not root"):
        pytest.skip("programs of another user can be started by root alone")
    assert "no desktop session of this user was found" in told


def test_a_display_that_hangs_costs_little_and_is_named(machine):
    told = machine.good("""
        server 8 "$FOLDER/cookies"
        DISPLAY=:8 XAUTHORITY="$FOLDER/cookies" sleep 1000 &
        wait_for started sleep
        kill -STOP $server_process
        timeout 20 env -i HOME="$HOME" PATH="$PATH" HANDEYE_NO_DAEMON=1 handeye apps 2>&1 && exit 9
        kill -CONT $server_process
    """)
    assert "display :8 does not answer" in told


def test_without_a_session_the_error_has_a_configuration_that_works(machine):
    call = json.dumps({"name": "ax_list_apps", "arguments": {}})
    told = json.loads(machine.good(f"""bare python3 "$FOLDER/talk.py" '{call}' handeye mcp serve"""))
    text = "".join(part.get("text", "") for part in told["content"])
    assert told["isError"] and "no desktop session of this user was found" in text, text
    entry, _ = json.JSONDecoder().raw_decode(text[text.index('{"command"'):])
    words = " ".join([entry["command"], *entry["args"]])
    worked = json.loads(machine.good(f"""bare python3 "$FOLDER/talk.py" '{call}' {words}"""))
    assert not worked.get("isError"), worked


def test_a_private_desktop_of_somebody_else_is_not_used(machine):
    told = machine.good("""
        handeye desktop run -- sh -c 'touch "$FOLDER/up"; exec sleep 1000' &
        wait_for test -e "$FOLDER/up"
        bare handeye apps 2>&1 && exit 9 || true
    """)
    assert "no desktop session of this user was found" in told


def test_a_client_in_a_private_desktop_works_there(machine):
    output = machine.good(f"""
        session 5 "$FOLDER/cookies" Other zenity --info --title Other --text Other
        cat > "$FOLDER/inside" <<'END'
{LETTER} >/dev/null 2>&1 &
until wmctrl -l | grep -q Untitled; do sleep 0.1; done
env -i HOME="$HOME" PATH="$PATH" HANDEYE_NO_DAEMON=1 handeye apps
END
        handeye desktop run -- bash "$FOLDER/inside"
    """)
    assert "mousepad" in output and "zenity" not in output


def test_a_display_that_is_set_is_never_replaced(machine):
    told = machine.good(f"""
        session 5 "$FOLDER/cookies" Untitled {LETTER}
        bare DISPLAY=:44 handeye screenshot -o "$FOLDER/x.png" 2>&1 && exit 9
        test ! -e "$FOLDER/x.png"
    """)
    assert "':44'" in told and "display :44 does not exist" in told, told


def test_a_desktop_of_the_same_path_in_another_container_lives_on(machine):
    """Its processes are seen from here, as those of a container are from its host."""
    machine.good("""
        unshare --mount sh -c 'mount -t tmpfs none /tmp; mkdir -m 1777 /tmp/.X11-unix
            exec handeye desktop run -- sh -c "pwd > /mnt/up; exec sleep 1000"' >/mnt/inner.log 2>&1 &
        wait_for test -s /mnt/up
        sleeper=$(pgrep -x sleep)
        handeye desktop run -- true
        kill -0 "$sleeper"
        pgrep -c -x Xvfb
    """)

"""Attacks on a server that listens: each is refused, and after each a sound client is served as before."""

import contextlib
import http.client
import json
import os
import pwd
import socket
import stat
import subprocess
import sys
import time
import urllib.parse

import pytest

from support import BINARY, PATIENCE, history, wait_for
from support.http import LATEST, STANDARD, TOKEN, HttpServer

OTHER_TOKEN = "another-token-of-the-same-length-0123456"
# What a newcomer has for its first request, and a client for a body.
FIRST_REQUEST, BODY = 10, 30
ME = os.geteuid()


@pytest.fixture(scope="module")
def server(desktop):
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": desktop.path("attacks.log")})
    yield own
    assert own.stop() == 0


@pytest.fixture(autouse=True)
def a_sound_client_is_served(server):
    yield
    assert_healthy(server)


def assert_healthy(server):
    for revision in ("2025-11-25", LATEST):
        speaker = server.speak(revision)
        assert speaker.request("tools/list").result["tools"]
        speaker.close()


def place(server):
    parts = urllib.parse.urlsplit(server.url)
    return parts.hostname, parts.port


def request(server, headers, method="POST", path="/mcp", body=None):
    """What a request with these headers comes to: status, headers, body."""
    connection = http.client.HTTPConnection(*place(server), timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()


def listing(server):
    speaker = server.speak()
    return json.dumps(speaker.body("tools/list", {})), speaker.headers("tools/list", {})


def with_authorization(*values):
    return [(name, value) for name, value in STANDARD.items() if name != "authorization"] + [
        ("authorization", value) for value in values]


def raw_request(server, headers, body):
    """A request whose headers may come twice."""
    connection = http.client.HTTPConnection(*place(server), timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.putrequest("POST", "/mcp")
        for name, value in [*headers, ("content-length", str(len(body)))]:
            connection.putheader(name, value)
        connection.endheaders(body.encode())
        response = connection.getresponse()
        return response.status, response.headers, response.read()


@pytest.mark.parametrize("authorization, error", [
    ((), None),
    (("",), None),
    (("Bearer",), None),
    ((f"Basic {TOKEN}",), None),
    ((TOKEN,), None),
    ((f"Bearer {TOKEN}", f"Bearer {TOKEN}"), None),
    ((f"Bearer {TOKEN}, Bearer {OTHER_TOKEN}",), None),
    ((f"Bearer {OTHER_TOKEN}",), "invalid_token"),
    ((f"Bearer {TOKEN[:-1]}",), "invalid_token"),
    ((f"Bearer {TOKEN}x",), "invalid_token"),
    ((f"Bearer {TOKEN.upper()}",), "invalid_token"),
    (("Bearer " + "x" * 20_000,), None),
])
def test_without_the_token_nothing_is_answered(server, authorization, error):
    body, headers = listing(server)
    status, answered, text = raw_request(server, with_authorization(*authorization) + list(headers.items()), body)
    assert status == 401 and answered["www-authenticate"].startswith("Bearer"), (status, answered.items())
    assert ("error=" in answered["www-authenticate"]) == bool(error)
    assert answered["connection"] == "close"
    assert b"ax_click" not in text and TOKEN.encode() not in text and OTHER_TOKEN.encode() not in text


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT", "OPTIONS", "HEAD"])
def test_every_method_needs_the_token(server, method):
    assert request(server, {"accept": "text/event-stream"}, method)[0] == 401


def test_a_token_in_the_address_is_none(server):
    body, headers = listing(server)
    headers = {**dict(with_authorization()), **headers}
    for name in ("access_token", "token"):
        assert request(server, headers, path=f"/mcp?{name}={TOKEN}", body=body)[0] == 401


@pytest.mark.parametrize("revision", ["2025-11-25", LATEST])
@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"host": "evil.example:80", "origin": "http://evil.example"},
                                     {"origin": "http://evil.example"}, {"origin": "null"}])
def test_a_page_whose_name_was_made_to_lead_here(server, headers, revision):
    speaker = server.speak(revision)
    assert speaker.request("tools/list", headers=headers).status == 403
    body, standard = listing(server)
    # A page does not know the token.
    assert request(server, {**dict(with_authorization()), **standard, **headers}, body=body)[0] in (401, 403)
    speaker.close()


def memory(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("VmRSS:")).split()[1]) * 1024


@pytest.mark.parametrize("with_token", [False, True])
@pytest.mark.parametrize("is_announced", [False, True])
def test_an_endless_body_is_not_read(server, with_token, is_announced):
    before = memory(server)
    authorization = f"authorization: Bearer {TOKEN}\r\n" if with_token else ""
    length = "content-length: 99999999999" if is_announced else "transfer-encoding: chunked"
    head = (f"POST /mcp HTTP/1.1\r\nhost: localhost\r\n{authorization}content-type: application/json\r\n"
            f"accept: application/json, text/event-stream\r\n{length}\r\n\r\n").encode()
    chunk = (b"" if is_announced else b"100000\r\n") + b" " * 0x100000 + (b"" if is_announced else b"\r\n")
    with socket.create_connection(place(server), timeout=PATIENCE) as connection:
        connection.sendall(head)
        sent, answer = 0, b""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(200):
                connection.sendall(chunk)
                sent += len(chunk)
        with contextlib.suppress(ConnectionResetError):
            answer = connection.recv(4096)
    assert sent < 100 * len(chunk), "it was cut"
    assert answer == b"" or answer.startswith(b"HTTP/1.1 413" if with_token else b"HTTP/1.1 401"), answer
    assert memory(server) < before + 64 * 1024 * 1024


def seconds_until_closed(connection, trickle, limit):
    """Sends a byte now and then, and returns after how long the server closed the connection."""
    began = time.monotonic()
    connection.settimeout(0.5)
    while time.monotonic() < began + limit:
        try:
            if trickle:
                connection.sendall(trickle)
            if connection.recv(4096) == b"":
                return time.monotonic() - began
        except TimeoutError:
            continue
        except OSError:
            return time.monotonic() - began
    return None


@pytest.mark.parametrize("begin, trickle", [
    (b"", b""),
    (b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n", b"x-a: b\r\n"),
    (b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\n\r\n", b"x"),
])
def test_a_slow_newcomer_is_cut(server, begin, trickle):
    with socket.create_connection(place(server), timeout=PATIENCE) as connection:
        connection.sendall(begin)
        took = seconds_until_closed(connection, trickle, PATIENCE)
    assert took is not None and took < 3 * FIRST_REQUEST, took


def test_a_slow_body_is_cut_with_the_token_too(server):
    head = (f"POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n"
            "accept: application/json, text/event-stream\r\ncontent-length: 100000\r\n\r\n").encode()
    with socket.create_connection(place(server), timeout=PATIENCE) as connection:
        connection.sendall(head)
        took = seconds_until_closed(connection, b" ", 2 * PATIENCE)
    assert took is not None and took < 2 * BODY, took


def test_two_thousand_connections(server):
    """As many as this process may open at once, and all of them in turn: a sound client gets in at any time."""
    address, held = place(server), []
    try:
        for number in range(2_000):
            try:
                connection = socket.create_connection(address, timeout=PATIENCE)
            except OSError:
                held.pop(0).close()
                continue
            # Some say nothing, some begin a request.
            if number % 2:
                with contextlib.suppress(OSError):
                    connection.sendall(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n")
            held.append(connection)
            if len(held) > 900:
                held.pop(0).close()
            if number % 400 == 399:
                assert_healthy(server)
        assert_healthy(server)
        assert descriptors(server) < 700
    finally:
        for connection in held:
            connection.close()
    wait_for("their places to be free", lambda: descriptors(server) < 100)


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def test_the_id_of_a_session_is_no_authorization(server):
    owner = server.speak("2025-11-25")
    session = {"mcp-session-id": owner.session, "mcp-protocol-version": "2025-11-25"}
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    for authorization in ((), (f"Bearer {OTHER_TOKEN}",)):
        headers = {**dict(with_authorization(*authorization)), **session}
        assert request(server, headers, body=ping)[0] == 401
        assert request(server, headers, "GET")[0] == 401
        assert request(server, headers, "DELETE")[0] == 401
    assert owner.request("ping").result == {}, "it is there as before"
    owner.close()


# The file with the token.


@pytest.fixture
def home(desktop, tmp_path):
    """The environment of a server without a token, whose folder for state is its own."""
    environment = {name: value for name, value in desktop.env.items() if not name.endswith("HTTP_TOKEN")}
    environment.update(XDG_STATE_HOME=str(tmp_path / "state"), HANDEYE_LOG_FILE=os.devnull)
    return environment


def token_file(home):
    return os.path.join(home["XDG_STATE_HOME"], "handeye/http-token")


def printed_token(home):
    run = subprocess.run([BINARY, "mcp", "token"], env=home, capture_output=True, text=True, timeout=PATIENCE, check=True)
    return run.stdout.strip()


@contextlib.contextmanager
def started(home):
    # An empty variable counts as unset.
    own = HttpServer({**home, "HANDEYE_HTTP_TOKEN": ""})
    try:
        yield own
    finally:
        assert own.stop() == 0


def status_with(server, token):
    body, headers = listing(server)
    return request(server, {**dict(with_authorization(f"Bearer {token}")), **headers}, body=body)[0]


def test_the_token_file_is_made_once_for_its_owner(home, tmp_path):
    with started(home) as own, started(home) as other:
        about = os.stat(token_file(home))
        assert stat.S_IMODE(about.st_mode) == 0o600 and about.st_uid == ME
        with open(token_file(home), encoding="ascii") as file:
            token = file.read().strip()
        assert len(token) == 43 and printed_token(home) == token
        assert [status_with(server, token) for server in (own, other)] == [200, 200]
        assert status_with(own, TOKEN) == 401
    with started({**home, "XDG_STATE_HOME": str(tmp_path / "another")}) as own:
        assert status_with(own, token) == 401, "each place has a token of its own"


def refused_start(home, **environment):
    """A server that does not start; what it writes."""
    run = history.run([BINARY, "mcp", "serve", "--http", "--port", "0"], env={**home, **environment}, capture_output=True,
                      text=True, timeout=PATIENCE, check=False)
    assert run.returncode != 0 and run.stdout == "", run
    return run.stderr


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o602])
def test_a_token_file_that_others_can_use_is_refused(home, mode):
    token = printed_token(home)
    os.chmod(token_file(home), mode)
    told = refused_start(home)
    assert token_file(home) in told and "other users" in told and token not in told
    os.chmod(token_file(home), 0o600)
    assert printed_token(home) == token


def test_a_token_file_that_is_a_link_is_refused(home, tmp_path):
    token = printed_token(home)
    elsewhere = tmp_path / "elsewhere"
    os.rename(token_file(home), elsewhere)
    os.symlink(elsewhere, token_file(home))
    told = refused_start(home)
    assert "link" in told and token not in told
    os.unlink(token_file(home))
    os.symlink(tmp_path / "nowhere", token_file(home))
    assert "link" in refused_start(home)
    assert not (tmp_path / "nowhere").exists(), "nothing is made at the end of a link"


@pytest.mark.skipif(ME != 0, reason="files of another user need root")
def test_a_token_file_of_another_user_is_refused(home):
    token = printed_token(home)
    os.chown(token_file(home), pwd.getpwnam("nobody").pw_uid, -1)
    told = refused_start(home)
    assert "another user" in told and token not in told


def test_a_folder_that_is_a_link_is_refused(home, tmp_path):
    os.makedirs(home["XDG_STATE_HOME"])
    (tmp_path / "other").mkdir()
    os.symlink(tmp_path / "other", os.path.join(home["XDG_STATE_HOME"], "handeye"))
    assert "link" in refused_start(home)
    assert not any((tmp_path / "other").iterdir())


@pytest.mark.parametrize("token", ["short", "x" * 31, "with blanks, which no header can have", "x" * 513])
@pytest.mark.parametrize("variable", ["HANDEYE_HTTP_TOKEN", "AXTERMINATOR_HTTP_TOKEN"])
def test_a_token_that_is_set_and_is_none_is_refused(home, variable, token):
    told = refused_start(home, **{variable: token})
    assert variable in told and token not in told


def test_both_variables_and_the_configuration_file_set_the_token(home, tmp_path):
    for variable in ("HANDEYE_HTTP_TOKEN", "AXTERMINATOR_HTTP_TOKEN"):
        assert printed_token({**home, variable: OTHER_TOKEN}) == OTHER_TOKEN
    file = tmp_path / "config.toml"
    file.write_text(f"[http]\ntoken = '{OTHER_TOKEN}'\n", encoding="utf-8")
    file.chmod(0o600)
    assert printed_token({**home, "HANDEYE_CONFIG": str(file)}) == OTHER_TOKEN
    assert not os.path.exists(token_file(home)), "no file is made where it is not needed"
    for mode in (0o644, 0o640, 0o604):
        file.chmod(mode)
        told = refused_start(home, HANDEYE_CONFIG=str(file))
        assert "line 2" in told and "http.token" in told and OTHER_TOKEN not in told


AS_NOBODY = """
import json, sys, urllib.error, urllib.request
url, path = sys.argv[1:3]
try:
    open(path).read()
    print("read")
except OSError as fault:
    print(type(fault).__name__)
body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "nobody", "version": "1"}}}
try:
    print(urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), {
        "content-type": "application/json", "accept": "application/json, text/event-stream"}), timeout=30).status)
except urllib.error.HTTPError as fault:
    print(fault.code)
"""


@pytest.mark.skipif(ME != 0, reason="to be another user needs root")
def test_another_user_of_the_machine_gets_nowhere(home):
    with started(home) as own:
        nobody = pwd.getpwnam("nobody")
        # Not even where the folders above could be entered.
        run = subprocess.run(["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups",
                              "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable, "-c", AS_NOBODY,
                              own.url, token_file(home)], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert run.stdout.split() == ["PermissionError", "401"], run
        assert_healthy_with(own, printed_token(home))


def assert_healthy_with(server, token):
    assert status_with(server, token) == 200


def test_an_application_that_the_server_starts_does_not_get_the_token(desktop, tmp_path):
    seen = tmp_path / "environment"
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": os.devnull},
                     ["--", "/bin/sh", "-c", f"env > {seen}.draft; mv {seen}.draft {seen}; sleep 60"])
    try:
        wait_for("the application", seen.exists)
        assert "PATH=" in seen.read_text() and TOKEN not in seen.read_text()
    finally:
        assert own.stop() == 0

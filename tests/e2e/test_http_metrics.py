"""Health and metrics: another address, without a token, which carries counts and nothing else."""

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import time
import urllib.parse

import pytest

from support import BINARY, PATIENCE, history, wait_for
from support.applications import Application
from support.http import LATEST, TOKEN, HttpServer
from test_http_sse import Stream



class Monitored:
    """A server with an address for metrics."""

    def __init__(self, desktop, folder, *words, **environment):
        self.log = folder / "stderr"
        self.server = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": os.devnull, **environment},
                                 ["--metrics", "0", *words], log=self.log)
        self.url = re.search(r"http://\S+/metrics", self.log.read_text(encoding="utf-8"))[0]
        place = urllib.parse.urlsplit(self.url)
        self.address = (place.hostname, place.port)

    def get(self, path, method="GET", **headers):
        """What a request comes to: status, headers, body."""
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()

    def counts(self):
        """Every line of the metrics: its value by its name with labels in their order."""
        status, headers, text = self.get("/metrics")
        assert status == 200 and headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
        assert text.endswith("# EOF\n"), text
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    def calls(self, tool, outcome="ok"):
        return self.counts().get(f'handeye_calls_total{{tool="{tool}",outcome="{outcome}"}}', 0)


@pytest.fixture(scope="module")
def monitored(desktop, tmp_path_factory):
    own = Monitored(desktop, tmp_path_factory.mktemp("metrics"))
    yield own
    assert own.server.stop() == 0


def test_health(monitored):
    status, headers, text = monitored.get("/health")
    assert status == 200 and headers["content-type"] == "application/json" and json.loads(text) == {"status": "ok"}
    assert monitored.get("/health", "HEAD")[0] == 200
    assert monitored.get("/health", "POST")[0] == 405
    assert monitored.get("/mcp", "POST", authorization=f"Bearer {TOKEN}")[0] == 404, "it is for nothing else"
    assert monitored.get("/")[0] == 404


@pytest.mark.parametrize("revision", ["2025-11-25", LATEST])
def test_calls_are_counted_by_tool_and_outcome(monitored, revision):
    before = monitored.calls("ax_list_apps"), monitored.calls("ax_get_tree", "app_not_found")
    durations = 'handeye_call_duration_seconds_count{tool="ax_list_apps"}'
    timed = monitored.counts().get(durations, 0)
    speaker = monitored.server.speak(revision)
    for _ in range(3):
        assert not speaker.call("ax_list_apps").get("isError")
    assert speaker.call("ax_get_tree", app="no-such-application")["isError"]
    speaker.close()
    assert monitored.calls("ax_list_apps") == before[0] + 3
    assert monitored.calls("ax_get_tree", "app_not_found") == before[1] + 1
    counts = monitored.counts()
    assert counts[durations] == timed + 3
    assert counts['handeye_call_duration_seconds_bucket{le="+Inf",tool="ax_list_apps"}'] == counts[durations]
    assert abs(counts["process_start_time_seconds"] - time.time()) < 600


def test_clients_add_no_labels(monitored):
    speaker = monitored.server.speak(name="a-client-of-its-own")
    for name in ("no_such_tool", 'x"} 1 handeye_evil 7'):
        assert speaker.request("tools/call", name=name, arguments={}).error
    speaker.call("ax_get_tree", app="a-name-that-nobody-has")
    speaker.close()
    text = monitored.get("/metrics")[2]
    for absent in ("no_such_tool", "evil", "a-name-that-nobody-has", "a-client-of-its-own", TOKEN, "127.0.0.1"):
        assert absent not in text, text
    assert set(re.findall(r'(\w+)="', text)) <= {"tool", "outcome", "le", "reason"}


def test_connections_and_sessions(monitored):
    def open_now(name):
        return monitored.counts()[f"handeye_http_{name}"]

    wait_for("connections of earlier tests to end", lambda: open_now("authenticated_connections") == 0)
    before = open_now("sessions")
    speaker = monitored.server.speak("2025-11-25")
    assert open_now("sessions") == before + 1
    assert open_now("authenticated_connections") == 1 and open_now("connections") >= 1
    with contextlib.closing(Stream(monitored.server)):
        assert open_now("sessions") == before + 2
    wait_for("the stream's session to end", lambda: open_now("sessions") == before + 1)
    assert speaker.end().status == 204
    assert open_now("sessions") == before
    speaker.close()
    wait_for("the connection to end", lambda: open_now("authenticated_connections") == 0)
    place = urllib.parse.urlsplit(monitored.server.url)
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE):
        wait_for("a connection without a token", lambda: open_now("connections") == 1)
        assert open_now("authenticated_connections") == 0


def test_requests_without_a_token_are_counted(monitored):
    def refused(reason):
        return monitored.counts().get(f'handeye_http_refused_requests_total{{reason="{reason}"}}', 0)

    before = refused("missing"), refused("invalid")
    place = urllib.parse.urlsplit(monitored.server.url)
    for headers in ({}, {"authorization": "Bearer another-token-of-some-length-0123456"}):
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("POST", "/mcp", "{}", headers)
            assert connection.getresponse().status == 401
    assert (refused("missing"), refused("invalid")) == (before[0] + 1, before[1] + 1)


def test_blocked_and_limited_calls_are_counted(desktop, tmp_path):
    rules = tmp_path / "security.toml"
    rules.write_text(f"[apps]\ndenied = ['exe:{os.path.realpath(shutil.which('xmessage'))}']\n", encoding="utf-8")
    rules.chmod(0o600)
    vault = Application(desktop, [shutil.which("xmessage"), "-center", "Gold in the vault"], "xmessage")
    own = Monitored(desktop, tmp_path, HANDEYE_SECURITY_FILE=str(rules), HANDEYE_RATE_LIMIT_RPS="4",
                    HANDEYE_AUDIT_LOG=str(tmp_path / "audit.jsonl"), XDG_RUNTIME_DIR=str(tmp_path))
    try:
        counts = own.counts()
        assert counts["handeye_blocked_calls_total"] == counts["handeye_rate_limited_calls_total"] == 0
        speaker = own.server.speak()
        assert speaker.call("ax_screenshot", app="xmessage")["isError"]
        assert own.counts()["handeye_blocked_calls_total"] == 1 and own.calls("ax_screenshot", "blocked") == 1
        answers = [speaker.call("ax_list_apps") for _ in range(12)]
        limited = sum(bool(answer.get("isError")) for answer in answers)
        assert limited and own.counts()["handeye_rate_limited_calls_total"] == limited
        speaker.close()
    finally:
        vault.stop()
        assert own.server.stop() == 0


@pytest.mark.parametrize("headers, expected", [
    ({"host": "evil.example"}, 403), ({"origin": "http://evil.example"}, 403), ({"origin": "null"}, 403),
    ({"host": "localhost"}, 200), ({"host": "192.0.2.7:9464"}, 200), ({"host": ""}, 400),
], ids=str)
def test_web_pages_see_nothing(monitored, headers, expected):
    assert monitored.get("/metrics", **headers)[0] == expected
    assert monitored.get("/health", **headers)[0] == expected


def test_names_for_metrics_can_be_added(desktop, tmp_path):
    own = Monitored(desktop, tmp_path, "--allowed-hosts", "desk.example")
    assert own.get("/health", host="desk.example:9464")[0] == 200
    assert own.get("/health", host="other.example")[0] == 403
    assert own.server.stop() == 0


def test_slow_and_many_connections_cost_nothing(monitored):
    held = [socket.create_connection(monitored.address, timeout=PATIENCE) for _ in range(200)]
    try:
        for connection in held[::2]:
            with contextlib.suppress(OSError):
                connection.sendall(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n")
        assert monitored.get("/health")[0] == 200
        assert len(os.listdir(f"/proc/{monitored.server.process.pid}/fd")) < 200
    finally:
        for connection in held:
            connection.close()


def test_there_is_none_unless_it_is_asked_for(desktop):
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": os.devnull})
    place = urllib.parse.urlsplit(own.url)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request("GET", "/metrics", headers={"authorization": f"Bearer {TOKEN}"})
        assert connection.getresponse().status == 404
    assert own.stop() == 0


@pytest.mark.parametrize("words, why", [
    (["--metrics", "0.0.0.0"], "with a port"), (["--metrics", "desk.example:9464"], "with a port"), (["--metrics", "70000"], "port"),
])
def test_what_is_no_address_is_refused(words, why):
    run = history.run([BINARY, "mcp", "serve", "--http", "--port", "0", *words], capture_output=True, text=True, timeout=PATIENCE,
                      check=False, env={**os.environ, "HANDEYE_LOG_FILE": os.devnull})
    assert run.returncode == 2 and why in run.stderr, run


def test_an_address_in_use_is_named(monitored):
    run = history.run([BINARY, "mcp", "serve", "--http", "--port", "0", "--metrics", f"127.0.0.1:{monitored.address[1]}"],
                      capture_output=True, text=True, timeout=PATIENCE, check=False,
                      env={**os.environ, "HANDEYE_LOG_FILE": os.devnull})
    assert run.returncode == 1 and str(monitored.address[1]) in run.stderr and run.stdout == "", run

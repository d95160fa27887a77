"""Access tokens of a real authorization server: which are accepted, for what, and whose what was begun with them is."""

import http.client
import json
import os
import re
import subprocess
import time
import urllib.parse

import pytest

from conftest import required
from support import BINARY, PATIENCE, history, wait_for
from support.authorization import AuthorizationServer
from support.http import LATEST, STANDARD, HttpServer

# How often keys are fetched at most.
BETWEEN = 10


@pytest.fixture(scope="module")
def authority():
    os.environ.setdefault("HANDEYE_OAUTH_MODULES", required("HANDEYE_OAUTH_MODULES"))
    own = AuthorizationServer(required("HANDEYE_NODE"))
    yield own
    own.stop()


def serve(desktop, authority, **environment):
    return HttpServer({**desktop.env, "HANDEYE_HTTP_TOKEN": "", "HANDEYE_HTTP_ISSUER": authority.issuer,
                       "HANDEYE_LOG_FILE": desktop.path("oauth.log"), **environment})


@pytest.fixture(scope="module")
def server(desktop, authority):
    own = serve(desktop, authority)
    yield own
    assert own.stop() == 0


def ask(server, token, method, revision=LATEST, session=None, verb="POST", **params):
    """What a request with this token comes to: status, headers, body."""
    place = urllib.parse.urlsplit(server.url)
    headers = {**STANDARD, "mcp-protocol-version": revision}
    del headers["authorization"]
    if token:
        headers["authorization"] = f"Bearer {token}"
    if session:
        headers["mcp-session-id"] = session
    if revision == LATEST:
        meta = "io.modelcontextprotocol/"
        params["_meta"] = {f"{meta}protocolVersion": LATEST, f"{meta}clientCapabilities": {}}
        named = params.get("name") or params.get("uri")
        headers |= {"mcp-method": method, **({"mcp-name": named} if named else {})}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) if verb == "POST" else None
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
    try:
        connection.request(verb, place.path, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode()
    finally:
        connection.close()


def status(server, token):
    return ask(server, token, "tools/list")[0]


def challenge(headers):
    scheme, _, rest = headers["www-authenticate"].partition(" ")
    assert scheme == "Bearer"
    return dict(re.findall(r'(\w+)="([^"]*)"', rest))


def test_a_token_of_the_server_is_accepted(server, authority):
    token = authority.token(server.url, "read")
    assert status(server, token) == 200
    assert "isError\":true" not in ask(server, token, "tools/call", name="ax_list_apps", arguments={})[2].replace(" ", "")


def test_a_client_without_a_token_learns_where_to_get_one(server, authority):
    code, headers, _ = ask(server, None, "tools/list")
    assert code == 401
    metadata = challenge(headers)["resource_metadata"]
    assert metadata == server.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    place = urllib.parse.urlsplit(server.url)
    for path in ("/.well-known/oauth-protected-resource", urllib.parse.urlsplit(metadata).path):
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
        connection.request("GET", path)
        response = connection.getresponse()
        document = json.loads(response.read())
        connection.close()
        assert response.status == 200 and response.headers["content-type"] == "application/json"
        assert document["resource"] == server.url and document["authorization_servers"] == [authority.issuer]
        assert document["scopes_supported"] == ["read", "act", "files", "clipboard", "script"]


NOW = time.time


@pytest.mark.parametrize("change", [
    {"aud": "http://127.0.0.1:1/mcp"}, {"aud": ["http://127.0.0.1:1/mcp", "other"]}, {"aud": None}, {"aud": ""},
    {"iss": "http://evil.example"}, {"iss": None}, {"exp": None}, {"exp": "never"}, {"sub": None}, {"sub": ""},
    {"exp": -120}, {"nbf": +120}, {"cnf": {"jkt": "x"}},
], ids=str)
def test_claims_that_are_refused(server, authority, change):
    change = {name: int(NOW()) + value if isinstance(value, int) else value for name, value in change.items()}
    code, headers, text = ask(server, authority.sign(authority.claims(server.url, **change)), "tools/list")
    assert code == 401 and challenge(headers)["error"] == "invalid_token", (code, text)
    assert "ax_click" not in text


@pytest.mark.parametrize("change", [{}, {"aud": ["other"]}, {"nbf": -10}, {"exp": -5}, {"nbf": +5}], ids=str)
def test_claims_that_are_accepted(server, authority, change):
    """Several audiences, and clocks that differ by a few seconds."""
    change = {name: int(NOW()) + value if isinstance(value, int) else value for name, value in change.items()}
    if "aud" in change:
        change["aud"] = [*change["aud"], server.url]
    for key in ("RS256", "ES256"):
        assert status(server, authority.sign(authority.claims(server.url, **change), key)) == 200, key


@pytest.mark.parametrize("header", [
    {"alg": "none"}, {"alg": "HS256"}, {"alg": "HS512"}, {"kid": "ES256-1"}, {"kid": "nobody"}, {"typ": "logout+jwt"},
    {"typ": "dpop+jwt"},
], ids=str)
def test_headers_that_are_refused(server, authority, header):
    """Without a signature, with the public key as a secret, by another key than it names, and a JWT for something else."""
    assert status(server, authority.sign(authority.claims(server.url), **header)) == 401


@pytest.mark.parametrize("token", ["x", "x.y", "x.y.z", "a.b.c.d.e", "eyJhbGciOiJSUzI1NiJ9..", "." * 100])
def test_what_is_no_jwt_is_refused(server, token):
    assert status(server, token) == 401


def test_a_changed_token_is_refused(server, authority):
    head, claims, signature = authority.sign(authority.claims(server.url, scope="read")).split(".")
    other = authority.sign(authority.claims(server.url)).split(".")[1]
    assert status(server, f"{head}.{other}.{signature}") == 401
    assert status(server, f"{head}.{claims}.{signature[:-4]}AAAA") == 401
    assert status(server, f"{head}.{claims}.") == 401
    assert status(server, f"{head}.{claims}.{signature}") == 200


@pytest.mark.parametrize("scope, tool, arguments, wanted", [
    ("read", "ax_key_press", {"app": "nobody", "keys": "a"}, "read act"),
    ("read act", "ax_clipboard", {"action": "read"}, "read act clipboard"),
    ("read act", "ax_run_script", {"script": "true"}, "read act script"),
    ("read", "analyze", {"image_path": "/etc/hostname.png", "question": "?"}, "read files"),
    ("clipboard", "ax_list_apps", {}, "read clipboard"),
    ("", "ax_list_apps", {}, "read"),
    ("openid", "ax_list_apps", {}, "read"),
])
def test_a_missing_scope_is_named_and_then_had(server, authority, scope, tool, arguments, wanted):
    token = authority.sign(authority.claims(server.url, scope=scope))
    code, headers, _ = ask(server, token, "tools/call", name=tool, arguments=arguments)
    assert code == 403
    named = challenge(headers)
    assert (named["error"], named["scope"]) == ("insufficient_scope", wanted) and "resource_metadata" in named
    # The step up: the server of the tests issues what was named.
    stepped = authority.token(server.url, named["scope"])
    assert ask(server, stepped, "tools/call", name=tool, arguments=arguments)[0] == 200


def test_the_gate_checks_what_a_workflow_calls(desktop, authority):
    """The outer call has its scopes, and a step of it has not."""
    own = serve(desktop, authority, HANDEYE_TOOLSETS="all")
    try:
        def read_by(scope):
            token = authority.sign(authority.claims(own.url, scope=scope))
            steps = [{"tool": "ax_clipboard", "args": {"action": "read"}}]
            code, _, text = ask(own, token, "tools/call", name="ax_workflow", arguments={"name": "x", "steps": steps})
            assert code == 200, text
            return text
        assert "lacks the scope clipboard" in read_by("read act")
        assert "lacks the scope" not in read_by("read act clipboard")
    finally:
        assert own.stop() == 0


def test_resources_need_what_they_show(server, authority):
    reader = authority.sign(authority.claims(server.url, scope="read"))
    assert ask(server, reader, "resources/read", uri="handeye://apps")[0] == 200
    assert ask(server, reader, "resources/read", uri="handeye://clipboard")[0] == 403
    nobody = authority.sign(authority.claims(server.url, scope=""))
    assert ask(server, nobody, "resources/list")[0] == 403
    assert ask(server, nobody, "resources/read", uri="handeye://apps")[0] == 403
    assert ask(server, nobody, "tools/list")[0] == 200


OLDER = "2025-11-25"


def test_a_session_belongs_to_its_principal(server, authority):
    alice, bob = (authority.sign(authority.claims(server.url, sub=name)) for name in ("alice", "bob"))
    hello = {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    code, headers, _ = ask(server, alice, "initialize", OLDER, **hello)
    session = headers["mcp-session-id"]
    assert code == 200 and session
    assert ask(server, bob, "ping", OLDER, session)[0] == 404
    assert ask(server, bob, "", OLDER, session, verb="GET")[0] == 404
    assert ask(server, bob, "", OLDER, session, verb="DELETE")[0] in (204, 404)
    assert ask(server, alice, "ping", OLDER, session)[0] == 200, "it is there as before"


def test_references_belong_to_their_principal(server, authority, gtk3_shared):
    def call(name, tool, **arguments):
        token = authority.sign(authority.claims(server.url, sub=name))
        return ask(server, token, "tools/call", name=tool, arguments=arguments)[2]
    outline = call("alice", "ax_get_tree", app=gtk3_shared.app)
    reference = outline[outline.index("[ref=e") + 5:].split("]")[0]
    assert '"isError":true' not in call("alice", "ax_get_attributes", app=gtk3_shared.app, query=reference).replace(" ", "")
    assert '"isError":true' in call("bob", "ax_get_attributes", app=gtk3_shared.app, query=reference).replace(" ", "")


def test_rotated_keys_are_fetched_and_old_ones_are_not_believed(server, authority):
    old = authority.sign(authority.claims(server.url))
    assert status(server, old) == 200
    authority.rotate()
    wait_for("a token of the new keys to be accepted",
             lambda: status(server, authority.sign(authority.claims(server.url))) == 200, 4 * BETWEEN, every=0.5)
    assert status(server, old) == 401


def refused_start(desktop, *words, **environment):
    run = history.run([BINARY, "mcp", "serve", "--http", "--port", "0", *words],
                      env={**desktop.env, "HANDEYE_LOG_FILE": os.devnull, **environment}, capture_output=True, text=True,
                      timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL)
    assert run.returncode != 0 and run.stdout == "", run
    return run.stderr


def test_an_issuer_that_is_none_ends_the_start(desktop, authority):
    assert "https://" in refused_start(desktop, "--auth-issuer", "http://id.example")
    assert "not a URL" in refused_start(desktop, HANDEYE_HTTP_ISSUER="nonsense")
    assert "cannot be reached" in refused_start(desktop, "--auth-issuer", "http://127.0.0.1:1")
    assert "another issuer" in refused_start(desktop, "--auth-issuer", authority.issuer + "/")
    assert "issuer" in refused_start(desktop, "--audience", "https://h.example/mcp")


def test_an_issuer_that_is_gone_lets_nobody_new_in(desktop):
    own = AuthorizationServer(required("HANDEYE_NODE"))
    try:
        server = serve(desktop, own)
        try:
            known, unknown = (own.sign(own.claims(server.url), **header) for header in ({}, {"kid": "another"}))
            own.stop()
            assert status(server, known) == 200, "its keys are kept for a while"
            wait_for("a token of an unknown key to be answered with 503", lambda: status(server, unknown) == 503,
                     3 * BETWEEN, every=0.5)
            assert status(server, known) == 200
        finally:
            assert server.stop() == 0
    finally:
        if own.process.poll() is None:
            own.stop()

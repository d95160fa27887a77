"""A server that other machines reach: encrypted by its own certificate or by a proxy, and by the names that it was given."""

import contextlib
import http.client
import json
import os
import pwd
import shutil
import socket
import ssl
import time
import urllib.parse

import pytest

from support import BINARY, PATIENCE, history, wait_for
from support.certificates import Authority, openssl
from support.http import LATEST, STANDARD, HttpServer

# What a newcomer has for its handshake and its first request, and how many there are at most.
FIRST_REQUEST, NEWCOMERS = 10, 64
ME = os.geteuid()


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def issued(authority):
    return authority.issue("first")


@pytest.fixture(scope="module")
def server(desktop, issued):
    own = serve(desktop, *issued)
    yield own
    assert own.stop() == 0


def serve(desktop, certificate, key, *words, **environment):
    env = {**desktop.env, "HANDEYE_LOG_FILE": os.devnull, **environment}
    return HttpServer(env, ["--tls-cert", str(certificate), "--tls-key", str(key), *words])


def place(server):
    parts = urllib.parse.urlsplit(server.url)
    return parts.hostname, parts.port


def tools_of(server, authority, revision=LATEST, **options):
    speaker = server.speak(revision, trust=authority.trust(), **options)
    tools = speaker.request("tools/list").result["tools"]
    speaker.close()
    return tools


@pytest.fixture(autouse=True)
def a_sound_client_is_served(server, authority):
    yield
    assert tools_of(server, authority)


@pytest.mark.parametrize("revision", ["2025-11-25", LATEST])
def test_clients_are_served_encrypted(server, authority, revision):
    assert server.url.startswith("https://127.0.0.1:")
    assert any(tool["name"] == "ax_click" for tool in tools_of(server, authority, revision))


def test_encryption_does_not_replace_the_token(server, authority):
    connection = http.client.HTTPSConnection(*place(server), timeout=PATIENCE, context=authority.trust())
    with contextlib.closing(connection):
        connection.request("POST", "/mcp", "{}", {name: value for name, value in STANDARD.items() if name != "authorization"})
        assert connection.getresponse().status == 401


@pytest.mark.parametrize("kind", [("RSA", "rsa_keygen_bits:2048"), ("EC", "ec_paramgen_curve:P-384"), ("ED25519", None)], ids=str)
def test_kinds_of_keys(desktop, authority, kind):
    own = serve(desktop, *authority.issue(f"kind-{kind[0]}", kind=kind))
    assert tools_of(own, authority)
    assert own.stop() == 0


def shake_hands(server, context, host="localhost"):
    with socket.create_connection(place(server), timeout=PATIENCE) as plain, context.wrap_socket(plain, server_hostname=host) as own:
        return own.version(), own.selected_alpn_protocol(), own.getpeercert()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_versions_of_tls(server, authority, version):
    context = authority.trust()
    context.minimum_version = context.maximum_version = version
    context.set_alpn_protocols(["h2", "http/1.1"])
    assert shake_hands(server, context)[:2] == (version.name.replace("_", "."), "http/1.1")


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_old_versions_of_tls_are_refused(server, authority):
    context = authority.trust()
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    with pytest.raises(ssl.SSLError):
        shake_hands(server, context)


def test_nothing_is_said_in_the_clear(server):
    with socket.create_connection(place(server), timeout=PATIENCE) as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n")
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while chunk := connection.recv(4096):
                answer += chunk
    assert b"HTTP" not in answer, answer


@pytest.mark.parametrize("begin", [b"", b"\x16\x03\x01\x02\x00\x01"])
def test_a_handshake_has_a_deadline(server, begin):
    began = time.monotonic()
    with socket.create_connection(place(server), timeout=3 * FIRST_REQUEST) as connection:
        connection.sendall(begin)
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(1) == b""
    assert time.monotonic() - began < 3 * FIRST_REQUEST


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def test_handshakes_that_never_end_take_no_place_of_others(server, authority):
    before, held = descriptors(server), []
    try:
        for _ in range(4 * NEWCOMERS):
            held.append(socket.create_connection(place(server), timeout=PATIENCE))
            held[-1].sendall(b"\x16\x03\x01")
        assert tools_of(server, authority)
        assert descriptors(server) <= before + 2 * NEWCOMERS
    finally:
        for connection in held:
            connection.close()


def common_name(server, authority):
    subject = shake_hands(server, authority.trust())[2]["subject"]
    return dict(pair for part in subject for pair in part)["commonName"]


def put(pair, files):
    """Exchanges files as programs that renew certificates do: by new ones with the same names."""
    for source, target in zip(pair, files):
        draft = f"{target}.draft"
        shutil.copy(source, draft)
        os.chmod(draft, 0o600)
        os.replace(draft, target)


def overwrite(pair, files):
    """Exchanges their content."""
    for source, target in zip(pair, files):
        shutil.copyfile(source, target)


def link(pair, files):
    """Exchanges the links that lead to them."""
    for source, target in zip(pair, files):
        os.symlink(source, f"{target}.draft")
        os.replace(f"{target}.draft", target)


@pytest.mark.parametrize("exchange", [put, overwrite, link])
def test_a_renewed_certificate_is_used_and_connections_stay(desktop, authority, tmp_path, exchange):
    files = tmp_path / "server.pem", tmp_path / "server.key"
    put(authority.issue("before"), files)
    own = serve(desktop, *files)
    assert common_name(own, authority) == "before"
    speaker = own.speak(trust=authority.trust())
    assert speaker.request("tools/list").result["tools"]
    kept = speaker.connection().sock
    exchange(authority.issue("after"), files)
    wait_for("the renewed certificate", lambda: common_name(own, authority) == "after")
    assert speaker.request("tools/list").result["tools"] and speaker.connection().sock is kept
    assert own.stop() == 0


def test_a_broken_renewal_changes_nothing_and_is_logged(desktop, authority, tmp_path):
    files, log = (tmp_path / "server.pem", tmp_path / "server.key"), tmp_path / "log"
    put(authority.issue("sound"), files)
    own = serve(desktop, *files, HANDEYE_LOG_FILE=str(log))

    def warnings():
        return [line for line in log.read_text(encoding="utf-8").splitlines() if "cannot be renewed" in line]

    seen = 0
    other = authority.issue("other")
    for broken in (lambda: files[0].write_text("-----BEGIN CERTIFICATE-----\nx\n"), lambda: files[0].write_text(""),
                   files[0].unlink, lambda: shutil.copyfile(other[0], files[0]), lambda: files[1].chmod(0o644)):
        broken()
        wait_for("a warning", lambda: len(warnings()) > seen)
        seen = len(warnings())
        assert common_name(own, authority) == "sound"
    assert "PRIVATE" not in log.read_text(encoding="utf-8")
    put(other, files)
    wait_for("the certificate that is whole again", lambda: common_name(own, authority) == "other")
    assert own.stop() == 0


# What ends a start.


def refused(*words, code=2, **environment):
    """What a server that does not start writes."""
    run = history.run([BINARY, "mcp", "serve", "--http", "--port", "0", *map(str, words)], capture_output=True, text=True,
                      timeout=PATIENCE, check=False,
                      env={**os.environ, "HANDEYE_LOG_FILE": os.devnull, **environment})
    assert run.returncode == code and run.stdout == "", run
    return run.stderr


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1"])
def test_other_machines_are_not_served_in_the_clear(address):
    told = refused("--bind", address, "--allowed-hosts", "desk.example", code=5)
    for way in ("other machines", "ssh -L", "--tls-cert", "--behind-proxy"):
        assert way in told, told
    assert "other machines" in refused(code=5, HANDEYE_HTTP_BIND=address)


def test_half_of_what_is_needed_is_refused(issued):
    certificate, key = issued
    assert "--tls-key" in refused("--tls-cert", certificate)
    assert "--tls-cert" in refused("--tls-key", key)
    assert "--allowed-hosts" in refused("--bind", "0.0.0.0", "--tls-cert", certificate, "--tls-key", key)
    assert "--allowed-hosts" in refused("--bind", "::", "--behind-proxy")
    assert "--audience" in refused("--behind-proxy", "--auth-issuer", "https://id.example")
    for name in ("https://desk.example", "desk.example:443", "*", "*.example"):
        assert "host name" in refused("--behind-proxy", "--allowed-hosts", name)


@pytest.mark.parametrize("content, why", [
    ("", "contains no certificate"), ("nonsense", "contains no certificate"),
    ("-----BEGIN CERTIFICATE-----\nAAAA", "malformed"), ("-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n", "malformed"),
    ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "not valid"), ("x" * 300_000, "256 KiB"),
], ids=["nothing", "nonsense", "cut", "no base64", "no certificate", "large"])
def test_what_is_no_certificate_is_refused(issued, tmp_path, content, why):
    file = tmp_path / "server.pem"
    file.write_text(content, encoding="ascii")
    told = refused("--tls-cert", file, "--tls-key", issued[1])
    assert str(file) in told and why in told, told


@pytest.mark.parametrize("content, why", [
    ("", "contains no key"), ("nonsense", "contains no key"), ("-----BEGIN PRIVATE KEY-----\nAAAA", "malformed"),
    ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "not supported"), ("x" * 300_000, "256 KiB"),
], ids=["nothing", "nonsense", "cut", "no key", "large"])
def test_what_is_no_key_is_refused(issued, tmp_path, content, why):
    file = tmp_path / "server.key"
    file.write_text(content, encoding="ascii")
    file.chmod(0o600)
    told = refused("--tls-cert", issued[0], "--tls-key", file)
    assert str(file) in told and why in told and "AAAA" not in told, told


def test_keys_of_others_and_encrypted_ones_are_refused(authority, issued, tmp_path):
    other = authority.issue("another")
    assert "is not that of the key" in refused("--tls-cert", issued[0], "--tls-key", other[1])
    encrypted = tmp_path / "encrypted.key"
    openssl("pkey", "-in", issued[1], "-aes256", "-passout", "pass:secret", "-out", encrypted)
    encrypted.chmod(0o600)
    assert "encrypted" in refused("--tls-cert", issued[0], "--tls-key", encrypted)
    assert "cannot be read" in refused("--tls-cert", tmp_path / "none.pem", "--tls-key", issued[1], code=1)


def test_a_key_that_others_can_use_is_refused(issued, tmp_path, desktop):
    key = tmp_path / "server.key"
    shutil.copyfile(issued[1], key)
    for mode in (0o644, 0o604, 0o660, 0o620, 0o602):
        key.chmod(mode)
        told = refused("--tls-cert", issued[0], "--tls-key", key, code=5)
        assert "other users" in told and str(key) in told and "PRIVATE" not in told, told
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo, 0o600)
    assert "not a file" in refused("--tls-cert", issued[0], "--tls-key", fifo, code=5)
    assert "not a file" in refused("--tls-cert", fifo, "--tls-key", issued[1], code=5)
    key.chmod(0o640)
    assert serve(desktop, issued[0], key).stop() == 0


@pytest.mark.skipif(ME != 0, reason="files of another user need root")
def test_a_key_of_another_user_is_refused(issued, tmp_path):
    key = tmp_path / "server.key"
    shutil.copyfile(issued[1], key)
    key.chmod(0o600)
    os.chown(key, pwd.getpwnam("nobody").pw_uid, -1)
    assert "another user" in refused("--tls-cert", issued[0], "--tls-key", key, code=5)


# Names.


def status(server, headers, trust=None):
    """What a request with these headers comes to, by an address of this machine."""
    port = urllib.parse.urlsplit(server.url).port
    if trust:
        # The name in the certificate is not what this is about.
        trust.check_hostname = False
    connection = (http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE, context=trust) if trust
                  else http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE))
    meta = "io.modelcontextprotocol/"
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list",
            "params": {"_meta": {f"{meta}protocolVersion": LATEST, f"{meta}clientCapabilities": {}}}}
    with contextlib.closing(connection):
        connection.request("POST", "/mcp", json.dumps(body), {
            **STANDARD, "mcp-protocol-version": LATEST, "mcp-method": "tools/list", **headers})
        return connection.getresponse().status


@pytest.fixture(scope="module")
def reachable(desktop, issued):
    own = serve(desktop, *issued, "--bind", "0.0.0.0", "--allowed-hosts", "Desk.example,192.0.2.7")
    yield own
    assert own.stop() == 0


@pytest.fixture(scope="module")
def proxied(desktop):
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": os.devnull, "HANDEYE_HTTP_BIND": "0.0.0.0",
                      "HANDEYE_HTTP_BEHIND_PROXY": "true", "HANDEYE_HTTP_ALLOWED_HOSTS": "desk.example"})
    yield own
    assert own.stop() == 0


def test_clients_call_by_the_names_that_were_given(reachable, authority):
    port = urllib.parse.urlsplit(reachable.url).port
    assert reachable.url == f"https://Desk.example:{port}/mcp"
    for host in ("desk.example", "DESK.example", f"desk.example:{port}", "192.0.2.7", f"localhost:{port}", "127.0.0.1"):
        assert status(reachable, {"host": host}, authority.trust()) == 200, host
    for host in ("evil.example", "desk.example.evil.example", "192.0.2.8", "desk", ""):
        assert status(reachable, {"host": host}, authority.trust()) in (400, 403), host
    own = f"https://desk.example:{port}"
    assert status(reachable, {"host": "desk.example", "origin": own}, authority.trust()) == 200
    for origin in ("https://evil.example", f"http://desk.example:{port}", "https://desk.example:1", "null"):
        assert status(reachable, {"host": "desk.example", "origin": origin}, authority.trust()) == 403, origin


def test_behind_a_proxy_names_and_token_are_checked_as_before(proxied):
    for host in ("desk.example", "desk.example:443", "localhost"):
        assert status(proxied, {"host": host}) == 200, host
    assert status(proxied, {"host": "evil.example"}) == 403
    assert status(proxied, {"host": "desk.example", "origin": "https://desk.example"}) == 200
    assert status(proxied, {"host": "desk.example", "origin": "https://evil.example"}) == 403
    assert status(proxied, {"host": "desk.example", "authorization": ""}) == 401


@pytest.mark.parametrize("headers", [
    {"x-forwarded-host": "desk.example"}, {"forwarded": "for=127.0.0.1;host=desk.example;proto=https"},
    {"x-forwarded-for": "127.0.0.1"}, {"x-real-ip": "127.0.0.1"}, {"x-original-host": "desk.example"},
], ids=str)
def test_what_a_proxy_forwards_is_not_believed(proxied, headers):
    assert status(proxied, {**headers, "host": "evil.example"}) == 403
    identity = {"x-forwarded-user": "token", "x-remote-user": "root", "x-forwarded-access-token": "x"}
    assert status(proxied, {**headers, **identity, "host": "desk.example", "authorization": ""}) == 401

"""Fixtures that several test files share."""

import json
import os
import subprocess

import pytest

from support import BINARY, applications, cells, history
from support.bed import Bed
from support.desktop import Desktop
from support.http import HttpServer
from support.people import Asked
from support.provider import Provider
from support.recorder import Person, Recorder, ready
from support.session import Session
from support.shared import made_once
from support.wire import Wire

pytest_plugins = ["support.failure_report", "support.scheduling"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests of one file share a desktop, so they run on one worker, unless they are grouped otherwise."""
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.name))


def pytest_sessionfinish(session):
    """Puts the matrices together once all workers are done."""
    if not hasattr(session.config, "workerinput"):
        import matrix
        import protocol_matrix
        from support.tasks import figures
        matrix.finish()
        protocol_matrix.finish()
        figures.finish()


@pytest.fixture
def handeye(desktop, tmp_path):
    """Runs a command in a folder of its own: its exit code and its fields."""
    def run(*words):
        result = history.run([BINARY, *words, "--format", "json"], env=desktop.env, capture_output=True, text=True,
                             timeout=60, check=False, stdin=subprocess.DEVNULL, cwd=tmp_path)
        return result.returncode, json.loads(result.stdout)
    return run


@pytest.fixture(scope="module")
def desktop():
    """A private desktop for the tests of one file."""
    own = Desktop()
    yield own
    own.stop()


@pytest.fixture(scope="module")
def client(desktop):
    """A client of the newest protocol and its own server, for the tests of one file."""
    session = Session(desktop.env, log=desktop.path("server.log"))
    yield session
    session.close()


@pytest.fixture
def asked(desktop):
    """Makes clients that can be asked, and ends them."""
    clients = []

    def make(*words, **options):
        clients.append(Asked(desktop.env | options.pop("env", {}), *words, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture(params=["auto", "legacy"])
def either(request, desktop):
    """A client of the newest protocol and its server, then one of the protocol before."""
    session = Session(desktop.env, mode=request.param)
    yield session
    session.close()


@pytest.fixture
def wire(desktop):
    """A server and the protocol by hand, hands shaken."""
    own = Wire(desktop.env)
    own.initialize()
    yield own
    own.close()


@pytest.fixture(scope="module")
def http_server(desktop):
    """A server over HTTP for the tests of one file."""
    own = HttpServer({**desktop.env, "HANDEYE_LOG_FILE": desktop.path("http.log")})
    yield own
    own.stop()


@pytest.fixture
def provider():
    """An AI provider, which answers as the test prescribes."""
    own = Provider()
    yield own
    own.stop()


@pytest.fixture(scope="module")
def beds_of_cells():
    """Where the cells of the matrix are tried: made when a toolkit is first asked for, or one under a window manager."""
    with made_once(cells.Bed) as beds:
        yield beds


@pytest.fixture(scope="module")
def bed(desktop, tmp_path_factory):
    """What the conversations of one file are about."""
    own = Bed(desktop, tmp_path_factory.mktemp("pictures"))
    yield own
    own.stop()


@pytest.fixture(scope="module")
def environment(desktop):
    """That of the desktop, with a model that answers questions about pictures: each is a step of progress."""
    provider = Provider()
    yield {**desktop.env, **provider.environment("openai/gpt-4o"), "HANDEYE_LOG_FILE": os.devnull}
    provider.stop()


@pytest.fixture(scope="module")
def server(environment):
    """A server over HTTP for the tests of one file."""
    own = HttpServer(environment)
    yield own
    assert own.stop() == 0


@pytest.fixture
def gtk3(desktop):
    """A fresh GTK 3 fixture application."""
    app = applications.start(desktop, "gtk3", commands=True)
    yield app
    app.stop()


@pytest.fixture(scope="module")
def gtk3_shared(desktop):
    """A GTK 3 fixture application for all tests of a file that leave it as it is."""
    app = applications.start(desktop, "gtk3")
    yield app
    app.stop()


@pytest.fixture
def recording(desktop, tmp_path):
    """Begins a recording of a fixture application: the application, the person at it, the recorder."""
    apps = []

    def begin(toolkit, path="flow.yaml", **options):
        app = ready(desktop, toolkit, **options)
        apps.append(app)
        return app, Person(desktop, app.app), Recorder(desktop, tmp_path / path, "--app", app.app)
    yield begin
    for app in apps:
        app.stop()


@pytest.fixture
def legacy_python():
    """The interpreter that has the older client."""
    return required("HANDEYE_LEGACY_PYTHON")


@pytest.fixture
def inspector():
    """The words that start the MCP Inspector."""
    return [required("HANDEYE_NODE"), os.path.join(required("HANDEYE_NODE_MODULES"), ".bin/mcp-inspector")]


def required(variable):
    """What `cargo xtask test` sets."""
    value = os.environ.get(variable)
    assert value, f"{variable} is not set; run the tests with `cargo xtask test --e2e`"
    return value

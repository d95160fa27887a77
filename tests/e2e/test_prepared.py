"""How a server connects: before the first call and to the bus that is named, and it asks applications to announce no more than they can."""

import subprocess

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection
import pytest

from support import applications, wait_for
from support.session import Session

DAEMON = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
LAUNCHER = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
REGISTRY = DBusAddress("/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "org.a11y.atspi.Registry")
LOGGED = {"HANDEYE_LOG_LEVEL": "off,handeye_atspi=debug"}


def ask(bus, whom, method, *words):
    return bus.send_and_get_reply(new_method_call(whom, method, "s" * len(words) or None, words)).body[0]


def process_of(bus, name):
    """None for one that has just left."""
    answer = ask(bus, DAEMON, "GetConnectionUnixProcessID", name)
    return answer if isinstance(answer, int) else None


@pytest.fixture
def address(desktop):
    """That of the accessibility bus."""
    session = open_dbus_connection(desktop.env["DBUS_SESSION_BUS_ADDRESS"])
    yield ask(session, LAUNCHER, "GetAddress")
    session.close()


@pytest.fixture
def accessibility_bus(address):
    bus = open_dbus_connection(address)
    yield bus
    bus.close()


@pytest.fixture
def bus_without_accessibility(desktop):
    """The address of a session bus on which the accessibility bus can be started, and was not."""
    daemon = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address"], env=desktop.env, stdout=subprocess.PIPE, text=True)
    yield daemon.stdout.readline().strip()
    daemon.kill()
    daemon.wait()


def test_it_is_connected_before_the_first_call_and_listens_to_nobody(desktop, gtk3, accessibility_bus):
    client = Session(desktop.env)

    def names():
        """Those that the server has on the bus."""
        return {name for name in ask(accessibility_bus, DAEMON, "ListNames")
                if name.startswith(":") and process_of(accessibility_bus, name) == client.process}

    def listens():
        return bool(names() & {name for name, _event in ask(accessibility_bus, REGISTRY, "GetRegisteredEvents")})
    try:
        wait_for("two connections to the accessibility bus", lambda: len(names()) == 2)
        assert not listens(), "applications announce their changes to it already"
        before = names()
        client.do("ax_get_tree", app=gtk3.app)
        assert names() == before, "the first call has connected anew"
        assert listens()
    finally:
        client.close()


@pytest.mark.parametrize("first", ["qt5", "gtk3"])
def test_applications_are_asked_for_what_they_may_announce(desktop, accessibility_bus, first):
    client = Session(desktop.env)
    running = {}

    def registered():
        names = {name for name in ask(accessibility_bus, DAEMON, "ListNames")
                 if name.startswith(":") and process_of(accessibility_bus, name) == client.process}
        events = ask(accessibility_bus, REGISTRY, "GetRegisteredEvents")
        return {event.lower() for name, event in events if name in names}

    def of_tables():
        return {event for event in registered() if "row" in event or "document" in event}
    try:
        for kind in ("qt5", "gtk3"):
            running[kind] = applications.start(desktop, kind)
        client.do("ax_get_tree", app=running[first].app)
        assert any("state" in event for event in registered())
        # What Qt 5 never announces is not asked for, as each kind costs all applications work.
        assert bool(of_tables()) == (first == "gtk3"), registered()
        client.do("ax_get_tree", app=running["gtk3"].app)
        assert of_tables(), registered()
    finally:
        client.close()
        for app in running.values():
            app.stop()


@pytest.mark.parametrize("is_right", [True, False])
def test_a_bus_is_the_one_that_its_address_names(desktop, gtk3, address, is_right):
    path, named, guid = address.partition("guid=")
    assert named and len(guid) == 32, address
    named_guid = guid if is_right else guid[::-1]
    client = Session({**desktop.env, "AT_SPI_BUS_ADDRESS": f"{path}guid={named_guid}"})
    try:
        answer = client.call("ax_get_tree", app=gtk3.app)
        assert answer.is_error != is_right, answer.text
        assert is_right or (answer.code == "accessibility_unavailable" and "another one" in answer.text), answer.text
    finally:
        client.close()


def test_it_starts_no_accessibility_bus_before_the_first_call(desktop, bus_without_accessibility):
    log = desktop.path("prepared.log")
    env = {**desktop.env, **LOGGED, "DBUS_SESSION_BUS_ADDRESS": bus_without_accessibility}
    env.pop("AT_SPI_BUS_ADDRESS", None)
    client = Session(env, log=log)
    session = open_dbus_connection(bus_without_accessibility)
    runs = lambda: ask(session, DAEMON, "NameHasOwner", "org.a11y.Bus")  # noqa: E731
    try:
        def has_looked():
            with open(log, encoding="utf-8") as file:
                return "the accessibility bus does not run yet" in file.read()
        wait_for("the server to look for the bus", has_looked)
        assert not runs()
        client.call("ax_list_apps")
        assert runs(), "a call that needs the bus starts it"
    finally:
        session.close()
        client.close()

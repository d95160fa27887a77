"""What programs say of each other: it counts only from who may say it."""

from jeepney import DBusAddress, HeaderFields, new_method_call, new_signal
from jeepney.io.blocking import open_dbus_connection
import pytest

from support import applications, wait_for
from support.session import Session

DAEMON = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
LOGGED = {"HANDEYE_LOG_LEVEL": "off,handeye::audit=info,handeye_atspi=debug"}


class Forger:
    """A program on the accessibility bus that sends all clients signals about other programs."""

    def __init__(self, desktop):
        session = open_dbus_connection(desktop.env["DBUS_SESSION_BUS_ADDRESS"])
        address = session.send_and_get_reply(new_method_call(
            DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus"), "GetAddress")).body[0]
        session.close()
        self.bus = open_dbus_connection(address)

    def ask(self, method, *words):
        return self.bus.send_and_get_reply(new_method_call(DAEMON, method, "s" * len(words) or None, words)).body[0]

    def everybody(self):
        return [name for name in self.ask("ListNames") if name.startswith(":") and name != self.bus.unique_name]

    def tell(self, source, member, signature, body):
        """Sends a signal to each program by its name, and to all who listen."""
        for to in [None, *self.everybody()]:
            message = new_signal(source, member, signature, body)
            if to:
                message.header.fields[HeaderFields.destination] = to
            self.bus.send(message)
        self.ask("GetId")  # The bus has taken all of them.


@pytest.fixture
def forger(desktop):
    return Forger(desktop)


def test_only_the_bus_says_who_has_left(desktop, gtk3, forger):
    log = desktop.path("forged.log")
    client = Session({**desktop.env, **LOGGED}, log=log)

    def loads():
        with open(log, encoding="utf-8") as file:
            return sum(" bulk load" in line for line in file)
    try:
        client.do("ax_find", app=gtk3.app, query="role:button Count")
        wait_for("the load in the log", loads)
        before = loads()
        for name in forger.everybody():
            forger.tell(DAEMON, "NameOwnerChanged", "sss", (name, name, ""))
        gtk3.command(do="add_button", name="After the lie")
        wait_for("what the application tells itself", lambda: not client.call(
            "ax_find", app=gtk3.app, query="After the lie").is_error)
        assert loads() == before, "a program was believed that said of another one that it had left"
    finally:
        client.close()


def test_an_application_changes_only_itself(desktop, gtk3, forger, client):
    """Its window's name, announced by another program."""
    client.do("ax_get_tree", app=gtk3.app)
    path = "/org/a11y/atspi/accessible/root"
    source = DBusAddress(path, interface="org.a11y.atspi.Event.Object")
    forger.tell(source, "PropertyChange", "siiva{sv}", ("accessible-name", 0, 0, ("s", "Forged"), {}))
    gtk3.command(do="add_button", name="After the forgery")
    wait_for("what the application tells itself", lambda: not client.call(
        "ax_find", app=gtk3.app, query="After the forgery").is_error)
    assert "Forged" not in client.do("ax_get_tree", app=gtk3.app).text


def test_the_display_knows_whose_a_window_is(desktop, gtk3, client):
    """Any program may write into a window whose it is."""
    other = applications.start(desktop, "gtk3")
    try:
        desktop.run(["xprop", "-id", str(gtk3.window), "-f", "_NET_WM_PID", "32c", "-set", "_NET_WM_PID", other.app])
        told = desktop.run(["xprop", "-id", str(gtk3.window), "_NET_WM_PID"])
        assert told.endswith(f"= {other.app}"), told
        windows = client.do("ax_list_windows", app=gtk3.app).fields["windows"]
        assert gtk3.title in [window["title"] for window in windows], windows
        windows = client.do("ax_list_windows", app=other.app).fields["windows"]
        assert [window["title"] for window in windows] == [other.title], windows
    finally:
        other.stop()

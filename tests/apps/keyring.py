#!/usr/bin/env python3
"""A Secret Service of one unlocked and one locked item. Arguments: the account of the unlocked item, its secret, that of the locked one."""

import sys

from gi.repository import Gio, GLib

ROOT = "/org/freedesktop/secrets"
INTERFACES = Gio.DBusNodeInfo.new_for_xml("""
<node>
  <interface name="org.freedesktop.Secret.Service">
    <method name="OpenSession">
      <arg direction="in" type="s"/><arg direction="in" type="v"/>
      <arg direction="out" type="v"/><arg direction="out" type="o"/>
    </method>
    <method name="SearchItems">
      <arg direction="in" type="a{ss}"/><arg direction="out" type="ao"/><arg direction="out" type="ao"/>
    </method>
  </interface>
  <interface name="org.freedesktop.Secret.Item">
    <method name="GetSecret"><arg direction="in" type="o"/><arg direction="out" type="(oayays)"/></method>
  </interface>
</node>
""").interfaces
ACCOUNT, SECRET, LOCKED = sys.argv[1:4]


def answer(_bus, _sender, _path, _interface, method, parameters, invocation):
    if method == "OpenSession":
        assert parameters[0] == "plain"
        reply = GLib.Variant("(vo)", (GLib.Variant("s", ""), f"{ROOT}/session/1"))
    elif method == "SearchItems":
        wanted = {"service": "shop"}
        unlocked = parameters[0] == {**wanted, "username": ACCOUNT}
        locked = parameters[0] == {**wanted, "username": LOCKED}
        items = [[f"{ROOT}/item/1"] if unlocked else [], [f"{ROOT}/item/2"] if locked else []]
        reply = GLib.Variant("(aoao)", tuple(items))
    else:
        secret = (parameters[0], b"", SECRET.encode(), "text/plain")
        reply = GLib.Variant("((oayays))", (secret,))
    invocation.return_value(reply)


def own(bus, _name):
    bus.register_object(ROOT, INTERFACES[0], answer, None, None)
    bus.register_object(f"{ROOT}/item/1", INTERFACES[1], answer, None, None)


loop = GLib.MainLoop()
Gio.bus_own_name(Gio.BusType.SESSION, "org.freedesktop.secrets", Gio.BusNameOwnerFlags.NONE, own,
                 lambda *_: print("ready", flush=True), lambda *_: loop.quit())
loop.run()

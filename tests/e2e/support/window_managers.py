"""Other window managers than that of a private desktop, in its place."""

import shutil

from . import wait_for

# What stands in the place of a name where none runs.
NONE = "none"
# By the name that the tables have. openbox is that of a private desktop.
COMMANDS = {
    "xfwm4": ["xfwm4", "--replace", "--compositor=off", "--sm-client-disable"],
    "marco": ["marco", "--replace", "--no-composite", "--sm-disable"],
    "metacity": ["metacity", "--replace", "--no-composite", "--sm-disable"],
    "mutter": ["mutter", "--x11", "--replace", "--sm-disable"],
    "kwin_x11": ["kwin_x11", "--replace"],
    "i3": ["i3", "-c", "i3.conf"],
}
# i3 has windows beside each other otherwise, in the sizes that it likes.
_CONFIGURATIONS = {"i3": '# i3 config file (v4)\nfont pango:monospace 8\nfor_window [class=".*"] floating enable\n'}
_ENVIRONMENT = {"LIBGL_ALWAYS_SOFTWARE": "1"}


def is_installed(manager):
    """Whether the window manager is on this machine."""
    return manager == NONE or shutil.which(COMMANDS[manager][0]) is not None


def replace(desktop, manager):
    """Has another window manager run a desktop on which no window is open yet, and waits until it does."""
    words = list(COMMANDS[manager])
    if manager in _CONFIGURATIONS:
        path = desktop.path(words[-1])
        with open(path, "w", encoding="utf-8") as file:
            file.write(_CONFIGURATIONS[manager])
        words[-1] = path
    if "--replace" not in words:
        leave(desktop)
    desktop.start(words, manager, _ENVIRONMENT)
    wait_for(f"{manager} to manage the windows", lambda: running(desktop) not in (None, "Openbox"))


def leave(desktop):
    """Has openbox leave a desktop to its windows."""
    desktop.run(["openbox", "--exit"])
    wait_for("openbox to leave", lambda: not running(desktop))
    # It leaves these behind.
    for name in ("_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST", "_NET_CLIENT_LIST_STACKING"):
        desktop.run(["xprop", "-root", "-remove", name])


def running(desktop):
    """The name by which the window manager calls itself; None without one."""
    window = desktop.run(["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], check=False).rpartition("# ")[2]
    if not window.startswith("0x"):
        return None
    name = desktop.run(["xprop", "-id", window, "_NET_WM_NAME"], check=False).partition(" = ")[2]
    return name.strip('"') or None

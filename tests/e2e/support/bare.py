"""A machine of its own as far as sessions go: processes, X sockets and runtime folders of no other process are in it.

Each script runs in namespaces of its own and everything that it starts ends with it. `session` starts an X server with a cookie, a
session bus, a window manager and a program; `bare` runs a command as most MCP clients start a server.
"""

import os
import subprocess

from . import BINARY, PATIENCE
from .desktop import outside

PRELUDE = r"""
set -eu
# Lock files of X servers are in /tmp, beside the sockets.
mount --bind "$FOLDER" /mnt; mount -t tmpfs none /tmp; chmod 1777 /tmp
mkdir -p "$FOLDER"; mount --bind /mnt "$FOLDER"
mkdir -m 1777 /tmp/.X11-unix
mount -t tmpfs none /run/user
mkdir -p "$HOME"
export HANDEYE_NO_DAEMON=1 HANDEYE_LOG_FILE=/dev/null

wait_for() { tries=0; until "$@" >/dev/null 2>&1; do tries=$((tries + 1)); [ $tries -lt 900 ] || { echo "waited for: $*" >&2; tail -n 20 "$FOLDER"/*.log >&2; exit 90; }; sleep 0.05; done; }
# A program that is just being started has its name before its environment.
started() { grep -qsz . "/proc/$(pgrep -xo "$1")/environ"; }
server() { number=$1; authority=$2
  xauth -q -f "$authority" add ":$number" . "$(mcookie)" 2>/dev/null
  Xvfb ":$number" -auth "$authority" -screen 0 800x600x24 -nolisten tcp -noreset >"$FOLDER/server$number.log" 2>&1 &
  server_process=$!
  # The socket is there before it takes connections.
  wait_for on "$number" "$authority" xdotool getdisplaygeometry; }
session() { number=$1; authority=$2; title=$3; shift 3
  server "$number" "$authority"
  runtime="$FOLDER/run$number"; mkdir -m 700 "$runtime"
  DISPLAY=":$number" XAUTHORITY="$authority" XDG_RUNTIME_DIR="$runtime" NO_AT_BRIDGE=0 \
    dbus-run-session -- sh -c 'openbox >/dev/null 2>&1 & exec "$@"' sh "$@" >"$FOLDER/session$number.log" 2>&1 &
  wait_for on "$number" "$authority" xdotool search --name "$title"; }
on() { number=$1; authority=$2; shift 2; DISPLAY=":$number" XAUTHORITY="$authority" "$@"; }
bare() { env -i HOME="$HOME" LOGNAME=root USER=root SHELL=/bin/sh TERM=dumb PATH="$PATH" HANDEYE_NO_DAEMON=1 HANDEYE_LOG_FILE=/dev/null "$@"; }
"""


class Bare:
    """Runs scripts that begin with no session at all."""

    def __init__(self, folder):
        self.folder = folder
        self.home = os.path.join(folder, "home")

    def run(self, script, timeout=4 * PATIENCE):
        """Runs a shell script and returns its result. `handeye` is on its path, `$FOLDER` is a folder for its files."""
        env = outside(os.environ)
        env.pop("XDG_RUNTIME_DIR", None)
        env.update(HOME=self.home, FOLDER=self.folder, HANDEYE=BINARY, LC_ALL="C.UTF-8",
                   PATH=os.path.dirname(BINARY) + os.pathsep + env["PATH"])
        unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--net"]
        if os.geteuid() != 0:
            unshare.append("--map-root-user")
        return subprocess.run([*unshare, "/bin/sh", "-c", PRELUDE + script], env=env, capture_output=True, text=True,
                              timeout=timeout, stdin=subprocess.DEVNULL, check=False)

    def good(self, script):
        """What a script prints that has to succeed."""
        result = self.run(script)
        assert result.returncode == 0, f"{result.returncode}: {result.stdout}{result.stderr}"
        return result.stdout

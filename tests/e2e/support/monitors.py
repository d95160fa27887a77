"""The monitors of a desktop, as xrandr lists them."""

import dataclasses
import re

_LINE = re.compile(r" *\d+: \+?(\*?)(\S+) (\d+)/\d+x(\d+)/\d+([+-]\d+)([+-]\d+)")


@dataclasses.dataclass(frozen=True)
class Monitor:
    """A monitor: its name and its place on the screen of the X server, in pixels."""

    name: str
    x: int
    y: int
    width: int
    height: int
    primary: bool

    @property
    def rect(self):
        """x, y, width, height."""
        return self.x, self.y, self.width, self.height

    @property
    def center(self):
        """The pixel in its middle."""
        return self.x + self.width // 2, self.y + self.height // 2


def of(desktop):
    """The monitors of a desktop, in the order of the server."""
    found = []
    for line in desktop.run(["xrandr", "--listmonitors"]).splitlines()[1:]:
        match = _LINE.match(line)
        assert match, line
        primary, name, *numbers = match.groups()
        width, height, x, y = map(int, numbers)
        found.append(Monitor(name, x, y, width, height, bool(primary)))
    return found


def named(desktop):
    """The monitors of a desktop by name."""
    return {monitor.name: monitor for monitor in of(desktop)}


def show(desktop, window, monitor, dx=60, dy=60):
    """Moves a window so that its frame begins `dx`, `dy` pixels inside of a monitor."""
    desktop.run(["xdotool", "windowmove", "--sync", str(window), str(monitor.x + dx), str(monitor.y + dy)], check=False)

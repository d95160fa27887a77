"""Points of pictures on several monitors at several scales: a click by a picture's pixel hits what the picture shows there. The
application itself reports what it got and where its widgets are."""

import pytest

from support import applications, monitors, wait_for
from support.aim import client_area, clicks, middle, picture, pixel
from support.desktop import Desktop
from support.session import Session

# The primary monitor in the middle, one at 1.5 left of it and a little lower, one at 2 on its right.
# Small, as a picture of all of them has to be made many times; the windows may reach over their lower edges.
LAYOUT = ["920x500+0+0", "1380x520-1380+24@1.5", "1820x560+920+0@2"]
SIZES = [(920, 500), (1380, 520), (1820, 560)]
# Which toolkit runs on which monitor, and how it gets the scale: GTK 3 doubles, Qt takes any factor.
SCALED = [("1", "gtk3", {}), ("1.5", "qt5", {"QT_SCALE_FACTOR": "1.5"}), ("2", "gtk3", {"GDK_SCALE": "2"})]
PICTURES = ["screen file", "screen inline", "region", "region inline", "window file", "window inline"]


@pytest.fixture(scope="module")
def desktop():
    """A desktop with three monitors."""
    own = Desktop(monitors=LAYOUT)
    yield own
    own.stop()


@pytest.fixture(scope="module")
def client(desktop):
    """A client whose server puts scaled pictures into its answers, beside the files."""
    session = Session(desktop.env, log=desktop.path("server.log"), arguments=["--image-responses", "inline"])
    yield session
    session.close()


@pytest.fixture(scope="module")
def scaled(desktop):
    """An application on each monitor, by the monitor's scale."""
    by_scale = {}
    by_size = {(monitor.width, monitor.height): monitor for monitor in monitors.of(desktop)}
    for size, (scale, toolkit, env) in zip(SIZES, SCALED):
        app, monitor = Scaled(desktop, toolkit, env), by_size[size]
        monitors.show(desktop, app.window, monitor, 4, 4)
        wait_for(f"the window to be on {monitor}",
                 lambda app=app, monitor=monitor: monitor.x <= client_area(desktop, app)[0] < monitor.x + 100)
        by_scale[scale] = app
    yield by_scale
    for app in by_scale.values():
        app.stop()


class Scaled(applications.Fixture):
    """A fixture application with an environment of its own."""

    def __init__(self, desktop, toolkit, env):
        class WithEnvironment:
            """The desktop, with more variables for what is started."""

            def __getattr__(self, name):
                return getattr(desktop, name)

            def start(self, words, name, more=None):
                return desktop.start(words, name, {**(more or {}), **env})

        super().__init__(WithEnvironment(), toolkit, commands=True)


@pytest.mark.parametrize("mode", ["background", "focus"])
@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("scale", [scale for scale, *_ in SCALED])
def test_a_click_by_pixel_hits(client, desktop, scaled, scale, kind, mode):
    app = scaled[scale]
    if mode == "focus" or not kind.startswith("window"):
        desktop.activate(app.window)
    before = clicks(app)
    taken = picture(client, desktop, app, kind)
    client.do("ax_click_at", mode=mode, **pixel(taken, middle(desktop, app)))
    app.wait("count", before + 1)


def test_the_answer_tells_the_scale_of_the_monitor(client, scaled):
    for scale, app in scaled.items():
        assert client.do("ax_screenshot", app=app.app).fields["scale"] == float(scale)

"""Applications on Java Swing: the fixture, and one that is never quiet."""

import contextlib
import re
import subprocess

from . import applications, wait_for
from .desktop import Desktop
from .session import Session

JAVA = "/usr/lib/jvm/java-17-openjdk-amd64/bin"
WRAPPER = "/usr/share/java/java-atk-wrapper.jar"


def _java(classes, *words):
    """The words that run a class of the folder, exposed to assistive technologies."""
    return [f"{JAVA}/java", "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper",
            "-Djava.library.path=/usr/lib/x86_64-linux-gnu/jni", "-cp", f"{WRAPPER}:{classes}", *words]


def _compile(source, classes):
    subprocess.run([f"{JAVA}/javac", "-d", str(classes), str(applications.APPS / source)], check=True, timeout=300)


class Swing(applications.Fixture):
    """The fixture application."""

    def _words(self, toolkit, title):
        classes = self.desktop.path("classes")
        _compile("SwingFixture.java", classes)
        return _java(classes, "SwingFixture", title)


@contextlib.contextmanager
def noisy_swing(classes, *properties):
    """The application, compiled into the folder `classes`; a client; and a function that counts what has happened to the application."""
    _compile("Noisy.java", classes)
    desktop = Desktop()
    log = desktop.path("swing.log")
    app = applications.Application(desktop, _java(classes, *properties, "Noisy", "Noisy Swing"), "Noisy Swing", {"APP_LOG": log})
    client = Session(desktop.env, log=desktop.path("server.log"))
    wait_for("Swing to be exposed", lambda: client.call("ax_find", app=app.app, query="r7c3").fields.get("found"), every=0.5)

    def happened():
        with open(log, encoding="utf-8") as file:
            return len(re.findall("^", file.read(), re.MULTILINE))
    try:
        yield app, client, happened
    finally:
        client.close()
        desktop.stop()

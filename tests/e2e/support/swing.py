"""An application on Java Swing that is never quiet."""

import contextlib
import re
import subprocess

from . import applications, wait_for
from .desktop import Desktop
from .session import Session

JAVA = "/usr/lib/jvm/java-17-openjdk-amd64/bin"
WRAPPER = "/usr/share/java/java-atk-wrapper.jar"


@contextlib.contextmanager
def noisy_swing(classes, *properties):
    """The application, compiled into the folder `classes`; a client; and a function that counts what has happened to the application."""
    subprocess.run([f"{JAVA}/javac", "-d", str(classes), str(applications.APPS / "Noisy.java")], check=True, timeout=300)
    desktop = Desktop()
    log = desktop.path("swing.log")
    app = applications.Application(
        desktop, [f"{JAVA}/java", "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper",
                  "-Djava.library.path=/usr/lib/x86_64-linux-gnu/jni", *properties, "-cp", f"{WRAPPER}:{classes}", "Noisy",
                  "Noisy Swing"], "Noisy Swing", {"APP_LOG": log})
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

"""The fixture application that asks for a password."""

import itertools
import json
import os
import shutil

from . import TESTS, wait_for
from .applications import Application

_numbers = itertools.count(1)
PYTHON = os.path.realpath("/usr/bin/python3")


class SignIn:
    """The application and what it says of its fields. `program` is the interpreter that it runs in."""

    def __init__(self, desktop, token="", program=PYTHON):
        number = next(_numbers)
        self.report = desktop.path(f"fields-{number}.json")
        title = f"Sign in {number}"
        words = [program, str(TESTS / "apps" / "sign_in_app.py"), title, self.report, token]
        # An interpreter that lies elsewhere has its library where it was.
        self.own = Application(desktop, ["/usr/bin/env", "PYTHONHOME=/usr", *words], title)
        self.app = self.own.app
        self.window = self.own.window

    def fields(self):
        with open(self.report, encoding="utf-8") as file:
            return json.load(file)

    def wait(self, name, value):
        wait_for(f"{name} to be {value!r}", lambda: self.fields()[name] == value)

    def stop(self):
        self.own.stop()


def another_program(folder, name="other-python"):
    """The same interpreter as another executable."""
    path = os.path.join(folder, name)
    shutil.copy(PYTHON, path)
    return path

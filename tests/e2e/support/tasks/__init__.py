"""The tasks: what a user asks of an application, done by a workflow file and judged by the file or the state that results.

A module of this package has the tasks of one application in `TASKS`; the workflow of a task is `tests/tasks/APPLICATION/NAME.yaml`.
"""

import dataclasses
import hashlib
import importlib
import os
import pkgutil
import typing

from .. import TESTS, wait_for

FOLDER = TESTS / "tasks"
# The variants of a third of the tasks are enough for each merge; the rest is for a longer run.
_SHARE = 3
_ALL = "HANDEYE_ALL_TASKS"


@dataclasses.dataclass(frozen=True)
class Task:
    """One of the tasks."""

    name: str
    """The name of its workflow file, without its ending."""
    application: str
    """As users call it: `LibreOffice Calc`."""
    start: typing.Callable
    """`start(desktop, folder)` starts the application on files that it makes in `folder`, a `Path` of this run alone, waits until it can be
    used, and returns it: a `support.applications.Application`, or what has its `window`, `process`, `app` and `stop()`."""
    judge: typing.Callable
    """`judge(folder)` raises AssertionError with what is wrong. It is called again for some seconds, as applications write late."""
    variables: dict = dataclasses.field(default_factory=dict)
    """Variables of the workflow beside `folder`."""
    patience: float = 20.0
    """How long the result may take to be there, in seconds."""
    is_recordable: bool = False
    """Whether a recording of it is known to replay; the others are in docs/thirty-tasks.md as not run."""

    has_folder_in_title: bool = False
    """Whether the title of its window names the folder, which is another one in each run: then no locator without the label finds its elements."""

    @property
    def group(self):
        """The folder of the application's workflows."""
        return self.application.lower().replace(" ", "-")

    @property
    def id(self):
        """Names it among all tasks."""
        return f"{self.group}/{self.name}"

    @property
    def file(self):
        """Its workflow."""
        return FOLDER / self.group / f"{self.name}.yaml"

    def is_selected(self, variant):
        """Whether a variant of it is run before each merge, if it has that: a third is, chosen by a hash of the name; `HANDEYE_ALL_TASKS=1` takes all."""
        if variant == "recorded" and not self.is_recordable:
            return False
        share = hashlib.sha256(f"{variant} {self.id}".encode()).digest()[0] % _SHARE
        return share == 0 or bool(os.environ.get(_ALL))

    def words(self, folder):
        """The words of a command line that give a run in `folder` its variables."""
        given = {"folder": folder, **self.variables}
        text = self.file.read_text(encoding="utf-8")
        return [word for name, value in given.items() if f"var.{name}" in text for word in ("--var", f"{name}={value}")]

    def check(self, folder):
        """Judges a run, as soon as the result is there."""
        wrong = None

        def is_right():
            nonlocal wrong
            try:
                self.judge(folder)
            except AssertionError as failure:
                wrong = failure
                return False
            return True
        try:
            wait_for("the result", is_right, self.patience, every=0.2)
        except AssertionError:
            raise AssertionError(f"{self.id}: after {self.patience} s: {wrong}") from wrong


def all_tasks():
    """Every task of every application, in a fixed order."""
    found = []
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        found.extend(getattr(importlib.import_module(f"{__name__}.{module.name}"), "TASKS", ()))
    return sorted(found, key=lambda task: task.id)

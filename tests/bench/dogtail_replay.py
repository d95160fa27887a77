"""Presses buttons of an application one after the other, as a script of dogtail does.

Usage: dogtail_replay.py default|fast APP BUTTON... `fast` turns the pauses off that dogtail makes by default.
"""

import logging
import sys

logging.disable(logging.CRITICAL)

from dogtail.config import config  # noqa: E402

pace, name, *buttons = sys.argv[1:]
settings = {"checkForA11y": False, "logDebugToFile": False, "logDebugToStdOut": False}
if pace == "fast":
    settings |= {"actionDelay": 0, "runInterval": 0, "defaultDelay": 0, "typingDelay": 0}
config.load(settings)

import dogtail.tree  # noqa: E402

application = dogtail.tree.root.application(name)
for title in buttons:
    button = application.child(title, roleName="push button")
    button.doActionNamed(next(iter(button.actions)))
print("{}")

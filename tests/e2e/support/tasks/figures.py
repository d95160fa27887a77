"""The table of `docs/thirty-tasks.md`: written on request, from what a run has measured."""

import json
import os
import re

from .. import REPOSITORY
from . import all_tasks

DOCUMENT = REPOSITORY / "docs/thirty-tasks.md"
FRAGMENTS = REPOSITORY / "target/e2e/thirty-tasks"
VARIANTS = {"moved": "window moved", "recorded": "from a recording", "relabelled": "one label changed"}
_WRITES = bool(os.environ.get("HANDEYE_WRITE_DOCS"))

_HEAD = """# Thirty-two tasks in eleven applications

What users ask of desktop applications, each done by a [workflow file](how-to/run-workflows.md) that `handeye run` executes, and judged by the file or the state that results, never by
handeye's own answer. Measured by `HANDEYE_WRITE_DOCS=1 HANDEYE_ALL_TASKS=1 cargo xtask test --e2e tests/e2e/test_thirty_tasks.py` on a machine with two cores.

* **calls**: steps of the workflow; each is a call of a tool, and a model that has the workflow makes one call for all of them
* **tokens**: what a model pays for that one call: the steps that it writes and the answer that it reads, estimated as handeye estimates answers (o200k)
* **seconds**: from the start of `handeye run` to its end, waits for the application included
* **window moved**: the window has another place and another size. **from a recording**: the task was done with pointer and keyboard while `handeye record` ran, and the recording is
  replayed in a fresh application. **one label changed**: the recording is rewritten as if its first control had been called otherwise when it was
  made; its locator has to find it, and the result is judged again. `no label`: it acts on no control with a name
* **not run**: their recordings do not replay each time. The form in Chromium is sent 0.2 seconds after a choice in its list: on a busy machine the page is gone before it can be read (1 of 16).
  Firefox reports that the group with its setting does not show. A drag within one element, which crops a picture, is no step of a recording
"""


def tokens(text):
    """About how many tokens of the vocabulary o200k a text has: the estimate of `handeye-tree/src/outline/budget.rs`."""
    quarters = 0
    for word in re.findall(r"[A-Za-z]+|[0-9]+|\n|  +|[^\sA-Za-z0-9]", text):
        if word.isascii() and word.isalpha():
            quarters += 4 + max(len(word) - 6, 0)
        elif word.isdigit():
            quarters += 4 * -(-len(word) // 3)
        elif word.isascii():
            quarters += 4
        else:
            quarters += 5
    return -(-quarters // 4)


def keep(task, kind, **fields):
    """Remembers what was measured of a task."""
    FRAGMENTS.mkdir(parents=True, exist_ok=True)
    path = FRAGMENTS / f"{task.group}-{task.name}-{kind}.json"
    path.write_text(json.dumps(fields), encoding="utf-8")


def _kept(task, kind):
    path = FRAGMENTS / f"{task.group}-{task.name}-{kind}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def rows():
    """The tasks that the committed table has: (application, name)."""
    if not DOCUMENT.exists():
        return set()
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    return {tuple(cell.strip() for cell in line.strip("|").split("|")[:2]) for line in lines if line.startswith("| ")}


def finish():
    """Writes the table if asked to."""
    if not _WRITES or not FRAGMENTS.exists():
        return
    tasks = all_tasks()
    lines = [_HEAD, "| application | task | calls | tokens | seconds | " + " | ".join(VARIANTS.values()) + " |",
             "| --- | --- | ---: | ---: | ---: |" + " --- |" * len(VARIANTS)]
    totals = {"calls": 0, "tokens": 0, "seconds": 0.0}
    for task in tasks:
        plain = _kept(task, "plain")
        for name in totals:
            totals[name] += plain.get(name, 0)
        cells = [task.application, task.name.replace("-", " "), plain.get("calls", ""), plain.get("tokens", ""),
                 f"{plain['seconds']:.1f}" if plain else "not run"]
        cells += [_kept(task, variant).get("outcome", "not run") for variant in VARIANTS]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines.append(f"| **all {len(tasks)}** | | {totals['calls']} | {totals['tokens']} | {totals['seconds']:.1f} |" + " |" * len(VARIANTS))
    DOCUMENT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"\nwritten: {DOCUMENT}")

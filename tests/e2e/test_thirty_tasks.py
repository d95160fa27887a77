"""Tasks of users in eleven applications, done by workflow files: as they are, in windows that were moved, from a recording, and with one label changed."""

import json
import pathlib
import time

import pytest

from support import BINARY, history
from support.recorder import Recorder
from support.tasks import all_tasks, figures, variants
from support.tasks.hand import Hand

TASKS = all_tasks()


def cases(variant=None):
    """The tasks as parameters. Those of one application share a desktop."""
    chosen = [task for task in TASKS if variant is None or task.is_selected(variant)]
    return pytest.mark.parametrize("task", [
        pytest.param(task, id=task.id, marks=pytest.mark.xdist_group(f"thirty-tasks-{task.group}")) for task in chosen])


@pytest.fixture
def folder(desktop, tmp_path):
    """A folder of this run alone."""
    own = pathlib.Path(desktop.path(f"task-{tmp_path.name}"))
    own.mkdir(parents=True)
    return own


def handeye(desktop, *words):
    """Runs a command and returns its exit code and all that it printed."""
    done = history.run([BINARY, *map(str, words)], env=desktop.env, capture_output=True, text=True, timeout=180, check=False)
    return done.returncode, done.stdout + done.stderr


def run(desktop, task, folder, file=None, command="run"):
    """Has handeye do a task by its file, and has its result judged."""
    code, answer = handeye(desktop, command, file or task.file, *task.words(folder))
    if code:
        raise AssertionError(f"{task.id}: exit code {code}: {answer}\nthe windows are {desktop.windows()}")
    task.check(folder)
    return answer


@cases()
def test_a_task_is_done(desktop, folder, task):
    app = task.start(desktop, folder)
    try:
        begin = time.monotonic()
        answer = run(desktop, task, folder)
        seconds = time.monotonic() - begin
    finally:
        app.stop()
    steps = variants.read(task.file)["steps"]
    paid = figures.tokens(json.dumps({"steps": steps}, ensure_ascii=False)) + figures.tokens(answer)
    figures.keep(task, "plain", calls=len(steps), tokens=paid, seconds=seconds)


@cases("moved")
def test_a_task_is_done_in_a_window_that_was_moved_and_resized(desktop, folder, task):
    app = task.start(desktop, folder)
    try:
        variants.move(desktop, app.window)
        run(desktop, task, folder)
    finally:
        app.stop()
    figures.keep(task, "moved", outcome="done")


def record(desktop, task, folder):
    """Does a task by hand while it is recorded, has it judged, and returns the recording."""
    app = task.start(desktop, folder)
    try:
        desktop.activate(app.window)
        recorder = Recorder(desktop, folder / "recording.yaml")
        try:
            hand = Hand(desktop, folder)
            try:
                flow = variants.by_hand(variants.read(task.file))
                hand.follow(flow, {**flow.get("variables", {}), **task.variables, "folder": folder})
            finally:
                hand.close()
            task.check(folder)
        finally:
            recorder.end()
    finally:
        app.stop()
    return variants.read(folder / "recording.yaml")


def replay(desktop, task, flow, recorded_in, folder):
    """Replays a recording in a fresh application: (exit code, answer)."""
    path = folder / "replayed.yaml"
    variants.write(path, flow)
    path.write_text(path.read_text(encoding="utf-8").replace(str(recorded_in), str(folder)), encoding="utf-8")
    app = task.start(desktop, folder)
    try:
        code, answer = handeye(desktop, "replay", path)
        if code == 0:
            task.check(folder)
    finally:
        app.stop()
    return code, answer


@cases("recorded")
def test_a_task_is_done_from_a_recording(desktop, folder, task):
    places = [folder / name for name in ("recorded", "replayed", "relabelled")]
    for place in places:
        place.mkdir()
    flow = record(desktop, task, places[0])
    code, answer = replay(desktop, task, flow, places[0], places[1])
    assert code == 0, f"{task.id}: exit code {code}: {answer}\nthe recording: {flow}"
    figures.keep(task, "recorded", outcome="done")
    changed = None if task.has_folder_in_title else variants.relabelled(flow)
    if changed is None:
        figures.keep(task, "relabelled", outcome="no label")
        return
    code, answer = replay(desktop, task, changed, places[0], places[2])
    assert code == 0 and "was healed" in answer, (code, answer)
    figures.keep(task, "relabelled", outcome="done")


def test_every_task_is_in_the_table():
    have = figures.rows()
    missing = [task.id for task in TASKS if (task.application, task.name.replace("-", " ")) not in have]
    assert not missing, f"docs/thirty-tasks.md lacks {missing}; {figures.__doc__}"
    files = {path.relative_to(path.parents[1]).with_suffix("").as_posix() for path in TASKS[0].file.parents[1].glob("*/*.yaml")}
    assert files == {task.id for task in TASKS}, "a workflow without a task, or a task without its workflow"

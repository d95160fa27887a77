"""A plugin of pytest: the groups of tests that take longest start first, by measured durations.

A group is what shares a desktop and its applications: one file, or what a mark `xdist_group` names. It runs on one worker, in its
order. `durations.json` beside the tests has the seconds of each group. `HANDEYE_WRITE_DURATIONS=1 cargo xtask test --e2e` measures all of
them again; with files as arguments, theirs.
"""

import collections
import json
import os
import pathlib

import pytest

WRITE = "HANDEYE_WRITE_DURATIONS"
SLOWER, SHORTEST = 1.5, 10.0
"""A group is reported whose measured duration is too old: it took that many times as long, and that many seconds more."""


def durations_file(config):
    """Where the durations of these tests are kept."""
    return config.rootpath / "durations.json"


def known(path):
    """Seconds of each group; none where they were never measured."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def group_of(nodeid):
    """The group of a test, from its name as xdist reports it: `file.py::test[case]@group`."""
    if nodeid.rfind("@") > nodeid.rfind("]"):
        return nodeid.rpartition("@")[2]
    return nodeid.partition("::")[0].rpartition("/")[2]


def estimates(sizes, durations):
    """Seconds of each group, by its number of tests where it was never measured: as long a test as the others take, or one second."""
    measured = {group: size for group, size in sizes.items() if group in durations}
    each = sum(durations[group] for group in measured) / max(sum(measured.values()), 1) or 1.0
    return {group: durations.get(group, size * each) for group, size in sizes.items()}


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Measured(durations_file(config)), "handeye-durations")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    # xdist is there only where it is to be used.
    from xdist.scheduler import LoadGroupScheduling

    class LongestFirst(LoadGroupScheduling):
        """Gives a worker the longest group that waits, and no sooner than it has to."""

        seconds = None

        def _assign_work_unit(self, node):
            # The first group is asked for when all are there.
            if self.seconds is None:
                sizes = {group: len(tests) for group, tests in self.workqueue.items()}
                self.seconds = estimates(sizes, known(durations_file(config)))
            longest = max(self.workqueue, key=self.seconds.__getitem__)
            self.workqueue.move_to_end(longest, last=False)
            super()._assign_work_unit(node)

        def _reschedule(self, node):
            # A worker needs to know what comes after a test before it runs it: one test ahead is enough, and each more would tie
            # a group to a worker while another one idles.
            if self.workqueue and self._pending_of(self.assigned_work[node]) > 1:
                return
            super()._reschedule(node)

    return LongestFirst(config, log) if config.getvalue("dist") == "loadgroup" else None


class Measured:
    """What each group took in this run, fixtures included."""

    def __init__(self, path):
        self.path = path
        self.seconds, self.workers = collections.Counter(), collections.Counter()

    def pytest_runtest_logreport(self, report):
        self.seconds[group_of(report.nodeid)] += report.duration
        self.workers[getattr(report, "worker_id", "alone")] += report.duration

    def pytest_sessionfinish(self, session):
        if os.environ.get(WRITE):
            self.write(session.config)

    def write(self, config):
        """Writes what was measured; what was not is kept, unless all tests have run."""
        words = [word for word in config.args if "::" in word]
        if config.option.keyword or config.option.markexpr or words:
            raise pytest.UsageError(f"{WRITE} measures whole files: run it without -k, -m and {words or 'names of tests'}")
        is_all = [pathlib.Path(word).resolve() for word in config.args] == [config.rootpath]
        seconds = {**({} if is_all else known(self.path)), **{group: round(took, 1) for group, took in self.seconds.items()}}
        self.path.write_text(json.dumps(dict(sorted(seconds.items())), indent=1) + "\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter):
        durations = known(self.path)
        old = [f"{group}: {took:.0f} s, measured {durations[group]:.0f} s" for group, took in sorted(self.seconds.items())
               if group in durations and took > max(durations[group] * SLOWER, durations[group] + SHORTEST)]
        new = [f"{group}: {took:.0f} s, never measured" for group, took in sorted(self.seconds.items()) if group not in durations]
        if len(self.workers) > 1:
            spread = ", ".join(f"{worker} {took:.0f} s" for worker, took in sorted(self.workers.items()))
            terminalreporter.write_line(f"workers: {spread}")
        if old or new:
            terminalreporter.write_line(f"durations that are out of date, {WRITE}=1 measures them:")
            for line in [*old, *new]:
                terminalreporter.write_line(f"  {line}")

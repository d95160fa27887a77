"""The groups of tests that take longest start first, and stay whole."""

import json
import re
import types

import pytest

from support import TESTS, scheduling

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest

pytest_plugins = ["support.scheduling"]

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.name))
"""
# Each test notes when and in which worker it began.
TEST = """
import os, time

def note(name):
    with open("order", "a") as file:
        file.write(f"{os.environ['PYTEST_XDIST_WORKER']} {name}\\n")

"""


@pytest.fixture
def project(pytester, monkeypatch):
    """Files whose tests sleep for so many seconds; `run` returns the workers and tests in the order in which they began."""
    monkeypatch.setenv("PYTHONPATH", f"{TESTS}:{TESTS / 'e2e'}")
    # A run that writes durations runs this test too.
    monkeypatch.delenv(scheduling.WRITE, raising=False)
    pytester.makeconftest(CONFTEST)

    def run(files, durations, *words):
        for name, sleeps in files.items():
            tests = "".join(f"def test_{number}(): note('{name}'); time.sleep({sleep})\n" for number, sleep in enumerate(sleeps))
            pytester.makepyfile(**{f"test_{name}": TEST + tests})
        pytester.path.joinpath("durations.json").write_text(json.dumps(durations), encoding="utf-8")
        result = pytester.runpytest_subprocess("-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider", *words)
        result.assert_outcomes(passed=sum(map(len, files.values())))
        result.order = [line.split() for line in pytester.path.joinpath("order").read_text(encoding="utf-8").splitlines()]
        return result
    return run


def test_the_longest_groups_start_first_and_a_group_stays_on_its_worker(project):
    files = {"a": [0.1], "b": [0.1, 0.1, 0.1], "c": [0.5] * 6, "d": [0.3, 0.3, 0.3], "e": [0.1] * 5}
    result = project(files, {"test_a.py": 0.1, "test_b.py": 0.3, "test_c.py": 3.0, "test_d.py": 0.9})
    names = list(dict.fromkeys(name for _, name in result.order))
    assert set(names[:2]) == {"c", "e"} and names.index("d") < names.index("b") < names.index("a"), names
    assert all(len({worker for worker, name in result.order if name == each}) == 1 for each in files)
    output = result.stdout.str()
    assert "workers: gw0" in output and re.search(r"test_e.py: \d+ s, never measured", output), output


def test_what_was_never_measured_counts_by_its_number_of_tests():
    sizes = {"measured": 4, "also": 6, "new": 3}
    assert scheduling.estimates(sizes, {"measured": 7.0, "also": 13.0, "gone": 99.0}) == {"measured": 7.0, "also": 13.0, "new": 6.0}
    assert scheduling.estimates(sizes, {}) == {"measured": 4.0, "also": 6.0, "new": 3.0}


def test_durations_are_measured_on_request(project, pytester, monkeypatch):
    monkeypatch.setenv(scheduling.WRITE, "1")
    project({"a": [0.2, 0.2], "b": [0.1]}, {"test_gone.py": 7.0})
    measured = json.loads(pytester.path.joinpath("durations.json").read_text(encoding="utf-8"))
    assert sorted(measured) == ["test_a.py", "test_b.py"] and 0.4 <= measured["test_a.py"] < 20, measured


def test_a_part_of_the_tests_measures_its_own_files_and_no_parts_of_them(tmp_path):
    path = tmp_path / "durations.json"
    path.write_text('{"test_kept.py": 7.0}', encoding="utf-8")
    measured = scheduling.Measured(path)
    measured.pytest_runtest_logreport(types.SimpleNamespace(nodeid="test_x.py::test_a[1@2]", duration=1.0))
    measured.pytest_runtest_logreport(types.SimpleNamespace(nodeid="test_x.py::test_a[3]@matrix-qt5", duration=2.0))

    def config(*args, keyword=""):
        option = types.SimpleNamespace(keyword=keyword, markexpr="")
        return types.SimpleNamespace(args=args, option=option, rootpath=TESTS / "e2e")
    measured.write(config("tests/e2e/test_x.py"))
    assert json.loads(path.read_text(encoding="utf-8")) == {"matrix-qt5": 2.0, "test_kept.py": 7.0, "test_x.py": 1.0}
    for partial in (config("tests/e2e", keyword="name"), config("tests/e2e/test_x.py::test_a")):
        with pytest.raises(pytest.UsageError):
            measured.write(partial)
    measured.write(config(str(TESTS / "e2e")))
    assert json.loads(path.read_text(encoding="utf-8")) == {"matrix-qt5": 2.0, "test_x.py": 1.0}

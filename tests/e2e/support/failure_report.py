"""A plugin of pytest: a failure names the application with its version, handeye's, and the last calls with their answers."""

import pytest

from .history import HISTORY

TITLE = "Under test"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    HISTORY.begin_test()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    if report.failed:
        report.sections.append((TITLE, HISTORY.text()))
    return report

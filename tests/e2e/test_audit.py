"""The accessibility audit on windows with planted defects, each of which is found, and on the same windows without them, where nothing is.

The defects are in `tests/apps/defects_*`; the colour that is measured is compared with a picture of the window, and the places with what the
display server reports.
"""

import json
import re
import subprocess

import pytest

from support import BINARY, applications, pictures, wait_for
from support.session import Session

PLANTED = {
    "gtk3": {("control-name", ""), ("label-relation", ""), ("name-meaning", "\uf0c9"), ("contrast", "Quiet remark about the order"),
             ("contrast", "Send the order"), ("keyboard", "Only by mouse"), ("target-size", "One"), ("target-size", "Two"),
             ("target-size", "Three"), ("name-unique", "Browse"), ("name-mnemonic", "_Apply"), ("image-name", ""), ("window-title", "")},
    "qt5": {("control-name", ""), ("label-relation", ""), ("contrast", "Quiet remark about the order"), ("keyboard", "Only by mouse"),
            ("target-size", "One"), ("target-size", "Two"), ("target-size", "Three"), ("name-unique", "Browse"),
            ("name-meaning", "icon_open.png")},
    "firefox": {("control-name", ""), ("image-name", ""), ("control-role", ""), ("link-name", ""), ("contrast", ""),
                ("target-size", "1"), ("target-size", "2"), ("target-size", "3"), ("focus-order", "Upper")},
}


class Window(applications.Application):
    """One of `tests/apps/defects_*.py`."""

    def __init__(self, desktop, toolkit, *arguments):
        title = f"Defects {toolkit} {len(arguments)}"
        super().__init__(desktop, ["/usr/bin/python3", str(applications.APPS / f"defects_{toolkit}.py"), title, *arguments], title)


class Page(applications.Page):
    """`tests/apps/defects.html` in a browser."""

    def __init__(self, desktop, *, clean):
        profile = desktop.path(f"defects-{clean}")
        address = (applications.APPS / "defects.html").as_uri() + ("?clean" if clean else "")
        words = self._firefox(self._made(profile), address)
        applications.Application.__init__(self, desktop, words, "Fixture")

    @staticmethod
    def _made(profile):
        import os
        os.makedirs(profile)
        return profile

    def stop(self):
        applications.Application.stop(self)


@pytest.fixture(scope="module")
def auditor(desktop):
    session = Session(desktop.env, arguments=["--tools", "ax_a11y_audit,ax_find,ax_click,ax_get_tree"])
    yield session
    session.close()


def found(answer):
    """(rule, name of the element) of every issue."""
    names = [re.search(r'"(.*?)"', issue["element"].split(": ")[0]) for issue in answer.fields["issues"]]
    rules = [issue["rule"] for issue in answer.fields["issues"]]
    return {(rule, name.group(1).encode().decode("unicode_escape") if name and "\\" in name.group(1) else name.group(1) if name else "")
            for rule, name in zip(rules, names)}


@pytest.mark.parametrize("toolkit", ["gtk3", "qt5"])
def test_each_planted_defect_is_found(auditor, desktop, toolkit):
    app = Window(desktop, toolkit)
    try:
        answer = auditor.do("ax_a11y_audit", app=app.app, scope="full")
        assert found(answer) == PLANTED[toolkit], answer.text
        assert not answer.fields["passed"] and 0 <= answer.fields["score"] < 100
        # What is measured is what the display server has drawn there.
        quiet = next(issue for issue in answer.fields["issues"] if "Quiet remark" in issue["element"] and issue["rule"] == "contrast")
        assert quiet["wcag"] == "1.4.3" and quiet["severity"] == "serious"
        colour = re.search(r"\(#(\w{6}) on #ffffff\)", quiet["description"]).group(1)
        assert colour == {"gtk3": "b0b0b0", "qt5": "bbbbbb"}[toolkit]
        # A reference of an issue is one that acts.
        mouse = next(issue for issue in answer.fields["issues"] if issue["rule"] == "keyboard")
        place = auditor.do("ax_find", app=app.app, query=mouse["element_ref"])
        assert place.fields["title"] == "Only by mouse"
        assert place.fields["position"] + place.fields["size"] == mouse["bounds"]
    finally:
        app.stop()


@pytest.mark.parametrize("toolkit", ["gtk3", "qt5"])
def test_the_same_window_without_defects_has_no_issue(auditor, desktop, toolkit):
    app = Window(desktop, toolkit, "clean")
    try:
        answer = auditor.do("ax_a11y_audit", app=app.app, scope="full")
        assert (answer.fields["passed"], answer.fields["score"], answer.fields["issues"]) == (True, 100, []), answer.text
        run = subprocess.run([BINARY, "audit", "--app", app.app], env=desktop.env, capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode == 0 and run.stdout.startswith("Passed."), run
    finally:
        app.stop()


@pytest.mark.parametrize("clean", [False, True], ids=["defects", "clean"])
def test_a_page_is_audited_by_itself(auditor, desktop, clean):
    page = Page(desktop, clean=clean)
    try:
        wait_for("the page to be exposed", lambda: auditor.call(
            "ax_find", app=page.app, query="document Fixture").fields.get("found"), every=0.2)
        wait_for("the page to be drawn", lambda: auditor.call(
            "ax_find", app=page.app, query="heading Order").fields.get("found"), every=0.2)
        def audited():
            return auditor.do("ax_a11y_audit", app=page.app, scope="element", query="document Fixture")

        if not clean:
            # Firefox exposes elements some time before it has laid them out and drawn them: what is measured comes then.
            wait_for("what is planted to be measured", lambda: found(audited()) == PLANTED["firefox"], every=0.5)
        answer = audited()
        assert found(answer) == (set() if clean else PLANTED["firefox"]), answer.text
    finally:
        page.stop()


def test_the_forms_of_a_report(auditor, desktop):
    app = Window(desktop, "qt5")
    try:
        path = desktop.path("audit.sarif")
        run = subprocess.run([BINARY, "audit", "--app", app.app, "--report", "sarif", "--output", path, "--format", "json"],
                             env=desktop.env, capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode == 16, run
        with open(path, encoding="utf-8") as file:
            log = json.load(file)
        results = log["runs"][0]["results"]
        assert log["version"] == "2.1.0" and len(results) == len(json.loads(run.stdout)["issues"])
        ids = {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}
        assert {result["ruleId"] for result in results} <= ids
        assert {result["level"] for result in results} == {"error", "warning"}
        markdown = auditor.do("ax_a11y_audit", app=app.app, format="markdown").text
        assert markdown.startswith("# Accessibility audit: ") and "| 1 | critical | control-name |" in markdown
        # An existing file is never replaced.
        second = auditor.do("ax_a11y_audit", app=app.app, output=path)
        assert second.fields["path"].endswith("audit-2.sarif")
        with open(path, encoding="utf-8") as file:
            assert json.load(file) == log
        drawn = auditor.do("ax_a11y_audit", app=app.app, annotate=True)
        with open(drawn.fields["pictures"][0], "rb") as file:
            picture = pictures.decoded(file.read())
        assert picture.width >= 480
        only_a = auditor.do("ax_a11y_audit", app=app.app, standards=["wcag_a"])
        assert {issue["rule"] for issue in only_a.fields["issues"]} == {"control-name", "keyboard", "label-relation"}
        everything = auditor.do("ax_a11y_audit", app=app.app, standards=["wcag_aaa"])
        assert "target-size-enhanced" in {issue["rule"] for issue in everything.fields["issues"]}
    finally:
        app.stop()


def test_bad_input_is_refused(auditor, desktop):
    app = Window(desktop, "qt5", "clean")
    try:
        for wrong, says in [({"scope": "element"}, "query"), ({"query": "City"}, "scope"), ({"standards": []}, "standards"),
                            ({"standards": ["wcag_x"]}, "standards"), ({"scope": "screen"}, "scope"), ({"format": "html"}, "format")]:
            answer = auditor.call("ax_a11y_audit", app=app.app, **wrong)
            assert answer.is_error and answer.code == "invalid_parameter" and says in answer.text, answer.text
        gone = auditor.call("ax_a11y_audit", app=app.app, scope="element", query="button Nowhere")
        assert gone.is_error and gone.code == "element_not_found"
        nowhere = auditor.call("ax_a11y_audit", app=app.app, output="/proc/nowhere/audit.txt")
        assert nowhere.is_error and nowhere.code == "io", nowhere.text
    finally:
        app.stop()

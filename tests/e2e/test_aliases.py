"""An alias is one more name of an application; it never takes the name of another one that runs."""

import os

from support import applications, wait_for
from support.session import Session


def names(session):
    return [app["name"] for app in session.do("ax_list_apps").fields["apps"]]


def test_an_alias_is_not_the_name_of_what_runs(desktop, gtk3_shared):
    other = applications.start(desktop, "qt5")
    session = Session(desktop.env)
    try:
        entry = wait_for("the other one", lambda: next(
            (app for app in session.do("ax_list_apps").fields["apps"] if str(app.get("pid")) == other.app), None))
        bundle = entry.get("bundle_id") or entry["name"]
        for alias in (entry["name"], entry["name"].upper(), f" {entry['name']} ", bundle, other.app, "frontmost", "FrontMost"):
            answer = session.call("ax_connect", app=gtk3_shared.app, alias=alias)
            assert answer.code == "invalid_parameter" and "alias" in answer.text, (alias, answer)
        assert session.do("ax_connect", app=other.app).fields["pid"] == int(other.app)
        assert str(session.do("ax_connect", app=entry["name"]).fields["pid"]) == other.app
    finally:
        session.close()
        other.stop()


def test_an_alias_does_not_hide_an_application_that_starts_later(desktop, gtk3_shared):
    session = Session(desktop.env)
    alias = f"late-{os.urandom(3).hex()}"
    session.do("ax_connect", app=gtk3_shared.app, alias=alias)
    assert str(session.do("ax_connect", app=alias).fields["pid"]) == gtk3_shared.app
    words = ["/usr/bin/python3", str(applications.APPS / "windows_app.py"), alias, f"Window of {alias}=00ff00"]
    late = applications.Application(desktop, words, f"Window of {alias}")
    try:
        wait_for("the later one to be listed", lambda: alias in names(session))
        answer = session.call("ax_get_tree", app=alias)
        assert answer.code == "app_ambiguous" and late.app in answer.text and gtk3_shared.app in answer.text, answer
        assert f"Window of {alias}" in session.do("ax_get_tree", app=late.app).text
    finally:
        late.stop()
    wait_for("the alias to mean one again", lambda: not session.call("ax_get_tree", app=alias).is_error)
    session.close()


def test_an_alias_is_not_taken_from_an_application_that_lives(desktop, gtk3_shared):
    other = applications.start(desktop, "qt5")
    session = Session(desktop.env)
    try:
        session.do("ax_connect", app=gtk3_shared.app, alias="mine")
        session.do("ax_connect", app=gtk3_shared.app, alias="MINE")
        answer = session.call("ax_connect", app=other.app, alias="mine")
        assert answer.code == "invalid_parameter" and gtk3_shared.app in answer.text, answer
        assert str(session.do("ax_connect", app="mine").fields["pid"]) == gtk3_shared.app
        session.do("ax_connect", app=other.app, alias="yours")
        other.stop()
        wait_for("its end", lambda: not session.call("ax_connect", app=gtk3_shared.app, alias="yours").is_error)
    finally:
        session.close()
        other.stop()

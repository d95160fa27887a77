"""Secrets that are typed by name: each goes into the one field that it is bound to, and leaves by no way."""

import os

import pytest

from support import wait_for
from support.session import Session
from support.signing_in import PYTHON, SignIn, another_program

VALUES = {"file": "file horse 17", "env": "env staple 23", "keyring": "keyring battery 42"}


@pytest.fixture(scope="module")
def rules(desktop, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    kept = folder / "bank"
    kept.write_text(VALUES["file"] + "\n", encoding="utf-8")
    kept.chmod(0o600)
    loose = folder / "loose"
    loose.write_text("loose value\n", encoding="utf-8")
    loose.chmod(0o644)
    entries = {
        "of-file": f"file:{kept}", "of-env": "env:BANK_PASS", "of-keyring": "keyring:shop/anna",
        "of-loose": f"file:{loose}", "of-locked": "keyring:shop/berta", "of-nobody": "keyring:shop/nobody",
    }
    text = "".join(f"[[secrets]]\nname = '{name}'\nfrom = '{source}'\napp = 'exe:{PYTHON}'\nfield = 'Pass code'\n\n"
                   for name, source in entries.items())
    path = folder / "security.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def keyring(desktop):
    from support import TESTS
    desktop.start(["/usr/bin/python3", str(TESTS / "apps" / "keyring.py"), "anna", VALUES["keyring"], "berta"], "keyring")
    wait_for("the keyring", lambda: "ready" in open(desktop.path("keyring.out"), encoding="utf-8").read())


@pytest.fixture(scope="module")
def log(desktop):
    return desktop.path("secrets.log")


@pytest.fixture(scope="module")
def environment(desktop, rules):
    return {**desktop.env, "HANDEYE_SECURITY_FILE": str(rules), "BANK_PASS": VALUES["env"],
            "HANDEYE_LOG_LEVEL": "trace"}


@pytest.fixture(scope="module")
def safe(environment, log, keyring):
    session = Session(environment, log=log, arguments=["--toolsets", "all"])
    yield session
    session.close()


@pytest.fixture
def app(desktop):
    own = SignIn(desktop)
    yield own
    own.stop()


def is_clean(text):
    for value in (*VALUES.values(), "loose value"):
        assert value not in text and value[:9] not in text, text


@pytest.mark.parametrize("source", list(VALUES))
@pytest.mark.parametrize("mode", ["background", "focus"])
def test_a_secret_is_typed_into_its_field(safe, app, log, source, mode):
    safe.do("ax_click", app=app.app, query="button:Show")
    app.wait("clear", True)
    answer = safe.call("ax_type", app=app.app, query="Pass code", text=f"{{{{secret:of-{source}}}}}", mode=mode)
    assert not answer.is_error, answer.text
    app.wait("Pass code", VALUES[source])
    is_clean(f"{answer.text} {answer.fields}")
    for tool, arguments in (("ax_get_tree", {"app": app.app}), ("ax_get_value", {"app": app.app, "query": "Pass code"}),
                            ("ax_session_info", {}), ("ax_undo", {})):
        answer = safe.call(tool, **arguments)
        is_clean(f"{answer.text} {answer.fields}")
    with open(log, encoding="utf-8") as file:
        logged = file.read()
    assert "ax_type" in logged
    is_clean(logged)


def test_a_secret_goes_nowhere_else(desktop, safe, app, rules, tmp_path):
    chat = SignIn(desktop, program=another_program(tmp_path))
    try:
        for where, query in ((app, "Note"), (chat, "Pass code")):
            for mode in ("background", "focus"):
                answer = safe.call("ax_type", app=where.app, query=query, text="{{secret:of-file}}", mode=mode)
                assert answer.is_error and answer.code == "blocked", answer.text
                assert f"line 2 of {rules}" in answer.text, answer.text
                is_clean(answer.text)
        answer = safe.call("ax_set_value", app=chat.app, query="Pass code", value="{{secret:of-file}}")
        assert answer.is_error and answer.code == "blocked", answer.text
        for fields in (app.fields(), chat.fields()):
            assert (fields["Pass code"], fields["Note"]) == ("", ""), fields
    finally:
        chat.stop()


def test_an_unknown_name_is_an_error_that_names_those_of_the_application(safe, app):
    answer = safe.call("ax_type", app=app.app, query="Pass code", text="{{secret:of-flie}}")
    assert answer.is_error and answer.code == "invalid_parameter", answer.text
    assert "of-env, of-file, of-keyring" in answer.text, answer.text
    assert app.fields()["Pass code"] == ""


@pytest.mark.parametrize("name, why", [("of-loose", "chmod 600"), ("of-locked", "the keyring is locked"),
                                       ("of-nobody", "no such item")])
def test_a_secret_that_is_not_safe_or_not_there_is_an_error(safe, app, name, why):
    answer = safe.call("ax_type", app=app.app, query="Pass code", text=f"{{{{secret:{name}}}}}")
    assert answer.is_error and why in answer.text, answer.text
    is_clean(answer.text)
    assert app.fields()["Pass code"] == ""


def test_the_command_line_types_a_secret_too(desktop, environment, app):
    from support import BINARY, history
    import subprocess
    ended = history.run([BINARY, "type", "{{secret:of-file}}", "--app", app.app, "--element", "Pass code"],
                        env={**environment, "HANDEYE_LOG_FILE": os.devnull}, capture_output=True, text=True, timeout=60,
                        check=False, stdin=subprocess.DEVNULL)
    assert ended.returncode == 0, ended
    app.wait("Pass code", VALUES["file"])
    is_clean(ended.stdout + ended.stderr)


def test_a_malformed_rule_stops_the_server_with_its_line(desktop, tmp_path):
    from support import BINARY, history
    import subprocess
    path = tmp_path / "security.toml"
    path.write_text("[[secrets]]\nname = 'a'\nfrom = 'file:relative'\napp = 'exe:/usr/bin/x'\nfield = 'F'\n", encoding="utf-8")
    ended = history.run([BINARY, "mcp", "serve"], env={**desktop.env, "HANDEYE_SECURITY_FILE": str(path)}, timeout=60,
                        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert ended.returncode != 0 and f"line 3 of {path}" in ended.stderr, ended.stderr

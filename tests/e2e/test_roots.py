"""The folders of the client: what is found there, and what is not."""

import json
import os
import shutil

import pytest

from support import applications
from support.people import MODERN, Asked

REVISIONS = ["2024-11-05", "2025-06-18", "2025-11-25", MODERN]
TOOLSETS = ["--toolsets", "default,compose,assert"]


@pytest.fixture
def app(desktop):
    own = applications.start(desktop, "gtk3", commands=True)
    yield own
    own.stop()


@pytest.fixture
def listing(desktop):
    """Makes clients that list folders, and ends them. The folders are a list that a test may change."""
    clients = []

    def make(folders, revision=MODERN, **options):
        def uris(_):
            return {"roots": [{"uri": folder if "://" in str(folder) else f"file://{folder}"} for folder in folders]}
        clients.append(Asked(desktop.env | options.pop("env", {}), revision, capabilities={"roots": {"listChanged": True}},
                             answers={"roots/list": uris}, arguments=TOOLSETS, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


def flow(app, text):
    return {"steps": [{"tool": "ax_set_value", "args": {"app": app.app, "query": "textbox Name", "value": text}}]}


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def fault(answer):
    result = answer["result"]
    assert result["isError"], result
    return result["structuredContent"]["error"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_workflow_is_found_in_the_clients_folders(listing, app, tmp_path, revision):
    write(tmp_path / "tests" / "greet me.yaml", flow(app, "found"))
    client = listing(["https://example.org/", "file:///nowhere", tmp_path], revision)
    result = client.call("ax_workflow", file="tests/greet me.yaml")["result"]
    assert not result.get("isError"), result
    assert app.state()["name"] == "found"


def test_a_file_by_its_whole_path_needs_no_folder(desktop, app, tmp_path):
    write(tmp_path / "a.json", flow(app, "whole path"))
    client = Asked(desktop.env, capabilities={}, arguments=TOOLSETS)
    try:
        assert not client.call("ax_workflow", file=str(tmp_path / "a.json"))["result"].get("isError")
        assert app.state()["name"] == "whole path"
        assert fault(client.call("ax_workflow", file="a.json"))["code"] == "io"
        assert not client.questions
    finally:
        client.close()


@pytest.mark.parametrize("revision", REVISIONS)
def test_folders_that_change_hold_from_the_next_call_on(listing, app, tmp_path, revision):
    write(tmp_path / "one" / "a.yaml", flow(app, "one"))
    write(tmp_path / "two" / "a.yaml", flow(app, "two"))
    folders = [tmp_path / "one"]
    client = listing(folders, revision)
    client.call("ax_workflow", file="a.yaml")
    assert app.state()["name"] == "one"
    folders[:] = [tmp_path / "two"]
    if revision < MODERN:
        client.write({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
    client.call("ax_workflow", file="a.yaml")
    assert app.state()["name"] == "two"
    folders[:] = []
    assert fault(client.call("ax_workflow", file="a.yaml"))["code"] == "io"


def test_nothing_outside_of_a_folder_is_found_by_its_name(listing, app, tmp_path):
    root = tmp_path / "root"
    write(tmp_path / "outside.yaml", flow(app, "outside"))
    write(root / "inside.yaml", flow(app, "inside"))
    os.symlink("../outside.yaml", root / "link.yaml")
    os.symlink("..", root / "up")
    client = listing([root])
    for path in ("link.yaml", "up/outside.yaml", "../outside.yaml", "none.yaml"):
        assert fault(client.call("ax_workflow", file=path))["code"] == "io", path
    assert app.state()["name"] == ""
    assert not client.call("ax_workflow", file="inside.yaml")["result"].get("isError")


def test_a_baseline_is_found_there(listing, app, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    client = listing([root])
    taken = client.call("ax_screenshot", app=app.app)["result"]["structuredContent"]
    shutil.copy(taken["path"], root / "baseline.png")
    shutil.copy(taken["path"], tmp_path / "outside.png")
    os.symlink("../outside.png", root / "link.png")
    compared = client.call("ax_visual_diff", app=app.app, baseline="baseline.png")["result"]
    assert not compared.get("isError"), compared
    assert fault(client.call("ax_visual_diff", app=app.app, baseline="link.png"))["code"] == "io"


def test_what_is_no_workflow_is_told_without_what_is_in_it(listing, tmp_path):
    for name, content in (("words.yaml", "s3cret words"), ("list.yml", "- s3cret\n"), ("key.json", "\"s3cret\""), ("bytes.yaml", "")):
        write(tmp_path / name, content)
    (tmp_path / "bytes.yaml").write_bytes(b"\xffs3cret")
    (tmp_path / "key.pem").write_text("s3cret")
    client = listing([tmp_path])
    for name in ("words.yaml", "list.yml", "key.json", "bytes.yaml", "key.pem"):
        error = fault(client.call("ax_workflow", file=name))
        assert error["code"] == "invalid_parameter" and "s3cret" not in json.dumps(error), name
    assert fault(client.call("ax_workflow", file="words.yaml", steps=[{"tool": "ax_list_apps", "args": {}}]))["code"] == "invalid_parameter"
    assert fault(client.call("ax_workflow"))["code"] == "invalid_parameter"


def test_no_rule_no_setting_and_no_secret_comes_from_there(listing, app, tmp_path):
    for name in ("handeye/config.toml", "config.toml", ".handeye/config.toml", ".axterminator/config.toml"):
        write(tmp_path / name, "[server]\nread_only = true\nsecurity_mode = 'sandboxed'\n")
    for name in ("handeye/security.toml", "security.toml", ".handeye/security.toml"):
        write(tmp_path / name, f"[apps]\ndenied = ['{app.app}']\n[[secrets]]\nname = 'x'\n")
    write(tmp_path / "a.yaml", flow(app, "still done"))
    client = listing([tmp_path])
    assert not client.call("ax_workflow", file="a.yaml")["result"].get("isError")
    assert app.state()["name"] == "still done"
    error = fault(client.call("ax_type", app=app.app, query="textbox Name", text="{{secret:x}}"))
    assert "x" in error["message"] and app.state()["name"] == "still done"

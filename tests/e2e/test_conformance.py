"""The official conformance suite, on the real HTTP stack, with its fixtures (`crates/handeye-conformance`) over the real server.

Each revision's frozen requirements are one test. What is not scored but applies (the tasks extension, for example) counts here
too. `conformance.toml` lists what is let pass, with the reason; an entry that is not needed any more is a failure as well.
"""

import collections
import json
import os
import pathlib
import subprocess
import tomllib

import pytest

from conftest import required
from support import BINARY
from support.http import HttpServer

EXCEPTIONS = pathlib.Path(__file__).with_name("conformance.toml")
REVISIONS = ["2025-11-25", "2026-07-28"]


@pytest.fixture(scope="module")
def url():
    server = HttpServer({**os.environ, "HANDEYE_LOG_FILE": os.devnull},
                        command=[str(pathlib.Path(BINARY).with_name("handeye-conformance")), "--without-token"])
    yield server.url
    assert server.stop() == 0


@pytest.mark.parametrize("revision", REVISIONS)
def test_requirements(url, revision, tmp_path):
    suite = os.path.join(required("HANDEYE_NODE_MODULES"), "@modelcontextprotocol/conformance/dist/index.js")
    run = subprocess.run([required("HANDEYE_NODE"), suite, "server", "--url", url, "--requirements", revision,
                          "-o", str(tmp_path)], capture_output=True, text=True, timeout=300, check=False)
    checks = [(path.parent.name, check) for path in sorted(tmp_path.glob("*/checks.json"))
              for check in json.loads(path.read_text(encoding="utf-8"))]
    assert checks, run.stdout[-2000:] + run.stderr[-2000:]
    counts = collections.Counter(check["status"] for _, check in checks)
    print(f"{revision}: {dict(counts)}")
    excepted = tomllib.loads(EXCEPTIONS.read_text(encoding="utf-8")).get(revision, {})
    bad = {check["id"]: f"{folder}: {check['id']}: {check['status']}: {check.get('errorMessage')}"
           for folder, check in checks if check["status"] in ("FAILURE", "WARNING")}
    passed = {check["id"] for _, check in checks if check["status"] == "SUCCESS"}
    unexpected = [told for name, told in bad.items() if name not in excepted]
    assert not unexpected, "\n".join(unexpected)
    needless = [name for name in excepted if name not in bad]
    assert not needless, f"they pass, or are not checked any more: {needless}; remove them from {EXCEPTIONS.name}"
    assert len(passed) >= 40, f"only {len(passed)} checks were made: {run.stdout[-2000:]}"

"""The audit log: what handeye records of what it does, judged by the file itself and by the application."""

import hashlib
import json
import os
import re
import signal
import stat
import subprocess

import pytest

from support import BINARY, applications, history, wait_for
from support.conversation import Stdio
from support.people import MODERN, Asked, accept, decline
from support.signing_in import SignIn

SECRET = "correct-horse-battery"
SEAL = re.compile(r'^(.*),"hash":"([0-9a-f]{64})"\}$')


class Log:
    """An audit log at a place of its own."""

    def __init__(self, desktop, folder):
        self.path = folder / "audit.jsonl"
        self.env = {**desktop.env, "HANDEYE_AUDIT_LOG": str(self.path)}

    def records(self, **wanted):
        """The records that have these fields, each checked by the rule that the documentation states."""
        if not self.path.exists():
            return []
        found = []
        for line in self.path.read_text(encoding="utf-8").splitlines():
            body, own = SEAL.match(line).groups()
            assert hashlib.sha256(f"{body}}}".encode()).hexdigest() == own
            record = json.loads(line)
            if all(record.get(name) == value for name, value in wanted.items()):
                found.append(record)
        return found

    def pair(self, tool):
        """The one action of a tool: before and after."""
        intent, outcome = wait_for(f"both records of {tool}", lambda: (self.records(tool=tool)
                                   if len(self.records(tool=tool)) == 2 else None))
        assert (intent["kind"], outcome["kind"]) == ("intent", "outcome"), (intent, outcome)
        assert outcome["intent"] == intent["seq"] and outcome["process"] == intent["process"]
        assert {name: intent.get(name) for name in ("target", "args", "route")} == \
            {name: outcome.get(name) for name in ("target", "args", "route")}
        return intent, outcome

    def handeye(self, *words, timeout=60):
        return history.run([BINARY, *words], env=self.env, capture_output=True, text=True, timeout=timeout, check=False,
                           stdin=subprocess.DEVNULL)

    def verify(self, code=0, *words):
        done = self.handeye("audit", "verify", "--format", "json", *words)
        assert done.returncode == code, (done.stdout, done.stderr)
        return json.loads(done.stdout)


@pytest.fixture
def log(desktop, tmp_path):
    return Log(desktop, tmp_path)


def serve(log):
    client = Stdio(log.env, MODERN, arguments=["--toolsets", "all"])
    client.begin()
    return client


def test_a_click_has_a_record_before_and_one_after(log, gtk3):
    with serve(log) as client:
        client.call("ax_click", app=gtk3.app, query="role:button Count")
        gtk3.wait("count", 1)
    intent, outcome = log.pair("ax_click")
    target = intent["target"]
    assert target["pid"] == int(gtk3.app) and (target["role"], target["title"]) == ("button", "Count"), target
    assert target["executable"] == os.readlink(f"/proc/{gtk3.app}/exe")
    assert target["reference"].startswith("e") and intent["session_id"] == "stdio"
    assert intent["args"]["query"] == "role:button Count" and intent["args"]["app"] == gtk3.app
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", intent["timestamp"])
    assert (outcome["result"], outcome["effect"]) == ("success", "confirmed") and outcome["duration_ms"] > 0
    begins, *_, ends = log.records()
    assert (begins["event"], ends["event"]) == ("begins", "ends") and begins["pid"] == client.process.pid
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600
    report = log.verify()
    assert report["sound"] and report["records"] == 4 and report["unfinished_count"] == 0, report


def test_what_is_typed_copied_and_pressed_is_not_in_it(log, gtk3):
    with serve(log) as client:
        client.call("ax_type", app=gtk3.app, query="Name", text=SECRET)
        gtk3.wait("name", SECRET)
        client.call("ax_clipboard", action="write", text=SECRET)
        client.call("ax_key_press", app=gtk3.app, key="q", mode="focus")
    for tool, route in (("ax_type", "accessibility"), ("ax_clipboard", "clipboard"), ("ax_key_press", "seat")):
        intent, outcome = log.pair(tool)
        assert intent["route"] == route and outcome["result"] == "success", (intent, outcome)
    assert SECRET not in log.path.read_text(encoding="utf-8")
    assert log.records(tool="ax_type")[0]["args"]["text"] == "[redacted]"
    assert log.records(tool="ax_key_press")[0]["args"]["key"] == "[redacted]"
    assert log.verify()["sound"]


def test_a_drag_is_recorded(log, gtk3):
    with serve(log) as client:
        client.call("ax_drag", app=gtk3.app, from_query="role:button Count", to_query="Name", mode="focus")
    intent, outcome = log.pair("ax_drag")
    assert intent["route"] == "seat" and intent["target"]["pid"] == int(gtk3.app), intent
    assert outcome["result"] in ("success", "failure"), outcome


def test_a_look_is_not_recorded(log, gtk3):
    with serve(log) as client:
        client.call("ax_find", app=gtk3.app, query="Count")
        client.call("ax_get_tree", app=gtk3.app)
    assert not log.path.exists()


@pytest.fixture
def danger(desktop):
    app = applications.start(desktop, "danger", commands=True)
    yield app
    app.stop()


@pytest.mark.parametrize(("answers", "result"), [(decline(), "elicitation_declined"), (accept(confirm=True), "success")],
                         ids=["no", "yes"])
def test_what_a_person_answered_is_recorded(log, danger, answers, result):
    client = Asked(log.env, MODERN, answers=answers)
    try:
        client.call("ax_click", app=danger.app, query="Delete All Data")
    finally:
        client.close()
    outcome = wait_for("the outcome", lambda: log.records(tool="ax_click", kind="outcome"))[0]
    assert outcome["result"] == result and outcome["security_flags"], outcome
    assert outcome["confirmed"] == (result == "success") and outcome["target"]["title"] == "Delete All Data"
    assert len(log.records(kind="intent")) == (1 if result == "success" else 0)
    assert danger.state()["deleted"] == (1 if result == "success" else 0)
    assert log.verify()["sound"]


def unanswered(log, tool="ax_click"):
    """The record of a call whose question nobody answered."""
    record = wait_for("the record of a question without an answer", lambda: log.records(tool=tool, result="cancelled"))[0]
    assert record["kind"] == "outcome" and "unanswered_question" in record["security_flags"], record
    assert "confirmed" not in record and not log.records(kind="intent")
    assert log.verify()["sound"]


def test_a_question_that_nobody_answers_in_time_is_recorded(log, danger):
    client = Asked(log.env | {"HANDEYE_ASK_TIMEOUT": "1"}, "2025-11-25")
    try:
        answer = client.call("ax_click", app=danger.app, query="Delete All Data")
        assert answer["result"]["structuredContent"]["error"]["code"] == "timeout", answer
        unanswered(log)
    finally:
        client.close()
    assert danger.state()["deleted"] == 0 and len(log.records(tool="ax_click")) == 1


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25", MODERN])
def test_a_client_that_leaves_its_person_without_an_answer_is_recorded(log, danger, revision):
    client = Asked(log.env, revision)
    number = client.send("tools/call", name="ax_click", arguments={"app": danger.app, "query": "Delete All Data"})
    if revision == MODERN:
        assert client.receive(number)["result"]["resultType"] == "input_required"
    else:
        client.question()
    assert client.close() == 0
    unanswered(log)
    assert danger.state()["deleted"] == 0 and len(log.records(tool="ax_click")) == 1


def test_a_question_in_a_look_is_no_action(log, desktop):
    twins = [applications.start(desktop, "gtk3", title="Twin of a look") for _ in range(2)]
    try:
        client = Asked(log.env | {"HANDEYE_ASK_TIMEOUT": "1"}, "2025-11-25")
        client.call("ax_get_tree", app="gtk3_app.py")
        client.close()
        assert not log.records(tool="ax_get_tree")
    finally:
        for twin in twins:
            twin.stop()


def test_no_token_is_in_it(log, gtk3, desktop):
    token = "ghp_" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"
    own = SignIn(desktop, token=token)
    try:
        with serve(log) as client:
            client.call("ax_click", app=own.app, query="button:Copy")
            client.call("ax_click", app=own.app, query=f"Copy {token}")
            client.call("ax_set_value", app=own.app, query="Note", value=token)
            client.call("ax_type", app=own.app, query="Note", text=token)
            client.call("ax_workflow", steps=[{"tool": "ax_type", "args": {"app": own.app, "query": "Note", "text": token}}],
                        variables={"token": token})
        wait_for("the records", lambda: len(log.records(tool="ax_type", kind="outcome")) == 2)
        text = log.path.read_text(encoding="utf-8")
        assert log.records(tool="ax_click", kind="outcome"), text
        assert token not in text and token[4:20] not in text, text
        assert log.verify()["sound"]
    finally:
        own.stop()


def test_a_server_that_is_killed_leaves_an_action_without_an_end(log, desktop):
    stopped = applications.start(desktop, "gtk3")
    try:
        client = serve(log)
        client.call("ax_connect", app=stopped.app)
        client.ask("tools/call", name="ax_drag", arguments={
            "app": stopped.app, "from_query": "role:button Count", "to_query": "Name", "mode": "focus", "duration_ms": 5000})
        wait_for("the intent", lambda: log.records(kind="intent"))
        os.kill(client.process.pid, signal.SIGKILL)
        client.process.wait(10)
        report = log.verify()
        assert report["sound"] and report["unfinished_count"] == 1 and report["open_processes"] == 1, report
        assert "1 actions have no outcome" in log.handeye("audit", "verify").stdout
    finally:
        client.close()
        stopped.thaw()
        stopped.stop()


def test_a_call_that_is_cancelled_has_an_outcome(log, gtk3):
    with serve(log) as client:
        client.call("ax_connect", app=gtk3.app)
        number = client.ask("tools/call", name="ax_drag", arguments={
            "app": gtk3.app, "from_query": "role:button Count", "to_query": "Name", "mode": "focus", "duration_ms": 5000})
        wait_for("the intent", lambda: log.records(kind="intent"))
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        wait_for("the outcome", lambda: log.records(kind="outcome", result="cancelled"))
    assert log.verify()["unfinished_count"] == 0


def test_two_servers_and_commands_share_it(log, gtk3):
    with serve(log) as one, serve(log) as other:
        for _ in range(5):
            for client in (one, other):
                client.call("ax_click", app=gtk3.app, query="role:button Count")
        assert log.handeye("click", "role:button Count", "--app", gtk3.app).returncode == 0
        gtk3.wait("count", 11)
    report = log.verify()
    assert report["sound"] and (report["processes"], report["open_processes"]) == (3, 0), report
    assert len(log.records(kind="outcome", result="success")) == 11
    sessions = {record["session_id"] for record in log.records(kind="intent")}
    assert sessions == {"stdio", "terminal"}


def test_the_process_that_commands_share_records_where_the_command_says(log, gtk3, desktop, tmp_path):
    log.env = {name: value for name, value in log.env.items() if name != "HANDEYE_NO_DAEMON"}
    try:
        assert log.handeye("click", "role:button Count", "--app", gtk3.app).returncode == 0
        gtk3.wait("count", 1)
        intent, _ = log.pair("ax_click")
        assert intent["session_id"].startswith("socket:"), intent
    finally:
        log.handeye("daemon", "stop")
    wait_for("the end of its chain", lambda: log.records(event="ends"))
    assert log.verify()["sound"]


def refused(log, gtk3, why):
    with serve(log) as client:
        answer = client.call("ax_click", app=gtk3.app, query="role:button Count")
        error = answer["structuredContent"]["error"]
        assert error["code"] == "blocked" and why in error["message"], error
        assert not client.call("ax_find", app=gtk3.app, query="Count")["isError"], "looking needs no record"
    assert gtk3.state()["count"] == 0
    doctor = json.loads(log.handeye("doctor", "--format", "json").stdout)
    probe = next(probe for probe in doctor["probes"] if probe["name"] == "audit_log")
    assert probe["status"] == "fail" and why in probe["detail"], probe


def test_no_link_is_followed(log, gtk3, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    log.path.symlink_to(victim)
    refused(log, gtk3, "it is a link")
    assert victim.read_text() == "mine"


def test_a_file_that_others_may_read_is_not_written(log, gtk3):
    log.path.write_text("")
    log.path.chmod(0o644)
    refused(log, gtk3, "chmod 600")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_written(log, gtk3):
    log.path.write_text("")
    log.path.chmod(0o600)
    os.chown(log.path, 65534, -1)
    refused(log, gtk3, "another user")


def test_an_action_that_cannot_be_recorded_says_so(log, gtk3, tmp_path):
    (tmp_path / "file").write_text("")
    log.env["HANDEYE_AUDIT_LOG"] = str(tmp_path / "file" / "audit.jsonl")
    with serve(log) as client:
        answer = client.call("ax_click", app=gtk3.app, query="role:button Count")
        gtk3.wait("count", 1)
        assert "not recorded in the audit log" in json.dumps(answer), answer
        status = json.loads(client.request("resources/read", uri="handeye://system/status")["contents"][0]["text"])
        assert status["audit_log"]["fault"] and status["audit_log"]["lost"] == 2, status


@pytest.fixture
def tiny(tmp_path):
    """A file system that is full after a few records."""
    place = tmp_path / "tiny"
    place.mkdir(mode=0o700)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k,mode=700", "tmpfs", str(place)], check=False)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_leaves_no_torn_line(log, gtk3, tiny):
    log.path = tiny / "audit.jsonl"
    log.env["HANDEYE_AUDIT_LOG"] = str(log.path)
    with serve(log) as client:
        noted = []
        for count in range(1, 31):
            answer = client.call("ax_click", app=gtk3.app, query="role:button Count")
            gtk3.wait("count", count)
            noted.append("not recorded in the audit log" in json.dumps(answer))
        assert noted[-1] and not noted[0], noted
        assert log.verify()["sound"]
        subprocess.run(["mount", "-o", "remount,size=256k", str(tiny)], check=True)
        client.call("ax_click", app=gtk3.app, query="role:button Count")
    assert log.records(event="lost"), "it says how many are missing"
    assert log.verify()["sound"]


def tampered(log, change, line, reason):
    lines = log.path.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = list(lines)
    change(changed)
    log.path.write_text("".join(changed), encoding="utf-8")
    report = log.verify(16)
    assert not report["sound"] and report["broken"]["file"] == str(log.path), report
    assert report["broken"]["line"] == line and reason in report["broken"]["reason"], report["broken"]
    assert f"line {line}" in log.handeye("audit", "verify").stdout
    log.path.write_text("".join(lines), encoding="utf-8")


def test_whatever_is_changed_afterwards_is_found(log, gtk3):
    with serve(log) as client:
        for count in (1, 2):
            client.call("ax_click", app=gtk3.app, query="role:button Count")
            gtk3.wait("count", count)
    head = log.verify()["head"]
    tampered(log, lambda lines: lines.__setitem__(2, lines[2].replace("Count", "Conut", 1)), 3, "was changed")
    tampered(log, lambda lines: lines.pop(2), 3, "does not follow")
    tampered(log, lambda lines: lines.insert(2, lines[2]), 4, "does not follow")
    tampered(log, lambda lines: lines.insert(1, '{"tool":"ax_click"}\n'), 2, "is not a whole record")
    tampered(log, lambda lines: lines.__setitem__(slice(1, 3), [lines[2], lines[1]]), 2, "does not follow")
    tampered(log, lambda lines: lines.__setitem__(-1, lines[-1][:40]), 6, "is not a whole record")
    assert log.verify(0, "--contains", head)["contains"] is True
    # What is missing at the very end shows by the hash that was kept.
    lines = log.path.read_text(encoding="utf-8").splitlines(keepends=True)
    log.path.write_text("".join(lines[:-1]), encoding="utf-8")
    assert log.verify()["sound"] and log.verify(16, "--contains", head)["contains"] is False


def test_full_files_are_put_aside_and_followed(log, gtk3):
    log.env["HANDEYE_AUDIT_LOG_MAX"] = "64KiB"
    follower = subprocess.Popen([BINARY, "audit", "follow", "--kind", "outcome", "--format", "json"], env=log.env,
                                stdout=subprocess.PIPE, text=True)
    try:
        with serve(log) as client:
            for _ in range(60):
                client.call("ax_click", app=gtk3.app, query="role:button Count")
        gtk3.wait("count", 60)
        aside = log.path.with_name("audit.jsonl.000001")
        assert aside.exists() and stat.S_IMODE(aside.stat().st_mode) == 0o600
        followed = [json.loads(follower.stdout.readline()) for _ in range(60)]
        assert all(record["tool"] == "ax_click" for record in followed)
        assert len({(record["process"], record["seq"]) for record in followed}) == 60
    finally:
        follower.kill()
        follower.wait(10)
    report = log.verify()
    assert report["sound"] and report["records"] == 122 and len(report["files"]) > 1, report


def test_show_filters(log, gtk3):
    with serve(log) as client:
        client.call("ax_click", app=gtk3.app, query="role:button Count")
        client.call("ax_type", app=gtk3.app, query="Name", text="x")

    def shown(*words):
        done = log.handeye("audit", "show", "--format", "json", *words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["records"]
    assert len(shown()) == 6 and len(shown("--last", "2")) == 2
    assert {record["tool"] for record in shown("--tool", "ax_type")} == {"ax_type"}
    assert len(shown("--kind", "outcome")) == 2 and len(shown("--app", "no such one")) == 0
    assert len(shown("--app", os.path.basename(os.readlink(f"/proc/{gtk3.app}/exe")), "--kind", "intent")) == 2
    assert len(shown("--since", "1h")) == 6 and not shown("--since", "2999-01-01")
    text = log.handeye("audit", "show").stdout
    assert 'button "Count"' in text and "success confirmed" in text, text
    assert log.handeye("audit", "show", "--since", "soon").returncode == 2


def test_it_is_in_the_state_folder_unless_it_is_switched_off(desktop, gtk3, tmp_path):
    env = {**desktop.env, "XDG_STATE_HOME": str(tmp_path)}

    def click(**more):
        done = history.run([BINARY, "click", "role:button Count", "--app", gtk3.app], env={**env, **more}, capture_output=True,
                           text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
    click(HANDEYE_AUDIT_LOG="off")
    assert not (tmp_path / "handeye" / "audit.jsonl").exists()
    click()
    assert (tmp_path / "handeye" / "audit.jsonl").exists()
    click(AXTERMINATOR_AUDIT_LOG=str(tmp_path / "other.jsonl"))
    assert (tmp_path / "other.jsonl").exists()

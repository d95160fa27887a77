"""Applications that misbehave on the accessibility bus: each costs its own call a bounded time, and nothing else."""

import pytest

from support import quick_once, wait_for
from support.hostile import Hostile

# Longest time that any call about a hostile application may take, in seconds.
LONGEST = 40
# What the server may hold in memory after all of them, in MB.
MEMORY = 300
ERRORS = {"app_not_responding", "timeout", "app_not_accessible", "app_gone", "element_not_found", "not_supported",
          "action_failed", "refused"}


@pytest.fixture
def hostile(desktop):
    started = []
    yield lambda *kind: started.append(Hostile(desktop, *kind)) or started[-1]
    for app in started:
        app.stop()


def memory_mb(process):
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


@pytest.mark.parametrize("kind", ["tree", "huge", "cycle", "deep", "wide", "vanishing", "wordy", "forged", "liar",
                                  "silent", "sullen", "endless"])
def test_hostile(client, gtk3_shared, hostile, kind):
    foe = hostile(kind)
    wait_for("the foe to be listed", lambda: any(
        str(app.get("pid")) == foe.app for app in client.do("ax_list_apps").fields["apps"]))
    trees = []

    def friends_call():
        tree = client.start("ax_get_tree", app=foe.app, max_depth=50)
        friend = client.do("ax_find", app=gtk3_shared.app, query="role:button Count")
        trees.append(tree.result(LONGEST))
        return friend.seconds
    quick_once("a friend's call beside a hostile application", 2, friends_call)
    answer = trees[0]
    assert len(answer.text) < 60_000, "the budget of an answer was not kept"
    if answer.is_error:
        assert answer.code in ERRORS, answer
    elif kind not in ("silent", "sullen", "liar", "deep", "wide"):
        assert '"Trap' in answer.text, answer.text
    found = client.call("ax_find", app=foe.app, query="No such thing at all", timeout=LONGEST)
    assert found.is_error or not found.fields["found"]
    client.call("ax_click", app=foe.app, query="role:button Trap", timeout=LONGEST)
    assert memory_mb(client.process) < MEMORY
    if kind == "huge":
        assert not {("table", "GetChildren"), ("table", "GetMatches")} & set(foe.calls()), "it enumerated 2^31 children"
    if kind == "endless" and not answer.is_error:
        assert 'button "… (' in answer.text and "bytes more)" in answer.text, answer.text
    if kind == "forged" and not answer.is_error:
        assert not any(line.lstrip().startswith('- button "Forged"') for line in answer.text.splitlines()), answer.text
        assert "\x1b" not in answer.text and "\x00" not in answer.text
    assert {member for _, member in foe.calls()}.isdisjoint({"GetAll", "Introspect"}), "these calls kill Qt applications"

"""Elements of other processes in an application's tree are left out where the application only says that they are its own."""

import json
import sys

from support import PATIENCE, applications, tail, wait_for


def test_what_an_application_only_claims_is_not_there(desktop, client):
    victim = applications.Fixture(desktop, "danger")
    log, output = desktop.path("thief.log"), desktop.path("thief.out")
    # Only what the desktop's registry lists can be found and claimed.
    client.do("ax_get_tree", app=victim.app)
    thief = desktop.start([sys.executable, str(applications.APPS / "hostile.py"), "thief"], "thief",
                          {"APP_LOG": log, "VICTIM": "Delete All Data"})
    try:
        def listed():
            assert thief.poll() is None, tail(output)
            return any(app.get("pid") == thief.pid for app in client.do("ax_list_apps").fields["apps"])
        wait_for("the thief to be listed", listed)
        tree = client.do("ax_get_tree", app=str(thief.pid), max_depth=20)
        assert '"Trap"' in tree.text, tree.text
        assert "Delete All Data" not in tree.text, tree.text
        assert "1 element of another process is left out" in tree.text, tree.text
        assert tree.fields["omitted"] == 1
        assert client.call("ax_click", app=str(thief.pid), query='button "Delete All Data"').is_error
        with open(log, encoding="utf-8") as file:
            asked = [json.loads(line) for line in file if line.endswith("\n")]
        assert any(call["member"] == "GetChildren" and call["path"].endswith("panel") for call in asked), \
            "its claim was never heard"
        assert victim.state()["deleted"] == 0
        # Where it is, it can be used.
        client.do("ax_click", app=victim.app, query='button "Delete All Data"')
        victim.wait("deleted", 1)
    finally:
        thief.kill()
        thief.wait(PATIENCE)
        victim.stop()

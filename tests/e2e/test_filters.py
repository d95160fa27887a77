"""Which tools a server offers, seen by official clients of both eras, and in a private desktop."""

import pytest

from support.session import Session


@pytest.fixture(params=["auto", "legacy"])
def serve(request, desktop):
    open_sessions = []

    def start(*arguments, **env):
        session = Session({**desktop.env, **env}, mode=request.param, arguments=arguments)
        open_sessions.append(session)
        return session
    yield start
    for session in open_sessions:
        session.close()


def test_chosen_tools_work_and_others_are_unknown(serve, gtk3):
    session = serve("--toolsets", "find", "--tools", "ax_click", "--exclude-tools", "ax_get_attributes")
    assert set(session.tools()) == {"ax_find", "ax_get_tree", "ax_click"}
    session.do("ax_click", app=gtk3.app, query="role:button Count")
    gtk3.wait("count", 1)
    with pytest.raises(Exception, match="switched off by --exclude-tools"):
        session.call("ax_get_attributes", app=gtk3.app, query="Count")
    with pytest.raises(Exception, match="--toolsets"):
        session.call("ax_type", app=gtk3.app, text="x")


def test_a_server_that_only_looks_changes_nothing(serve, gtk3):
    session = serve("--read-only", "--tools", "ax_click", "--toolsets", "all", HANDEYE_READ_ONLY="false")
    tools = session.tools()
    assert all(tool.annotations.read_only_hint for tool in tools.values())
    assert "Count" in session.do("ax_get_tree", app=gtk3.app, max_depth=20).text
    with pytest.raises(Exception, match="switched off by --read-only"):
        session.call("ax_click", app=gtk3.app, query="role:button Count")
    assert gtk3.state()["count"] == 0


def test_variables_choose_too(serve):
    assert set(serve(HANDEYE_TOOLSETS="connect", HANDEYE_EXCLUDE_TOOLS="ax_connect").tools()) == {
        "ax_is_accessible", "ax_list_apps"}
    read_only = serve(HANDEYE_READ_ONLY="1").tools()
    assert "ax_get_tree" in read_only and "ax_click" not in read_only


def test_the_server_in_a_private_desktop_is_told(serve):
    session = serve("--desktop", "private", "--tools", "ax_list_apps,ax_click", "--read-only")
    assert set(session.tools()) == {"ax_list_apps"}


def test_the_instructions_name_only_what_is_on(serve):
    session = serve("--read-only")
    text = session.client.instructions
    assert "ax_get_tree" in text and "only looks" in text and "mode=focus" not in text


def test_an_error_advises_only_what_is_on(serve, gtk3):
    for arguments, is_advised in (((), True), (("--exclude-tools", "ax_list_apps"), False)):
        session = serve(*arguments)
        answer = session.call("ax_get_tree", app="zzqqxxyy")
        assert answer.code == "app_not_found" and gtk3.app in answer.text
        assert ("ax_list_apps" in answer.text) == ("ax_list_apps" in str(answer.fields)) == is_advised, answer
        with pytest.raises(Exception, match="no running application") as refused:
            session.ask("read_resource", "handeye://app/zzqqxxyy/state")
        assert ("ax_list_apps" in str(refused.value)) == is_advised

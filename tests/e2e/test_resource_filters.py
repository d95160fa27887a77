"""What a tool would reveal is not revealed by anything else either while that tool is off: resources, templates, completions, subscriptions."""

import pytest
from mcp.types import PromptReference, ResourceTemplateReference

from support import PATIENCE, wait_for
from support.session import Session
from support.updates import ERAS, Subscriber

NAMED = "handeye://app/{name}/"
# Each resource with the tool that it equals.
RESOURCES = {
    "handeye://system/status": "ax_is_accessible",
    "handeye://apps": "ax_list_apps",
    "handeye://clipboard": "ax_get_value",
    NAMED + "tree": "ax_get_tree",
    NAMED + "state": "ax_get_tree",
    NAMED + "events": "ax_get_tree",
    NAMED + "window/{index}/tree": "ax_get_tree",
    NAMED + "screenshot": "ax_screenshot",
}
TOOLS = sorted(set(RESOURCES.values()))
WATCHED = [uri for uri in RESOURCES if not uri.endswith(("status", "screenshot"))]


def uri_of(template, app):
    return template.replace("{name}", app.app).replace("{index}", "0")


def filters():
    """Each filter as words, and which tools are left."""
    for tool in TOOLS:
        yield pytest.param(["--exclude-tools", tool], lambda name, off=tool: name != off, id=f"without-{tool}")
        yield pytest.param(["--tools", tool], lambda name, on=tool: name == on, id=f"only-{tool}")
    yield pytest.param(["--tools", "ax_click"], lambda _: False, id="none-of-them")
    yield pytest.param(["--toolsets", "connect"], lambda name: name in ("ax_is_accessible", "ax_list_apps"), id="connect")
    yield pytest.param(["--read-only"], lambda _: True, id="read-only")


@pytest.mark.parametrize("words,is_on", filters())
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_resources_follow_their_tools(desktop, gtk3_shared, mode, words, is_on):
    session = Session(desktop.env, mode=mode, arguments=words)
    try:
        listed = {str(resource.uri) for resource in session.ask("list_resources").resources}
        templates = {template.uri_template for template in session.ask("list_resource_templates").resource_templates}
        for template, tool in RESOURCES.items():
            uri = uri_of(template, gtk3_shared)
            if "{" in template:
                assert (template in templates) == is_on(tool), template
                part = template.rsplit("}", 1)[1]
                ours = [entry for entry in listed if entry.startswith("handeye://app/") and entry.endswith(part)]
                assert is_on(tool) and is_on("ax_list_apps") or not ours, ours
            else:
                assert (template in listed) == is_on(tool), template
            if is_on(tool):
                content = wait_for(f"{uri} to be read", lambda: session.ask("read_resource", uri).contents)
                assert content
            else:
                with pytest.raises(Exception, match="switched off") as refused:
                    session.ask("read_resource", uri)
                assert tool in str(refused.value)
        assert is_on("ax_list_apps") or not [entry for entry in listed if "/app/" in entry]
    finally:
        session.close()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", ["ax_list_apps", "ax_get_tree", "ax_get_value"])
def test_nothing_is_told_of_what_is_off(desktop, gtk3, era, tool):
    """A watched resource whose tool is off: the older era is refused, the newer one is not promised it."""
    subscriber = Subscriber(desktop.env, era, arguments=["--exclude-tools", tool])
    try:
        off = [uri_of(template, gtk3) for template in WATCHED if RESOURCES[template] == tool]
        on = [uri_of(template, gtk3) for template in WATCHED if RESOURCES[template] != tool]
        if era == "subscribe":
            for uri in off:
                with pytest.raises(Exception, match="switched off"):
                    subscriber.subscribe(uri)
        else:
            # It is answered with what is honoured: nothing of what is off.
            session = subscriber.session
            listening = session.client.listen(resource_subscriptions=[*off, *on], resources_list_changed=True)
            with session._portal.wrap_async_context_manager(listening) as subscription:
                assert set(subscription.honored.resource_subscriptions) == set(on), subscription.honored
                assert bool(subscription.honored.resources_list_changed) == (tool != "ax_list_apps"), subscription.honored
        subscriber.subscribe(*on)
        gtk3.command(do="set_name", text="Ada")
        subscriber.quiet(off, 2)
    finally:
        subscriber.close()


def completed(session, reference, variable, value, **context):
    result = session._portal.call(session.client.complete, reference, {"name": variable, "value": value}, context or None)
    return result.completion.values


@pytest.mark.parametrize("off,template,name,context", [
    ("ax_list_apps", NAMED + "tree", "name", False), ("ax_list_windows", NAMED + "window/{index}/tree", "index", True),
])
def test_completions_follow_their_tools(desktop, gtk3_shared, off, template, name, context):
    given = {"name": gtk3_shared.app} if context else {}
    for words, is_on in [((), True), (("--exclude-tools", off), False)]:
        session = Session(desktop.env, arguments=words)
        try:
            reference = ResourceTemplateReference(type="ref/resource", uri=template)
            if is_on:
                wait_for("suggestions", lambda: completed(session, reference, name, "", **given), PATIENCE)
            else:
                for _ in range(5):
                    assert completed(session, reference, name, "", **given) == []
        finally:
            session.close()


def test_elements_and_templates_that_are_off_are_not_completed(desktop, gtk3_shared):
    session = Session(desktop.env, arguments=["--exclude-tools", "ax_get_tree"])
    try:
        for _ in range(5):
            reference = PromptReference(type="ref/prompt", name="debug-ui")
            assert completed(session, reference, "element_description", "C", app_name=gtk3_shared.app) == []
        with pytest.raises(Exception, match="no resource template"):
            completed(session, ResourceTemplateReference(type="ref/resource", uri=NAMED + "tree"), "name", "")
    finally:
        session.close()

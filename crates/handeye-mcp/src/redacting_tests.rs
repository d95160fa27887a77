//! Redaction over MCP: what an application shows of a token is in no list, resource, prompt, completion, notification and answer.

use crate::Server;
use crate::test_client::Client;
use handeye_call::caller::Caller;
use handeye_core::{Clipping, Role};
use handeye_engine::Engine;
use handeye_fake::{FakeApp, FakeDesktop};
use handeye_service::gate::Gate;
use handeye_service::toolbox::Toolbox;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a made-up token has after its beginning; no scanner of repositories takes it for one so.
const SECRET: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

/// A client of a server on a desktop with an editor that shows a token, and with an application that is called one.
async fn begin() -> Client {
    let token = format!("ghp_{SECRET}");
    let (editor, [button]) = FakeApp::simple("Editor", 7, [(Role::Button, "Copy")]);
    editor.edit(button, |node| node.name = format!("Copy {token}").into());
    let (named, _) = FakeApp::simple(&token, 8, [(Role::Button, "Save")]);
    let desktop = FakeDesktop::with([editor, named]);
    desktop.copy(Clipping { text: Some(token.clone()), ..Clipping::default() });
    desktop.notify(7, &token, &token);
    let engine = Engine::new(desktop.platform(), Caller::STDIO);
    Client::of(Server::new(&engine, Arc::new(Gate::default()), &Toolbox::default())).await
}

fn is_clean(message: &Value, from: &str) {
    let shown = message.to_string();
    assert!(!shown.contains(&SECRET[..12]), "{from}: {shown}");
}

#[tokio::test]
async fn lists_resources_prompts_and_completions_have_no_token() {
    let mut client = begin().await;
    client.ask("logging/setLevel", json!({ "level": "debug" })).await;
    for list in ["resources/list", "resources/templates/list", "prompts/list", "tools/list"] {
        let listed = client.ask(list, json!({})).await;
        is_clean(&listed, list);
        assert!(listed.get("result").is_some(), "{listed}");
    }
    for uri in [
        "apps",
        "clipboard",
        "system/status",
        "app/Editor/tree",
        "app/Editor/state",
        "app/Editor/events",
        "app/nothing/tree",
    ] {
        let read = client.ask("resources/read", json!({ "uri": format!("handeye://{uri}") })).await;
        is_clean(&read, uri);
    }
    for (prompt, more) in
        [("debug-ui", "element_description"), ("navigate-to", "target"), ("test-app", "app_name")]
    {
        let mut arguments = json!({ "app_name": "Editor" });
        arguments[more] = if more == "app_name" { "Editor".into() } else { "Copy".into() };
        let written = client.ask("prompts/get", json!({ "name": prompt, "arguments": arguments })).await;
        is_clean(&written, prompt);
    }
    let names = client.completions("app_name", "", json!({})).await;
    is_clean(&names, "completions");
    assert!(names.to_string().contains("Editor"), "{names}");
    let elements = client.completions("element_description", "", json!({ "app_name": "Editor" })).await;
    is_clean(&elements, "completions");
    for (tool, arguments) in [
        ("ax_get_tree", json!({ "app": "Editor" })),
        ("ax_clipboard", json!({ "action": "read" })),
        ("ax_click", json!({ "app": "Editor", "query": "Copy" })),
        ("ax_list_apps", json!({})),
        ("ax_connect", json!({ "app": format!("ghp_{SECRET}") })),
    ] {
        let answer = client.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        is_clean(&answer, tool);
    }
    assert!(!client.received.is_empty(), "records were sent");
    for message in &client.received {
        is_clean(message, "a notification");
    }
}

//! Redaction: a token that an application shows, copies, notifies of and writes leaves by no way.

use crate::bench::{Bench, FakeApp, Manners};
use handeye_call::call::Call;
use handeye_call::client_log::{Level, Log};
use handeye_call::progress::Progress;
use handeye_call::reader::Reader;
use handeye_core::{Abilities, Clipping, Detail, Role, States, TextContent};
use handeye_resources::{Resources, wanted};
use handeye_service::registry;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A made-up token, put together so that no scanner of repositories takes it for a real one.
fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

const MARK: &str = "‹redacted: GitHub token›";

/// A desktop with the token in a title, a name, a value, on the clipboard, in a notification and in what scripts write.
fn bench() -> (Bench, Arc<FakeApp>) {
    let token = token();
    let app = FakeApp::new("Editor", 7, Manners::Complete);
    let window = app.open_window(&format!("Keys {token}"));
    app.add(window, Role::Button, &format!("Copy {token}"));
    let field = app.add(window, Role::TextBox, "Token");
    app.edit(field, |node| {
        node.abilities |= Abilities::TEXT | Abilities::EDITABLE_TEXT;
        node.states |= States::EDITABLE;
        node.details.text =
            Detail::Known(TextContent { total_chars: token.len() as u32, shown: token.as_str().into() });
    });
    let bench = Bench::with([Arc::clone(&app)]);
    bench.desktop.copy(Clipping { text: Some(format!("my {token}")), ..Clipping::default() });
    bench.desktop.notify(7, &format!("New key {token}"), &token);
    *bench.desktop.script_writes.lock().expect("no panic") = format!("it is {token}\n");
    (bench, app)
}

/// All tools, each with calls whose answer or error would have the token.
fn calls() -> Vec<(&'static str, Vec<Value>)> {
    let token = token();
    let button = format!("Copy {token}");
    let steps = json!([
        {"tool": "ax_get_value", "args": {"query": "Token", "app": "Editor"}},
        {"tool": "ax_click", "args": {"query": button, "app": "Editor"}},
    ]);
    vec![
        ("ax_is_accessible", vec![json!({})]),
        ("ax_connect", vec![json!({"app": "Editor"}), json!({"app": token})]),
        ("ax_list_apps", vec![json!({})]),
        ("ax_list_windows", vec![json!({}), json!({"app": "Editor"})]),
        (
            "ax_find",
            vec![json!({"query": "Copy", "app": "Editor"}), json!({"query": button, "app": "Editor"})],
        ),
        (
            "ax_get_tree",
            vec![json!({"app": "Editor"}), json!({"app": "Editor", "query": "nothing like that"})],
        ),
        ("ax_get_attributes", vec![json!({"query": "Token", "app": "Editor"})]),
        ("ax_get_value", vec![json!({"query": "Token", "app": "Editor"})]),
        (
            "ax_click",
            vec![
                json!({"query": "Copy", "app": "Editor"}),
                json!({"query": format!("x {token}"), "app": "Editor"}),
            ],
        ),
        ("ax_click_at", vec![json!({"x": 5, "y": 5, "app": "Editor"})]),
        ("ax_type", vec![json!({"text": token, "query": "Token", "app": "Editor"})]),
        (
            "ax_set_value",
            vec![
                json!({"query": "Token", "value": format!("x{token}"), "app": "Editor"}),
                json!({"query": button, "value": token, "app": "Editor"}),
            ],
        ),
        ("ax_scroll", vec![json!({"direction": "down", "app": "Editor", "query": "Token"})]),
        ("ax_drag", vec![json!({"from_query": "Copy", "to_query": "Token", "app": "Editor"})]),
        ("ax_key_press", vec![json!({"keys": ["a"], "app": "Editor"})]),
        ("ax_screenshot", vec![json!({"app": "Editor"})]),
        ("analyze", vec![json!({"image_path": format!("/tmp/{token}.png"), "question": "?"})]),
        ("screenshot_app_window", vec![json!({"processName": token}), json!({"processName": "Editor"})]),
        ("ax_wait_idle", vec![json!({"app": "Editor", "timeout_ms": 50})]),
        ("image", vec![json!({"app_target": "Editor"}), json!({"app_target": token})]),
        (
            "list",
            vec![
                json!({"item_type": "running_applications"}),
                json!({"item_type": "application_windows", "app": "Editor"}),
            ],
        ),
        ("ax_next_action", vec![json!({"app": "Editor"})]),
        ("ax_find_visual", vec![json!({"description": token, "app": "Editor"})]),
        ("ax_workflow", vec![json!({"steps": steps})]),
        ("ax_assert", vec![json!({"query": "Token", "app": "Editor", "value": "other"})]),
        ("ax_visual_diff", vec![json!({"app": "Editor", "baseline": format!("/tmp/{token}.png")})]),
        ("ax_a11y_audit", vec![json!({"app": "Editor"})]),
        ("ax_undo", vec![json!({}), json!({"count": 5})]),
        ("ax_clipboard", vec![json!({"action": "read"})]),
        ("ax_session_info", vec![json!({})]),
        ("ax_run_script", vec![json!({"script": "cat key"})]),
    ]
}

#[tokio::test(start_paused = true)]
async fn no_tool_answers_or_logs_a_token() {
    let (bench, _app) = bench();
    let token = token();
    let reported: Arc<Mutex<Vec<String>>> = Arc::default();
    let calls = calls();
    for operation in registry::all() {
        let tool = operation.meta().tool;
        assert!(calls.iter().any(|(name, _)| *name == tool), "{tool} has no call here");
    }
    let mut marked = Vec::new();
    for (tool, arguments) in calls {
        for arguments in arguments {
            let (logged, reporting) = (Arc::clone(&reported), Arc::clone(&reported));
            let call = Call {
                log: Log::to(Level::Debug, move |record| {
                    logged.lock().expect("no panic").push(record.data.to_string());
                }),
                progress: Progress::to(move |step| reporting.lock().expect("no panic").push(step.message)),
                ..Call::new(Reader::MODEL, CancellationToken::new())
            };
            let shown = match bench.call_with(tool, arguments.clone(), call).await {
                Ok(answer) => format!("{answer:?}"),
                Err(error) => format!("{error:?}"),
            };
            assert!(!shown.contains(&token[..12]), "{tool} {arguments}: {shown}");
            if shown.contains(MARK) {
                marked.push(tool);
            }
        }
    }
    for tool in [
        "ax_find",
        "ax_get_tree",
        "ax_get_value",
        "ax_clipboard",
        "ax_list_windows",
        "ax_workflow",
        "ax_click",
    ] {
        assert!(marked.contains(&tool), "{tool}: the answer has the token in the first place: {marked:?}");
    }
    let reported = reported.lock().expect("no panic").join("\n");
    assert!(!reported.is_empty() && !reported.contains(&token[..12]), "{reported}");
}

#[tokio::test(start_paused = true)]
async fn no_resource_has_a_token_and_each_is_still_json() {
    let (bench, _app) = bench();
    bench.call("ax_connect", json!({"app": "Editor"})).await.expect("connected");
    let resources = Resources::new(bench.engine.clone());
    for uri in [
        "system/status",
        "apps",
        "clipboard",
        "app/Editor/tree",
        "app/Editor/state",
        "app/Editor/events",
        "app/Editor/window/0/tree",
    ] {
        let uri = format!("handeye://{uri}");
        let call = Call::new(Reader::MODEL, CancellationToken::new());
        let answer = bench.gate.call(&bench.engine, &resources, wanted(&*uri, None), call).await;
        let answer = answer.unwrap_or_else(|error| panic!("{uri}: {error:?}"));
        assert!(!answer.text.contains(&token()[..12]), "{uri}: {}", answer.text);
        serde_json::from_str::<Value>(&answer.text).unwrap_or_else(|error| panic!("{uri}: {error}"));
        let has = answer.text.contains(MARK);
        assert!(
            has || uri.contains("status") || uri.ends_with("apps") || uri.contains("events"),
            "{uri}: {}",
            answer.text
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_script_is_asked_about_whole_and_its_output_is_redacted() {
    let (mut bench, _app) = bench();
    bench.engine.desk = bench.engine.desk.clone().confirming(handeye_act::confirm::Confirm::Never);
    let shown = match bench.call("ax_run_script", json!({"script": "cat key"})).await {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("{error:?}"),
    };
    assert!(!shown.contains(&token()[..12]), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn references_and_queries_of_a_redacted_element_go_on_working() {
    let (bench, app) = bench();
    let found = bench.call("ax_find", json!({"query": "button", "app": "Editor"})).await.expect("found");
    assert!(found.text.contains(MARK), "{}", found.text);
    let reference =
        found.text.split("[ref=").nth(1).and_then(|rest| rest.split(']').next()).expect("a reference");
    bench.call("ax_click", json!({"query": reference, "app": "Editor"})).await.expect("clicked");
    bench
        .call("ax_click", json!({"query": format!("Copy {}", token()), "app": "Editor"}))
        .await
        .expect("clicked");
    assert_eq!(app.pressed().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_workflow_puts_a_token_in_that_its_caller_never_reads() {
    let (bench, app) = bench();
    let window = app.truth().windows().next().map(|window| window.id).expect("a window");
    let other = app.add(window, Role::TextBox, "Copy of it");
    app.edit(other, |node| {
        node.abilities |= Abilities::TEXT | Abilities::EDITABLE_TEXT;
        node.states |= States::EDITABLE;
        node.details.text = Detail::Known(TextContent { total_chars: 0, shown: "".into() });
    });
    let steps = json!([
        {"tool": "ax_get_value", "args": {"query": "Token", "app": "Editor"}},
        {"tool": "ax_set_value", "args": {"query": "Copy of it", "value": "{{step_1.value}}", "app": "Editor"}},
    ]);
    let answer = bench.call("ax_workflow", json!({"steps": steps})).await.expect("done");
    assert_eq!(app.text(other), token(), "{}", answer.text);
    assert!(!format!("{answer:?}").contains(&token()[..12]), "{answer:?}");
}

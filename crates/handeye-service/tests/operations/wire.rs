//! Calls as they are sent to another process: what the command line says, as JSON, is taken over as it was meant.

use crate::bench::{Bench, FakeApp};
use handeye_call::call::Call;
use handeye_call::reader::Reader;
use handeye_core::{ErrorCode, Role};
use handeye_engine::AnyOperation;
use handeye_service::registry;
use handeye_service::wire::reference;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tokio_util::sync::CancellationToken;

/// A command and what is sent of it.
fn commands() -> Vec<(&'static str, &'static str, Value)> {
    [commands_a_to_i(), commands_j_to_z()].concat()
}

fn commands_a_to_i() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("analyze", "a.png|What?", json!({ "image_path": "a.png", "question": "What?" })),
        ("apps", "", json!({})),
        ("attributes", "e3", json!({ "query": "e3", "app": "frontmost" })),
        (
            "assert",
            "Name|--enabled|true|--value|x",
            json!({ "app": "frontmost", "assertions": { "enabled": true, "value": "x" }, "query": "Name", "timeout_ms": 0 }),
        ),
        (
            "audit",
            "--scope|element|--query|e3",
            json!({ "app": "frontmost", "query": "e3", "scope": "element", "standards": ["wcag_aa"] }),
        ),
        ("check", "", json!({})),
        (
            "click",
            "e3|--mode|focus",
            json!({ "query": "e3", "app": "frontmost", "click_type": "single", "mode": "focus" }),
        ),
        (
            "click-at",
            "-5|7|--screenshot|s1",
            json!({ "x": -5, "y": 7, "screenshot": "s1", "click_type": "single", "mode": "background" }),
        ),
        ("clipboard", "write|some text", json!({ "action": "write", "text": "some text" })),
        ("connect", "Editor|--alias|notes", json!({ "app": "Editor", "alias": "notes" })),
        (
            "diff",
            "base.png|--app|7",
            json!({
                "app": "7", "baseline": "base.png", "ignore_antialiasing": true, "ignore_regions": [], "mode": "pixel",
                "perceptual": false, "threshold": 1.0, "update": false, "window_index": 0
            }),
        ),
        (
            "drag",
            "--from|a|--to|b",
            json!({ "app": "frontmost", "from_query": "a", "to_query": "b", "duration_ms": 500, "mode": "background" }),
        ),
        ("find", "Save|--app|7", json!({ "query": "Save", "app": "7", "strategy": "auto" })),
        ("find-visual", "a door", json!({ "app": "frontmost", "description": "a door" })),
        ("get", "Name", json!({ "query": "Name", "app": "frontmost" })),
        (
            "image",
            "--app|PID:7|--window-index|2|--format|jpg",
            json!({ "app_target": "PID:7:WINDOW_INDEX:2", "format": "jpg", "annotate": false }),
        ),
    ]
}

fn commands_j_to_z() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "key",
            "s|--modifiers|ctrl,shift",
            json!({ "key": "s", "modifiers": ["ctrl", "shift"], "mode": "background" }),
        ),
        (
            "list",
            "windows|--app|x|--include-details|ids",
            json!({ "item_type": "application_windows", "app": "x", "include_window_details": ["ids"] }),
        ),
        ("next-action", "save it", json!({ "goal": "save it", "app": "frontmost", "history": [] })),
        (
            "run",
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/operations/flow.yaml|--var|who=me|--dry-run"),
            json!({
                "dry_run": true, "name": "flow", "steps": [{ "args": { "query": "Save" }, "tool": "ax_find" }],
                "variables": { "who": "me" }
            }),
        ),
        (
            "screenshot",
            "--region|1,2,3,4|-o|-",
            json!({ "window_index": 0, "region": { "x": 1, "y": 2, "w": 3, "h": 4 }, "annotate": false, "output": "-" }),
        ),
        (
            "app-window",
            "--app-name|x",
            json!({ "appName": "x", "format": "png", "includeShadow": false, "windowIndex": 0, "timeoutMs": 15_000, "preferWindowId": true }),
        ),
        ("script", "ls", json!({ "language": "shell", "script": "ls", "timeout_ms": 10_000 })),
        (
            "scroll",
            "down",
            json!({ "direction": "down", "app": "frontmost", "amount": 100, "mode": "background" }),
        ),
        ("session", "", json!({})),
        ("set-value", "Name|-x", json!({ "query": "Name", "value": "-x", "app": "frontmost" })),
        (
            "tree",
            "--root|Main|--depth|3",
            json!({ "app": "frontmost", "root_query": "Main", "max_depth": 3, "include_invisible": false, "compact": false, "insight": false }),
        ),
        (
            "type",
            "some text",
            json!({ "text": "some text", "app": "frontmost", "clear_first": false, "mode": "background" }),
        ),
        ("undo", "3", json!({ "count": 3 })),
        ("wait", "", json!({ "app": "frontmost", "timeout_ms": 5_000, "poll_ms": 100 })),
        ("windows", "", json!({ "app": "all" })),
    ]
}

fn operation(command: &str) -> &'static dyn AnyOperation {
    registry::by_command(command).unwrap_or_else(|| panic!("no command {command}"))
}

fn written(command: &str, words: &str) -> handeye_core::Result<Value> {
    let operation = operation(command);
    let words = std::iter::once(command).chain(words.split('|').filter(|word| !word.is_empty()));
    operation.written(&operation.command().get_matches_from(words))
}

#[test]
fn every_command_can_be_sent() {
    for (command, words, expected) in commands() {
        let sent = written(command, words).expect(command);
        assert_eq!(sent, expected, "{command}");
        let taken = operation(command).accept(sent.clone()).expect(command);
        if let Some(app) = sent.get("app").and_then(Value::as_str).filter(|_| command != "windows") {
            assert_eq!(taken.application.as_deref(), Some(app), "{command}");
        }
    }
    let tried: BTreeSet<&str> = commands().iter().map(|(command, ..)| *command).collect();
    assert_eq!(tried, registry::all().iter().map(|operation| operation.meta().command).collect());
}

#[test]
fn what_json_has_no_spelling_for_is_not_sent_as_something_else() {
    // A name that would be read as a screen, a title that would be trimmed, and flags that contradict each other.
    for words in ["--app|screen:0|--mode|multi", "--app|x|--window-title| y", "--mode|window"] {
        let error = written("image", words).expect_err(words);
        assert_eq!(error.code, ErrorCode::InvalidParameter, "{words}");
    }
}

#[test]
fn faults_are_named_and_where_a_shell_wants_the_picture_is_unknown_over_mcp() {
    let error = operation("click").accept(json!({ "query": 7, "there": 1 })).err().expect("two faults");
    assert!(error.message.contains("query") && error.message.contains("there"), "{error}");
    let file = json!({ "output": "a.png" });
    assert!(operation("screenshot").accept(file.clone()).is_ok());
    let error = operation("screenshot").parse_json(file).err().expect("no such parameter");
    assert!(error.message.contains("output"), "{error}");
    assert!(!operation("screenshot").input_schema().to_string().contains("output"));
}

#[tokio::test]
async fn a_reference_names_its_application() {
    let (editor, _) = FakeApp::simple("Editor", 7, [(Role::Button, "Save")]);
    let (viewer, _) = FakeApp::simple("Viewer", 8, [(Role::Button, "Open")]);
    let bench = Bench::with([editor, viewer]);
    let found = bench.call("ax_find", json!({ "app": "Viewer", "query": "Open" })).await.expect("found");
    let reference = &found.fields["element_ref"];
    let meta = operation("get").meta();
    let completed = |input: Value| reference::completed(meta, input, &bench.engine).expect("it runs");
    assert_eq!(completed(json!({ "query": reference }))["app"], "8");
    assert_eq!(completed(json!({ "query": reference, "app": "Editor" }))["app"], "Editor");
    assert_eq!(completed(json!({ "query": "e999" }))["app"], "frontmost");
    assert_eq!(completed(json!({ "query": "Open" })), json!({ "query": "Open" }));
    let unknown = reference::unknown(meta, &json!({ "query": "e999" }), &bench.engine).expect("unknown");
    assert_eq!(unknown.code, ErrorCode::UnknownReference);
    assert!(reference::unknown(meta, &json!({ "query": reference }), &bench.engine).is_none());
    let input = operation("get").accept(completed(json!({ "query": reference }))).expect("an input");
    let call = Call::new(Reader::MODEL, CancellationToken::new());
    let answer = bench.gate.call(&bench.engine, operation("get"), input, call).await.expect("an answer");
    assert_eq!(answer.fields["title"], "Open");
}

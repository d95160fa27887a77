//! The accessibility audit on a platform in memory.

use crate::bench::{Bench, FakeApp};
use handeye_core::platform::Links;
use handeye_core::{ErrorCode, Role, States};
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn an_audit_names_each_issue_by_a_reference_that_works() {
    let (app, [save, nameless, field]) =
        FakeApp::simple("Editor", 7, [(Role::Button, "Save"), (Role::Button, ""), (Role::TextBox, "")]);
    for button in [save, nameless] {
        app.edit(button, |node| node.states.insert(States::FOCUSABLE));
    }
    app.link(field, Links { labelled_elsewhere: true, ..Links::default() });
    let bench = Bench::with([Arc::clone(&app)]);
    let answer = bench.call("ax_a11y_audit", json!({"app": "Editor"})).await.expect("a report");
    let issues = answer.fields["issues"].as_array().expect("a list").clone();
    let rules: Vec<&str> = issues.iter().filter_map(|issue| issue["rule"].as_str()).collect();
    assert!(rules.contains(&"control-name"), "{}", answer.text);
    assert_eq!(rules.iter().filter(|rule| **rule == "control-name").count(), 1, "the field is labelled");
    assert_eq!(answer.fields["passed"], false);
    let of_name = issues.iter().find(|issue| issue["rule"] == "control-name").expect("an issue");
    let reference = of_name["element_ref"].as_str().expect("a reference").to_owned();
    bench.call("ax_click", json!({"app": "Editor", "query": reference})).await.expect("clicked");
    assert_eq!(app.pressed(), [nameless]);
    app.edit(nameless, |node| node.name = "Open".into());
    let element =
        json!({"app": "Editor", "scope": "element", "query": "button Open", "standards": ["wcag_a"]});
    let clean = bench.call("ax_a11y_audit", element).await.expect("a report");
    assert_eq!(
        (&clean.fields["passed"], &clean.fields["score"]),
        (&json!(true), &json!(100)),
        "{}",
        clean.text
    );
}

#[tokio::test]
async fn each_window_is_captured_once() {
    let (app, _) = FakeApp::simple("Editor", 7, [(Role::Text, "One"), (Role::Text, "Two")]);
    let bench = Bench::with([app]);
    bench.call("ax_a11y_audit", json!({"app": "Editor"})).await.expect("a report");
    assert_eq!(bench.desktop.captured.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[tokio::test]
async fn parameters_that_do_not_go_together_are_refused() {
    let (app, _) = FakeApp::simple("Editor", 7, [(Role::Text, "One")]);
    let bench = Bench::with([Arc::clone(&app)]);
    for wrong in [
        json!({"app": "Editor", "scope": "element"}),
        json!({"app": "Editor", "query": "One"}),
        json!({"app": "Editor", "standards": []}),
    ] {
        bench.fails("ax_a11y_audit", wrong, ErrorCode::InvalidParameter).await;
    }
    let window = app.truth().windows().next().map(|window| window.id).expect("a window");
    app.edit(window, |node| node.states.remove(States::SHOWING | States::VISIBLE));
    bench.fails("ax_a11y_audit", json!({"app": "Editor"}), ErrorCode::WindowNotFound).await;
}

//! A screen that knows its windows and their pixels, and neither their places nor their stacking, as one of Wayland does: reading, actions in
//! the background and pictures of windows need none of that; what needs it is refused with the reason.

use crate::bench::{Bench, FakeApp};
use handeye_core::{Error, ErrorCode, NodeId, Role};
use serde_json::{Value, json};
use std::sync::Arc;

/// Why the screen knows no more.
const REASON: &str = "this compositor keeps the places of windows to itself";

/// An application with a button, a check box and a text field, on such a screen.
fn bench() -> (Bench, Arc<FakeApp>, [NodeId; 3]) {
    let elements = [(Role::Button, "Go"), (Role::CheckBox, "Wrap"), (Role::TextBox, "Name")];
    let (app, ids) = FakeApp::simple("Editor", 7, elements);
    let bench = Bench::with([Arc::clone(&app)]);
    bench.desktop.know_windows_alone(REASON);
    (bench, app, ids)
}

async fn refused(bench: &Bench, tool: &str, arguments: Value) -> Error {
    let error = bench.fails(tool, arguments, ErrorCode::Refused).await;
    assert!(error.message.ends_with(REASON), "{tool}: {error:?}");
    assert!(error.next.is_some(), "{tool}: {error:?}");
    assert!(bench.desktop.seat_log().is_empty(), "{tool}: nothing is touched");
    error
}

#[tokio::test(start_paused = true)]
async fn what_is_read_has_no_place() {
    let (bench, app, [_, _, name]) = bench();
    app.set_text(name, "Ada");
    let tree = bench.call("ax_get_tree", json!({"app": "Editor"})).await.expect("a tree");
    assert!(tree.text.contains("button \"Go\" [ref=e"), "{}", tree.text);
    let value = bench.call("ax_get_value", json!({"app": "Editor", "query": "Name"})).await.expect("a value");
    assert_eq!(value.fields["value"], "Ada");
    let windows = bench.call("ax_list_windows", json!({"app": "Editor"})).await.expect("a list");
    assert_eq!(windows.text, "0: \"Editor\"");
    let window = &windows.fields["windows"][0];
    assert_eq!((&window["title"], window.get("position")), (&json!("Editor"), None));
    let bounds =
        json!({"item_type": "application_windows", "app": "Editor", "include_window_details": ["bounds"]});
    let listed = bench.call("list", bounds).await.expect("a list");
    assert_eq!(listed.fields["window_list"][0].get("bounds"), None);
}

#[tokio::test(start_paused = true)]
async fn what_acts_on_an_element_needs_no_place() {
    let (bench, app, [_, wrap, name]) = bench();
    let clicked = bench.call("ax_click", json!({"app": "Editor", "query": "Wrap"})).await.expect("clicked");
    assert_eq!((&clicked.fields["effect"]["status"], app.pressed()), (&json!("confirmed"), vec![wrap]));
    let typed = json!({"app": "Editor", "query": "Name", "text": "Ada"});
    bench.call("ax_type", typed).await.expect("typed");
    assert_eq!(app.text(name), "Ada");
    assert!(bench.desktop.seat_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_window_is_pictured_wherever_it_is() {
    let (bench, ..) = bench();
    let shot =
        bench.call("ax_screenshot", json!({"app": "Editor", "annotate": true})).await.expect("a picture");
    assert_eq!((&shot.fields["size"], shot.fields.get("position")), (&json!([400, 300]), None));
    assert!(shot.text.contains("400x300 pixels, its place on the screen is not known"), "{}", shot.text);
    assert!(shot.text.contains(&format!("No marks: {REASON}.")), "{}", shot.text);
    let part = json!({"app": "Editor", "region": {"x": 390, "y": 0, "w": 50, "h": 20}});
    let part = bench.call("ax_screenshot", part).await.expect("a part of it");
    assert_eq!((&part.fields["size"], part.fields.get("position")), (&json!([10, 20]), None));
    let image = bench.call("image", json!({"app_target": "Editor"})).await.expect("a picture");
    assert!(
        image.text.contains("\"Editor\" 400x300,") || image.text.contains("\"Editor\" 400x300\n"),
        "{}",
        image.text
    );
    let window = bench.call("screenshot_app_window", json!({"appName": "Editor"})).await.expect("a picture");
    assert_eq!(window.fields.get("rect"), None);
    let as_seen = json!({"appName": "Editor", "preferWindowId": false});
    bench.fails("screenshot_app_window", as_seen, ErrorCode::Refused).await;

    let id = shot.fields["id"].as_str().expect("an id");
    refused(&bench, "ax_click_at", json!({"screenshot": id, "x": 9, "y": 9})).await;
    let beyond = json!({"screenshot": id, "x": 400, "y": 9});
    bench.fails("ax_click_at", beyond, ErrorCode::InvalidParameter).await;
}

#[tokio::test(start_paused = true)]
async fn what_goes_by_place_is_refused_with_the_reason() {
    let (bench, ..) = bench();
    for mode in ["background", "focus"] {
        let error = refused(&bench, "ax_click_at", json!({"x": 160, "y": 119, "mode": mode})).await;
        assert!(error.message.starts_with("what lies at (160, 119) is not known"), "{error:?}");
    }
    for (tool, arguments) in [
        ("ax_click", json!({"query": "Go"})),
        ("ax_scroll", json!({"direction": "down"})),
        ("ax_scroll", json!({"direction": "down", "query": "Go"})),
        ("ax_drag", json!({"from_query": "Go", "to_query": "Wrap"})),
        ("ax_drag", json!({"from_x": 120, "from_y": 120, "to_x": 130, "to_y": 140})),
    ] {
        let mut arguments = arguments;
        arguments["app"] = "Editor".into();
        arguments["mode"] = "focus".into();
        refused(&bench, tool, arguments).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_caret_is_put_nowhere_while_the_active_window_is_not_known() {
    let (bench, app, [.., name]) = bench();
    let click = json!({"app": "Editor", "query": "Name"});
    let error = bench.fails("ax_click", click, ErrorCode::Refused).await;
    let why = format!("whether its window is the active one is not known: {REASON}");
    assert!(error.message.ends_with(&why), "{error:?}");
    assert_ne!(app.focused(), Some(name));
    let front = bench.fails("ax_get_tree", json!({"app": "frontmost"}), ErrorCode::AppNotFound).await;
    assert!(
        front.next.is_some_and(|next| next.contains("name the application")),
        "the application is named instead"
    );
}

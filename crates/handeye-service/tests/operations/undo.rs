//! `ax_undo`: what is restored, and what is left as it is.

use crate::bench::{Bench, FakeApp};
use handeye_act::journal::Fate;
use handeye_core::{ErrorCode, Role, States};
use serde_json::{Value, json};

async fn set(bench: &Bench, query: &str, value: &str) {
    let arguments = json!({"app": "Editor", "query": query, "value": value});
    bench.call("ax_set_value", arguments).await.expect("it is set");
}

async fn undo(bench: &Bench, count: u32) -> Value {
    bench.call("ax_undo", json!({"count": count})).await.expect("an account").fields
}

fn statuses(fields: &Value) -> Vec<&str> {
    let actions = fields["actions"].as_array().expect("a list");
    actions.iter().map(|action| action["status"].as_str().expect("a status")).collect()
}

#[tokio::test(start_paused = true)]
async fn texts_numbers_and_switches_are_as_before_the_latest_first() {
    let (app, [name, wrap, volume]) = FakeApp::simple(
        "Editor",
        7,
        [(Role::TextBox, "Name"), (Role::CheckBox, "Wrap"), (Role::Slider, "Volume")],
    );
    app.set_text(name, "before");
    let bench = Bench::with([app.clone()]);
    set(&bench, "Name", "first").await;
    set(&bench, "Name", "second").await;
    set(&bench, "Wrap", "true").await;
    set(&bench, "Volume", "40").await;
    let fields = undo(&bench, 2).await;
    assert_eq!((fields["undone"].as_u64(), fields["skipped"].as_u64()), (Some(2), Some(0)), "{fields}");
    assert_eq!(app.node(volume).expect("alive").details.value.known().map(|value| value.current), Some(0.0));
    assert!(!app.node(wrap).expect("alive").states.contains(States::CHECKED));
    assert_eq!(undo(&bench, 1).await["undone"], 1);
    assert_eq!(app.text(name), "first");
    assert_eq!(undo(&bench, 9).await["undone"], 1);
    assert_eq!(app.text(name), "before");
    // What took an action back is not an action to take back.
    let error = bench.fails("ax_undo", json!({}), ErrorCode::Refused).await;
    assert!(error.message.contains("nothing to undo"), "{error:?}");
    let fates: Vec<Fate> = bench.engine.desk.own.journal.latest(9).iter().map(|entry| entry.fate).collect();
    assert_eq!(fates, [[Fate::TookBack; 4], [Fate::TakenBack; 4]].concat());
}

#[tokio::test(start_paused = true)]
async fn what_somebody_changed_since_stays_and_so_does_what_a_click_did() {
    let (app, [name, _]) = FakeApp::simple("Editor", 7, [(Role::TextBox, "Name"), (Role::Button, "Go")]);
    app.set_text(name, "before");
    let bench = Bench::with([app.clone()]);
    set(&bench, "Name", "mine").await;
    app.set_text(name, "typed by the user");
    drop(bench.call("ax_click", json!({"app": "Editor", "query": "Go"})).await);
    let fields = undo(&bench, 5).await;
    assert_eq!(statuses(&fields), ["skipped_irreversible", "skipped_irreversible"], "{fields}");
    let reasons: Vec<&str> = fields["actions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|action| action["reason"].as_str())
        .collect();
    assert!(reasons[0].contains("click") && reasons[1].contains("changed since"), "{reasons:?}");
    assert_eq!(app.text(name), "typed by the user");
    // They were dealt with.
    bench.fails("ax_undo", json!({}), ErrorCode::Refused).await;
}

#[tokio::test]
async fn a_count_out_of_range_and_an_empty_journal_are_errors() {
    let (app, []) = FakeApp::simple("Editor", 7, []);
    let bench = Bench::with([app]);
    bench.fails("ax_undo", json!({"count": 0}), ErrorCode::InvalidParameter).await;
    bench.fails("ax_undo", json!({"count": 51}), ErrorCode::InvalidParameter).await;
    bench.fails("ax_undo", json!({}), ErrorCode::Refused).await;
}

//! What the journal says of actions.

use crate::bench::{Bench, FakeApp};
use handeye_act::effect::Status;
use handeye_act::journal::{Entry, Revert};
use handeye_act::{Route, SeatOf};
use handeye_core::{Role, States};
use serde_json::json;
use std::sync::Arc;

async fn entries(bench: &Bench, tool: &str, arguments: serde_json::Value) -> Vec<Entry> {
    drop(bench.call(tool, arguments).await);
    bench.engine.desk.own.journal.latest(10)
}

#[tokio::test(start_paused = true)]
async fn each_action_is_written_down_with_the_state_before_it() {
    let (app, [name, wrap, ..]) = FakeApp::simple(
        "Editor",
        7,
        [(Role::TextBox, "Name"), (Role::CheckBox, "Wrap"), (Role::Slider, "Volume"), (Role::Button, "Go")],
    );
    app.set_text(name, "before");
    let bench = Bench::with([Arc::clone(&app)]);
    let set = json!({"app": "Editor", "query": "Name", "value": "after"});
    let [entry] = &entries(&bench, "ax_set_value", set).await[..] else { panic!("one entry") };
    assert_eq!((entry.number, entry.route, entry.status), (1, Route::Accessibility, Some(Status::Confirmed)));
    assert_eq!((entry.application.as_str(), entry.pid), ("Editor", Some(7)));
    assert_eq!(entry.revert, Revert::SetText("before".into()));
    assert_eq!(entry.after.as_ref().and_then(|state| state.text.as_deref()), Some("after"));

    let switch = json!({"app": "Editor", "query": "Wrap", "value": "true"});
    let entry = entries(&bench, "ax_set_value", switch).await.remove(0);
    assert_eq!(entry.revert, Revert::Switch);
    assert!(!entry.before.expect("a state").states.contains(States::CHECKED));
    assert!(app.node(wrap).expect("alive").states.contains(States::CHECKED));

    let number = json!({"app": "Editor", "query": "Volume", "value": "40"});
    assert_eq!(entries(&bench, "ax_set_value", number).await[0].revert, Revert::SetNumber(0.0));
    let click = json!({"app": "Editor", "query": "Go", "mode": "focus"});
    let all = entries(&bench, "ax_click", click).await;
    assert_eq!(
        (all[0].route, &all[0].revert, all[0].status),
        (Route::Seat(SeatOf::User), &Revert::Impossible, Some(Status::Unconfirmed))
    );
    assert_eq!(all.iter().map(|entry| entry.number).collect::<Vec<_>>(), [4, 3, 2, 1]);
}

#[tokio::test(start_paused = true)]
async fn what_was_refused_and_what_a_field_hides_is_not_written_down() {
    let (app, [password, disabled]) =
        FakeApp::simple("Editor", 7, [(Role::TextBox, "Password"), (Role::Button, "Off")]);
    app.edit(password, |node| node.states.insert(States::PROTECTED));
    app.edit(disabled, |node| node.states.remove(States::ENABLED));
    let bench = Bench::with([app]);
    let click = json!({"app": "Editor", "query": "Off"});
    assert!(entries(&bench, "ax_click", click).await.is_empty());
    let set = json!({"app": "Editor", "query": "Password", "value": "geheim"});
    let written = entries(&bench, "ax_set_value", set).await;
    assert_eq!(written.len(), 1);
    assert_eq!(written[0].revert, Revert::Impossible);
    assert!(!format!("{written:?}").contains("geheim"), "{written:?}");
}

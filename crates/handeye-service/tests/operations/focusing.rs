//! `mode: focus`: the seat's pointer and keyboard, and only then.

use crate::bench::{Bench, FakeApp};
use handeye_core::Detail;
use handeye_core::{ErrorCode, Extents, Rect, Role, States};
use serde_json::json;
use std::sync::Arc;

#[tokio::test(start_paused = true)]
async fn the_pointer_clicks_what_was_asked_for() {
    let (app, [wrap]) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let answer = bench
        .call("ax_click", json!({"app": "Editor", "query": "Wrap", "mode": "focus"}))
        .await
        .expect("clicked");
    assert_eq!(answer.fields["effect"]["status"], "confirmed");
    assert!(app.node(wrap).expect("alive").states.contains(States::CHECKED));
    assert_eq!(bench.desktop.seat_log(), ["activate", "click Left x1 at 160,119"]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_hit_is_not_clicked() {
    let (app, [outside, covered, cover]) =
        FakeApp::simple("Editor", 7, [(Role::Button, "Far"), (Role::Button, "Low"), (Role::Button, "High")]);
    app.edit(outside, |node| {
        node.details.extents = Detail::Known(Extents::OnScreen(Rect::new(3000, 100, 10, 10)));
    });
    let place = app.node(covered).expect("alive").details.extents.clone();
    app.edit(cover, |node| node.details.extents = place);
    let bench = Bench::with([app]);
    let far = bench
        .fails("ax_click", json!({"app": "Editor", "query": "Far", "mode": "focus"}), ErrorCode::Refused)
        .await;
    assert!(far.message.contains("outside"), "{far}");
    let low = bench
        .fails("ax_click", json!({"app": "Editor", "query": "Low", "mode": "focus"}), ErrorCode::Refused)
        .await;
    assert!(low.message.contains("covered by button \"High\""), "{low}");
    assert!(!bench.desktop.seat_log().iter().any(|line| line.starts_with("click")));
}

#[tokio::test(start_paused = true)]
async fn the_keyboard_types_and_the_text_is_read_back() {
    let (app, [field]) = FakeApp::simple("Editor", 7, [(Role::TextBox, "Name")]);
    app.set_text(field, "old");
    let bench = Bench::with([Arc::clone(&app)]);
    let arguments =
        json!({"app": "Editor", "query": "Name", "text": "new", "clear_first": true, "mode": "focus"});
    let answer = bench.call("ax_type", arguments).await.expect("typed");
    assert_eq!(answer.fields["effect"]["status"], "confirmed");
    assert_eq!(app.text(field), "new");
    // Longer than an effect may take to settle: typing is never broken off half way.
    let long = "0123456789".repeat(50);
    let arguments =
        json!({"app": "Editor", "query": "Name", "text": long, "clear_first": true, "mode": "focus"});
    let answer = bench.call("ax_type", arguments).await.expect("typed");
    assert_eq!((answer.fields["effect"]["status"].as_str(), app.text(field)), (Some("confirmed"), long));
    let too_long = json!({"app": "Editor", "query": "Name", "text": "x".repeat(10_001), "mode": "focus"});
    bench.fails("ax_type", too_long, ErrorCode::TooLarge).await;
}

#[tokio::test(start_paused = true)]
async fn a_key_is_pressed_although_what_had_the_focus_is_gone_when_it_is_read() {
    // What takes text comes first where several elements report that they have the focus.
    let (app, [button, suggestion]) =
        FakeApp::simple("Browser", 7, [(Role::Button, "Go"), (Role::TextBox, "Suggestion")]);
    for id in [button, suggestion] {
        app.edit(id, |node| node.states.insert(States::FOCUSED));
    }
    let bench = Bench::with([Arc::clone(&app)]);
    app.leave_when_read(suggestion);
    let press = json!({"app": "Browser", "key": "return", "mode": "focus"});
    bench.call("ax_key_press", press).await.expect("the button has the focus");
    assert!(app.node(suggestion).is_none(), "it was read");
    assert!(
        bench.desktop.seat_log().iter().any(|line| line.contains("key")),
        "{:?}",
        bench.desktop.seat_log()
    );
}

#[tokio::test(start_paused = true)]
async fn keys_wheel_and_drag_reach_the_seat() {
    let (app, [_, slider]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go"), (Role::Slider, "Volume")]);
    let bench = Bench::with([app]);
    let calls = [
        (
            "ax_key_press",
            json!({"app": "Editor", "key": "s", "modifiers": ["cmd", "shift"], "mode": "focus"}),
        ),
        ("ax_scroll", json!({"app": "Editor", "direction": "up", "amount": 100, "mode": "focus"})),
        ("ax_drag", json!({"app": "Editor", "from_query": "Go", "to_query": "Volume", "mode": "focus"})),
        ("ax_click_at", json!({"x": 10, "y": 10, "click_type": "right", "mode": "focus"})),
    ];
    for (tool, arguments) in calls {
        let answer = bench.call(tool, arguments).await.expect("done");
        assert_eq!(answer.fields["effect"]["status"], "unconfirmed", "{tool} changed nothing here");
    }
    let log: Vec<String> = bench.desktop.seat_log().into_iter().filter(|line| line != "activate").collect();
    assert_eq!(
        log,
        [
            "key [Super, Shift] s",
            "wheel 0,-2 at 300,250",
            "drag 160,119 to 160,139 in 500",
            "click Right x1 at 10,10",
        ]
    );
    assert!(slider.get() > 0);
}

#[tokio::test(start_paused = true)]
async fn an_end_of_a_drag_is_named_in_one_way() {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    let bench = Bench::with([app]);
    for arguments in [
        json!({"app": "Editor", "from_query": "Go"}),
        json!({"app": "Editor", "from_query": "Go", "to_x": 5}),
        json!({"app": "Editor", "from_query": "Go", "from_x": 5, "to_x": 5, "to_y": 5}),
        json!({"app": "Editor", "from_query": "Go", "to_x": -5000, "to_y": 5}),
    ] {
        bench.fails("ax_drag", arguments, ErrorCode::InvalidParameter).await;
    }
    assert!(bench.desktop.seat_log().is_empty());
}

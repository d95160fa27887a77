//! By which way an action goes, by what the ports declare: a request to the application, input into it alone, or a seat.

use crate::bench::{Bench, FakeApp, Manners, Reaction};
use handeye_act::Route;
use handeye_core::{ErrorCode, NodeId, Role, SeatCapabilities, Support};
use handeye_fake::GRANT;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A page with a canvas, which offers no action and opens something when it is clicked.
fn page() -> (Bench, Arc<FakeApp>, NodeId) {
    let app = FakeApp::new("Page", 7, Manners::Complete);
    let window = app.open_window("Page");
    let canvas = app.add(window, Role::Image, "Canvas");
    let (place, opened) = (window, NodeId::mint());
    let open = move |tree: &mut handeye_core::Tree| {
        handeye_fake::insert(tree, opened, place, Role::Dialog, "Opened by the canvas");
    };
    app.react(canvas, Reaction::Change(Duration::from_millis(20), Arc::new(open)));
    (Bench::with([Arc::clone(&app)]), app, canvas)
}

fn click(more: &Value) -> Value {
    let mut click = json!({"app": "Page", "query": "Canvas"});
    for (name, value) in more.as_object().expect("an object") {
        click[name] = value.clone();
    }
    click
}

#[tokio::test(start_paused = true)]
async fn an_application_that_takes_clicks_for_itself_is_clicked_in_the_background() {
    let (bench, app, canvas) = page();
    let error = bench.fails("ax_click", click(&json!({})), ErrorCode::Refused).await;
    let why = "offers no action for a click in the background; the pointer cannot click: this desktop has one pointer and one keyboard";
    assert!(error.message.ends_with(why), "{error:?}");
    app.take_own_input(Support::Yes);
    let answer = bench.call("ax_click", click(&json!({}))).await.expect("clicked");
    assert_eq!(answer.fields["effect"]["status"], "confirmed", "{}", answer.text);
    assert_eq!(app.pressed(), [canvas]);
    assert!(bench.desktop.seat_log().is_empty(), "the user's seat is left alone");
    let journal = bench.engine.desk.own.journal.latest(1);
    assert_eq!(journal[0].route, Route::Application);
}

#[tokio::test(start_paused = true)]
async fn what_offers_an_action_is_asked_for_it_first() {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap")]);
    app.take_own_input(Support::Yes);
    let bench = Bench::with([app]);
    bench.call("ax_click", json!({"app": "Editor", "query": "Wrap"})).await.expect("clicked");
    assert_eq!(bench.engine.desk.own.journal.latest(1)[0].route, Route::Accessibility);
}

#[tokio::test(start_paused = true)]
async fn a_click_that_would_disturb_is_refused_with_the_reason() {
    let (bench, app, _) = page();
    app.take_own_input(Support::no("this browser brings its window forward"));
    let error = bench.fails("ax_click", click(&json!({})), ErrorCode::Refused).await;
    assert!(
        error.message.contains(
            "and no click of its own: this browser brings its window forward; the pointer cannot click"
        ),
        "{error:?}"
    );
    assert!(error.next.is_some_and(|next| next.contains("uses the real pointer")), "the way that works");
    app.take_own_input(Support::Yes);
    bench.fails("ax_click", click(&json!({"click_type": "right"})), ErrorCode::Refused).await;
    assert!(app.pressed().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_a_seat_cannot_do_is_refused_before_anything_is_touched() {
    let (app, _) = FakeApp::simple("Page", 7, [(Role::Button, "Canvas"), (Role::Button, "Other")]);
    let bench = Bench::with([app]);
    let set = |can: SeatCapabilities| *bench.desktop.seat_can.lock().expect("no panic") = can;
    let no = || GRANT.missing();
    let drag = json!({"app": "Page", "from_query": "Canvas", "to_query": "Other"});
    let all = || SeatCapabilities::ALL;
    let pointer = || SeatCapabilities { pointer: no(), ..all() };
    let cases = [
        ("ax_click", click(&json!({})), pointer(), "the pointer cannot click"),
        ("ax_click_at", json!({"x": 160, "y": 119}), pointer(), "the pointer cannot click"),
        ("ax_drag", drag, SeatCapabilities { drag: no(), ..all() }, "the pointer cannot drag"),
        (
            "ax_scroll",
            json!({"app": "Page", "direction": "down"}),
            SeatCapabilities { wheel: no(), ..all() },
            "the wheel cannot be turned",
        ),
        (
            "ax_key_press",
            json!({"app": "Page", "key": "tab"}),
            SeatCapabilities { keys: no(), ..all() },
            "no key can be pressed",
        ),
        (
            "ax_type",
            json!({"app": "Page", "text": "a"}),
            SeatCapabilities { text: no(), ..all() },
            "no text can be typed",
        ),
    ];
    for (tool, mut arguments, can, what) in cases {
        set(can);
        arguments["mode"] = "focus".into();
        let error = bench.fails(tool, arguments, ErrorCode::Refused).await;
        assert_eq!(error.message, format!("{what}: the grant is missing"), "{tool}");
        assert_eq!(error.next.as_deref(), Some("Grant it."), "{tool}");
        assert!(bench.desktop.seat_log().is_empty(), "{tool}");
    }
    set(SeatCapabilities { drag: no(), ..all() });
    bench.call("ax_click", click(&json!({"mode": "focus"}))).await.expect("a click needs no drag");
}

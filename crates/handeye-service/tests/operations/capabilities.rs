//! What a port declares that it cannot do is refused with its reason, before anything is tried and before anybody is asked.

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use handeye_act::confirm::Confirm;
use handeye_call::call::Call;
use handeye_call::client::{Client, InteractionCapabilities, Question, Reply};
use handeye_call::reader::Reader;
use handeye_core::{Error, ErrorCode, NodeId, Result, Role, ScreenCapabilities, SeatCapabilities};
use handeye_fake::GRANT;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio_util::sync::CancellationToken;

fn bench() -> (Bench, Arc<FakeApp>, [NodeId; 2]) {
    let (app, ids) = FakeApp::simple("Editor", 7, [(Role::Button, "Delete"), (Role::Button, "Other")]);
    (Bench::with([Arc::clone(&app)]), app, ids)
}

/// A client whose person must not be asked.
struct Unasked;

#[async_trait]
impl Client for Unasked {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { form: true, ..InteractionCapabilities::default() }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    async fn ask(&self, _: Question) -> Result<Reply> {
        panic!("a person was asked about what cannot be done");
    }
}

/// A call that fails because the grant is missing, which nobody is asked about.
async fn ungranted(bench: &Bench, tool: &str, arguments: Value, what: &str) -> Error {
    let call = Call { client: Arc::new(Unasked), ..Call::new(Reader::MODEL, CancellationToken::new()) };
    let error = bench.call_with(tool, arguments, call).await.expect_err("the grant is missing");
    assert_eq!(
        (error.code, error.next.as_deref()),
        (ErrorCode::Refused, Some("Grant it.")),
        "{tool}: {error:?}"
    );
    assert_eq!(error.message, format!("{what}: the grant is missing"), "{tool}");
    assert!(bench.desktop.seat_log().is_empty(), "{tool}: nothing is touched");
    error
}

#[tokio::test(start_paused = true)]
async fn without_pictures_none_is_tried() {
    let (bench, ..) = bench();
    *bench.desktop.screen_can.lock().expect("no panic") =
        ScreenCapabilities { captures: GRANT.missing(), ..ScreenCapabilities::ALL };
    for (tool, arguments) in [
        ("ax_screenshot", json!({})),
        ("ax_screenshot", json!({"app": "Editor", "annotate": true})),
        ("image", json!({})),
        ("image", json!({"app_target": "Editor", "capture_focus": "foreground"})),
        ("screenshot_app_window", json!({"appName": "Editor"})),
        ("ax_find_visual", json!({"app": "Editor", "description": "Delete"})),
    ] {
        ungranted(&bench, tool, arguments, "no picture can be taken").await;
    }
    assert_eq!(bench.desktop.captured.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_window_is_not_named_by_a_title_that_nobody_knows() {
    let (bench, ..) = bench();
    *bench.desktop.screen_can.lock().expect("no panic") =
        ScreenCapabilities { titles: GRANT.missing(), ..ScreenCapabilities::ALL };
    let by_title = json!({"app_target": "Editor:WINDOW_TITLE:Editor"});
    ungranted(&bench, "image", by_title, "no window can be found by its title").await;
    bench.call("image", json!({"app_target": "Editor:WINDOW_INDEX:0"})).await.expect("a picture");
    let windows = bench.call("ax_list_windows", json!({"app": "Editor"})).await.expect("a list");
    assert_eq!(windows.fields["windows"][0]["title"], "");
}

#[tokio::test(start_paused = true)]
async fn without_activation_nobody_is_asked_about_what_needs_it() {
    let (mut bench, app, _) = bench();
    bench.engine.desk.confirm = Confirm::Always;
    *bench.desktop.seat_can.lock().expect("no panic") =
        SeatCapabilities { activation: GRANT.missing(), ..SeatCapabilities::ALL };
    for (tool, arguments) in [
        ("ax_click", json!({"query": "Delete"})),
        ("ax_drag", json!({"from_query": "Delete", "to_query": "Other"})),
        ("ax_scroll", json!({"direction": "down"})),
        ("ax_key_press", json!({"key": "tab"})),
        ("ax_type", json!({"text": "a"})),
    ] {
        let mut arguments = arguments;
        arguments["app"] = "Editor".into();
        arguments["mode"] = "focus".into();
        ungranted(&bench, tool, arguments, "no window can be brought forward").await;
    }
    assert!(app.pressed().is_empty());
    let forward = json!({"app_target": "Editor", "capture_focus": "foreground"});
    let image = bench.call("image", forward).await.expect("it is captured as it is");
    let why = "(no window can be brought forward: the grant is missing)";
    let noted =
        image.notes.iter().any(|note| note.to_string().contains(why)) || image.text.to_string().contains(why);
    assert!(noted, "{}", image.text);
    assert!(bench.desktop.seat_log().is_empty());
    // A point of the screen is clicked without it.
    bench.engine.desk.confirm = Confirm::Never;
    bench.call("ax_click_at", json!({"x": 160, "y": 119, "mode": "focus"})).await.expect("clicked");
    assert!(
        !bench.desktop.seat_log().iter().any(|done| done == "activate"),
        "{:?}",
        bench.desktop.seat_log()
    );
}

#[tokio::test(start_paused = true)]
async fn without_trees_no_application_is_connected() {
    let (bench, ..) = bench();
    bench.desktop.ungranted.store(true, Ordering::SeqCst);
    for (tool, arguments) in
        [("ax_get_tree", json!({"app": "Editor"})), ("ax_click", json!({"app": "Editor", "query": "Delete"}))]
    {
        ungranted(&bench, tool, arguments, "no tree of 'Editor' can be read").await;
    }
    assert_eq!(bench.desktop.connects.load(Ordering::SeqCst), 0);
    bench.call("ax_screenshot", json!({"app": "Editor"})).await.expect("its windows and pixels are there");
}

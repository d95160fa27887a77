//! Resources on the platform in memory; time is the runtime's and runs only while everything waits.

use super::watch::Watcher;
use super::{Address, Resources, View, wanted};
use handeye_call::call::Call;
use handeye_call::caller::Caller;
use handeye_call::reader::Reader;
use handeye_core::{
    ClipboardCapabilities, Clipping, Detail, ErrorCode, Result, Role, ScreenCapabilities, States,
};
use handeye_engine::{Engine, Runnable};
use handeye_fake::{FakeApp, FakeDesktop, GRANT, Manners};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

const MS: Duration = Duration::from_millis(1);
/// Longer than everything that still happens after a change.
const LONG: Duration = Duration::from_secs(30);

/// The resources of a fake desktop.
struct Bench {
    desktop: Arc<FakeDesktop>,
    engine: Engine,
    resources: Resources,
}

impl Bench {
    fn with(apps: impl IntoIterator<Item = Arc<FakeApp>>) -> Self {
        let desktop = FakeDesktop::with(apps);
        let engine = Engine::new(desktop.platform(), Caller::STDIO);
        Self { desktop, resources: Resources::new(engine.clone()), engine }
    }
}

async fn read(bench: &Bench, uri: &str) -> Result<Value> {
    let call = Call::new(Reader::MODEL, CancellationToken::new());
    let answer = bench.resources.run(&bench.engine, &call, wanted(uri, None)).await?;
    Ok(serde_json::from_str(&answer.text).expect("JSON"))
}

async fn watcher(bench: &Bench, view: View) -> Watcher {
    bench.resources.watch(&Address::of("Editor", view), false).await.expect("watched")
}

/// After which time the content changed; `None` if it did not.
async fn reported_after(watcher: &mut Watcher) -> Option<Duration> {
    let begun = Instant::now();
    timeout(LONG, watcher.changed()).await.ok().map(|()| begun.elapsed())
}

fn editor(manners: Manners) -> (Bench, Arc<FakeApp>, handeye_core::NodeId) {
    let app = FakeApp::new("Editor", 7, manners);
    let window = app.open_window("Notes");
    (Bench::with([Arc::clone(&app)]), app, window)
}

#[tokio::test(start_paused = true)]
async fn each_view_waits_for_its_time_and_reports_once() {
    for (view, debounce) in
        [(View::State, 100), (View::Tree, 500), (View::WindowTree(0), 500), (View::Events, 0)]
    {
        let (bench, app, window) = editor(Manners::Complete);
        let field = app.add(window, Role::TextBox, "Name");
        let mut watched = watcher(&bench, view).await;
        assert_eq!(reported_after(&mut watched).await, None, "{view:?}: nothing changed");
        app.edit(field, |node| node.states.insert(States::FOCUSED));
        let waited = reported_after(&mut watched).await.expect("a change");
        assert!((debounce..debounce + 60).contains(&waited.as_millis()), "{view:?}: {waited:?}");
        assert_eq!(reported_after(&mut watched).await, None, "{view:?}: told once");
    }
}

#[tokio::test(start_paused = true)]
async fn events_without_a_change_report_nothing() {
    let (bench, app, window) = editor(Manners::Complete);
    let mut watched = watcher(&bench, View::Tree).await;
    for _ in 0..50 {
        app.edit(window, |node| node.name = "Notes".into());
        sleep(MS * 3).await;
    }
    assert_eq!(reported_after(&mut watched).await, None);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_shown_by_a_view_does_not_change_it() {
    let (bench, app, window) = editor(Manners::Complete);
    let label = app.add(window, Role::Text, "0");
    let mut state = watcher(&bench, View::State).await;
    let mut tree = watcher(&bench, View::Tree).await;
    app.edit(label, |node| node.name = "1".into());
    assert!(reported_after(&mut tree).await.is_some());
    assert_eq!(reported_after(&mut state).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_flood_is_reported_once_a_second() {
    for view in [View::Tree, View::Events] {
        let (bench, app, window) = editor(Manners::Complete);
        let label = app.add(window, Role::Text, "0");
        let mut watched = watcher(&bench, view).await;
        let flood = tokio::spawn(async move {
            for count in 1..10_000u32 {
                app.edit(label, |node| node.name = count.to_string().into());
                sleep(MS).await;
            }
        });
        let begun = Instant::now();
        let mut reported = 0;
        while begun.elapsed() < Duration::from_secs(9) {
            watched.changed().await;
            reported += 1;
        }
        flood.await.expect("ended");
        assert!((7..=18).contains(&reported), "{view:?}: {reported}");
        let content = read(&bench, &Address::of("Editor", View::Events).to_string()).await.expect("read");
        let events = content["events"].as_array().expect("events");
        assert_eq!(events.len(), 1, "one entry for one label");
        assert!(events[0]["times"].as_u64().is_some_and(|times| times > 5));
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_toolkit_is_looked_at_now_and_then() {
    let (bench, app, window) = editor(Manners::Silent);
    read(&bench, "handeye://app/Editor/tree").await.expect("read");
    let mut watched = watcher(&bench, View::Tree).await;
    app.add(window, Role::Button, "Save");
    let waited = reported_after(&mut watched).await.expect("a change");
    assert!(waited <= Duration::from_millis(2_100), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_change_between_reading_and_watching_is_reported() {
    let (bench, app, window) = editor(Manners::Complete);
    read(&bench, "handeye://app/Editor/state").await.expect("read");
    let mut unchanged = watcher(&bench, View::State).await;
    assert_eq!(reported_after(&mut unchanged).await, None);
    drop(unchanged);
    app.edit(window, |node| node.states.insert(States::ACTIVE | States::MODAL));
    let mut changed = watcher(&bench, View::State).await;
    assert_eq!(reported_after(&mut changed).await, Some(Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn an_application_ends_and_comes_back() {
    let (bench, app, _) = editor(Manners::Complete);
    let mut watched = watcher(&bench, View::Events).await;
    read(&bench, "handeye://app/Editor/events").await.expect("read");
    app.end();
    app.mirror_hears();
    bench.desktop.announce_arrivals();
    assert!(reported_after(&mut watched).await.is_some(), "its end is told");
    assert_eq!(reported_after(&mut watched).await, None);
    let error = read(&bench, "handeye://app/Editor/state").await.expect_err("gone");
    assert_eq!(error.code, ErrorCode::AppNotFound);
    let again = FakeApp::new("Editor", 8, Manners::Complete);
    let window = again.open_window("Notes");
    bench.desktop.start(Arc::clone(&again));
    assert!(reported_after(&mut watched).await.is_some(), "its return is told");
    again.edit(window, |node| node.name = "More notes".into());
    assert!(reported_after(&mut watched).await.is_some(), "and what happens then");
}

#[tokio::test(start_paused = true)]
async fn the_desktop_is_watched() {
    let (bench, _, _) = editor(Manners::Complete);
    let mut apps = bench.resources.watch(&Address::Apps, false).await.expect("watched");
    let mut clipboard = bench.resources.watch(&Address::Clipboard, false).await.expect("watched");
    bench.desktop.announce_arrivals();
    assert_eq!(reported_after(&mut apps).await, None, "nobody came");
    bench.desktop.start(FakeApp::new("Browser", 9, Manners::Complete));
    assert_eq!(reported_after(&mut apps).await, Some(Duration::ZERO));
    let copied = Clipping { text: Some("abc".into()), ..Clipping::default() };
    bench.desktop.copy(copied.clone());
    assert_eq!(reported_after(&mut clipboard).await, Some(Duration::ZERO));
    bench.desktop.copy(copied);
    assert_eq!(reported_after(&mut clipboard).await, None, "the same again");
    assert_eq!(read(&bench, "handeye://clipboard").await.expect("read")["text"], "abc");
}

#[tokio::test(start_paused = true)]
async fn what_a_port_cannot_do_is_refused_before_it_is_tried() {
    let (bench, _, _) = editor(Manners::Complete);
    let no = || GRANT.missing();
    *bench.desktop.clipboard_can.lock().expect("no panic") =
        ClipboardCapabilities { reading: no(), ..ClipboardCapabilities::ALL };
    *bench.desktop.screen_can.lock().expect("no panic") =
        ScreenCapabilities { captures: no(), ..ScreenCapabilities::ALL };
    for (uri, what) in [
        ("handeye://clipboard", "the clipboard cannot be read"),
        ("handeye://app/Editor/screenshot", "no picture can be taken"),
    ] {
        let error = read(&bench, uri).await.expect_err("the grant is missing");
        assert_eq!((error.code, error.next.as_deref()), (ErrorCode::Refused, Some("Grant it.")), "{uri}");
        assert_eq!(error.message, format!("{what}: the grant is missing"));
    }
    let tried = [&bench.desktop.clipboard_reads, &bench.desktop.captured];
    assert_eq!(tried.map(|tried| tried.load(Ordering::SeqCst)), [0, 0]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_watched_is_reported() {
    let (bench, _, _) = editor(Manners::Complete);
    for (name, view, code) in [
        ("Editor", View::Screenshot, ErrorCode::NotSupported),
        ("frontmost", View::State, ErrorCode::NotSupported),
        ("Nobody", View::State, ErrorCode::AppNotFound),
    ] {
        let begun = bench.resources.watch(&Address::of(name, view), false).await;
        assert_eq!(begun.err().map(|error| error.code), Some(code), "{name} {view:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_value_that_is_unknown_for_a_moment_is_still_seen_to_change() {
    let (bench, app, window) = editor(Manners::Complete);
    let field = app.add(window, Role::TextBox, "Name");
    let uri = "handeye://app/Editor/events";
    read(&bench, uri).await.expect("read");
    app.edit(field, |node| node.details.text = Detail::Unknown);
    assert_eq!(read(&bench, uri).await.expect("read")["events"], json!([]));
    app.set_text(field, "Ada");
    assert_eq!(read(&bench, uri).await.expect("read")["events"][0]["value"], "Ada");
}

#[tokio::test(start_paused = true)]
async fn events_report_what_happened_but_no_password() {
    let (bench, app, window) = editor(Manners::Complete);
    let field = app.add(window, Role::TextBox, "Name");
    let password = app.add(window, Role::TextBox, "Password");
    app.edit(password, |node| node.states.insert(States::PROTECTED));
    read(&bench, "handeye://app/Editor/events").await.expect("read");
    app.set_text(field, "Ada");
    app.set_text(password, "hunter2");
    app.edit(field, |node| node.states.insert(States::FOCUSED));
    let root = app.truth().root().expect("a root");
    let dialog = app.add(root, Role::Dialog, "Save changes?");
    for label in ["Save", "Cancel"] {
        app.add(dialog, Role::Button, label);
    }
    let content = read(&bench, "handeye://app/Editor/events").await.expect("read");
    let events: Vec<(&str, &Value)> = content["events"]
        .as_array()
        .expect("events")
        .iter()
        .map(|event| (event["type"].as_str().expect("a type"), event))
        .collect();
    let find =
        |kind: &str| events.iter().filter(|(of, _)| *of == kind).map(|(_, event)| *event).collect::<Vec<_>>();
    assert_eq!(find("focus_changed")[0]["element"], "textbox \"Name\"");
    let values = find("value_changed");
    assert_eq!((&values[0]["value"], &values[1]["value"]), (&json!("Ada"), &Value::Null));
    let dialog = find("dialog_appeared")[0];
    assert_eq!(
        (&dialog["title"], &dialog["pattern"]),
        (&json!("Save changes?"), &json!("confirmation_dialog"))
    );
    assert!(dialog["timestamp"].as_str().is_some_and(|time| time.ends_with('Z')), "{dialog}");
    for view in ["events", "state", "tree"] {
        let content = read(&bench, &format!("handeye://app/Editor/{view}")).await.expect("read");
        assert!(!content.to_string().contains("hunter2"), "{content}");
    }
    let state = read(&bench, "handeye://app/Editor/state").await.expect("read");
    assert_eq!(state["detected_state"], "modal_dialog");
}

#[tokio::test(start_paused = true)]
async fn notifications_are_events_of_the_application_that_sent_them() {
    let (bench, _app, _) = editor(Manners::Complete);
    let uri = "handeye://app/Editor/events";
    bench.desktop.notify(7, "Before the log", "");
    assert_eq!(read(&bench, uri).await.expect("read")["events"], json!([]));
    let mut watcher = watcher(&bench, View::Events).await;
    bench.desktop.notify(8, "Of another process", "");
    assert_eq!(reported_after(&mut watcher).await, None);
    bench.desktop.notify(7, "Saved", "notes.txt\nin Documents");
    assert!(reported_after(&mut watcher).await.is_some());
    let content = read(&bench, uri).await.expect("read");
    let events = content["events"].as_array().expect("events");
    assert_eq!(events.len(), 1, "{content}");
    let event = &events[0];
    assert_eq!((&event["type"], &event["title"]), (&json!("notification_appeared"), &json!("Saved")));
    assert!(
        event["value"].as_str().is_some_and(|text| text.contains("in Documents") && !text.contains('\n'))
    );
    assert_eq!(read(&bench, uri).await.expect("read")["events"], content["events"], "written once");
}

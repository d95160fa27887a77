//! A policy that hides one application: whatever reads, it is not there. The other one is.

use crate::bench::{Bench, FakeApp};
use handeye_call::call::Call;
use handeye_call::caller::Caller;
use handeye_call::outcome::Answer;
use handeye_call::reader::Reader;
use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{Application, ErrorCode, Result, Role};
use handeye_engine::Runnable;
use handeye_resources::suggestions::{Recall, Subject};
use handeye_resources::{Address, Resources, View, wanted};
use handeye_service::gate::{Gate, Policy, Request};
use handeye_service::sight::Sight;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Hides an application from everybody but one caller, whatever it is called.
struct Hides {
    pid: u32,
    but: Caller,
}

impl Sight for Hides {
    fn shows(&self, caller: &Caller, application: &Application) -> bool {
        application.pid() != Some(self.pid) || *caller == self.but
    }
}

/// Hides the diary, and forbids reading trees of an application that is called so.
struct Private(Arc<Hides>);

impl Policy for Private {
    fn check(&self, request: &Request<'_>) -> Result<()> {
        if request.meta.tool == "ax_get_tree" && request.application == Some("locked") {
            return Err(handeye_core::Error::new(ErrorCode::Blocked, "locked"));
        }
        Ok(())
    }

    fn sight(&self) -> Option<Arc<dyn Sight>> {
        Some(Arc::clone(&self.0) as Arc<dyn Sight>)
    }
}

/// A desktop with an editor and a diary, which is hidden from all but one caller.
fn bench() -> Bench {
    let (diary, _) = FakeApp::simple("Diary", 8, [(Role::Button, "Secret")]);
    let (editor, _) = FakeApp::simple("Editor", 7, [(Role::Button, "Save")]);
    let mut bench = Bench::with([diary, editor]);
    bench.gate = Gate::new(Private(Arc::new(Hides { pid: 8, but: Caller::TERMINAL })));
    bench
}

async fn read(bench: &Bench, address: &Address) -> Result<Answer> {
    let resources = Resources::new(bench.engine.clone());
    let call = Call::new(Reader::MODEL, CancellationToken::new());
    bench.gate.call(&bench.engine, &resources as &dyn Runnable, wanted(address.to_string(), None), call).await
}

fn is_quiet(shown: &impl std::fmt::Debug) {
    let shown = format!("{shown:?}");
    assert!(!shown.contains("Diary") && !shown.contains("Secret"), "{shown}");
}

#[tokio::test]
async fn no_tool_sees_a_hidden_application() {
    let bench = bench();
    for (tool, arguments) in [
        ("ax_list_apps", json!({})),
        ("ax_list_windows", json!({ "app": "all" })),
        ("list", json!({ "item_type": "running_applications" })),
        ("ax_screenshot", json!({ "app": "Editor" })),
        ("ax_get_tree", json!({ "app": "Editor" })),
    ] {
        let answer = bench.call(tool, arguments).await.expect(tool);
        is_quiet(&(answer.text, answer.fields));
    }
    for name in ["Diary", "dia", "8"] {
        for (tool, arguments) in [
            ("ax_get_tree", json!({ "app": name })),
            ("ax_find", json!({ "app": name, "query": "Secret" })),
            ("ax_screenshot", json!({ "app": name })),
            ("ax_connect", json!({ "app": name })),
            ("ax_click", json!({ "app": name, "query": "Secret" })),
        ] {
            let error = bench.fails(tool, arguments, ErrorCode::AppNotFound).await;
            is_quiet(&(error.found, error.next));
        }
    }
}

#[tokio::test]
async fn no_picture_shows_a_hidden_application() {
    let bench = bench();
    let overseen = bench.gate.overseen(&bench.engine).into_owned();
    let windows = bench.engine.desk.platform.screen.shown().await.expect("windows");
    let diary = windows.iter().find(|window| window.pid == Some(8)).expect("the diary");
    let hidden = CaptureTarget::Window(diary.id, WindowPart::Whole);
    let error = overseen.desk.platform.screen.capture(hidden).await.expect_err("hidden");
    assert_eq!(error.code, ErrorCode::Blocked, "{error}");
    is_quiet(&error);
}

#[tokio::test]
async fn another_caller_that_sees_it_makes_it_known_to_nobody_else() {
    let bench = bench();
    let privileged = bench.engine.for_another_caller(Caller::TERMINAL);
    let call = || Call::new(Reader::MODEL, CancellationToken::new());
    let seen = bench.call_on(&privileged, "ax_get_tree", json!({ "app": "Diary" }), call()).await;
    assert!(seen.expect("it may look").text.contains("Secret"));
    bench.fails("ax_get_tree", json!({ "app": "Diary" }), ErrorCode::AppNotFound).await;
    let status = read(&bench, &Address::Status).await.expect("the status");
    is_quiet(&status.text);
}

#[tokio::test]
async fn no_resource_watch_or_suggestion_sees_a_hidden_application() {
    let bench = bench();
    for view in [View::Tree, View::State, View::Events, View::Screenshot, View::WindowTree(0)] {
        let error = read(&bench, &Address::of("Diary", view)).await.expect_err("hidden");
        assert_eq!(error.code, ErrorCode::AppNotFound, "{view:?}");
        assert!(read(&bench, &Address::of("Editor", view)).await.is_ok(), "{view:?}");
    }
    is_quiet(&read(&bench, &Address::Apps).await.expect("the list").text);
    let overseen = bench.gate.overseen(&bench.engine).into_owned();
    let resources = Resources::new(overseen.clone());
    is_quiet(&resources.listed().await.expect("a list"));
    let watched = resources.watch(&Address::of("Diary", View::State), false).await;
    assert_eq!(watched.err().map(|error| error.code), Some(ErrorCode::AppNotFound));
    assert!(resources.watch(&Address::of("Editor", View::State), false).await.is_ok());
    let recall = Recall::default();
    for subject in [
        Subject::Application,
        Subject::Window { of: "Diary" },
        Subject::Element { of: "Diary" },
        Subject::Region { of: "Diary" },
        Subject::Way { of: "Diary" },
    ] {
        is_quiet(&recall.suggestions(&overseen.desk, subject, "").await);
    }
    assert_eq!(recall.suggestions(&overseen.desk, Subject::Application, "").await, ["Editor"]);
}

#[tokio::test]
async fn a_hidden_application_does_not_notify_by_the_one_that_started_it() {
    let bench = bench();
    let resources = Resources::new(bench.engine.clone());
    let events = async || {
        let call = Call::new(Reader::MODEL, CancellationToken::new());
        let asked = wanted(Address::of("Editor", View::Events).to_string(), None);
        let read = bench.gate.call(&bench.engine, &resources as &dyn Runnable, asked, call).await;
        read.expect("the events").text
    };
    events().await;
    bench.desktop.notify_through(&[8, 7], "Secret of the Diary", "");
    bench.desktop.notify_through(&[90, 8, 7], "Secret of its helper", "");
    // Whose program that was nobody knows, now that it has ended.
    bench.desktop.notify_through(&[91, 7], "Secret of another", "");
    bench.desktop.notify_through(&[7], "Saved", "");
    let shown = events().await;
    is_quiet(&shown);
    assert!(format!("{shown:?}").contains("Saved"), "{shown:?}");
}

#[tokio::test]
async fn a_resource_is_judged_as_the_operation_that_it_equals() {
    let bench = bench();
    for (view, forbidden) in [(View::Tree, true), (View::State, true), (View::Screenshot, false)] {
        let error = read(&bench, &Address::of("locked", view)).await.expect_err("nobody is called so");
        let expected = if forbidden { ErrorCode::Blocked } else { ErrorCode::AppNotFound };
        assert_eq!(error.code, expected, "{view:?}");
    }
    let argument: Value = json!({ "app": "locked" });
    bench.fails("ax_get_tree", argument, ErrorCode::Blocked).await;
}

//! Several callers on one desktop: what one was given is unknown to the others, and all share the connections.

use crate::bench::{Bench, FakeApp};
use handeye_call::call::Call;
use handeye_call::caller::Caller;
use handeye_call::outcome::Answer;
use handeye_call::reader::Reader;
use handeye_core::{ErrorCode, Result, Role};
use handeye_engine::Engine;
use handeye_service::callers::Callers;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tokio_util::sync::CancellationToken;

/// A desktop with an application, and its callers.
fn shared() -> (Bench, Callers) {
    let (app, _) = FakeApp::simple("Editor", 7, [(Role::Button, "Save"), (Role::CheckBox, "Wrap")]);
    let bench = Bench::with([app]);
    let callers = Callers::new(bench.engine.clone());
    (bench, callers)
}

fn caller(name: &str) -> Caller {
    Caller::of_socket(1000, name).expect("short")
}

async fn call(bench: &Bench, engine: &Engine, tool: &str, arguments: Value) -> Result<Answer> {
    bench.call_on(engine, tool, arguments, Call::new(Reader::MODEL, CancellationToken::new())).await
}

/// The first name in a text that begins with this letter and goes on as a number: `e12`.
fn named(text: &str, letter: char) -> String {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_name = |word: &&str| {
        word.strip_prefix(letter)
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    words.find(is_name).expect("a name").to_owned()
}

#[tokio::test]
async fn what_one_caller_was_given_is_unknown_to_another() {
    let (bench, callers) = shared();
    let (ann, bob) = (callers.engine(&caller("ann")), callers.engine(&caller("bob")));
    let connect = json!({ "app": "Editor", "alias": "notes" });
    call(&bench, &ann, "ax_connect", connect.clone()).await.expect("connected");
    let tree = call(&bench, &ann, "ax_get_tree", json!({ "app": "notes" })).await.expect("a tree");
    let (reference, look) =
        (named(&tree.text, 'e'), tree.fields["look"].as_str().expect("a look").to_owned());
    let picture = call(&bench, &ann, "ax_screenshot", json!({})).await.expect("a picture");
    let picture = picture.fields["id"].as_str().expect("an id").to_owned();
    let uses = [
        ("ax_get_tree", json!({ "app": "notes" }), ErrorCode::AppNotFound),
        ("ax_get_attributes", json!({ "app": "Editor", "query": reference }), ErrorCode::UnknownReference),
        ("ax_get_tree", json!({ "app": "Editor", "since": look }), ErrorCode::UnknownReference),
        (
            "ax_click_at",
            json!({ "screenshot": picture, "x": 1, "y": 1, "mode": "focus" }),
            ErrorCode::UnknownScreenshot,
        ),
    ];
    // Names that bob has himself make none of ann's known.
    let own = call(&bench, &bob, "ax_get_tree", json!({ "app": "Editor" })).await.expect("a tree");
    assert_ne!(named(&own.text, 'e'), reference);
    assert_ne!(own.fields["look"], look.as_str());
    for (tool, arguments, code) in uses {
        let error = call(&bench, &bob, tool, arguments.clone()).await.expect_err("unknown to bob");
        assert_eq!(error.code, code, "{tool} {arguments}: {error}");
        let own = call(&bench, &ann, tool, arguments.clone()).await;
        assert!(own.is_ok(), "{tool} {arguments}: {own:?}");
    }
    // The alias is bob's to give as well.
    call(&bench, &bob, "ax_connect", connect).await.expect("connected");
    assert_eq!(bench.desktop.connects.load(Ordering::SeqCst), 1, "they share the connection");
}

#[tokio::test]
async fn what_one_caller_did_is_in_no_journal_of_another() {
    let (bench, callers) = shared();
    let (ann, bob) = (callers.engine(&caller("ann")), callers.engine(&caller("bob")));
    let wrap = json!({ "app": "Editor", "query": "Wrap" });
    call(&bench, &ann, "ax_click", wrap).await.expect("clicked");
    assert_eq!(ann.desk.own.journal.latest(10).len(), 1);
    assert!(bob.desk.own.journal.latest(10).is_empty());
}

#[tokio::test]
async fn a_caller_that_comes_back_is_known_and_one_that_was_forgotten_is_not() {
    let (bench, callers) = shared();
    let named_by_reference = {
        let ann = callers.engine(&caller("ann"));
        let tree = call(&bench, &ann, "ax_get_tree", json!({ "app": "Editor" })).await.expect("a tree");
        json!({ "app": "Editor", "query": named(&tree.text, 'e') })
    };
    let again = callers.engine(&caller("ann"));
    call(&bench, &again, "ax_get_attributes", named_by_reference.clone())
        .await
        .expect("the reference is known");
    drop(again);
    for number in 0..100 {
        callers.engine(&caller(&number.to_string()));
    }
    let forgotten = callers.engine(&caller("ann"));
    let error =
        call(&bench, &forgotten, "ax_get_attributes", named_by_reference.clone()).await.expect_err("unknown");
    assert_eq!(error.code, ErrorCode::UnknownReference);
    assert!(error.next.is_some_and(|next| next.contains("Get references from")));
    // A look gives new numbers, none of which the old ones have.
    let tree = call(&bench, &forgotten, "ax_get_tree", json!({ "app": "Editor" })).await.expect("a tree");
    assert_ne!(json!(named(&tree.text, 'e')), named_by_reference["query"]);
}

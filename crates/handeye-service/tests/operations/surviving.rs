//! Applications that hang, end or panic cost their own call and nothing else.

use crate::bench::{Bench, FakeApp, Reaction};
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_call::reader::Reader;
use handeye_core::{Error, ErrorCode, Result, Role};
use handeye_engine::{Engine, Erased, Meta, Operation};
use handeye_service::gate::{Gate, Policy, Request};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

#[tokio::test(start_paused = true)]
async fn a_hung_application_costs_its_own_call_only() {
    let (hung, [_]) = FakeApp::simple("Hung", 7, [(Role::Button, "Go")]);
    let (sound, [_]) = FakeApp::simple("Sound", 8, [(Role::Button, "Go")]);
    hung.hang();
    let bench = Bench::with([hung, sound]);
    let started = Instant::now();
    let blocked = async {
        let error =
            bench.call("ax_click", json!({"app": "Hung", "query": "Go"})).await.expect_err("no answer");
        assert!(matches!(error.code, ErrorCode::AppNotResponding | ErrorCode::Timeout), "{error:?}");
        assert!(started.elapsed() <= Duration::from_secs(10));
    };
    let others = async {
        for _ in 0..63 {
            bench.call("ax_find", json!({"app": "Sound", "query": "Go"})).await.expect("found");
        }
        assert!(started.elapsed() < Duration::from_millis(50), "{:?}", started.elapsed());
    };
    tokio::join!(blocked, others);
}

#[tokio::test(start_paused = true)]
async fn sixty_four_calls_at_once_are_all_answered() {
    let (hung, [_]) = FakeApp::simple("Hung", 7, [(Role::Button, "Go")]);
    let (sound, [_]) = FakeApp::simple("Sound", 8, [(Role::CheckBox, "Go")]);
    hung.hang();
    let bench = Bench::with([hung, sound]);
    let calls = (0..64).map(|number| {
        let (tool, app) = match number % 4 {
            0 => ("ax_click", "Hung"),
            1 => ("ax_click", "Sound"),
            2 => ("ax_find", "Sound"),
            _ => ("ax_get_tree", "Sound"),
        };
        let arguments =
            if tool == "ax_get_tree" { json!({"app": app}) } else { json!({"app": app, "query": "Go"}) };
        let bench = &bench;
        async move { (app, bench.call(tool, arguments).await) }
    });
    for (app, result) in futures_util::future::join_all(calls).await {
        assert_eq!(result.is_ok(), app == "Sound", "{result:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn actions_on_one_application_take_turns() {
    let (app, [one, two]) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "One"), (Role::CheckBox, "Two")]);
    for id in [one, two] {
        let change = move |tree: &mut handeye_core::Tree| {
            tree.update(id, |node| node.states.toggle(handeye_core::States::CHECKED));
        };
        app.react(id, Reaction::Change(Duration::from_millis(100), Arc::new(change)));
    }
    let bench = Bench::with([app]);
    let (first, second) = tokio::join!(
        bench.call("ax_click", json!({"app": "Editor", "query": "One"})),
        bench.call("ax_click", json!({"app": "Editor", "query": "Two"})),
    );
    for (answer, own, other) in [(first, "One", "Two"), (second, "Two", "One")] {
        let answer = answer.expect("clicked");
        let changes = answer.fields["effect"]["changes"].to_string();
        assert!(changes.contains(own) && !changes.contains(other), "{changes}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_deadline_and_when_it_is_cancelled() {
    let (app, [button]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    app.react(button, Reaction::Lie);
    let bench = Bench::with([app]);
    let arguments = || json!({"app": "Editor", "query": "Go"});
    let hurried = Call::new(Reader::MODEL, CancellationToken::new()).within(Duration::from_millis(1));
    let started = Instant::now();
    let outcome = bench.call_with("ax_wait_idle", json!({"app": "Editor", "poll_ms": 500}), hurried).await;
    assert_eq!(outcome.expect_err("too late").code, ErrorCode::Timeout);
    assert!(started.elapsed() < Duration::from_millis(50));
    let token = CancellationToken::new();
    let calling = bench.call_with("ax_click", arguments(), Call::new(Reader::MODEL, token.clone()));
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        token.cancel();
    };
    let (outcome, ()) = tokio::join!(calling, cancelling);
    assert_eq!(outcome.expect_err("cancelled").code, ErrorCode::Cancelled);
    bench.call("ax_find", arguments()).await.expect("nothing is left locked");
}

#[tokio::test(start_paused = true)]
async fn an_application_that_ends_because_of_a_click_is_an_effect() {
    let (app, [quit]) = FakeApp::simple("Editor", 7, [(Role::Button, "Quit")]);
    let dying = Arc::downgrade(&app);
    let end = move |_: &mut handeye_core::Tree| {
        if let Some(app) = dying.upgrade() {
            app.end();
        }
    };
    app.react(quit, Reaction::Change(Duration::from_millis(60), Arc::new(end)));
    let bench = Bench::with([app]);
    let answer = bench.call("ax_click", json!({"app": "Editor", "query": "Quit"})).await.expect("clicked");
    assert_eq!(answer.fields["effect"]["status"], "confirmed");
    assert!(answer.text.contains("ended"), "{}", answer.text);
    bench.fails("ax_find", json!({"app": "Editor", "query": "Quit"}), ErrorCode::AppNotFound).await;
}

/// Forbids everything that acts.
struct LookOnly;

impl Policy for LookOnly {
    fn check(&self, request: &Request<'_>) -> Result<()> {
        if request.meta.read_only {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Blocked, format!("{} is forbidden here", request.meta.tool)))
    }
}

#[tokio::test(start_paused = true)]
async fn the_policy_comes_before_the_operation() {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Go")]);
    let bench = Bench { gate: Gate::new(LookOnly), ..Bench::with([Arc::clone(&app)]) };
    bench.fails("ax_click", json!({"app": "Editor", "query": "Go"}), ErrorCode::Blocked).await;
    bench.call("ax_find", json!({"app": "Editor", "query": "Go"})).await.expect("looking is allowed");
    assert_eq!(app.performed(), 0);
}

/// An operation with a fault.
struct Faulty;

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema, clap::Args)]
struct Nothing {}

#[async_trait]
impl Operation for Faulty {
    type Input = Nothing;
    type Output = ();
    const META: Meta = Meta { tool: "faulty", ..Meta::READ };

    async fn run(_engine: &Engine, _call: &Call, _input: Nothing) -> Result<Outcome<()>> {
        panic!("as arranged");
    }
}

#[tokio::test]
async fn a_fault_in_one_operation_is_an_error_of_its_own_call() {
    let bench = Bench::with([]);
    let operation = Erased::<Faulty>::boxed();
    let input = operation.parse_json(json!({})).expect("no parameters");
    let call = Call::new(Reader::MODEL, CancellationToken::new());
    let error = bench.gate.call(&bench.engine, operation.as_ref(), input, call).await.expect_err("a fault");
    assert_eq!(error.code, ErrorCode::Internal);
    bench.call("ax_list_apps", json!({})).await.expect("alive and well");
}

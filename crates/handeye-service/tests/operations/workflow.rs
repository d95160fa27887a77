//! `ax_workflow`: steps, values between them, failures, and the way back.

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use handeye_act::confirm::Confirm;
use handeye_call::call::{Call, Offered};
use handeye_call::client::{Client, InteractionCapabilities, Question, Reply, input_required};
use handeye_call::progress::{Progress, Step};
use handeye_call::reader::Reader;
use handeye_core::{ErrorCode, NodeId, Result, Role, States};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

struct Editor {
    app: Arc<FakeApp>,
    bench: Bench,
    name: NodeId,
    copy: NodeId,
    wrap: NodeId,
    delete: NodeId,
}

fn editor() -> Editor {
    let (app, [name, copy, wrap, delete, _]) = FakeApp::simple(
        "Editor",
        7,
        [
            (Role::TextBox, "Name"),
            (Role::TextBox, "Copy"),
            (Role::CheckBox, "Wrap"),
            (Role::Button, "Delete all"),
            (Role::Slider, "Volume"),
        ],
    );
    app.set_text(name, "before");
    app.set_text(copy, "old");
    let bench = Bench::with([Arc::clone(&app)]);
    Editor { app, bench, name, copy, wrap, delete }
}

impl Editor {
    async fn run(&self, workflow: Value) -> Value {
        self.bench.call("ax_workflow", workflow).await.expect("an account").fields
    }
}

fn set(query: &str, value: &str) -> Value {
    json!({"tool": "ax_set_value", "args": {"app": "Editor", "query": query, "value": value}})
}

fn missing() -> Value {
    json!({"tool": "ax_get_value", "args": {"app": "Editor", "query": "No such thing"}})
}

fn with(mut step: Value, name: &str, value: Value) -> Value {
    step[name] = value;
    step
}

#[tokio::test(start_paused = true)]
async fn values_go_from_step_to_step() {
    let editor = editor();
    let steps = json!([
        {"tool": "ax_get_value", "args": {"app": "Editor", "query": "Name"}},
        set("Copy", "{{step_1.value}} and {{var.more}}"),
        {"tool": "ax_set_value", "args": {"app": "Editor", "query": "{{step_2.element_ref}}", "value": "{{step_1.value}}"},
         "wait_after_ms": 50},
    ]);
    let fields = editor.run(json!({"steps": steps, "variables": {"more": "more"}})).await;
    assert_eq!(editor.app.text(editor.copy), "before");
    assert_eq!(
        (&fields["success"], &fields["steps_completed"], &fields["rolled_back"]),
        (&json!(true), &json!(3), &json!(false))
    );
    assert_eq!(fields["results"][0]["result"]["value"], "before");
    assert_eq!(fields["results"][1]["effect"], "confirmed");
}

#[tokio::test(start_paused = true)]
async fn a_step_uses_what_an_earlier_one_named_where_nothing_is_remembered_after_the_workflow() {
    let editor = editor();
    let steps = json!([
        set("Copy", "first"),
        {"tool": "ax_set_value", "args": {"app": "Editor", "query": "{{step_1.element_ref}}", "value": "second"}},
    ]);
    let reader = Reader { remembered: false, ..Reader::MODEL };
    let call = Call::new(reader, CancellationToken::new());
    let fields = editor
        .bench
        .call_with("ax_workflow", json!({"steps": steps}), call)
        .await
        .expect("an account")
        .fields;
    assert_eq!(fields["success"], true, "{fields}");
    assert_eq!(editor.app.text(editor.copy), "second");
}

#[tokio::test(start_paused = true)]
async fn a_value_cannot_become_a_query_or_a_placeholder() {
    let editor = editor();
    editor.app.set_text(editor.name, "role:checkbox");
    let steps = json!([
        {"tool": "ax_get_value", "args": {"app": "Editor", "query": "Name"}},
        {"tool": "ax_find", "args": {"app": "Editor", "query": "{{step_1.value}}"}},
    ]);
    let fields = editor.run(json!({"steps": steps})).await;
    // As a query it would find the check box; as a text nothing is called so but the field that holds it.
    assert_ne!(fields["results"][1]["result"]["role"], "checkbox", "{fields}");
    editor.app.set_text(editor.name, "{{step_1.role}}");
    let steps = json!([{"tool": "ax_get_value", "args": {"app": "Editor", "query": "Name"}}, set("Copy", "{{step_1.value}}")]);
    editor.run(json!({"steps": steps})).await;
    assert_eq!(editor.app.text(editor.copy), "{{step_1.role}}");
}

#[tokio::test(start_paused = true)]
async fn a_failing_step_ends_skips_or_rolls_back() {
    for (on_fail, copied, restored) in
        [("abort", "old", false), ("skip", "new", false), ("rollback", "old", true)]
    {
        let editor = editor();
        let steps = json!([
            set("Name", "after"),
            set("Wrap", "true"),
            with(missing(), "on_fail", json!(on_fail)),
            set("Copy", "new")
        ]);
        let answer = editor.bench.call("ax_workflow", json!({"steps": steps})).await.expect("an account");
        assert_eq!(editor.app.text(editor.copy), copied, "{on_fail}");
        let is_on = editor.app.node(editor.wrap).expect("alive").states.contains(States::CHECKED);
        assert_eq!((editor.app.text(editor.name) == "before", !is_on), (restored, restored), "{on_fail}");
        let fields = &answer.fields;
        assert_eq!(
            (fields["success"] == true, fields["rolled_back"] == true),
            (on_fail == "skip", restored),
            "{fields}"
        );
        if on_fail == "skip" {
            assert!(answer.failure.is_none());
            continue;
        }
        let failure = answer.failure.expect("it failed");
        assert_eq!(failure.code, ErrorCode::WorkflowFailed);
        assert!(
            failure.message.contains("step 3 of 4 (ax_get_value) failed: element_not_found"),
            "{failure}"
        );
        assert_eq!(fields["rollback"].as_array().map(Vec::len), restored.then_some(2), "{fields}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_at_any_step_is_taken_back_and_what_remains_is_listed() {
    let all = [
        set("Name", "one"),
        set("Wrap", "true"),
        set("Volume", "30"),
        set("Name", "two"),
        json!({"tool": "ax_click", "args": {"app": "Editor", "query": "Delete all"}}),
        set("Copy", "new"),
    ];
    for failing in 0..=all.len() {
        let editor = editor();
        let mut steps = all[..failing].to_vec();
        steps.push(with(missing(), "on_fail", json!("rollback")));
        let answer = editor.bench.call("ax_workflow", json!({"steps": steps})).await.expect("an account");
        assert_eq!(
            (editor.app.text(editor.name).as_str(), editor.app.text(editor.copy).as_str()),
            ("before", "old")
        );
        assert!(!editor.app.node(editor.wrap).expect("alive").states.contains(States::CHECKED));
        let skipped: Vec<&Value> = answer.fields["rollback"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|attempt| attempt["status"] == "skipped_irreversible")
            .collect();
        // The click, and nothing else.
        assert_eq!(skipped.len(), usize::from(failing > 4), "{skipped:?}");
        assert!(skipped.iter().all(|attempt| attempt["tool"] == "ax_click"));
    }
}

#[tokio::test]
async fn nothing_is_done_if_the_definition_has_a_fault() {
    let editor = editor();
    let first = || set("Name", "after");
    for (steps, why) in [
        (json!([]), "empty"),
        (
            json!([first(), {"tool": "ax_clik", "args": {}}]),
            "step 2 (ax_clik): there is no tool 'ax_clik'; did you mean ax_click?",
        ),
        (json!([first(), {"tool": "ax_workflow", "args": {"steps": []}}]), "cannot be a step of a workflow"),
        (json!([first(), set("Copy", "{{step_2.value}}")]), "step_2.value}} is not known yet"),
        (json!([first(), set("Copy", "{{step_0.value}}")]), "counted from 1"),
        (json!([first(), set("Copy", "{{step_1}}")]), "not a placeholder"),
        (json!([first(), set("Copy", "{{var.nme}}")]), "there is no variable 'nme'"),
        (json!([first(), {"tool": "ax_click", "args": {"app": "Editor", "qury": "x"}}]), "qury"),
        (
            json!([first(), {"tool": "ax_click", "args": {"app": "Editor", "qury": "{{step_1.x}}"}}]),
            "did you mean query?",
        ),
        (json!([first(), with(first(), "retry", json!(21))]), "'retry' must not be more than 20"),
        (json!([first(), with(first(), "wait_until", json!({"exists": "a", "gone": "b"}))]), "exactly one"),
    ] {
        let error =
            editor.bench.fails("ax_workflow", json!({"steps": steps}), ErrorCode::InvalidParameter).await;
        let all = format!("{} {:?}", error.message, error.found);
        assert!(all.contains(why), "{why}: {all}");
        assert_eq!(editor.app.text(editor.name), "before", "{why}");
    }
    let many: Vec<Value> = (0..10_000).map(|_| first()).collect();
    editor.bench.fails("ax_workflow", json!({"steps": many}), ErrorCode::TooLarge).await;
    let faults = json!([{"tool": "a", "args": {}}, {"tool": "b", "args": {}}]);
    let error =
        editor.bench.fails("ax_workflow", json!({"steps": faults}), ErrorCode::InvalidParameter).await;
    assert_eq!(error.found.len(), 2, "each fault is listed: {error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_missing_field_fails_its_step_and_lists_what_there_is() {
    let editor = editor();
    let steps = json!([{"tool": "ax_get_value", "args": {"app": "Editor", "query": "Name"}}, set("Copy", "{{step_1.valeu}}")]);
    let answer = editor.bench.call("ax_workflow", json!({"steps": steps})).await.expect("an account");
    let message = answer.failure.expect("it failed").message;
    assert!(message.contains("no field 'valeu'") && message.contains("value"), "{message}");
    assert_eq!(editor.app.text(editor.copy), "old");
}

#[tokio::test(start_paused = true)]
async fn a_step_is_tried_again_until_it_succeeds() {
    let editor = editor();
    let app = Arc::clone(&editor.app);
    let parent = app.node(editor.name).and_then(|node| node.parent).expect("a parent");
    let steps: Arc<Mutex<Vec<Step>>> = Arc::default();
    let reported = Arc::clone(&steps);
    let mut call = Call::new(Reader::MODEL, CancellationToken::new());
    call.progress = Progress::to(move |step| {
        // The element comes while the step is tried for the third time.
        if step.message.contains("attempt 3/6") {
            app.add(parent, Role::TextBox, "Late");
        }
        reported.lock().expect("no panic").push(step);
    });
    let workflow = json!({"steps": [with(set("Late", "here"), "retry", json!(5))]});
    let answer = editor.bench.call_with("ax_workflow", workflow, call).await.expect("an account");
    assert_eq!(answer.fields["results"][0]["attempts"], 3, "{}", answer.fields);
    let steps = steps.lock().expect("no panic");
    assert_eq!(
        (steps[0].done, steps[0].total, steps[0].message.as_str()),
        (1, Some(1), "Step 1/1: ax_set_value")
    );
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_looks_everything_up_and_does_nothing() {
    let editor = editor();
    let steps =
        json!([set("Name", "after"), set("Copy", "{{step_1.effect.status}}"), set("Comes later", "x")]);
    let fields = editor.run(json!({"steps": steps, "dry_run": true})).await;
    assert_eq!((&fields["success"], &fields["steps_completed"]), (&json!(true), &json!(0)), "{fields}");
    assert!(fields["results"][0]["result"]["about"][0].as_str().is_some_and(|about| about.contains("Name")));
    assert!(fields["results"][2]["result"]["later"].as_str().is_some(), "{fields}");
    assert_eq!((editor.app.text(editor.name), editor.app.performed()), ("before".to_owned(), 0));
    let answer = editor
        .bench
        .call("ax_workflow", json!({"steps": [missing()], "dry_run": true}))
        .await
        .expect("an account");
    assert_eq!(answer.fields["success"], false);
}

#[tokio::test(start_paused = true)]
async fn cancelled_between_its_steps_it_ends_with_an_account() {
    let editor = editor();
    let cancelled = CancellationToken::new();
    let mut call = Call::new(Reader::MODEL, cancelled.clone());
    call.progress = Progress::to(move |step| {
        if step.message.starts_with("Step 2/") {
            cancelled.cancel();
        }
    });
    let steps = json!([set("Name", "after"), with(set("Copy", "new"), "on_fail", json!("rollback"))]);
    let answer =
        editor.bench.call_with("ax_workflow", json!({"steps": steps}), call).await.expect("an account");
    let failure = answer.failure.expect("it was cancelled");
    assert_eq!(failure.code, ErrorCode::Cancelled);
    assert!(failure.message.contains("step 2 of 2") && failure.message.contains("stays"), "{failure}");
    assert_eq!(
        (answer.fields["steps_completed"].as_u64(), editor.app.text(editor.copy).as_str()),
        (Some(1), "old")
    );
}

#[tokio::test]
async fn a_tool_that_is_not_offered_cannot_be_a_step() {
    let editor = editor();
    let mut call = Call::new(Reader::MODEL, CancellationToken::new());
    call.offered =
        Offered { on: Some(Arc::new(HashSet::from(["ax_workflow", "ax_find"]))), read_only: false };
    let error = editor
        .bench
        .call_with("ax_workflow", json!({"steps": [set("Name", "x")]}), call)
        .await
        .expect_err("off");
    assert!(error.message.contains("does not offer"), "{error}");
}

/// A person who answers each question with `agrees` in the next round.
struct Answering {
    agrees: bool,
    known: Mutex<Vec<(Question, Reply)>>,
}

#[async_trait]
impl Client for Answering {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { form: true, ..InteractionCapabilities::default() }
    }

    fn begun(&self, beginning: &str) -> Option<String> {
        let known = self.known.lock().expect("no panic");
        known.iter().map(|(question, _)| question.key.clone()).find(|key| key.starts_with(beginning))
    }

    fn has_refused_among(&self, beginning: &str) -> bool {
        let known = self.known.lock().expect("no panic");
        known.iter().any(|(question, reply)| question.key.starts_with(beginning) && reply.is_no())
    }

    async fn ask(&self, question: Question) -> Result<Reply> {
        let mut known = self.known.lock().expect("no panic");
        if let Some((_, reply)) = known.iter().find(|(asked, _)| *asked == question) {
            return Ok(reply.clone());
        }
        let answer = Map::from_iter([("confirm".to_owned(), json!(self.agrees))]);
        known.push((question, Reply::Accepted(answer)));
        Err(input_required())
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_in_the_middle_repeats_no_step() {
    for agrees in [true, false] {
        let mut editor = editor();
        editor.bench.engine.desk = editor.bench.engine.desk.clone().confirming(Confirm::Auto);
        let client = Arc::new(Answering { agrees, known: Mutex::default() });
        let type_more = json!({"tool": "ax_type", "args": {"app": "Editor", "query": "Name", "text": "+"}});
        let click =
            json!({"tool": "ax_click", "args": {"app": "Editor", "query": "Delete all"}, "on_fail": "skip"});
        let workflow = json!({"steps": [type_more, click, set("Copy", "new")]});
        let mut rounds = 0;
        let answer = loop {
            rounds += 1;
            let mut call = Call::new(Reader::MODEL, CancellationToken::new());
            call.client = Arc::clone(&client) as _;
            match editor.bench.call_with("ax_workflow", workflow.clone(), call).await {
                Err(error) if error.code == ErrorCode::InputRequired => {}
                ended => break ended.expect("an account"),
            }
        };
        assert_eq!(rounds, 2);
        let typed = editor.app.text(editor.name);
        assert_eq!(typed.matches('+').count(), 1, "typed once: {typed}");
        assert_eq!(editor.app.pressed().contains(&editor.delete), agrees);
        // A no ends it, also where the step could be skipped.
        assert_eq!(editor.app.text(editor.copy), if agrees { "new" } else { "old" });
        assert_eq!(answer.failure.is_none(), agrees);
    }
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_was_forgotten_meanwhile_is_not_begun_again() {
    let editor = editor();
    let client = Answering { agrees: true, known: Mutex::default() };
    let question = Question {
        key: "workflow 77 0.0 confirm".into(),
        about: String::new(),
        ask: handeye_call::client::Ask::Roots,
    };
    client.known.lock().expect("no panic").push((question, Reply::Declined));
    let mut call = Call::new(Reader::MODEL, CancellationToken::new());
    call.client = Arc::new(client);
    let error = editor
        .bench
        .call_with("ax_workflow", json!({"steps": [set("Name", "x")]}), call)
        .await
        .expect_err("gone");
    assert_eq!(error.code, ErrorCode::WorkflowFailed);
    assert_eq!(editor.app.text(editor.name), "before");
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_ends_in_vain_says_what_was_there() {
    let editor = editor();
    for (condition, named) in [
        (json!({"query": "Name", "value": "after", "timeout_ms": 100}), "it is \"before\""),
        (json!({"exists": "No such thing", "timeout_ms": 100}), "nothing matches it"),
    ] {
        let steps = json!([with(set("Copy", "new"), "wait_until", condition)]);
        let account = editor.run(json!({"steps": steps})).await;
        let error = account["error"].as_str().expect("an error");
        assert!(error.contains(named), "{error}");
    }
}

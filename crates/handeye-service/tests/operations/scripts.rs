//! Scripts: what is asked before one runs, and what is run.

use crate::bench::Bench;
use async_trait::async_trait;
use handeye_act::confirm::Confirm;
use handeye_call::call::Call;
use handeye_call::client::{Ask, Client, Form, InteractionCapabilities, Question, Reply};
use handeye_call::outcome::{Answer, Verdict};
use handeye_call::reader::Reader;
use handeye_core::{Error, ErrorCode, Result, ScriptEnd};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A person who fills in each form in the same way, as far as it has the fields.
struct Person {
    fills_in: Value,
    unproven: bool,
    forms: Mutex<Vec<Form>>,
}

impl Person {
    fn who(fills_in: Value) -> Arc<Self> {
        Arc::new(Self { fills_in, unproven: false, forms: Mutex::default() })
    }

    fn forms(&self) -> Vec<Form> {
        self.forms.lock().expect("no panic").clone()
    }

    async fn call(self: &Arc<Self>, bench: &Bench, arguments: Value) -> Result<Answer> {
        let call = Call::new(Reader::MODEL, CancellationToken::new());
        bench.call_with("ax_run_script", arguments, Call { client: Arc::clone(self) as _, ..call }).await
    }

    async fn fails(self: &Arc<Self>, bench: &Bench, arguments: Value, code: ErrorCode) -> Error {
        let error = self.call(bench, arguments).await.expect_err("an error");
        assert_eq!(error.code, code, "{error:?}");
        assert!(bench.desktop.scripts.lock().expect("no panic").is_empty(), "nothing is run");
        error
    }
}

#[async_trait]
impl Client for Person {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { form: true, unproven: self.unproven, ..InteractionCapabilities::default() }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    async fn ask(&self, question: Question) -> Result<Reply> {
        if let Ask::Form(form) = question.ask {
            self.forms.lock().expect("no panic").push(form);
        }
        Ok(self.fills_in.as_object().map_or(Reply::Declined, |fields| Reply::Accepted(fields.clone())))
    }
}

#[tokio::test(start_paused = true)]
async fn the_whole_script_is_shown_and_runs_after_the_yes() {
    let bench = Bench::with([]);
    let person = Person::who(json!({"approve": true}));
    let script = "echo one\necho two";
    let answer = person.call(&bench, json!({"script": script})).await.expect("run");
    assert_eq!(answer.text, "Exit code 0 after 10000 ms.\nstdout:\ndone");
    assert_eq!((&answer.fields["exit_code"], &answer.fields["stdout"]), (&json!(0), &json!("done\n")));
    let [form] = &person.forms()[..] else { panic!("one question") };
    assert_eq!(form.exhibit.as_deref(), Some(script));
    let names: Vec<&str> = form.fields.iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["approve", "timeout_seconds"]);
    let run = bench.desktop.scripts.lock().expect("no panic").remove(0);
    assert_eq!((run.source.as_str(), run.directory.as_path()), (script, Path::new("/")));
}

#[tokio::test(start_paused = true)]
async fn the_person_decides_how_long_it_may_take() {
    let bench = Bench::with([]);
    for (asked, chosen, runs) in
        [(1_500, json!(2), 1_500), (1_500, json!(45), 45_000), (30_000, json!(3), 3_000)]
    {
        let person = Person::who(json!({"approve": true, "timeout_seconds": chosen}));
        person.call(&bench, json!({"script": "x", "timeout_ms": asked, "cwd": "/"})).await.expect("run");
        let run = bench.desktop.scripts.lock().expect("no panic").remove(0);
        assert_eq!(run.deadline, Duration::from_millis(runs));
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_without_a_yes() {
    let bench = Bench::with([]);
    let script = json!({"script": "x"});
    let answers = [json!({"approve": false}), json!(null)];
    for answer in answers {
        Person::who(answer).fails(&bench, script.clone(), ErrorCode::Declined).await;
    }
    for answer in [json!({}), json!({"approve": "yes"}), json!({"approve": true, "timeout_seconds": 61})] {
        Person::who(answer).fails(&bench, script.clone(), ErrorCode::InvalidParameter).await;
    }
    // Nobody can be asked.
    bench.fails("ax_run_script", script, ErrorCode::Blocked).await;
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_whatever_is_configured_and_has_to_be_one_where_that_is_required() {
    let mut bench = Bench::with([]);
    bench.engine.desk.confirm = Confirm::Never;
    bench.fails("ax_run_script", json!({"script": "x"}), ErrorCode::Blocked).await;
    bench.engine.desk.confirm = Confirm::Always;
    let terminal = Person { fills_in: json!({"approve": true}), unproven: true, forms: Mutex::default() };
    Arc::new(terminal).fails(&bench, json!({"script": "x"}), ErrorCode::Blocked).await;
}

#[tokio::test(start_paused = true)]
async fn administrators_rights_are_a_question_of_their_own() {
    let bench = Bench::with([]);
    let script = json!({"script": "sudo rm x"});
    let person = Person::who(json!({"proceed": false, "approve": true}));
    person.fails(&bench, script.clone(), ErrorCode::Declined).await;
    assert_eq!(person.forms().len(), 1);
    let person = Person::who(json!({"proceed": true, "approve": true}));
    person.call(&bench, script).await.expect("run");
    let names: Vec<_> = person.forms().iter().map(|form| form.fields[0].name.to_string()).collect();
    assert_eq!(names, ["proceed", "approve"]);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_what_cannot_be_run() {
    let bench = Bench::with([]);
    let person = Person::who(json!({"approve": true}));
    for (arguments, code) in [
        (json!({"script": ""}), ErrorCode::InvalidParameter),
        (json!({"script": "a\u{1b}[8m"}), ErrorCode::InvalidParameter),
        (json!({"script": "x".repeat(1_000_000)}), ErrorCode::TooLarge),
        (json!({"script": "x", "language": "applescript"}), ErrorCode::NotSupported),
        (json!({"script": "x", "language": "jxa"}), ErrorCode::NotSupported),
        (json!({"script": "x", "language": "perl"}), ErrorCode::InvalidParameter),
        (json!({"script": "x", "timeout_ms": 0}), ErrorCode::InvalidParameter),
        (json!({"script": "x", "timeout_ms": 60_001}), ErrorCode::InvalidParameter),
        (json!({"script": "x", "cwd": "relative"}), ErrorCode::InvalidParameter),
        (json!({"script": "x", "cwd": "/no/such/folder"}), ErrorCode::InvalidParameter),
    ] {
        person.fails(&bench, arguments, code).await;
    }
    assert!(person.forms().is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_end_has_its_answer() {
    let bench = Bench::with([]);
    let person = Person::who(json!({"approve": true}));
    let script = json!({"script": "x"});
    let ends = |end| *bench.desktop.script_ends.lock().expect("no panic") = end;
    ends(ScriptEnd::Exited(3));
    let answer = person.call(&bench, script.clone()).await.expect("run");
    assert_eq!(
        (&answer.fields["exit_code"], answer.verdict),
        (&json!(3), Verdict::No(ErrorCode::ActionFailed))
    );
    ends(ScriptEnd::Killed(9));
    let answer = person.call(&bench, script.clone()).await.expect("run");
    assert_eq!((answer.fields.get("exit_code"), &answer.fields["signal"]), (None, &json!(9)));
    ends(ScriptEnd::TimedOut);
    let error = person.call(&bench, script).await.expect_err("too long");
    assert_eq!((error.code, error.found), (ErrorCode::ScriptTimeout, vec!["stdout: done".to_owned()]));
}

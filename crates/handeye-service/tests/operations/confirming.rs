//! Questions to a person in the middle of a call, and what happens without one.

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use handeye_act::confirm::Confirm;
use handeye_call::call::Call;
use handeye_call::client::{Ask, Client, InteractionCapabilities, Question, Reply, input_required};
use handeye_call::outcome::Answer;
use handeye_call::reader::Reader;
use handeye_core::{Error, ErrorCode, NodeId, Result, Role};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A client whose person answers as a script says.
#[derive(Default)]
struct Scripted {
    asked: Mutex<Vec<Question>>,
    /// The reply to what was asked last, if it is known by now.
    known: Mutex<Option<(Question, Reply)>>,
}

#[async_trait]
impl Client for Scripted {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { form: true, url: true, ..InteractionCapabilities::default() }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        self.known.lock().expect("no panic").as_ref().is_some_and(|(_, reply)| reply.is_no())
    }

    async fn ask(&self, question: Question) -> Result<Reply> {
        if let Some((asked, reply)) = &*self.known.lock().expect("no panic")
            && *asked == question
        {
            return Ok(reply.clone());
        }
        self.asked.lock().expect("no panic").push(question);
        Err(input_required())
    }
}

impl Scripted {
    fn last(&self) -> Option<Question> {
        self.asked.lock().expect("no panic").last().cloned()
    }

    fn message(&self) -> String {
        match self.last().map(|question| question.ask) {
            Some(Ask::Form(form)) => form.message,
            other => panic!("no form was shown: {other:?}"),
        }
    }

    /// Calls the tool, answers its question, and calls it again, as a face does.
    async fn call(
        self: &Arc<Self>,
        bench: &Bench,
        tool: &str,
        arguments: &Value,
        reply: Reply,
    ) -> Result<Answer> {
        let first = self.round(bench, tool, arguments).await;
        match first {
            Err(error) if error.code == ErrorCode::InputRequired => {
                let question = self.last().expect("a question");
                *self.known.lock().expect("no panic") = Some((question, reply));
                self.round(bench, tool, arguments).await
            }
            other => other,
        }
    }

    async fn round(self: &Arc<Self>, bench: &Bench, tool: &str, arguments: &Value) -> Result<Answer> {
        let call = Call::new(Reader::MODEL, CancellationToken::new());
        bench.call_with(tool, arguments.clone(), Call { client: Arc::clone(self) as _, ..call }).await
    }
}

fn accepted(fields: Value) -> Reply {
    match fields {
        Value::Object(fields) => Reply::Accepted(fields),
        _ => Reply::Accepted(Map::new()),
    }
}

fn yes() -> Reply {
    accepted(json!({"confirm": true}))
}

fn settings() -> (Arc<FakeApp>, Bench, [NodeId; 2]) {
    let (app, buttons) =
        FakeApp::simple("Settings", 7, [(Role::Button, "Delete All Data"), (Role::Button, "Save")]);
    (Arc::clone(&app), Bench::with([app]), buttons)
}

fn pressed(app: &FakeApp) -> usize {
    app.performed()
}

#[tokio::test(start_paused = true)]
async fn nothing_is_done_before_the_yes_and_once_after_it() {
    let (app, bench, _) = settings();
    let person = Arc::new(Scripted::default());
    let call = json!({"app": "Settings", "query": "Delete All Data"});
    let error = person.round(&bench, "ax_click", &call).await.expect_err("a question");
    assert_eq!(error.code, ErrorCode::InputRequired);
    assert_eq!(pressed(&app), 0);
    assert_eq!(
        person.message(),
        "This will click 'Delete All Data' in Settings. This action may be irreversible."
    );
    person.call(&bench, "ax_click", &call, yes()).await.expect("confirmed");
    assert_eq!(pressed(&app), 1);
}

#[tokio::test(start_paused = true)]
async fn every_other_answer_is_a_no() {
    for reply in [Reply::Declined, Reply::Dismissed, accepted(json!({"confirm": false}))] {
        let (app, bench, _) = settings();
        let person = Arc::new(Scripted::default());
        let call = json!({"app": "Settings", "query": "Delete All Data"});
        let error = person.call(&bench, "ax_click", &call, reply).await.expect_err("a no");
        assert_eq!(error.code, ErrorCode::Declined);
        assert_eq!(pressed(&app), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_is_for_what_was_asked_about() {
    let (app, bench, [button, _]) = settings();
    let person = Arc::new(Scripted::default());
    let call = json!({"app": "Settings", "query": "role:button Delete"});
    person.round(&bench, "ax_click", &call).await.expect_err("a question");
    let question = person.last().expect("a question");
    *person.known.lock().expect("no panic") = Some((question, yes()));
    app.change(move |tree| {
        tree.update(button, |node| node.name = "Delete Account".into());
    });
    let error = person.round(&bench, "ax_click", &call).await.expect_err("another question");
    assert_eq!(error.code, ErrorCode::InputRequired);
    assert!(person.message().contains("Delete Account"));
    assert_eq!(pressed(&app), 0);
}

#[tokio::test(start_paused = true)]
async fn a_no_holds_for_whatever_is_there_afterwards() {
    for (later, reply) in [
        ("Continue", Reply::Declined),
        ("Continue", accepted(json!({"confirm": false}))),
        ("Delete Account", Reply::Dismissed),
    ] {
        let (app, bench, [button, _]) = settings();
        let person = Arc::new(Scripted::default());
        let found = bench
            .call("ax_find", json!({"app": "Settings", "query": "Delete All Data"}))
            .await
            .expect("found");
        let call = json!({"app": "Settings", "query": found.fields["element_ref"]});
        person.round(&bench, "ax_click", &call).await.expect_err("a question");
        let question = person.last().expect("a question");
        *person.known.lock().expect("no panic") = Some((question, reply));
        app.change(move |tree| {
            tree.update(button, |node| node.name = later.into());
        });
        let error = person.round(&bench, "ax_click", &call).await.expect_err("it was declined");
        assert_eq!((error.code, pressed(&app)), (ErrorCode::Declined, 0), "{later}");
    }
}

#[tokio::test(start_paused = true)]
async fn harmless_things_are_done_without_a_question() {
    let (app, bench, _) = settings();
    let person = Arc::new(Scripted::default());
    person.round(&bench, "ax_click", &json!({"app": "Settings", "query": "Save"})).await.expect("done");
    assert_eq!((pressed(&app), person.last()), (1, None));
}

#[tokio::test(start_paused = true)]
async fn where_nobody_can_be_asked_the_setting_decides() {
    let call = json!({"app": "Settings", "query": "Delete All Data"});
    let (app, mut bench, _) = settings();
    let answer = bench.call("ax_click", call.clone()).await.expect("auto goes on");
    assert!(answer.notes.iter().any(|note| note.contains("Nobody could be asked")), "{:?}", answer.notes);
    assert_eq!(pressed(&app), 1);
    bench.engine.desk.confirm = Confirm::Never;
    let answer = bench.call("ax_click", call.clone()).await.expect("never asks");
    assert!(answer.notes.is_empty(), "{:?}", answer.notes);
    assert_eq!(pressed(&app), 2);
    bench.engine.desk.confirm = Confirm::Always;
    let error = bench.fails("ax_click", call, ErrorCode::Blocked).await;
    assert!(error.next.as_deref().is_some_and(|next| next.contains("HANDEYE_CONFIRM")), "{error:?}");
    assert_eq!(pressed(&app), 2);
    bench.call("ax_click", json!({"app": "Settings", "query": "Save"})).await.expect("no risk, no question");
}

#[tokio::test(start_paused = true)]
async fn no_parameter_confirms() {
    let (app, bench, _) = settings();
    for name in ["confirm", "confirmed", "force"] {
        let call = json!({"app": "Settings", "query": "Delete All Data", name: true});
        bench.fails("ax_click", call, ErrorCode::InvalidParameter).await;
    }
    assert_eq!(pressed(&app), 0);
}

#[tokio::test(start_paused = true)]
async fn return_on_a_focused_delete_button_is_asked_about() {
    let (app, bench, [button, _]) = settings();
    app.change(move |tree| {
        tree.update(button, |node| node.states.insert(handeye_core::States::FOCUSED));
    });
    let person = Arc::new(Scripted::default());
    for (key, mode) in [("return", "background"), ("space", "background"), ("return", "focus")] {
        let call = json!({"app": "Settings", "key": key, "mode": mode});
        let error = person.round(&bench, "ax_key_press", &call).await.expect_err("a question");
        assert_eq!(error.code, ErrorCode::InputRequired, "{key} {mode}: {error:?}");
    }
    assert_eq!(pressed(&app), 0);
    assert!(bench.desktop.seat_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_person_chooses_between_applications_of_one_name() {
    let apps = [7, 8].map(|pid| FakeApp::simple("Editor", pid, [(Role::Button, "Go")]).0);
    let bench = Bench::with(apps.iter().map(Arc::clone));
    let person = Arc::new(Scripted::default());
    let call = json!({"app": "Editor", "query": "Go"});
    let error = bench.fails("ax_click", call.clone(), ErrorCode::AppAmbiguous).await;
    assert_eq!(error.found.len(), 2, "who cannot be asked gets the candidates");
    let answer = person.call(&bench, "ax_click", &call, accepted(json!({"app": "8"}))).await.expect("chosen");
    assert_eq!((pressed(&apps[0]), pressed(&apps[1])), (0, 1));
    assert!(answer.notes.iter().any(|note| note.contains("app: \"8\"")), "{:?}", answer.notes);
    let liar = Arc::new(Scripted::default());
    let reply = accepted(json!({"app": "9"}));
    let error = liar.call(&bench, "ax_click", &call, reply).await.expect_err("it was not offered");
    assert_eq!(error.code, ErrorCode::InvalidParameter);
    assert_eq!((pressed(&apps[0]), pressed(&apps[1])), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn the_person_may_describe_an_element_in_other_words_once() {
    let (app, bench, _) = settings();
    let person = Arc::new(Scripted::default());
    let call = json!({"app": "Settings", "query": "zzqqxxyy"});
    let missed: Error = bench.fails("ax_click", call.clone(), ErrorCode::ElementNotFound).await;
    assert!(missed.found.is_empty(), "{missed:?}");
    person.call(&bench, "ax_click", &call, accepted(json!({"description": "Save"}))).await.expect("found");
    assert_eq!(pressed(&app), 1);
    let other = Arc::new(Scripted::default());
    let error = other
        .call(&bench, "ax_click", &call, accepted(json!({"description": "qqzzyy"})))
        .await
        .expect_err("not found either");
    assert_eq!(error.code, ErrorCode::ElementNotFound);
    assert_eq!(other.asked.lock().expect("no panic").len(), 1, "asked once");
}

/// A prompt for the rights of an administrator.
fn prompt() -> (Arc<FakeApp>, Bench) {
    let (app, _) = FakeApp::simple(
        "polkit-gnome-authentication-agent-1",
        9,
        [
            (Role::Text, "Authentication is needed to run apt as the super user"),
            (Role::TextBox, "Password:"),
            (Role::Button, "Authenticate"),
            (Role::Button, "Cancel"),
        ],
    );
    (Arc::clone(&app), Bench::with([app]))
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_before_anything_is_done_in_a_prompt_for_rights() {
    for (tool, arguments) in [
        ("ax_click", json!({"app": "polkit", "query": "Authenticate"})),
        ("ax_set_value", json!({"app": "polkit", "query": "Password:", "value": "x"})),
        ("ax_type", json!({"app": "polkit", "query": "Password:", "text": "x"})),
    ] {
        let (app, bench) = prompt();
        let person = Arc::new(Scripted::default());
        let error = person.round(&bench, tool, &arguments).await.expect_err("a question");
        assert_eq!(error.code, ErrorCode::InputRequired, "{tool}");
        let message = person.message();
        for part in
            ["in polkit-gnome-authentication-agent-1", "administrator rights", "run apt as the super user"]
        {
            assert!(message.contains(part), "{tool}: {message}");
        }
        assert!(!message.contains("Password"), "{message}");
        let no = person.call(&bench, tool, &arguments, accepted(json!({"proceed": false}))).await;
        assert_eq!(no.expect_err("a no").code, ErrorCode::Declined, "{tool}");
        assert_eq!(pressed(&app), 0, "{tool}");
        let person = Arc::new(Scripted::default());
        person.call(&bench, tool, &arguments, accepted(json!({"proceed": true}))).await.expect("agreed");
        assert!(pressed(&app) > 0, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_for_rights_is_left_alone_where_nobody_can_be_asked_and_can_be_refused_without() {
    let (app, mut bench) = prompt();
    let click = |name: &str| json!({"app": "polkit", "query": name});
    let error = bench.fails("ax_click", click("Authenticate"), ErrorCode::Blocked).await;
    assert!(error.message.contains("needs a person's yes"), "{error}");
    assert_eq!(pressed(&app), 0);
    bench.call("ax_click", click("Cancel")).await.expect("nothing is granted by that");
    assert_eq!(pressed(&app), 1);
    bench.engine.desk.confirm = Confirm::Never;
    bench.call("ax_click", click("Authenticate")).await.expect("the user wants to be asked about nothing");
}

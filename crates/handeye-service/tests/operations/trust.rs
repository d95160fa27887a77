//! The rules and the mode of a user: whatever is called, in whatever order, a denied application is neither reached nor seen.

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::client::{Client, InteractionCapabilities, Question, Reply};
use handeye_call::reader::Reader;
use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{
    Clipping, ErrorCode, Ledger, LedgerCondition, LedgerEntry, LedgerOutcome, LedgerRisk, NoLedger,
    OpenRecord, Receipt, Result, Role, SecurityMode, Trust, WindowId, Written,
};
use handeye_engine::Engine;
use handeye_policy::{Kind, Line, SecurityRules, Source};
use handeye_resources::{Address, Resources, View, wanted};
use handeye_service::gate::Gate;
use handeye_service::registry;
use handeye_service::security::Security;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A desktop with an editor in front and a vault, on which these rules and this mode hold.
fn bench(mode: SecurityMode, rules: &[(Kind, &str)]) -> (Bench, Arc<FakeApp>, Arc<FakeApp>) {
    let (vault, _) = FakeApp::simple(
        "Vault",
        8,
        [(Role::Button, "Gold"), (Role::TextBox, "Gold bars"), (Role::Link, "Gold")],
    );
    let (editor, _) = FakeApp::simple(
        "Editor",
        7,
        [(Role::Button, "Save"), (Role::TextBox, "Name"), (Role::Button, "Delete")],
    );
    let line = |(kind, name): &(Kind, &str)| Line {
        kind: *kind,
        pattern: name.parse().expect("a name"),
        source: Source::Variable("test".to_owned()),
    };
    let rules = SecurityRules::new(rules.iter().map(line).collect());
    let trust = Arc::new(Trust::new(mode, Arc::new(rules)));
    let mut bench = Bench::with([Arc::clone(&vault), Arc::clone(&editor)]);
    bench.engine = Engine {
        desk: bench.engine.desk.clone().trusting(Arc::clone(&trust)).recorded_in(Arc::new(Kept)),
        ..bench.engine
    };
    bench.gate = Gate::new(Security::new(trust, Vec::new()));
    (bench, vault, editor)
}

/// An audit log that always works.
#[derive(Default)]
struct Kept;

fn kept() -> Receipt {
    let (sender, receipt) = Receipt::pending(false);
    sender.send(Written { record: Value::Null, fault: None }).expect("the receipt is here");
    receipt
}

impl OpenRecord for Kept {
    fn end(self: Box<Self>, _: LedgerOutcome, _: LedgerRisk) -> Receipt {
        kept()
    }
}

impl Ledger for Kept {
    fn intent(&self, _: Arc<LedgerEntry>, _: LedgerRisk) -> (Box<dyn OpenRecord>, Receipt) {
        (Box::new(Self), kept())
    }

    fn not_done(&self, _: Arc<LedgerEntry>, _: LedgerOutcome, _: LedgerRisk) -> Receipt {
        kept()
    }

    fn require(&self) {}

    fn condition(&self) -> LedgerCondition {
        LedgerCondition::default()
    }
}

/// A client whose person gives the same answer to every form, and what it was asked.
struct Person {
    agrees: bool,
    asked: Mutex<Vec<String>>,
}

impl Person {
    fn new(agrees: bool) -> Arc<Self> {
        Arc::new(Self { agrees, asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("sound"))
    }
}

#[async_trait]
impl Client for Person {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { form: true, ..InteractionCapabilities::default() }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    async fn ask(&self, question: Question) -> Result<Reply> {
        self.asked.lock().expect("sound").push(format!("{question:?}"));
        if !self.agrees {
            return Ok(Reply::Declined);
        }
        let yes = json!({ "confirm": true, "approve": true });
        Ok(Reply::Accepted(yes.as_object().cloned().unwrap_or_default()))
    }
}

fn asked_by(person: &Arc<Person>) -> Call {
    let client = Arc::clone(person) as Arc<dyn Client>;
    Call { client, ..Call::new(Reader::MODEL, CancellationToken::new()) }
}

#[tokio::test(start_paused = true)]
async fn a_denied_application_is_named_with_its_rule_and_counted() {
    let (bench, _, _) = bench(SecurityMode::Normal, &[(Kind::Denied, "Vault")]);
    for (nth, name) in ["Vault", "vau", "8"].into_iter().enumerate() {
        let error = bench.fails("ax_connect", json!({ "app": name }), ErrorCode::Blocked).await;
        assert_eq!(error.message, "App 'Vault' is blocked by security policy: denied \"Vault\" (test)");
        assert_eq!(bench.engine.desk.guard.trust().blocked(), nth as u64 + 1);
    }
    bench.fails("ax_connect", json!({ "app": "nobody" }), ErrorCode::AppNotFound).await;
}

#[tokio::test(start_paused = true)]
async fn an_application_that_is_read_only_is_looked_at_alone() {
    let (bench, vault, _) = bench(SecurityMode::Normal, &[(Kind::ReadOnly, "Vault")]);
    let tree = bench.call("ax_get_tree", json!({ "app": "Vault" })).await.expect("a tree");
    assert!(tree.text.contains("Gold"), "{tree:?}");
    for (tool, arguments) in [
        ("ax_click", json!({ "app": "Vault", "query": "button Gold" })),
        ("ax_type", json!({ "app": "Vault", "text": "x", "query": "Gold bars" })),
        ("ax_key_press", json!({ "app": "Vault", "key": "a", "mode": "focus" })),
        ("ax_scroll", json!({ "app": "Vault", "mode": "focus", "direction": "down" })),
    ] {
        let error = bench.fails(tool, arguments, ErrorCode::Blocked).await;
        assert!(error.message.contains("read_only \"Vault\" (test)"), "{tool}: {error}");
    }
    assert!(vault.pressed().is_empty() && vault.performed() == 0 && bench.desktop.seat_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_before_anything_is_done_to_an_application_that_is_to_be_asked_about() {
    let (bench, _, editor) = bench(SecurityMode::Normal, &[(Kind::AskFirst, "Editor")]);
    let click = json!({ "app": "Editor", "query": "button Save" });
    let error = bench.fails("ax_click", click.clone(), ErrorCode::Blocked).await;
    assert!(format!("{:?}", error.next).contains("ask_first"), "{error:?}");
    let unwilling = Person::new(false);
    let declined = bench.call_with("ax_click", click.clone(), asked_by(&unwilling)).await.expect_err("a no");
    assert_eq!(declined.code, ErrorCode::Declined);
    assert!(editor.pressed().is_empty());
    let willing = Person::new(true);
    bench.call_with("ax_click", click, asked_by(&willing)).await.expect("a yes");
    assert!(willing.asked().iter().any(|asked| asked.contains("Save")));
    assert_eq!(editor.pressed().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn in_the_mode_safe_what_is_risky_needs_a_yes_and_the_rest_does_not() {
    let (mut bench, _, editor) = bench(SecurityMode::Safe, &[]);
    bench.engine.desk.confirm = handeye_act::confirm::Confirm::Never;
    let delete = json!({ "app": "Editor", "query": "button Delete" });
    let error = bench.fails("ax_click", delete.clone(), ErrorCode::Blocked).await;
    assert!(format!("{:?}", error.next).contains("the mode safe"), "{error:?}");
    bench.call("ax_click", json!({ "app": "Editor", "query": "button Save" })).await.expect("harmless");
    assert_eq!(editor.pressed().len(), 1);
    bench.call_with("ax_click", delete, asked_by(&Person::new(true))).await.expect("a yes");
    let script = json!({ "script": "true" });
    let error =
        bench.call_with("ax_run_script", script, asked_by(&Person::new(true))).await.expect_err("off");
    assert_eq!(error.code, ErrorCode::Blocked);
}

#[tokio::test(start_paused = true)]
async fn in_the_mode_safe_nothing_is_done_that_is_not_recorded() {
    let (bench, _, editor) = bench(SecurityMode::Safe, &[]);
    let desk = bench.engine.desk.clone().recorded_in(Arc::new(NoLedger::default()));
    let unrecorded = Engine { desk, ..bench.engine.clone() };
    let call = || Call::new(Reader::MODEL, CancellationToken::new());
    let save = json!({ "app": "Editor", "query": "button Save" });
    let error = bench.call_on(&unrecorded, "ax_click", save, call()).await.expect_err("not recorded");
    assert!(error.code == ErrorCode::Blocked && error.message.contains("audit log"), "{error}");
    assert!(editor.pressed().is_empty());
}

#[tokio::test(start_paused = true)]
async fn in_a_sandbox_only_what_looks_is_there() {
    let (bench, _, editor) = bench(SecurityMode::Sandboxed, &[]);
    for operation in registry::all() {
        let meta = operation.meta();
        let arguments =
            json!({ "app": "Editor", "query": "button Save", "text": "x", "key": "a", "direction": "down" });
        let fields = operation.input_schema()["properties"].clone();
        let known: serde_json::Map<String, Value> = arguments
            .as_object()
            .expect("an object")
            .iter()
            .filter(|(name, _)| fields.get(name.as_str()).is_some())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if meta.destructive {
            if let Err(error) = bench.call(meta.tool, Value::Object(known)).await {
                assert!(
                    matches!(error.code, ErrorCode::Blocked | ErrorCode::InvalidParameter),
                    "{}: {error}",
                    meta.tool
                );
            } else {
                panic!("{} was not blocked", meta.tool);
            }
        }
    }
    assert!(editor.pressed().is_empty() && bench.desktop.seat_log().is_empty());
    bench.call("ax_get_tree", json!({ "app": "Editor" })).await.expect("a tree");
    bench.fails("ax_clipboard", json!({ "action": "read" }), ErrorCode::Blocked).await;
}

#[tokio::test(start_paused = true)]
async fn a_tighter_mode_holds_from_the_next_call_on() {
    let (bench, _, _) = bench(SecurityMode::Normal, &[]);
    let click = json!({ "app": "Editor", "query": "button Save" });
    bench.call("ax_click", click.clone()).await.expect("it may");
    bench.engine.desk.guard.trust().tighten(SecurityMode::Sandboxed);
    bench.fails("ax_click", click, ErrorCode::Blocked).await;
}

#[tokio::test(start_paused = true)]
async fn what_a_denied_or_excluded_application_copied_is_not_read() {
    for kind in [Kind::Denied, Kind::NoClipboard] {
        let (bench, _, _) = bench(SecurityMode::Normal, &[(kind, "Vault")]);
        let copied = |pid| Clipping {
            text: Some("Gold".to_owned()),
            formats: vec!["UTF8_STRING".to_owned()],
            pid,
            ..Clipping::default()
        };
        bench.desktop.copy(copied(Some(8)));
        let error = bench.fails("ax_clipboard", json!({ "action": "read" }), ErrorCode::Blocked).await;
        assert!(error.message.contains("Vault") && !error.message.contains("Gold"), "{error}");
        bench.desktop.copy(copied(Some(7)));
        bench.call("ax_clipboard", json!({ "action": "read" })).await.expect("the editor's");
    }
    let (bench, _, _) = bench(SecurityMode::Normal, &[(Kind::NoClipboard, "Editor")]);
    for key in ["ctrl+c", "ctrl+v", "ctrl+x", "shift+delete"] {
        let call = json!({ "app": "Editor", "key": key, "mode": "focus" });
        let error = bench.fails("ax_key_press", call, ErrorCode::Blocked).await;
        assert!(error.message.contains("no_clipboard"), "{key}: {error}");
    }
    assert!(bench.desktop.seat_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_picture_of_the_screen_has_no_pixel_of_a_denied_window_in_front_and_every_one_of_a_window_before_it()
 {
    let (bench, _, _) = bench(SecurityMode::Normal, &[(Kind::Denied, "Vault")]);
    let raw = bench.engine.desk.platform.screen.shown().await.expect("windows");
    let front = raw.first().expect("a window");
    let place = front.frame().expect("placed");
    let overseen = bench.gate.overseen(&bench.engine).into_owned();
    let target = CaptureTarget::Region(place);
    let all = bench.engine.desk.platform.screen.capture(target).await.expect("pixels");
    let seen = overseen.desk.platform.screen.capture(target).await.expect("pixels");
    // All windows of the fake lie on the same place.
    let same = all.rgb().chunks(3).zip(seen.rgb().chunks(3)).filter(|(all, seen)| all == seen).count();
    let expected = if front.pid == Some(8) { 0 } else { all.rgb().len() / 3 };
    assert_eq!(same, expected, "in front is {front:?}");
    let vault = raw.iter().find(|window| window.pid == Some(8)).expect("the vault").id;
    let hidden = CaptureTarget::Window(vault, WindowPart::Whole);
    let error = overseen.desk.platform.screen.capture(hidden).await.expect_err("hidden");
    assert_eq!(error.code, ErrorCode::Blocked);
}

/// One thing that happens: a call, a resource that is read, or the user bringing a window forward.
#[derive(Debug, Clone)]
enum Event {
    Call(&'static str, Value),
    Read(&'static str, usize),
    Forward(bool),
}

fn event() -> impl Strategy<Value = Event> {
    let app = || prop::sample::select(&["Vault", "vau", "8", "Editor", "frontmost", "all"][..]);
    let query =
        || prop::sample::select(&["button Gold", "Gold", "e1", "e2", "e3", "e9", "//button", "textbox"][..]);
    let mode = || prop::sample::select(&["background", "focus"][..]);
    let looks = (
        prop::sample::select(
            &["ax_get_tree", "ax_connect", "ax_screenshot", "ax_list_windows", "ax_wait_idle", "image"][..],
        ),
        app(),
    )
        .prop_map(|(tool, app)| {
            Event::Call(
                tool,
                if tool == "image" { json!({ "app_target": app }) } else { json!({ "app": app }) },
            )
        });
    let lists = prop::sample::select(&["ax_list_apps", "ax_session_info", "ax_screenshot"][..])
        .prop_map(|tool| Event::Call(tool, json!({})));
    let finds = (prop::sample::select(&["ax_find", "ax_get_value", "ax_get_attributes"][..]), app(), query())
        .prop_map(|(tool, app, query)| Event::Call(tool, json!({ "app": app, "query": query })));
    let clicks = (app(), query(), mode()).prop_map(|(app, query, mode)| {
        Event::Call("ax_click", json!({ "app": app, "query": query, "mode": mode }))
    });
    let references = (query(), mode())
        .prop_map(|(query, mode)| Event::Call("ax_click", json!({ "query": query, "mode": mode })));
    let points = (100_i32..500, 100_i32..400, mode())
        .prop_map(|(x, y, mode)| Event::Call("ax_click_at", json!({ "x": x, "y": y, "mode": mode })));
    let keys =
        (prop::option::of(app()), prop::sample::select(&["a", "return", "space", "ctrl+v", "tab"][..]))
            .prop_map(|(app, key)| {
                let mut call = json!({ "key": key, "mode": "focus" });
                if let Some(app) = app {
                    call["app"] = app.into();
                }
                Event::Call("ax_key_press", call)
            });
    let types = (app(), query(), mode()).prop_map(|(app, query, mode)| {
        Event::Call("ax_type", json!({ "app": app, "query": query, "text": "x", "mode": mode }))
    });
    let values = (app(), query()).prop_map(|(app, query)| {
        Event::Call("ax_set_value", json!({ "app": app, "query": query, "value": "x" }))
    });
    let workflow = (app(), query()).prop_map(|(app, query)| {
        let step = json!({ "tool": "ax_click", "args": { "app": app, "query": query } });
        Event::Call("ax_workflow", json!({ "name": "w", "steps": [step] }))
    });
    let reads = (app(), 0_usize..5).prop_map(|(app, view)| Event::Read(app, view));
    prop_oneof![
        2 => looks, 1 => lists, 2 => finds, 3 => clicks, 2 => references, 3 => points, 3 => keys, 2 => types, 1 => values,
        1 => workflow, 2 => reads, 3 => any::<bool>().prop_map(Event::Forward),
    ]
}

/// Runs the events, and returns the one that reached or showed something of the vault.
async fn reached(events: &[Event]) -> Option<(Event, String)> {
    let (bench, vault, _) = bench(SecurityMode::Normal, &[(Kind::Denied, "Vault")]);
    for event in events {
        let clicks_before = bench.desktop.seat_log().len();
        let mut in_front = None;
        let shown = match event {
            Event::Forward(vault_comes) => {
                let window = WindowId::issued(if *vault_comes { 800 } else { 700 });
                drop(bench.bring_forward(window).await);
                continue;
            }
            Event::Call(tool, arguments) => {
                in_front = bench
                    .engine
                    .desk
                    .guard
                    .active_window()
                    .await
                    .ok()
                    .flatten()
                    .and_then(|window| window.pid);
                let call = asked_by(&Person::new(true));
                format!(
                    "{:?}",
                    bench.call_with(tool, arguments.clone(), call).await.map_err(|mut error| {
                        // The rule names the application, as the user who wrote it wants.
                        if error.code == ErrorCode::Blocked {
                            error.message.clear();
                        }
                        error
                    })
                )
            }
            Event::Read(app, view) => {
                let view =
                    [View::Tree, View::State, View::Events, View::Screenshot, View::WindowTree(0)][*view];
                let resources = Resources::new(bench.engine.clone());
                let call = asked_by(&Person::new(true));
                let asked = wanted(Address::of(app, view).to_string(), None);
                format!("{:?}", bench.gate.call(&bench.engine, &resources, asked, call).await.ok())
            }
        };
        if !vault.pressed().is_empty() || vault.performed() > 0 {
            return Some((event.clone(), "it was acted on".to_owned()));
        }
        // What the caller wrote itself is in some answers.
        let own = format!("{event:?}");
        if shown.contains("Gold") && !own.contains("Gold") || shown.contains("Gold bars") {
            return Some((event.clone(), shown));
        }
        let log = bench.desktop.seat_log();
        let pressed: Vec<&String> =
            log[clicks_before..].iter().filter(|line| !line.starts_with("activate")).collect();
        let active =
            bench.engine.desk.guard.active_window().await.ok().flatten().and_then(|window| window.pid);
        if !pressed.is_empty() && in_front == Some(8) && active == Some(8) {
            return Some((event.clone(), format!("{pressed:?} with the vault in front")));
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_sequence_of_calls_reaches_or_shows_a_denied_application(events in prop::collection::vec(event(), 1..10)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
        let reached = runtime.block_on(reached(&events));
        prop_assert!(reached.is_none(), "{reached:?}");
    }
}

//! The audit log: what is recorded before an action and after it, and that nothing is done without.

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use handeye_act::confirm::Confirm;
use handeye_call::call::Call;
use handeye_call::client::{Client, InteractionCapabilities, Question, Reply};
use handeye_call::client_log::{Level, Log};
use handeye_call::reader::Reader;
use handeye_core::{
    ErrorCode, Ledger, LedgerCondition, LedgerEntry, LedgerFault, LedgerFields, LedgerOutcome, LedgerRisk,
    OpenRecord, Receipt, Result, Role, Written,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A log in memory. Where it is broken, nothing can be recorded and everything has to be.
#[derive(Default)]
struct Memory {
    records: Arc<Mutex<Vec<Value>>>,
    broken: bool,
}

struct Open {
    records: Arc<Mutex<Vec<Value>>>,
    entry: Arc<LedgerEntry>,
}

fn note(
    records: &Mutex<Vec<Value>>,
    kind: &str,
    fields: &LedgerFields<'_>,
    fault: Option<LedgerFault>,
) -> Receipt {
    let mut record = serde_json::to_value(fields).expect("JSON");
    record["kind"] = kind.into();
    record["durable"] = fields.entry.durable.into();
    records.lock().expect("no panic").push(record.clone());
    let (sender, receipt) = Receipt::pending(true);
    sender.send(Written { record, fault }).expect("awaited");
    receipt
}

impl OpenRecord for Open {
    fn end(self: Box<Self>, outcome: LedgerOutcome, risk: LedgerRisk) -> Receipt {
        let fields = LedgerFields { entry: &self.entry, outcome: Some(&outcome), risk: &risk };
        note(&self.records, "outcome", &fields, None)
    }
}

impl Ledger for Memory {
    fn intent(&self, entry: Arc<LedgerEntry>, risk: LedgerRisk) -> (Box<dyn OpenRecord>, Receipt) {
        let fault = self.broken.then(|| LedgerFault { message: "the disk is full".into(), refuse: true });
        let receipt =
            note(&self.records, "intent", &LedgerFields { entry: &entry, outcome: None, risk: &risk }, fault);
        (Box::new(Open { records: Arc::clone(&self.records), entry }), receipt)
    }

    fn not_done(&self, entry: Arc<LedgerEntry>, outcome: LedgerOutcome, risk: LedgerRisk) -> Receipt {
        let fields = LedgerFields { entry: &entry, outcome: Some(&outcome), risk: &risk };
        note(&self.records, "not done", &fields, None)
    }

    fn require(&self) {}

    fn condition(&self) -> LedgerCondition {
        LedgerCondition::default()
    }
}

/// A person who gives this answer to everything.
struct Person(bool);

#[async_trait]
impl Client for Person {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { form: true, ..InteractionCapabilities::default() }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    async fn ask(&self, _: Question) -> Result<Reply> {
        let fields = json!({ "confirm": true, "approve": true });
        Ok(if self.0 {
            Reply::Accepted(fields.as_object().cloned().expect("an object"))
        } else {
            Reply::Declined
        })
    }
}

struct Recorded {
    bench: Bench,
    app: Arc<FakeApp>,
    records: Arc<Mutex<Vec<Value>>>,
    sent: Arc<Mutex<Vec<Value>>>,
}

impl Recorded {
    fn new(broken: bool) -> Self {
        let elements = [(Role::Button, "Save"), (Role::Button, "Delete All Data"), (Role::TextBox, "Name")];
        let (app, _) = FakeApp::simple("Editor", 7, elements);
        let mut bench = Bench::with([Arc::clone(&app)]);
        let ledger = Memory { broken, ..Memory::default() };
        let records = Arc::clone(&ledger.records);
        bench.engine.desk.ledger = Arc::new(ledger);
        Self { bench, app, records, sent: Arc::default() }
    }

    fn call(&self) -> Call {
        let sent = Arc::clone(&self.sent);
        let log = Log::to(Level::Notice, move |record| {
            if record.logger == "handeye.audit" {
                sent.lock().expect("no panic").push(record.data);
            }
        });
        Call { log, ..Call::new(Reader::MODEL, CancellationToken::new()) }
    }

    async fn asked(
        &self,
        agrees: bool,
        tool: &str,
        arguments: Value,
    ) -> Result<handeye_call::outcome::Answer> {
        let call = Call { client: Arc::new(Person(agrees)), ..self.call() };
        self.bench.call_with(tool, arguments, call).await
    }

    fn records(&self) -> Vec<Value> {
        std::mem::take(&mut self.records.lock().expect("no panic"))
    }

    fn sent(&self) -> Vec<Value> {
        std::mem::take(&mut self.sent.lock().expect("no panic"))
    }
}

fn results(records: &[Value]) -> Vec<(&str, Option<&str>)> {
    records
        .iter()
        .map(|record| (record["kind"].as_str().expect("a kind"), record["result"].as_str()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn an_action_is_recorded_with_its_target_before_it_is_done_and_after_it() {
    let desk = Recorded::new(false);
    let click = json!({"app": "Editor", "query": "Save"});
    desk.bench.call_with("ax_click", click, desk.call()).await.expect("clicked");
    let records = desk.records();
    assert_eq!(results(&records), [("intent", None), ("outcome", Some("success"))]);
    for record in &records {
        assert_eq!((&record["tool"], &record["session_id"]), (&json!("ax_click"), &json!("stdio")));
        assert_eq!((&record["args"]["app"], &record["args"]["query"]), (&json!("Editor"), &json!("Save")));
        let target = &record["target"];
        assert_eq!((&target["application"], &target["pid"]), (&json!("Editor"), &json!(7)));
        assert_eq!((&target["role"], &target["title"]), (&json!("button"), &json!("Save")));
        assert!(target["reference"].as_str().is_some_and(|reference| reference.starts_with('e')));
        assert_eq!((&record["route"], &record["durable"]), (&json!("accessibility"), &json!(false)));
    }
    assert!(records[1]["effect"].is_string() && records[1]["duration_ms"].is_number());
    assert_eq!(desk.sent(), records[1..], "the client gets the record of the outcome");
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_or_copied_or_run_is_in_no_record() {
    const SECRET: &str = "correct-horse";
    let desk = Recorded::new(false);
    for (tool, arguments) in [
        ("ax_type", json!({"app": "Editor", "query": "Name", "text": SECRET})),
        ("ax_set_value", json!({"app": "Editor", "query": "Name", "value": SECRET})),
        ("ax_clipboard", json!({"action": "write", "text": SECRET})),
        ("ax_run_script", json!({"script": SECRET})),
        // By now, it is what the element holds.
        ("ax_click", json!({"app": "Editor", "query": SECRET, "mode": "focus"})),
    ] {
        desk.asked(true, tool, arguments).await.expect(tool);
        let records = desk.records();
        assert_eq!(results(&records), [("intent", None), ("outcome", Some("success"))], "{tool}");
        assert!(!format!("{records:?}{:?}", desk.sent()).contains(SECRET), "{tool}: {records:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_no_and_what_is_blocked_are_recorded_and_a_yes_is_on_the_disk_first() {
    let mut desk = Recorded::new(false);
    let delete = json!({"app": "Editor", "query": "Delete All Data"});
    desk.asked(false, "ax_click", delete.clone()).await.expect_err("a no");
    let records = desk.records();
    assert_eq!(results(&records), [("not done", Some("elicitation_declined"))]);
    assert_eq!(
        (&records[0]["confirmed"], &records[0]["target"]["title"]),
        (&json!(false), &json!("Delete All Data"))
    );
    assert!(records[0]["security_flags"].is_array());
    desk.asked(true, "ax_click", delete.clone()).await.expect("confirmed");
    let records = desk.records();
    assert_eq!(results(&records), [("intent", None), ("outcome", Some("success"))]);
    assert_eq!((&records[0]["confirmed"], &records[0]["durable"]), (&json!(true), &json!(true)));
    desk.bench.engine.desk.confirm = Confirm::Always;
    desk.bench.call("ax_click", delete).await.expect_err("nobody can be asked");
    assert_eq!(results(&desk.records()), [("not done", Some("blocked"))]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_done_that_cannot_be_recorded_where_it_has_to_be() {
    let desk = Recorded::new(true);
    for (tool, arguments) in [
        ("ax_click", json!({"app": "Editor", "query": "Save"})),
        ("ax_click", json!({"app": "Editor", "query": "Save", "mode": "focus"})),
        ("ax_type", json!({"app": "Editor", "query": "Name", "text": "x"})),
        ("ax_key_press", json!({"app": "Editor", "key": "a", "mode": "focus"})),
        ("ax_clipboard", json!({"action": "write", "text": "x"})),
        ("ax_run_script", json!({"script": "x"})),
        ("ax_screenshot", json!({"app": "Editor"})),
    ] {
        let error = desk.asked(true, tool, arguments).await.expect_err(tool);
        assert_eq!(error.code, ErrorCode::Blocked, "{tool}: {error:?}");
        assert!(error.message.contains("the disk is full"), "{tool}: {error:?}");
        assert_eq!(results(&desk.records()), [("intent", None), ("outcome", Some("blocked"))], "{tool}");
    }
    assert_eq!(desk.app.performed(), 0);
    assert!(desk.bench.desktop.seat_log().is_empty(), "{:?}", desk.bench.desktop.seat_log());
    assert!(desk.bench.desktop.scripts.lock().expect("no panic").is_empty());
    assert_eq!(std::fs::read_dir(desk.bench.screenshots.path()).expect("a folder").count(), 0);
    desk.bench.call("ax_find", json!({"app": "Editor", "query": "Save"})).await.expect("looking is free");
    assert!(desk.records().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_action_that_is_cancelled_has_an_outcome() {
    let desk = Recorded::new(false);
    desk.bench.call("ax_connect", json!({"app": "Editor"})).await.expect("connected");
    let cancelled = CancellationToken::new();
    let call = Call { cancelled: cancelled.clone(), ..desk.call() };
    let records = Arc::clone(&desk.records);
    let cancel = async {
        // As soon as it is begun.
        while records.lock().expect("no panic").is_empty() {
            tokio::task::yield_now().await;
        }
        cancelled.cancel();
    };
    let click = desk.bench.call_with("ax_click", json!({"app": "Editor", "query": "Save"}), call);
    let (clicked, ()) = tokio::join!(click, cancel);
    assert_eq!(clicked.expect_err("cancelled").code, ErrorCode::Cancelled);
    let records = desk.records();
    assert_eq!(results(&records), [("intent", None), ("outcome", Some("cancelled"))]);
    assert_eq!(desk.sent().len(), 1);
}

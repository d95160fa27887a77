//! The audit log as a port: what is recorded of an action before it is done and after it has ended.
//!
//! A record never holds typed text, values, scripts or what is on a clipboard. Who makes an [`Entry`] keeps them out.

use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// What an action is done to, as it was resolved.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LedgerTarget {
    /// The name that the application gives itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// Its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The file that the process runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executable: Option<Arc<str>>,
    /// The process that shows the element there, where that is another one: `python3 (process 4242)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The role of the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The label of the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The reference of the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The point of the screen that is meant, or the middle of the element, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[i32; 2]>,
}

/// What is recorded of an action before it is done. Both of its records have it, so each can be read alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LedgerEntry {
    /// Whom the call is from.
    pub session_id: String,
    /// The tool that was called.
    pub tool: &'static str,
    /// The arguments of the call, without values that may be secret.
    pub args: Map<String, Value>,
    /// What it is done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<LedgerTarget>,
    /// By which way it goes: `accessibility`, `application`, `seat`, `clipboard`, `file`, `script`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<&'static str>,
    /// Whether the record has to be on the disk before the action is done: it is a risky one.
    #[serde(skip)]
    pub durable: bool,
}

/// How an action ended, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LedgerResult {
    /// It was dispatched.
    Success,
    /// It failed, or may have.
    Failure,
    /// It was not dispatched, because it could not be done as asked.
    Refused,
    /// The policy forbids it, nobody could be asked, or it could not be recorded.
    Blocked,
    /// The person who was asked declined.
    ElicitationDeclined,
    /// The call was cancelled or reached its deadline. The action may have been done.
    Cancelled,
    /// Aiming showed another target than was recorded. The record of that one follows.
    Retargeted,
}

/// How an action ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LedgerOutcome {
    /// In a word.
    pub result: LedgerResult,
    /// The code of its error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    /// Whether its effect was seen: `confirmed` or `unconfirmed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<&'static str>,
    /// How long it took, in milliseconds.
    pub duration_ms: f64,
}

/// Why an action is risky, and whether a person agreed. Known before the action, and more of it after.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LedgerRisk {
    /// Whether a person confirmed it; `None` if nobody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// Why it is risky, by stable names such as `destructive_keyword`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security_flags: Vec<&'static str>,
}

/// What became of a record.
#[derive(Debug, Clone)]
pub struct Written {
    /// The record, with its place in the log where it has one.
    pub record: Value,
    /// Why it is not in the log.
    pub fault: Option<LedgerFault>,
}

/// Why a record is not in the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerFault {
    /// What failed, with the path.
    pub message: String,
    /// Whether an action that is not recorded must not be done.
    pub refuse: bool,
}

/// A record on its way to the log.
#[derive(Debug)]
pub struct Receipt {
    written: oneshot::Receiver<Written>,
    refuse: bool,
}

impl Receipt {
    /// How long a record may take. A disk that takes longer is one that fails.
    const LONGEST: Duration = Duration::from_secs(5);

    /// A receipt, and where to report what became of the record. `refuse` holds for a record of which nothing is reported.
    pub fn pending(refuse: bool) -> (oneshot::Sender<Written>, Self) {
        let (sender, written) = oneshot::channel();
        (sender, Self { written, refuse })
    }

    /// What became of the record. Waits for it, but not without end.
    pub async fn written(self) -> Written {
        let message = match tokio::time::timeout(Self::LONGEST, self.written).await {
            Ok(Ok(written)) => return written,
            Ok(Err(_ended)) => "the audit log was closed".to_owned(),
            Err(_late) => format!("the audit log took no record within {} s", Self::LONGEST.as_secs()),
        };
        Written { record: Value::Null, fault: Some(LedgerFault { message, refuse: self.refuse }) }
    }
}

/// An action whose first record is on its way, and whose last one has a place already.
pub trait OpenRecord: Send + Sync {
    /// Records how the action ended. Never waits.
    fn end(self: Box<Self>, outcome: LedgerOutcome, risk: LedgerRisk) -> Receipt;
}

/// How the audit log does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerCondition {
    /// Where it is; `None` where nothing is recorded.
    pub place: Option<String>,
    /// Whether an action that cannot be recorded is refused.
    pub required: bool,
    /// Why the last record could not be written; `None` if it was.
    pub fault: Option<String>,
    /// How many records were lost.
    pub lost: u64,
}

/// Records actions. No method waits or blocks: what takes time is in the [`Receipt`].
pub trait Ledger: Send + Sync {
    /// Records that an action is about to be done. It is on record when the receipt says so.
    fn intent(&self, entry: Arc<LedgerEntry>, risk: LedgerRisk) -> (Box<dyn OpenRecord>, Receipt);

    /// Records an action that was not begun: it is forbidden, or a person declined it.
    fn not_done(&self, entry: Arc<LedgerEntry>, outcome: LedgerOutcome, risk: LedgerRisk) -> Receipt;

    /// From now on, an action that cannot be recorded is refused. It cannot be taken back.
    fn require(&self);

    /// How it does.
    fn condition(&self) -> LedgerCondition;
}

/// The fields of a record besides its place in the log.
#[derive(Debug, Serialize)]
pub struct LedgerFields<'a> {
    /// What is recorded before.
    #[serde(flatten)]
    pub entry: &'a LedgerEntry,
    /// What is recorded after.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'a LedgerOutcome>,
    /// Why it is risky.
    #[serde(flatten)]
    pub risk: &'a LedgerRisk,
}

/// An audit log that keeps nothing: for tests, and where the operator switched it off.
#[derive(Debug, Default)]
pub struct NoLedger {
    required: std::sync::atomic::AtomicBool,
}

/// An action that nothing keeps.
struct Unkept(Arc<LedgerEntry>);

fn reported(
    entry: &LedgerEntry,
    outcome: Option<&LedgerOutcome>,
    risk: &LedgerRisk,
    refuse: bool,
) -> Receipt {
    let (sender, receipt) = Receipt::pending(refuse);
    let fields = LedgerFields { entry, outcome, risk };
    let fault = refuse.then(|| LedgerFault { message: "the audit log is switched off".to_owned(), refuse });
    // Every field has a name and a value that JSON has.
    let record = serde_json::to_value(&fields).unwrap_or_default();
    let sent = sender.send(Written { record, fault });
    debug_assert!(sent.is_ok(), "its receipt is here");
    receipt
}

impl OpenRecord for Unkept {
    fn end(self: Box<Self>, outcome: LedgerOutcome, risk: LedgerRisk) -> Receipt {
        reported(&self.0, Some(&outcome), &risk, false)
    }
}

impl Ledger for NoLedger {
    fn intent(&self, entry: Arc<LedgerEntry>, risk: LedgerRisk) -> (Box<dyn OpenRecord>, Receipt) {
        let receipt = reported(&entry, None, &risk, self.condition().required);
        (Box::new(Unkept(entry)), receipt)
    }

    fn not_done(&self, entry: Arc<LedgerEntry>, outcome: LedgerOutcome, risk: LedgerRisk) -> Receipt {
        reported(&entry, Some(&outcome), &risk, false)
    }

    fn require(&self) {
        self.required.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    fn condition(&self) -> LedgerCondition {
        let required = self.required.load(std::sync::atomic::Ordering::Relaxed);
        LedgerCondition { required, ..LedgerCondition::default() }
    }
}

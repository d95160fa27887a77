//! The log as the engine has it: records are handed to a thread that writes them, one after the other.

use crate::fault::Fault;
use crate::log::{Log, Placed, Settings};
use handeye_core::{
    Ledger, LedgerCondition, LedgerEntry, LedgerFault, LedgerFields, LedgerOutcome, LedgerRisk, OpenRecord,
    Receipt, Written,
};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc as blocking};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Most records that wait for the thread, those among them that actions under way will end with.
const WAITING: usize = 1_024;

/// Records actions in the log, on a thread of its own. Its clones are one.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
    queue: mpsc::Sender<Job>,
}

struct Shared {
    settings: Settings,
    required: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    fault: Option<String>,
    lost: u64,
}

/// What the thread has to do.
enum Job {
    Record(Box<Draft>),
    /// Ends the chain of this process, and the thread.
    Close(blocking::SyncSender<()>),
}

struct Draft {
    entry: Arc<LedgerEntry>,
    /// `None` for the record before the action.
    outcome: Option<LedgerOutcome>,
    risk: LedgerRisk,
    /// The record before the action: it has the number of that one as soon as that is written.
    intent: Option<Arc<OnceLock<u64>>>,
    written: oneshot::Sender<Written>,
}

impl Recorder {
    /// Records in the log of these settings. Nothing is opened before the first record. `required`: an action that cannot be recorded is refused.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(settings: Settings, required: bool) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel(WAITING);
        let shared = Arc::new(Shared {
            settings: settings.clone(),
            required: AtomicBool::new(required),
            state: Mutex::default(),
        });
        let of_thread = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("audit-log".to_owned())
            .spawn(move || write(&of_thread, Log::new(settings), jobs))?;
        Ok(Self { shared, queue })
    }

    /// Ends the chain of this process. Waits until all that was recorded before is written, but not longer than `patience`; whether it was. Blocks.
    pub fn close(&self, patience: Duration) -> bool {
        let (done, ended) = blocking::sync_channel(1);
        match self.queue.try_send(Job::Close(done)) {
            Ok(()) => ended.recv_timeout(patience).is_ok(),
            // The thread has ended already, or is hopelessly behind.
            Err(_) => false,
        }
    }

    fn send(&self, draft: impl FnOnce(oneshot::Sender<Written>) -> Draft, slot: Option<Slot>) -> Receipt {
        let (written, receipt) = Receipt::pending(self.shared.is_required());
        let job = Job::Record(Box::new(draft(written)));
        let unsent = match slot {
            Some(slot) => {
                slot.send(job);
                None
            }
            None => self.queue.try_send(job).err(),
        };
        if let Some(
            mpsc::error::TrySendError::Full(Job::Record(draft))
            | mpsc::error::TrySendError::Closed(Job::Record(draft)),
        ) = unsent
        {
            let fault = self.shared.failed(&Fault::Full(WAITING), None);
            report(*draft, Value::Null, Some(fault));
        }
        receipt
    }
}

/// A place in the queue.
type Slot = mpsc::OwnedPermit<Job>;

/// An action that was begun. The place of its last record is reserved.
struct Begun {
    recorder: Recorder,
    entry: Arc<LedgerEntry>,
    intent: Arc<OnceLock<u64>>,
    slot: Option<Slot>,
}

impl OpenRecord for Begun {
    fn end(self: Box<Self>, outcome: LedgerOutcome, risk: LedgerRisk) -> Receipt {
        let Self { recorder, entry, intent, slot } = *self;
        let draft = |written| Draft { entry, outcome: Some(outcome), risk, intent: Some(intent), written };
        recorder.send(draft, slot)
    }
}

impl Ledger for Recorder {
    fn intent(&self, entry: Arc<LedgerEntry>, risk: LedgerRisk) -> (Box<dyn OpenRecord>, Receipt) {
        let slot = self.queue.clone().try_reserve_owned().ok();
        let intent: Arc<OnceLock<u64>> = Arc::default();
        let draft = |written| Draft {
            entry: Arc::clone(&entry),
            outcome: None,
            risk,
            intent: Some(Arc::clone(&intent)),
            written,
        };
        let receipt = self.send(draft, None);
        (Box::new(Begun { recorder: self.clone(), entry, intent, slot }), receipt)
    }

    fn not_done(&self, entry: Arc<LedgerEntry>, outcome: LedgerOutcome, risk: LedgerRisk) -> Receipt {
        self.send(|written| Draft { entry, outcome: Some(outcome), risk, intent: None, written }, None)
    }

    fn require(&self) {
        self.shared.required.store(true, Ordering::Relaxed);
    }

    fn condition(&self) -> LedgerCondition {
        let state = self.shared.state();
        LedgerCondition {
            place: Some(self.shared.settings.path.display().to_string()),
            required: self.shared.is_required(),
            fault: state.fault.clone(),
            lost: state.lost,
        }
    }
}

impl Shared {
    fn is_required(&self) -> bool {
        self.required.load(Ordering::Relaxed)
    }

    /// A poisoned lock is taken over: every change is one assignment.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a record could not be written, and logs the first of several.
    fn failed(&self, fault: &Fault, lost: Option<u64>) -> LedgerFault {
        let message = fault.to_string();
        let mut state = self.state();
        if state.fault.is_none() {
            tracing::error!(fault = message, "actions are not recorded in the audit log");
        }
        state.fault = Some(message.clone());
        state.lost = lost.unwrap_or(state.lost + 1);
        LedgerFault { message, refuse: fault.is_unsafe() || self.is_required() }
    }

    fn worked(&self) {
        let mut state = self.state();
        if state.fault.take().is_some() {
            tracing::warn!(lost = state.lost, "actions are recorded in the audit log again");
        }
    }
}

/// What the thread does.
fn write(shared: &Shared, mut log: Log, mut jobs: mpsc::Receiver<Job>) {
    while let Some(job) = jobs.blocking_recv() {
        match job {
            Job::Record(draft) => record(shared, &mut log, *draft),
            Job::Close(done) => {
                // What comes later has nowhere to go.
                jobs.close();
                while let Ok(job) = jobs.try_recv() {
                    if let Job::Record(draft) = job {
                        record(shared, &mut log, *draft);
                    }
                }
                end(&mut log);
                if done.send(()).is_err() {
                    tracing::debug!("nobody waits for the end of the audit log any more");
                }
                return;
            }
        }
    }
    end(&mut log);
}

fn end(log: &mut Log) {
    if let Err(error) = log.end() {
        tracing::warn!(%error, "the audit log was not ended");
    }
}

fn record(shared: &Shared, log: &mut Log, draft: Draft) {
    let fields = LedgerFields { entry: &draft.entry, outcome: draft.outcome.as_ref(), risk: &draft.risk };
    let placed = match (&draft.outcome, &draft.intent) {
        (None, _) => log.intent(&fields, draft.entry.durable),
        (Some(_), intent) => {
            let begun = intent.as_ref().and_then(|intent| intent.get().copied());
            log.outcome(begun, &fields, draft.entry.durable)
        }
    };
    match placed {
        Ok(Placed { seq, line }) => {
            shared.worked();
            if draft.outcome.is_none()
                && let Some(intent) = &draft.intent
                && intent.set(seq).is_err()
            {
                tracing::debug!("an action was begun twice");
            }
            let line = serde_json::from_str(&line).unwrap_or(Value::Null);
            report(draft, line, None);
        }
        Err(fault) => {
            let fault = shared.failed(&fault, Some(log.lost()));
            let record = serde_json::to_value(&fields).unwrap_or(Value::Null);
            report(draft, record, Some(fault));
        }
    }
}

fn report(draft: Draft, record: Value, fault: Option<LedgerFault>) {
    if draft.written.send(Written { record, fault }).is_err() {
        tracing::trace!("nobody waits for a record of the audit log");
    }
}

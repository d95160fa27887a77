//! The record of an action in the audit log: one before it is done, one when it has ended, however it ends.

use crate::confirm::Deed;
use crate::effect::Status;
use crate::locate::Located;
use handeye_call::call::Call;
use handeye_call::client_log::{Level, Log};
use handeye_call::trail::Trail;
use handeye_core::{
    Application, ConnectedApp, Error, ErrorCode, Extents, Ledger, LedgerEntry, LedgerFault, LedgerFields,
    LedgerOutcome, LedgerResult, LedgerRisk, LedgerTarget, Node, OpenRecord, Permit, Point, Result, Tree,
    application_id, name_from_cells, screen_text,
};
use handeye_query::Matched;
use handeye_redact::Redactor;
use handeye_tree::references::References;
use serde_json::Value;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Who sends records to a client.
const LOGGER: &str = "handeye.audit";
/// Longest label of an element in a record, in characters.
const LONGEST_TITLE: usize = 200;
/// Stands for what is not recorded.
const REDACTED: &str = "[redacted]";

/// What is about to be done, as the audit log has it.
#[derive(Debug, Default)]
pub(super) struct About {
    /// What it is done to.
    pub(super) target: Option<LedgerTarget>,
    /// By which way it goes.
    pub(super) route: &'static str,
    /// Whether the record has to be on the disk first, whatever was judged.
    pub(super) durable: bool,
    /// Whether the query of the call was found in what an element holds: then it may be a value.
    pub(super) by_content: bool,
}

impl About {
    /// Something that is done to no application.
    pub(super) fn way(route: &'static str) -> Self {
        Self { route, ..Self::default() }
    }

    /// A click or a key on something that is not in an accessibility tree.
    pub(super) fn blind(pid: Option<u32>, point: Option<Point>) -> Self {
        let target =
            LedgerTarget { pid, position: point.map(|point| [point.x, point.y]), ..LedgerTarget::default() };
        let is_known = target != LedgerTarget::default();
        Self { target: is_known.then_some(target), ..Self::way("seat") }
    }

    /// Something that is done to an application: to what the deed hits, or else to the element that the caller named.
    pub(super) fn deed(
        references: &References,
        app: &Arc<dyn ConnectedApp>,
        deed: &Deed,
        named: Option<&Located>,
        route: &'static str,
    ) -> Self {
        let tree = app.mirror().snapshot();
        let hit = deed.hit().and_then(|hit| tree.get(hit)).or(named.map(|named| &named.node));
        let mut target = of_application(app.application());
        if let Some(node) = hit {
            let reference = references.mint(&application_id(app.as_ref()), &tree, node.id);
            with_element(&mut target, &tree, node, reference.map(|reference| reference.to_string()));
        }
        let by_content = named.is_some_and(|named| named.matched == Matched::Semantic);
        Self { target: Some(target), route, durable: false, by_content }
    }
}

fn of_application(application: &Application) -> LedgerTarget {
    let process = application.process.as_ref();
    LedgerTarget {
        application: Some(screen_text::name(&application.name)),
        pid: application.pid(),
        executable: process.and_then(|process| process.executable.clone()),
        ..LedgerTarget::default()
    }
}

fn with_element(target: &mut LedgerTarget, tree: &Tree, node: &Node, reference: Option<String>) {
    target.owner = node.owner.as_ref().map(ToString::to_string);
    target.role = Some(node.role.to_string());
    // As the outline names it by which the caller has chosen it.
    let of_cells = name_from_cells(tree, node);
    let title = of_cells.as_deref().unwrap_or(node.label());
    target.title = Some(screen_text::line(title, LONGEST_TITLE)).filter(|title| !title.is_empty());
    target.reference = reference;
    target.position = match node.details.extents.known() {
        Some(Extents::OnScreen(area)) => Some(area.center()).map(|center| [center.x, center.y]),
        _ => None,
    };
}

/// The right to do something of which the audit log has a record. Dropped before it [ended](Self::ended), the action was cancelled.
#[derive(Debug)]
pub struct Grant {
    permit: Permit,
    record: Record,
}

impl Deref for Grant {
    type Target = Permit;

    fn deref(&self) -> &Permit {
        &self.permit
    }
}

impl Grant {
    /// The right to do what the record says.
    pub(super) const fn new(permit: Permit, record: Record) -> Self {
        Self { permit, record }
    }

    /// Records how the action ended.
    pub async fn ended<T>(self, result: &Result<T>) {
        let outcome = result.as_ref().map(|_| None);
        self.record.ended(outcome).await;
    }

    /// Records how an action ended whose effect was judged.
    pub(super) async fn ended_with(self, effect: Result<Status, &Error>) {
        self.record.ended(effect.map(Some)).await;
    }

    /// Records that another target took the place of this one before anything was done.
    pub(super) async fn replaced(mut self) {
        self.record.end(LedgerResult::Retargeted, None, None).await;
    }
}

/// An action of which the audit log has the first record.
pub(super) struct Record {
    open: Option<Box<dyn OpenRecord>>,
    entry: Arc<LedgerEntry>,
    trail: Trail,
    log: Log,
    began: Instant,
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("tool", &self.entry.tool).finish_non_exhaustive()
    }
}

impl Record {
    async fn ended(mut self, effect: Result<Option<Status>, &Error>) {
        match effect {
            Ok(status) => self.end(LedgerResult::Success, None, status).await,
            Err(error) => self.end(result_of(error), Some(error), None).await,
        }
    }

    async fn end(&mut self, result: LedgerResult, error: Option<&Error>, effect: Option<Status>) {
        let Some(open) = self.open.take() else { return };
        let outcome = outcome(result, error, effect, self.began.elapsed());
        let written = open.end(outcome, risk(&self.trail)).written().await;
        report(&self.log, &self.entry, written.record);
    }
}

/// The call was cancelled, or reached its deadline. What was done is unknown.
impl Drop for Record {
    fn drop(&mut self) {
        let Some(open) = self.open.take() else { return };
        let outcome = outcome(LedgerResult::Cancelled, None, None, self.began.elapsed());
        let risk = risk(&self.trail);
        let fields = LedgerFields { entry: &self.entry, outcome: Some(&outcome), risk: &risk };
        report(&self.log, &self.entry, serde_json::to_value(&fields).unwrap_or_default());
        // Nobody is left who could wait for it. The log has a place for it.
        drop(open.end(outcome, risk));
    }
}

impl Record {
    /// Records what is about to be done. A failure that need not keep it from being done is a note in the answer.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`] if it could not be recorded and must be.
    pub(super) async fn begin(to: To<'_>, call: &Call, about: About) -> Result<Self> {
        let risk = risk(&call.trail);
        let durable = about.durable || risk.confirmed.is_some() || !risk.security_flags.is_empty();
        let entry = Arc::new(to.entry(call, about, durable));
        let (open, receipt) = to.ledger.intent(Arc::clone(&entry), risk);
        let mut record = Self {
            open: Some(open),
            entry,
            trail: call.trail.clone(),
            log: call.log.clone(),
            began: Instant::now(),
        };
        match receipt.written().await.fault {
            Some(fault) if fault.refuse => {
                let error = unrecorded(&fault);
                record.end(LedgerResult::Blocked, Some(&error), None).await;
                return Err(error);
            }
            Some(fault) => {
                let note = format!("This was not recorded in the audit log: {}.", fault.message);
                call.trail.note_once(note);
            }
            None => {}
        }
        Ok(record)
    }
}

/// Records an action that was not begun, if a person or a policy is the cause.
pub(super) async fn not_done(to: To<'_>, call: &Call, about: About, error: &Error) {
    let result = match error.code {
        ErrorCode::Blocked | ErrorCode::Declined => result_of(error),
        _ => return,
    };
    let entry = Arc::new(to.entry(call, about, false));
    let outcome = outcome(result, Some(error), None, Duration::ZERO);
    let written = to.ledger.not_done(Arc::clone(&entry), outcome, risk(&call.trail)).written().await;
    report(&call.log, &entry, written.record);
}

/// What was not begun.
#[derive(Debug, Default)]
pub struct NotDone(pub(super) About);

impl NotDone {
    /// A call whose target was not looked for.
    pub fn call() -> Self {
        Self::default()
    }
}

/// Records, without waiting for that, a call that ended with a question to which no answer came.
pub(super) fn unanswered(to: To<'_>, call: &Call) {
    call.trail.flag("unanswered_question");
    let entry = Arc::new(to.entry(call, About::default(), false));
    let outcome = outcome(LedgerResult::Cancelled, None, None, Duration::ZERO);
    drop(to.ledger.not_done(entry, outcome, risk(&call.trail)));
}

/// Where records go, and what takes secrets out of them: a label or a query may have a token in it.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    /// The log.
    pub(super) ledger: &'a dyn Ledger,
    /// What is secret.
    pub(super) redactor: &'a Redactor,
}

impl To<'_> {
    fn entry(&self, call: &Call, about: About, durable: bool) -> LedgerEntry {
        let mut args = call.audited.args.clone();
        if about.by_content
            && let Some(query) = args.get_mut("query")
        {
            *query = REDACTED.into();
        }
        for value in args.values_mut() {
            self.redactor.json(value);
        }
        let mut target = about.target;
        if let Some(target) = &mut target {
            let texts = [&mut target.application, &mut target.title, &mut target.owner];
            for text in texts.into_iter().flatten() {
                *text = self.redactor.text(text).into_owned();
            }
        }
        LedgerEntry {
            session_id: call.audited.session_id.clone(),
            tool: call.tool,
            args,
            target,
            route: Some(about.route).filter(|route| !route.is_empty()),
            durable,
        }
    }
}

fn risk(trail: &Trail) -> LedgerRisk {
    let facts = trail.facts();
    LedgerRisk { confirmed: facts.confirmed, security_flags: facts.flags }
}

fn result_of(error: &Error) -> LedgerResult {
    match error.code {
        ErrorCode::Refused => LedgerResult::Refused,
        ErrorCode::Blocked => LedgerResult::Blocked,
        ErrorCode::Declined => LedgerResult::ElicitationDeclined,
        ErrorCode::Cancelled | ErrorCode::Timeout => LedgerResult::Cancelled,
        _ => LedgerResult::Failure,
    }
}

fn outcome(
    result: LedgerResult,
    error: Option<&Error>,
    effect: Option<Status>,
    took: Duration,
) -> LedgerOutcome {
    LedgerOutcome {
        result,
        error: error.map(|error| error.code.as_str()),
        effect: effect.map(Status::as_str),
        // In hundredths of a millisecond.
        duration_ms: (took.as_secs_f64() * 100_000.0).round() / 100.0,
    }
}

/// Sends the record to the client of the call. Pictures that a look leaves in a folder are no actions: the file alone has them.
fn report(log: &Log, entry: &LedgerEntry, record: Value) {
    if entry.route != Some("file") {
        log.report(Level::Notice, || LOGGER.to_owned(), || record);
    }
}

fn unrecorded(fault: &LedgerFault) -> Error {
    Error::new(
        ErrorCode::Blocked,
        format!("nothing was done, because it could not be recorded: {}", fault.message),
    )
    .with_next("Only the operator of handeye can correct that: HANDEYE_AUDIT_LOG names the file.")
}

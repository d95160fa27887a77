//! Records of a call as `notifications/message`, for a client that asked for them: with `logging/setLevel`, or since 2026-07-28
//! with each request.

use crate::client_session::ClientSession;
use crate::requester::Requester;
use handeye_call::client_log::{Level, Log, Record};
use rmcp::model::{CustomNotification, MetaObject, ServerNotification};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Where a request of 2026-07-28 or later says which records it wants.
const WANTED: &str = "io.modelcontextprotocol/logLevel";

/// Most records of a call that wait for a client to read. Those that come while there is no room are counted.
const WAITING: usize = 64;

/// How long an answer waits for the records that come before it. Only a client that does not read lets it wait, and that one
/// would not read the answer either.
const LAST_RECORDS: Duration = Duration::from_secs(1);

/// Sends the records of one call. Dropped, it sends no more.
pub(crate) struct Messenger {
    sending: JoinHandle<()>,
    stop: DropGuard,
}

/// The log of a call, and who sends it to the client if that asked for it.
///
/// # Errors
/// Invalid parameters if the client asked for a level that there is not.
pub(crate) fn of(
    context: &RequestContext<RoleServer>,
    session: &ClientSession,
) -> Result<(Log, Option<Messenger>), ErrorData> {
    recorded(context, session, MetaObject::default())
}

/// The same for a call that is a task; `related` says which one.
///
/// # Errors
/// As [`of`].
pub(crate) fn of_task(
    context: &RequestContext<RoleServer>,
    session: &ClientSession,
    related: MetaObject,
) -> Result<(Log, Option<Messenger>), ErrorData> {
    recorded(context, session, related)
}

fn recorded(
    context: &RequestContext<RoleServer>,
    session: &ClientSession,
    meta: MetaObject,
) -> Result<(Log, Option<Messenger>), ErrorData> {
    let Some(level) = wanted(context, session)? else { return Ok((Log::default(), None)) };
    let (queue, records) = mpsc::channel(WAITING);
    let lost = Arc::new(AtomicU32::new(0));
    let stop = CancellationToken::new();
    let to = (context.peer.clone(), meta);
    let sending = tokio::spawn(send(to, records, Arc::clone(&lost), stop.clone()));
    let log = Log::to(level, move |record| {
        if queue.try_send(record).is_err() {
            lost.fetch_add(1, Ordering::Relaxed);
        }
    });
    Ok((log, Some(Messenger { sending, stop: stop.drop_guard() })))
}

/// The lowest level of records that the client receives.
fn wanted(context: &RequestContext<RoleServer>, session: &ClientSession) -> Result<Option<Level>, ErrorData> {
    if !Requester::of(context).is_stateless() {
        return Ok(session.log_level());
    }
    match context.meta.get(WANTED) {
        None | Some(Value::Null) => Ok(None),
        Some(level) => named(level.as_str().unwrap_or_default()).map(Some),
    }
}

/// The level of this name.
///
/// # Errors
/// Invalid parameters, with the names that there are.
pub(crate) fn named(name: &str) -> Result<Level, ErrorData> {
    Level::named(name).ok_or_else(|| {
        let names: Vec<&str> = Level::ALL.iter().map(|level| level.as_str()).collect();
        ErrorData::invalid_params(format!("the log level is none of {}", names.join(", ")), None)
    })
}

impl Messenger {
    /// Returns once all records are sent: an answer has to be the last message about a call.
    pub(crate) async fn finish(self) {
        drop(self.stop);
        let sending = self.sending.abort_handle();
        match tokio::time::timeout(LAST_RECORDS, self.sending).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => tracing::debug!(%fault, "records were not sent"),
            Err(_late) => sending.abort(),
        }
    }
}

async fn send(
    to: (Peer<RoleServer>, MetaObject),
    mut records: mpsc::Receiver<Record>,
    lost: Arc<AtomicU32>,
    finished: CancellationToken,
) {
    while let Some(Some(record)) = finished.run_until_cancelled(records.recv()).await {
        if send_record(&to, record, &lost).await.is_err() {
            return;
        }
    }
    while let Ok(record) = records.try_recv() {
        if send_record(&to, record, &lost).await.is_err() {
            return;
        }
    }
}

/// Sends a record, and before it how many there was no room for.
async fn send_record(
    (client, meta): &(Peer<RoleServer>, MetaObject),
    record: Record,
    lost: &AtomicU32,
) -> Result<(), ()> {
    let count = lost.swap(0, Ordering::Relaxed);
    let gap = (count > 0).then(|| Record {
        level: Level::Warning,
        logger: "handeye.log".to_owned(),
        data: json!({ "lost": count }),
    });
    for record in gap.into_iter().chain([record]) {
        let mut fields =
            json!({ "level": record.level.as_str(), "logger": record.logger, "data": record.data });
        if !meta.is_empty() {
            fields["_meta"] = json!(meta);
        }
        let message = CustomNotification::new("notifications/message", Some(fields));
        if let Err(fault) = client.send_notification(ServerNotification::CustomNotification(message)).await {
            tracing::debug!(%fault, "the client accepts no log records");
            return Err(());
        }
    }
    Ok(())
}

//! The audit logs that this process writes: one for each place that a call was configured with.

use handeye_core::platform::{Probe, ProbeStatus};
use handeye_core::{Error, Ledger, NoLedger, Result};
use handeye_ledger::{Recorder, Settings};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most logs of one process. The daemon has those of the commands that it runs.
const MOST: usize = 16;
/// How long the end of a process waits for its last records.
const LAST_RECORDS: Duration = Duration::from_secs(2);

static OPEN: Mutex<Vec<(Settings, Recorder)>> = Mutex::new(Vec::new());

/// The audit log of these settings, which this process writes from now on.
///
/// # Errors
/// If no thread can be started for it.
pub(crate) fn of(settings: Option<Settings>) -> Result<Arc<dyn Ledger>> {
    let Some(settings) = settings else { return Ok(Arc::new(NoLedger::default())) };
    // A poisoned lock is taken over: every change is one call.
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, recorder)) = open.iter().find(|(known, _)| *known == settings) {
        return Ok(Arc::new(recorder.clone()));
    }
    if open.len() >= MOST {
        // It ends when the last call with it has ended.
        open.remove(0);
    }
    let recorder = Recorder::start(settings.clone(), false)
        .map_err(|error| Error::internal(format!("the audit log has no thread: {error}")))?;
    open.push((settings, recorder.clone()));
    Ok(Arc::new(recorder))
}

/// Ends the audit logs of this process, after all that was recorded is written. Blocks, but not without end.
pub(crate) fn close() {
    let open = std::mem::take(&mut *OPEN.lock().unwrap_or_else(PoisonError::into_inner));
    let deadline = Instant::now() + LAST_RECORDS;
    for (settings, recorder) in open {
        if !recorder.close(deadline.saturating_duration_since(Instant::now())) {
            tracing::warn!(log = %settings.path.display(), "the last records of the audit log may be missing");
        }
    }
}

/// The line of `handeye doctor` about the audit log.
pub(crate) fn probe() -> Probe {
    let started = Instant::now();
    let (status, detail, advice) = match handeye_cli::audit_log_settings() {
        Ok(None) => (ProbeStatus::Warn, "switched off: actions are not recorded".to_owned(), None),
        Ok(Some(settings)) => match handeye_ledger::check(&settings.path) {
            Ok(()) => (ProbeStatus::Ok, settings.path.display().to_string(), None),
            Err(fault) if fault.is_unsafe() => {
                let advice = "Correct that: until then no action is done.".to_owned();
                (ProbeStatus::Fail, fault.to_string(), Some(advice))
            }
            Err(fault) => {
                let advice =
                    "Actions are done and not recorded. HANDEYE_AUDIT_LOG names another place.".to_owned();
                (ProbeStatus::Warn, fault.to_string(), Some(advice))
            }
        },
        Err(error) => (ProbeStatus::Fail, error.message, error.next.map(|next| next.to_string())),
    };
    let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Probe { name: "audit_log".into(), status, detail, advice, elapsed_ms }
}

//! Where actions are recorded, as it is configured.

use crate::log_place;
use crate::settings::{AUDIT_LOG, AUDIT_LOG_KEEP, AUDIT_LOG_MAX};
use handeye_core::{Error, ErrorCode, Result};
use handeye_ledger::Settings;
use std::path::{Path, PathBuf};

/// The name of the audit log in the folder for state.
const NAME: &str = "audit.jsonl";

/// The audit log that is configured; `None` where nothing is recorded.
///
/// # Errors
/// A setting that cannot be used.
pub fn audit_log() -> Result<Option<Settings>> {
    let largest = AUDIT_LOG_MAX.configured()?.unwrap_or(Settings::LARGEST);
    let kept = AUDIT_LOG_KEEP.configured()?.flatten();
    let path = AUDIT_LOG.configured()?.unwrap_or_else(|| Some(log_place::folder().join(NAME)));
    path.map(|path| Ok(Settings { path: absolute(&path)?, largest, kept })).transpose()
}

/// The process that records may have another working directory.
fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| {
        Error::new(ErrorCode::Io, format!("the path of the audit log cannot be used: {error}"))
    })
}

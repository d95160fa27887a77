//! Where actions are recorded.

use crate::settings::reading::{audit_files, audit_place, audit_size};
use crate::settings::setting::{About, Kind, Setting};
use std::path::PathBuf;

/// The file of the audit log; `None` where nothing is recorded.
pub const AUDIT_LOG: Setting<Option<PathBuf>> = About {
    flag: None,
    variable: "HANDEYE_AUDIT_LOG",
    aliases: &["AXTERMINATOR_AUDIT_LOG"],
    key: Some("server.audit_log"),
    kind: Kind::Path,
    default: "handeye/audit.jsonl in XDG_STATE_HOME or ~/.local/state",
    help: "The audit log: a record before and after each action, readable by its owner only; off records nothing",
}
.read_by(audit_place);

/// The size at which a file of the audit log is rotated.
pub const AUDIT_LOG_MAX: Setting<u64> = About {
    flag: None,
    variable: "HANDEYE_AUDIT_LOG_MAX",
    aliases: &[],
    key: Some("server.audit_log_max"),
    kind: Kind::NumberOrText,
    default: "16MiB",
    help: "The size at which the audit log is rotated: it gets a number, and a new file begins, at least 64KiB",
}
.read_by(audit_size);

/// How many files of the audit log are kept.
pub const AUDIT_LOG_KEEP: Setting<Option<usize>> = About {
    flag: None,
    variable: "HANDEYE_AUDIT_LOG_KEEP",
    aliases: &[],
    key: Some("server.audit_log_keep"),
    kind: Kind::NumberOrText,
    default: "all",
    help: "How many files of the audit log that were rotated are kept; older ones are removed, which is recorded",
}
.read_by(audit_files);

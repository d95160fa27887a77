//! What an agent may do. Texts: what a rule or a mode does, the guard knows.

use crate::settings::reading::{count, mode, names, path, picture_room};
use crate::settings::setting::{About, Kind, Setting};
use handeye_core::SecurityMode;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// How much an agent may do at all.
pub const SECURITY_MODE: Setting<SecurityMode> = About {
    flag: Some("security-mode"),
    variable: "HANDEYE_SECURITY_MODE",
    aliases: &["AXTERMINATOR_SECURITY_MODE"],
    key: Some("server.security_mode"),
    kind: Kind::Text,
    default: "normal",
    help: "How much an agent may do: normal, safe (what is risky needs a person's yes, scripts are off), sandboxed (looking alone). \
           The tightest one that is set anywhere holds",
}
.read_by(mode);

/// The rules for applications.
pub const SECURITY_FILE: Setting<PathBuf> = About {
    flag: None,
    variable: "HANDEYE_SECURITY_FILE",
    aliases: &[],
    key: Some("security.file"),
    kind: Kind::Path,
    default: "~/.config/handeye/security.toml",
    help: "The file with the rules for applications; one that is named has to be there. The rules of /etc/handeye/security.toml hold too",
}
.read_by(path);

/// The applications that may be used.
pub const ALLOWED_APPS: Setting<Vec<String>> = About {
    flag: None,
    variable: "HANDEYE_ALLOWED_APPS",
    aliases: &["AXTERMINATOR_ALLOWED_APPS"],
    key: Some("security.allowed_apps"),
    kind: Kind::List,
    default: "unset: all",
    help: "The only applications that may be looked at and acted on, as in security.toml, separated by commas",
}
.read_by(names);

/// The applications that may not be used.
pub const DENIED_APPS: Setting<Vec<String>> = About {
    flag: None,
    variable: "HANDEYE_DENIED_APPS",
    aliases: &["AXTERMINATOR_DENIED_APPS"],
    key: Some("security.denied_apps"),
    kind: Kind::List,
    default: "unset: none",
    help: "Applications that may be neither looked at nor acted on, as in security.toml, separated by commas",
}
.read_by(names);

/// Calls in a second.
pub const RATE_LIMIT_RPS: Setting<NonZeroU32> = About {
    flag: None,
    variable: "HANDEYE_RATE_LIMIT_RPS",
    aliases: &["AXTERMINATOR_RATE_LIMIT_RPS"],
    key: Some("rate_limits.rps"),
    kind: Kind::Number,
    default: "50",
    help: "Most calls of one caller in a second",
}
.read_by(count);

/// Calls in a minute.
pub const RATE_LIMIT_RPM: Setting<NonZeroU32> = About {
    flag: None,
    variable: "HANDEYE_RATE_LIMIT_RPM",
    aliases: &["AXTERMINATOR_RATE_LIMIT_RPM"],
    key: Some("rate_limits.rpm"),
    kind: Kind::Number,
    default: "1000",
    help: "Most calls of one caller in a minute",
}
.read_by(count);

/// Calls at a time.
pub const CONCURRENCY: Setting<NonZeroU32> = About {
    flag: None,
    variable: "HANDEYE_CONCURRENCY",
    aliases: &["AXTERMINATOR_CONCURRENCY"],
    key: Some("rate_limits.concurrency"),
    kind: Kind::Number,
    default: "10",
    help: "Most calls of one caller at a time",
}
.read_by(count);

/// Questions to models in a minute.
pub const VLM_RATE_LIMIT: Setting<NonZeroU32> = About {
    flag: None,
    variable: "HANDEYE_VLM_RATE_LIMIT",
    aliases: &["AXTERMINATOR_VLM_RATE_LIMIT"],
    key: Some("ai.rate_limit"),
    kind: Kind::Number,
    default: "10",
    help: "Most questions of one caller to models in a minute, those to the client's own model too",
}
.read_by(count);

/// Scripts in a minute.
pub const SCRIPT_RATE_LIMIT: Setting<NonZeroU32> = About {
    flag: None,
    variable: "HANDEYE_SCRIPT_RATE_LIMIT",
    aliases: &["AXTERMINATOR_SCRIPT_RATE_LIMIT"],
    key: Some("rate_limits.script_rpm"),
    kind: Kind::Number,
    default: "5",
    help: "Most scripts of one caller in a minute",
}
.read_by(count);

/// Questions to the person in a minute.
pub const QUESTION_RATE_LIMIT: Setting<NonZeroU32> = About {
    flag: None,
    variable: "HANDEYE_QUESTION_RATE_LIMIT",
    aliases: &[],
    key: Some("rate_limits.question_rpm"),
    kind: Kind::Number,
    default: "30",
    help: "Most questions of one caller to the person in a minute",
}
.read_by(count);

/// Disk for pictures.
pub const PICTURE_LIMIT: Setting<u64> = About {
    flag: None,
    variable: "HANDEYE_PICTURE_LIMIT",
    aliases: &[],
    key: Some("rate_limits.pictures"),
    kind: Kind::NumberOrText,
    default: "500MB",
    help: "Most disk that the pictures of one caller use, such as 500MB, or all for no limit; older ones of the same caller are removed, but no \
           file whose path the caller chose",
}
.read_by(picture_room);

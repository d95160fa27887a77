//! The table.

mod audit;
mod http;
mod models;
mod pictures;
mod security;

pub use audit::*;
pub use http::*;
pub use models::*;
pub use pictures::*;
pub use security::*;

use super::reading::{
    confirm, format, idle, names, path, patience, seconds_of_a_call, switch, switch_or_on, switch_or_text,
    text,
};
use super::setting::{About, AnySetting, Kind, Setting};
use crate::format::Format;
use handeye_act::confirm::Confirm;
use std::path::PathBuf;
use std::time::Duration;

/// How much is logged.
pub const LOG_LEVEL: Setting = About {
    flag: None,
    variable: "HANDEYE_LOG_LEVEL",
    aliases: &["PEEKABOO_LOG_LEVEL", "AXTERMINATOR_LOG_LEVEL"],
    key: Some("server.log_level"),
    kind: Kind::Text,
    default: "info for a server, warn for a command",
    help: "What is logged: off, error (or fatal), warn, info, debug, trace, or a tracing filter. A command logs to standard \
           error, a server to its file. No level logs typed text, screen content, questions or keys",
}
.read_by(text);

/// Where a server logs.
pub const LOG_FILE: Setting<PathBuf> = About {
    flag: None,
    variable: "HANDEYE_LOG_FILE",
    aliases: &["PEEKABOO_LOG_FILE"],
    key: Some("server.log_file"),
    kind: Kind::Path,
    default: "handeye/handeye-mcp.log in XDG_STATE_HOME or ~/.local/state",
    help: "The log file of a server, readable by its owner only. It is rotated at 4 MiB; three rotated files are kept",
}
.read_by(path);

/// Whether a server logs to standard error too.
pub const CONSOLE_LOGGING: Setting<bool> = About {
    flag: None,
    variable: "HANDEYE_CONSOLE_LOGGING",
    aliases: &["PEEKABOO_CONSOLE_LOGGING", "PEEKABOO_MCP_CONSOLE_LOGGING"],
    key: Some("server.console_logging"),
    kind: Kind::Switch,
    default: "false",
    help: "true: a server logs to standard error too",
}
.read_by(switch);

/// How answers are printed.
pub const FORMAT: Setting<Format> = About {
    flag: Some("format"),
    variable: "HANDEYE_FORMAT",
    aliases: &[],
    key: Some("cli.format"),
    kind: Kind::Text,
    default: "text",
    help: "How the answer is printed: text for people, json for programs, quiet for the exit code alone",
}
.read_by(format);

/// How long a command may take.
pub const TIMEOUT: Setting<Duration> = About {
    flag: Some("timeout"),
    variable: "HANDEYE_TIMEOUT",
    aliases: &[],
    key: Some("cli.timeout"),
    kind: Kind::Number,
    default: "the command's own deadline",
    help: "Give up after this many seconds",
}
.read_by(seconds_of_a_call);

/// Whether colours are used on a terminal.
pub const NO_COLOR: Setting<bool> = About {
    flag: None,
    variable: "NO_COLOR",
    aliases: &[],
    key: Some("cli.no_color"),
    kind: Kind::Switch,
    default: "unset",
    help: "Any value disables colours; output to a pipe has none",
}
.read_by(switch_or_text);

/// What is known of the client of a server.
pub const CLIENT_PROFILE: Setting = About {
    flag: Some("client-profile"),
    variable: "HANDEYE_CLIENT_PROFILE",
    aliases: &[],
    key: Some("server.client_profile"),
    kind: Kind::Text,
    default: "auto",
    help: "The client's profile, which determines the form of answers: auto (by the client's name), or a name such as \
           claude-code, model or program",
}
.read_by(text);

/// Whether a person is asked before something may be destroyed.
pub const CONFIRM: Setting<Confirm> = About {
    flag: Some("confirm"),
    variable: "HANDEYE_CONFIRM",
    aliases: &["AXTERMINATOR_CONFIRM_DESTRUCTIVE"],
    key: Some("security.confirm"),
    kind: Kind::Text,
    default: "auto",
    help: "Whether a person confirms destructive actions: auto (if a person can be asked), always (otherwise the action is \
           refused), never",
}
.read_by(confirm);

/// How long a person may take for one question.
pub const ASK_TIMEOUT: Setting<Duration> = About {
    flag: None,
    variable: "HANDEYE_ASK_TIMEOUT",
    aliases: &[],
    key: Some("security.ask_timeout"),
    kind: Kind::Number,
    default: "300",
    help: "Seconds that a person may take to answer one question, at most 600",
}
.read_by(patience);

/// Where the configuration file is.
pub const CONFIG: Setting<PathBuf> = About {
    flag: None,
    variable: "HANDEYE_CONFIG",
    aliases: &[],
    key: None,
    kind: Kind::Path,
    default: "handeye/config.toml in XDG_CONFIG_HOME or ~/.config",
    help: "The configuration file; it is optional, but a file that is named here must exist",
}
.read_by(path);

/// Which toolsets a server offers.
pub const TOOLSETS: Setting<Vec<String>> = About {
    flag: Some("toolsets"),
    variable: "HANDEYE_TOOLSETS",
    aliases: &[],
    key: Some("server.toolsets"),
    kind: Kind::List,
    default: "default",
    help: "Toolsets that the server offers, separated by commas; all leaves out script, which has to be named",
}
.read_by(names);

/// Which single tools a server offers.
pub const TOOLS: Setting<Vec<String>> = About {
    flag: Some("tools"),
    variable: "HANDEYE_TOOLS",
    aliases: &[],
    key: Some("server.tools"),
    kind: Kind::List,
    default: "those of the toolsets",
    help: "Tools that the server offers, separated by commas: only these, or in addition to those of the named toolsets",
}
.read_by(names);

/// Which tools a server leaves out.
pub const EXCLUDE_TOOLS: Setting<Vec<String>> = About {
    flag: Some("exclude-tools"),
    variable: "HANDEYE_EXCLUDE_TOOLS",
    aliases: &[],
    key: Some("server.exclude_tools"),
    kind: Kind::List,
    default: "none",
    help: "Tools that the server leaves out, separated by commas",
}
.read_by(names);

/// Whether a server only looks.
pub const READ_ONLY: Setting<bool> = About {
    flag: Some("read-only"),
    variable: "HANDEYE_READ_ONLY",
    aliases: &[],
    key: Some("server.read_only"),
    kind: Kind::Switch,
    default: "false",
    help: "Offer only tools that do not change the desktop; overrides every other choice of tools",
}
.read_by(switch);

/// Whether it is shown where an agent acts.
pub const SHOW_CURSOR: Setting<bool> = About {
    flag: Some("show-cursor"),
    variable: "HANDEYE_SHOW_CURSOR",
    aliases: &[],
    key: Some("server.show_cursor"),
    kind: Kind::Switch,
    default: "false",
    help: "Show a labelled cursor where an agent acts with a pointer of its own; it lets every click through, and a private desktop has none",
}
.read_by(switch);

/// Whether commands do without the daemon.
pub const NO_DAEMON: Setting<bool> = About {
    flag: Some("no-daemon"),
    variable: "HANDEYE_NO_DAEMON",
    aliases: &[],
    key: Some("cli.no_daemon"),
    kind: Kind::Switch,
    default: "false",
    help: "Run without the process that commands share; e12, s7 and t3 are then not valid in the next command",
}
.read_by(switch_or_on);

/// Whether commands ask nobody.
pub const NO_INPUT: Setting<bool> = About {
    flag: Some("no-input"),
    variable: "HANDEYE_NO_INPUT",
    aliases: &[],
    key: Some("cli.no_input"),
    kind: Kind::Switch,
    default: "false",
    help: "Ask nothing at the terminal: continue or fail, as in a pipe",
}
.read_by(switch_or_on);

/// Whether a yes at the terminal counts where a person has to confirm.
pub const TRUST_TERMINAL: Setting<bool> = About {
    flag: None,
    variable: "HANDEYE_TRUST_TERMINAL",
    aliases: &[],
    key: Some("security.trust_terminal"),
    kind: Kind::Switch,
    default: "false",
    help: "true: with confirm set to always, a yes that is typed at a command's terminal counts as a person's; a program that \
           types there can also give it",
}
.read_by(switch);

/// After how long the daemon ends.
pub const DAEMON_IDLE: Setting<Duration> = About {
    flag: None,
    variable: "HANDEYE_DAEMON_IDLE",
    aliases: &[],
    key: Some("cli.daemon_idle"),
    kind: Kind::Number,
    default: "600",
    help: "Idle seconds after which the process that commands share ends; the command that starts it sets the value",
}
.read_by(idle);

/// Every setting, in the order of the documentation.
pub const ALL: &[&dyn AnySetting] = &[
    &CONFIG,
    &FORMAT,
    &TIMEOUT,
    &PORT,
    &BIND,
    &TLS_CERT,
    &TLS_KEY,
    &BEHIND_PROXY,
    &ALLOWED_HOSTS,
    &METRICS,
    &HTTP_TOKEN,
    &HTTP_ISSUER,
    &HTTP_AUDIENCE,
    &CLIENT_PROFILE,
    &CONFIRM,
    &ASK_TIMEOUT,
    &TRUST_TERMINAL,
    &SECURITY_MODE,
    &SECURITY_FILE,
    &ALLOWED_APPS,
    &DENIED_APPS,
    &RATE_LIMIT_RPS,
    &RATE_LIMIT_RPM,
    &CONCURRENCY,
    &VLM_RATE_LIMIT,
    &SCRIPT_RATE_LIMIT,
    &QUESTION_RATE_LIMIT,
    &PICTURE_LIMIT,
    &TOOLSETS,
    &TOOLS,
    &EXCLUDE_TOOLS,
    &READ_ONLY,
    &SHOW_CURSOR,
    &SCREENSHOT_DIR,
    &IMAGE_RESPONSES,
    &SCREENSHOT_KEEP,
    &SCREENSHOT_TTL,
    &SAVE_PATH,
    &CAPTURE_TIMEOUT,
    &LOG_LEVEL,
    &LOG_FILE,
    &CONSOLE_LOGGING,
    &AUDIT_LOG,
    &AUDIT_LOG_MAX,
    &AUDIT_LOG_KEEP,
    &NO_COLOR,
    &NO_DAEMON,
    &DAEMON_IDLE,
    &NO_INPUT,
    &AI_PROVIDERS,
    &AI_TIMEOUT,
    &OCR_LANGUAGES,
    &FIND_FALLBACK,
    &OPENAI_KEY,
    &ANTHROPIC_KEY,
    &GEMINI_KEY,
    &OLLAMA_BASE_URL,
    &BASE_URL,
    &COMPATIBLE_KEY,
];

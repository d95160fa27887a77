//! Where pictures go, and how long they may take.

use crate::settings::reading::{deadline, keep, life, path, responses};
use crate::settings::setting::{About, Kind, Setting};
use handeye_shots::delivery::{Keep, Responses};
use std::path::PathBuf;
use std::time::Duration;

/// Where screenshots are saved.
pub const SCREENSHOT_DIR: Setting<PathBuf> = About {
    flag: Some("screenshot-dir"),
    variable: "HANDEYE_SCREENSHOT_DIR",
    aliases: &[],
    key: Some("screenshots.dir"),
    kind: Kind::Path,
    default: ".handeye-screenshots",
    help: "The folder for screenshots; created when needed",
}
.read_by(path);

/// What an answer over MCP carries of a picture.
pub const IMAGE_RESPONSES: Setting<Responses> = About {
    flag: Some("image-responses"),
    variable: "HANDEYE_IMAGE_RESPONSES",
    aliases: &[],
    key: Some("screenshots.responses"),
    kind: Kind::Text,
    default: "file",
    help: "What an answer contains of a screenshot: file (its path), inline (also the picture, scaled for a model), omit (neither)",
}
.read_by(responses);

/// How much the folder for screenshots may hold.
pub const SCREENSHOT_KEEP: Setting<Keep> = About {
    flag: Some("screenshot-keep"),
    variable: "HANDEYE_SCREENSHOT_KEEP",
    aliases: &[],
    key: Some("screenshots.keep"),
    kind: Kind::NumberOrText,
    default: "all",
    help: "Screenshots to keep in that folder: a count such as 100, or a size such as 500MB; older ones are removed",
}
.read_by(keep);

/// Where `image` saves pictures when a call names no path.
pub const SAVE_PATH: Setting<PathBuf> = About {
    flag: None,
    variable: "HANDEYE_DEFAULT_SAVE_PATH",
    aliases: &["PEEKABOO_DEFAULT_SAVE_PATH"],
    key: Some("screenshots.default_save_path"),
    kind: Kind::Path,
    default: "the folder for screenshots",
    help: "Where image saves pictures when it is given no path: a folder or a file",
}
.read_by(path);

/// How long a capture of `image` or a look of `list` may take.
pub const CAPTURE_TIMEOUT: Setting<Duration> = About {
    flag: None,
    variable: "HANDEYE_CLI_TIMEOUT",
    aliases: &["PEEKABOO_CLI_TIMEOUT"],
    key: Some("screenshots.timeout_ms"),
    kind: Kind::Number,
    default: "30000",
    help: "How many milliseconds image (without its question) and list may take",
}
.read_by(deadline);

/// How long the folder of a `screenshot_app_window` lives.
pub const SCREENSHOT_TTL: Setting<Option<Duration>> = About {
    flag: None,
    variable: "HANDEYE_SCREENSHOT_TTL_MS",
    aliases: &["MCP_SCREENSHOT_MAC_TTL_MS"],
    key: Some("screenshots.ttl_ms"),
    kind: Kind::Number,
    default: "600000",
    help: "After how many milliseconds the temporary folder of a screenshot_app_window is removed; 0 keeps it",
}
.read_by(life);

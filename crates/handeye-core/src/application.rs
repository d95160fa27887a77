//! A running application.

use crate::advice::Advice;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Identifies a running application on the platform's accessibility service
/// (on Linux its unique name on the accessibility bus, such as `:1.42`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ApplicationId(pub Arc<str>);

/// Whether an application shows its accessibility tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum TreeAccess {
    /// It does.
    Available,
    /// It has windows but no tree, or an empty one.
    Missing {
        /// Why, as far as it can be told.
        reason: String,
        /// What the user can do about it, for example the flag to start it with.
        advice: Advice,
    },
}

/// A running application that has a window or an accessibility tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its name on the accessibility service; `None` for one that has windows only.
    pub id: Option<ApplicationId>,
    /// The name it gives itself.
    pub name: String,
    /// Its process, where that can be told.
    pub pid: Option<u32>,
    /// Desktop file id, `WM_CLASS` or executable name on Linux; the bundle id on macOS.
    pub bundle_id: Option<String>,
    /// Toolkit and version, for example `gtk 3.24.38`.
    pub toolkit: Option<String>,
    /// Whether its tree can be read.
    pub tree: TreeAccess,
}

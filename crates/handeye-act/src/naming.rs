//! The names to which an application answers, and which windows are its own.

use handeye_core::{Application, Window};

/// Every name by which an application may be called.
pub fn names(application: &Application) -> impl Iterator<Item = &str> {
    let bundle = application.bundle_id.as_deref().map(|id| id.strip_suffix(".desktop").unwrap_or(id));
    let last_part = bundle.and_then(|id| id.rsplit_once('.')).map(|(_, last)| last);
    std::iter::once(application.name.as_str())
        .chain(application.bundle_id.as_deref())
        .chain(bundle)
        .chain(last_part)
        .filter(|name| !name.is_empty())
}

/// Whether a window is one of the application's.
pub fn belongs(window: &Window, application: &Application) -> bool {
    match (window.pid, application.pid()) {
        (Some(window), Some(application)) => window == application,
        _ => window
            .class
            .as_deref()
            .is_some_and(|class| names(application).any(|name| name.eq_ignore_ascii_case(class))),
    }
}

//! The applications of windows, where nothing else lists any.

use handeye_core::{Application, ApplicationId, Error, ProcessIdentity, SourceId, TreeAccess, Window};

/// The id of an application that is known by its windows alone: by its process, or else by this window of it.
fn known_by(window: &Window) -> ApplicationId {
    let key = match window.pid {
        Some(pid) => format!("process {pid}"),
        None => format!("window {}", window.id.number()),
    };
    ApplicationId::new(SourceId::new("windows"), key)
}

/// The applications that have windows, the topmost first, each process once.
pub fn by_windows(windows: &[Window], why: &Error) -> Vec<Application> {
    let mut applications: Vec<Application> = Vec::new();
    for window in windows {
        let name = window.class.as_ref().unwrap_or(&window.title);
        let known = |other: &Application| match window.pid {
            Some(pid) => other.pid() == Some(pid),
            None => other.pid().is_none() && other.name == *name,
        };
        if !applications.iter().any(known) {
            applications.push(Application {
                id: known_by(window),
                name: name.clone(),
                process: window.pid.map(ProcessIdentity::unverified),
                bundle_id: window.class.clone(),
                toolkit: None,
                tree: TreeAccess::Missing {
                    reason: why.message.clone(),
                    advice: why.next.clone().unwrap_or_default(),
                },
            });
        }
    }
    applications
}

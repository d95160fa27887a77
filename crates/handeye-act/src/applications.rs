//! The running applications: those that the accessibility bus lists, or else those that have windows.

use crate::desk::Desk;
use handeye_core::platform::INTRODUCTION;
use handeye_core::{
    Application, ApplicationId, Error, ErrorCode, ProcessIdentity, Result, SourceId, TreeAccess, Window,
};
use std::time::Duration;

impl Desk {
    /// The running applications; those that have windows where no accessibility bus lists the others: pixels need none.
    pub async fn running_applications(&self) -> Result<Vec<Application>> {
        self.running_applications_within(INTRODUCTION).await
    }

    /// [`Desk::running_applications`]; each may take `patience` to say who it is.
    pub async fn running_applications_within(&self, patience: Duration) -> Result<Vec<Application>> {
        match self.platform.accessibility.applications_within(patience).await {
            Err(error) if error.code == ErrorCode::AccessibilityUnavailable => {
                tracing::debug!(code = error.code.as_str(), "applications are known by their windows alone");
                Ok(by_windows(&self.platform.screen.windows().await?, &error))
            }
            listed => listed,
        }
    }
}

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

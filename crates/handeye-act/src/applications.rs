//! The running applications: those that the accessibility bus lists, or else those that have windows.

use crate::desk::Desk;
use crate::window_owners::by_windows;
use handeye_core::platform::INTRODUCTION;
use handeye_core::{Application, ErrorCode, Result};
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

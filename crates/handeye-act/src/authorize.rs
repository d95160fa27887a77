//! The right to act on a desktop, after the person was asked who has to be, and after it was recorded.

use crate::confirm::Deed;
use crate::consent;
use crate::desk::Desk;
use crate::record::{About, Grant, NotDone};
use handeye_call::call::Call;
use handeye_core::{ConnectedApp, Permit, Result};
use std::sync::Arc;

impl Desk {
    /// The right to do something to an application, or to what no application is known for. Call it after what will be hit was found, and
    /// before anything is done to it.
    ///
    /// # Errors
    /// [`ErrorCode::Declined`](handeye_core::ErrorCode::Declined) if a person says no,
    /// [`ErrorCode::Blocked`](handeye_core::ErrorCode::Blocked) if one has to be asked and cannot be, or if it cannot be recorded and must be.
    pub(super) async fn authorize(
        &self,
        call: &Call,
        app: Option<&Arc<dyn ConnectedApp>>,
        deed: &Deed,
        about: About,
    ) -> Result<Grant> {
        match self.allow(call, app, deed).await {
            Ok(()) => self.granted(call, about).await,
            Err(error) => {
                self.not_granted(call, NotDone(about), &error).await;
                Err(error)
            }
        }
    }

    /// Judges a deed. What is not allowed is an error; nothing is recorded.
    pub(super) async fn allow(
        &self,
        call: &Call,
        app: Option<&Arc<dyn ConnectedApp>>,
        deed: &Deed,
    ) -> Result<()> {
        consent::before(self, call, app, deed).await
    }

    /// The right to write a picture to a file of the user: a new one, or one in the place of a picture.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`](handeye_core::ErrorCode::Blocked) if it cannot be recorded and must be.
    pub async fn may_write_pictures(&self, call: &Call) -> Result<Grant> {
        self.granted(call, About::way("file")).await
    }

    /// The right to replace what is on the clipboard, which every application does without a question.
    pub(super) async fn may_copy(&self, call: &Call) -> Result<Grant> {
        self.granted(call, About::way("clipboard")).await
    }

    /// The right to bring up a window or to read what was copied: nothing is lost by that, and it is not recorded.
    pub(super) fn harmless(&self) -> Permit {
        self.guard.grant_harmless()
    }
}

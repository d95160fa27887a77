//! The right to act on a desktop, after the person was asked who has to be, and after it was recorded.

use crate::confirm::Deed;
use crate::consent;
use crate::desk::Desk;
use crate::record::{About, Grant, NotDone, Record, not_done};
use handeye_call::call::Call;
use handeye_core::{ConnectedApp, Error, Permit, Result};
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

    /// Records what is about to be done, and grants the right to do it.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`](handeye_core::ErrorCode::Blocked) if it could not be recorded and must be.
    pub(super) async fn granted(&self, call: &Call, about: About) -> Result<Grant> {
        let record = Record::begin(self.ledger.as_ref(), call, about).await?;
        Ok(Grant::new(self.guard.grant(&record), record))
    }

    /// Records an action that was not begun, if a person or a policy is the cause.
    pub async fn not_granted(&self, call: &Call, about: NotDone, error: &Error) {
        not_done(self.ledger.as_ref(), call, about.0, error).await;
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

//! The right to act on a desktop, after the person was asked who has to be.

use crate::confirm::Deed;
use crate::consent;
use crate::desk::Desk;
use handeye_call::call::Call;
use handeye_core::{ConnectedApp, Permit, Result};
use std::sync::Arc;

impl Desk {
    /// The right to do something to an application, or to what no application is known for. Call it after what will be hit was found, and
    /// before anything is done to it.
    ///
    /// # Errors
    /// [`ErrorCode::Declined`](handeye_core::ErrorCode::Declined) if a person says no,
    /// [`ErrorCode::Blocked`](handeye_core::ErrorCode::Blocked) if one has to be asked and cannot be.
    pub(super) async fn authorize(
        &self,
        call: &Call,
        app: Option<&Arc<dyn ConnectedApp>>,
        deed: &Deed,
    ) -> Result<Permit> {
        consent::before(self, call, app, deed).await?;
        Ok(self.guard.grant())
    }

    /// The right to write a picture to a file of the user: a new one, or one in the place of a picture.
    pub fn may_write_pictures(&self) -> Permit {
        self.guard.grant()
    }

    /// The right to replace what is on the clipboard, which every application does without a question.
    pub(super) fn may_copy(&self) -> Permit {
        self.guard.grant()
    }

    /// The right to bring up a window or to read what was copied: nothing is lost by that.
    pub(super) fn harmless(&self) -> Permit {
        self.guard.grant()
    }
}

//! What was copied, which belongs to the application that copied it.

use crate::desk::Desk;
use handeye_call::call::Call;
use handeye_core::{ClipForm, Clipping, Copied, Result};

impl Desk {
    /// What is on the clipboard, in one form.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`](handeye_core::ErrorCode::Refused) with the reason where it cannot be read; as
    /// [`Clipboard::read`](handeye_core::Clipboard::read).
    pub async fn clipboard(&self, form: ClipForm) -> Result<Clipping> {
        self.platform.clipboard.capabilities().reading.require("the clipboard cannot be read")?;
        self.platform.clipboard.read(&self.harmless(), form).await
    }

    /// Puts something on the clipboard, as an application does when its user copies.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`](handeye_core::ErrorCode::Refused) with the reason where that cannot be done; as
    /// [`Clipboard::write`](handeye_core::Clipboard::write).
    pub async fn copy(&self, call: &Call, copied: Copied) -> Result<()> {
        self.platform.clipboard.capabilities().writing.require("nothing can be copied")?;
        let grant = self.may_copy(call).await?;
        let written = self.platform.clipboard.write(&grant, copied).await;
        grant.ended(&written).await;
        written
    }
}

//! What was copied, which belongs to the application that copied it.

use crate::desk::Desk;
use handeye_core::{Clipping, Result};

impl Desk {
    /// What is on the clipboard.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`](handeye_core::ErrorCode::Refused) with the reason where it cannot be read; as
    /// [`Clipboard::read`](handeye_core::Clipboard::read).
    pub async fn clipboard(&self) -> Result<Clipping> {
        self.platform.clipboard.capabilities().reading.require("the clipboard cannot be read")?;
        self.platform.clipboard.read(&self.harmless()).await
    }
}

//! What was copied, which belongs to the application that copied it.

use crate::desk::Desk;
use crate::guard::blocked;
use handeye_call::call::Call;
use handeye_core::{ClipForm, Clipping, Copied, Result};

impl Desk {
    /// What is on the clipboard, in one form.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`](handeye_core::ErrorCode::Refused) with the reason where it cannot be read;
    /// [`ErrorCode::Blocked`](handeye_core::ErrorCode::Blocked) with the rule where the application that copied it may not be read; as
    /// [`Clipboard::read`](handeye_core::Clipboard::read).
    pub async fn clipboard(&self, form: ClipForm) -> Result<Clipping> {
        self.platform.clipboard.capabilities().reading.require("the clipboard cannot be read")?;
        let clipping = self.platform.clipboard.read(&self.harmless(), form).await?;
        if self.guard.trust().rules().restrict() && !clipping.formats.is_empty() {
            self.check_copied_by(clipping.pid).await?;
        }
        Ok(clipping)
    }

    /// Fails where a rule forbids to read what this process copied. Where the process is unknown, the rules for what is unknown hold.
    async fn check_copied_by(&self, pid: Option<u32>) -> Result<()> {
        for (name, standing) in self.guard.standings_of_process(pid).await? {
            if let Some(rule) = standing.denied.as_ref().or(standing.no_clipboard.as_ref()) {
                return Err(blocked(&name, rule));
            }
        }
        Ok(())
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

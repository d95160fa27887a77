//! Input into an application in memory, past the pointer and the keyboard of its desktop.

use async_trait::async_trait;
use handeye_core::{ApplicationInput, Button, Error, ErrorCode, NodeId, Permit, Result, Support};

/// Presses an element; returns whether the application answered.
pub(super) type Press = Box<dyn Fn(NodeId) -> Result<bool> + Send + Sync>;

/// Input into one application.
pub(super) struct OwnInput {
    pub(super) press: Press,
    pub(super) clicks: Support,
}

#[async_trait]
impl ApplicationInput for OwnInput {
    fn clicks(&self) -> Support {
        self.clicks.clone()
    }

    async fn click(&self, _: &Permit, node: NodeId, _: Button, count: u32) -> Result<()> {
        for _ in 0..count {
            if !(self.press)(node)? {
                return Err(Error::new(ErrorCode::AppNotResponding, "the application does not answer"));
            }
        }
        Ok(())
    }
}

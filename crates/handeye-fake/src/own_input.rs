//! Input into an application in memory, past the pointer and the keyboard of its desktop.

use super::app::FakeApp;
use async_trait::async_trait;
use handeye_core::{ApplicationInput, Button, Error, ErrorCode, NodeAction, NodeId, Permit, Result, Support};
use std::sync::Arc;

/// Input into one application.
pub(super) struct OwnInput {
    pub(super) app: Arc<FakeApp>,
    pub(super) clicks: Support,
}

#[async_trait]
impl ApplicationInput for OwnInput {
    fn clicks(&self) -> Support {
        self.clicks.clone()
    }

    async fn click(&self, _: &Permit, node: NodeId, _: Button, count: u32) -> Result<()> {
        for _ in 0..count {
            if !self.app.act(node, &NodeAction::Invoke(None))? {
                return Err(Error::new(ErrorCode::AppNotResponding, "the application does not answer"));
            }
        }
        Ok(())
    }
}

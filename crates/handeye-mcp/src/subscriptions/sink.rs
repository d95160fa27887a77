//! The way to a client: its session (before 2026-07-28), or the stream that it listens on.

use super::outbox::{Change, Topic};
use async_trait::async_trait;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::SubscriptionSink;
use rmcp::{Peer, RoleServer};

/// The client has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gone;

/// The way to a client.
#[async_trait]
pub(super) trait Sink: Send + Sync {
    /// Sends a change; takes as long as the client takes to read.
    async fn notify(&self, change: Change) -> Result<(), Gone>;

    /// Whether nothing can be sent any more.
    fn is_closed(&self) -> bool;
}

#[async_trait]
impl Sink for Peer<RoleServer> {
    async fn notify(&self, change: Change) -> Result<(), Gone> {
        let sent = match change {
            Change::Resource(uri) => {
                self.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
            }
            Change::List(Topic::Tools) => self.notify_tool_list_changed().await,
            Change::List(Topic::Prompts) => self.notify_prompt_list_changed().await,
            Change::List(Topic::Resources) => self.notify_resource_list_changed().await,
        };
        sent.map_err(|fault| {
            tracing::debug!(%fault, "a client has disconnected");
            Gone
        })
    }

    fn is_closed(&self) -> bool {
        self.is_transport_closed()
    }
}

#[async_trait]
impl Sink for SubscriptionSink {
    async fn notify(&self, change: Change) -> Result<(), Gone> {
        let sent = match change {
            Change::Resource(uri) => self.notify_resource_updated(uri).await,
            Change::List(Topic::Tools) => self.notify_tool_list_changed().await,
            Change::List(Topic::Prompts) => self.notify_prompt_list_changed().await,
            Change::List(Topic::Resources) => self.notify_resource_list_changed().await,
        };
        sent.map_err(|fault| {
            tracing::debug!(%fault, "a listener has disconnected");
            Gone
        })
    }

    /// The request shows when it ends.
    fn is_closed(&self) -> bool {
        false
    }
}

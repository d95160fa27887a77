//! The fixtures of the suite over the real server.

use crate::data::Data;
use handeye_mcp::Server;
use std::sync::Arc;

/// The fixtures over the real server.
#[derive(Clone)]
pub(crate) struct Fixtures {
    pub(crate) server: Server,
    pub(crate) data: Arc<Data>,
}

impl Fixtures {
    pub(crate) fn new(server: Server) -> serde_json::Result<Self> {
        Ok(Self { server, data: Arc::new(Data::read()?) })
    }

    /// The same, for one more client.
    pub(crate) fn for_session(&self) -> Self {
        Self { server: self.server.for_session(), data: Arc::clone(&self.data) }
    }
}

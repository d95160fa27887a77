//! The client behind a call, as far as an operation may ask it something: its person, its model, its folders.
//!
//! An operation does not know which revision of the protocol the client speaks, nor whether there is one at all: it asks, and
//! gets a reply, or [`ErrorCode::NotSupported`](handeye_core::ErrorCode::NotSupported) if this client cannot be asked that.

use async_trait::async_trait;
use std::fmt;
use std::sync::Arc;

/// What a client lets itself be asked.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the capabilities of the protocol, each by itself"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Abilities {
    /// Its person can fill in a form.
    pub form: bool,
    /// Its person can be sent to a page.
    pub url: bool,
    /// Its model can be asked.
    pub sampling: bool,
    /// Its model can be given tools.
    pub sampling_tools: bool,
    /// It tells its folders.
    pub roots: bool,
}

/// The client behind a call.
#[async_trait]
pub trait Client: Send + Sync {
    /// What it lets itself be asked.
    fn abilities(&self) -> Abilities;
}

impl fmt::Debug for dyn Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({:?})", self.abilities())
    }
}

/// Nobody who can be asked: the command line in a script, an old client.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoClient;

#[async_trait]
impl Client for NoClient {
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }
}

/// A client that cannot be asked.
pub fn nobody() -> Arc<dyn Client> {
    Arc::new(NoClient)
}

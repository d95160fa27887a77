//! What everything here works with.

use crate::kept::Kept;
use handeye_engine::Engine;
use std::sync::Arc;

/// The resources of a desktop: what they are read from, and what is remembered of them. Cheap to clone: clones share what is remembered.
#[derive(Clone)]
pub struct Resources {
    pub(crate) engine: Engine,
    pub(crate) kept: Arc<Kept>,
}

impl Resources {
    /// The resources of the engine's desktop, of which nothing was read yet.
    pub fn new(engine: Engine) -> Self {
        Self { engine, kept: Arc::default() }
    }

    /// The same resources, read with the settings of another engine on the same desktop.
    #[must_use]
    pub(crate) fn with(&self, engine: Engine) -> Self {
        Self { engine, kept: Arc::clone(&self.kept) }
    }
}

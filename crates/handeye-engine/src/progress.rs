//! How far a call has come, for a client that asked to be told.

use std::fmt;
use std::sync::Arc;

/// How far a call has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// How many of its parts are done.
    pub done: u32,
    /// How many there are.
    pub total: u32,
    /// What happens now.
    pub message: String,
}

/// Takes the steps of one call; tells nobody when nobody asked.
#[derive(Clone, Default)]
pub struct Progress {
    listener: Option<Arc<dyn Fn(Step) + Send + Sync>>,
}

impl Progress {
    /// Tells `listener`, which must not block.
    pub fn to(listener: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Arc::new(listener)) }
    }

    /// Tells that `done` of `total` parts are done and what happens now.
    pub fn tell(&self, done: u32, total: u32, message: impl Into<String>) {
        if let Some(listener) = &self.listener {
            listener(Step { done, total, message: message.into() });
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.listener.is_some() { "Progress(told)" } else { "Progress(not asked for)" })
    }
}

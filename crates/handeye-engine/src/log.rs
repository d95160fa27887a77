//! What happens in a call, told to the client that made it if that wants to know.
//!
//! Never arguments, typed text or text of documents: a client's log may be kept and shown to others.

use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// How serious a record is (RFC 5424, as MCP names them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Details: cache hits, reads.
    Debug,
    /// Calls and their outcome.
    Info,
    /// Actions, and what went another way than the usual one.
    Notice,
    /// Slow, limited, doubtful.
    Warning,
    /// It failed.
    Error,
    /// A fault in handeye itself.
    Critical,
    /// A policy was violated.
    Alert,
}

/// One record.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// How serious it is.
    pub level: Level,
    /// Which part says it, for example `handeye.tools.find`.
    pub logger: String,
    /// What it says, as fields.
    pub data: Value,
}

/// Takes the records of one call; tells nobody when nobody asked.
#[derive(Clone, Default)]
pub struct Log {
    listener: Option<Arc<dyn Fn(Record) + Send + Sync>>,
}

impl Log {
    /// Tells `listener`, which must not block.
    pub fn to(listener: impl Fn(Record) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Arc::new(listener)) }
    }

    /// Tells a record; `data` is made only if somebody listens.
    pub fn tell(&self, level: Level, logger: &str, data: impl FnOnce() -> Value) {
        if let Some(listener) = &self.listener {
            listener(Record { level, logger: logger.to_owned(), data: data() });
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.listener.is_some() { "Log(told)" } else { "Log(not asked for)" })
    }
}

//! What happens in a call, sent to the client that made it if that wants to know.
//!
//! Never arguments, typed text or text of documents: a client's log may be kept and shown to others.

use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// How serious a record is (RFC 5424, as MCP names them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Details: that a call begins, and whether its application is connected already.
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
    /// Nothing works any more. Nothing of handeye's is that serious: a client that asks for this level gets no records.
    Emergency,
}

impl Level {
    /// All of them, the least serious first.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// Its name in the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// The level of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
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

type Listener = dyn Fn(Record) + Send + Sync;

/// Takes the records of one call; drops them without a listener.
#[derive(Clone, Default)]
pub struct Log {
    listener: Option<(Level, Arc<Listener>)>,
}

impl Log {
    /// Passes `listener` what is at least as serious as `level`. It must not block.
    pub fn to(level: Level, listener: impl Fn(Record) + Send + Sync + 'static) -> Self {
        Self { listener: Some((level, Arc::new(listener))) }
    }

    /// The same log, whose records are changed by `change` before they reach the listener.
    #[must_use]
    pub fn through(&self, change: impl Fn(&mut Record) + Send + Sync + 'static) -> Self {
        let Some((level, listener)) = self.listener.clone() else { return Self::default() };
        Self::to(level, move |mut record| {
            change(&mut record);
            listener(record);
        })
    }

    /// Passes a record on; `data` is made only for a listener.
    pub fn report(&self, level: Level, logger: impl FnOnce() -> String, data: impl FnOnce() -> Value) {
        if let Some((least, listener)) = &self.listener
            && level >= *least
        {
            listener(Record { level, logger: logger(), data: data() });
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.listener.is_some() { "Log(told)" } else { "Log(not asked for)" })
    }
}

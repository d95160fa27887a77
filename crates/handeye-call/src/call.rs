//! One call on its way through the gate.

use crate::audited::Audited;
use crate::client::{self, Client};
use crate::client_log::Log;
use crate::progress::Progress;
use crate::reader::Reader;
use crate::scopes::Scopes;
use crate::trail::Trail;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// More time for one call, granted while it runs: what a person wished for may take longer than the operation does. The clones
/// are one.
#[derive(Debug, Clone, Default)]
pub struct Grace {
    milliseconds: Arc<AtomicU64>,
}

impl Grace {
    /// Grants so much in all, if it is not more already.
    pub fn grant(&self, time: Duration) {
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.milliseconds.fetch_max(milliseconds, Ordering::Relaxed);
    }

    /// How much was granted.
    pub fn granted(&self) -> Duration {
        Duration::from_millis(self.milliseconds.load(Ordering::Relaxed))
    }
}

/// The tools that a client can call; all of them where none is named.
#[derive(Debug, Clone, Default)]
pub struct Offered {
    /// Those that are on; `None` for all.
    pub on: Option<Arc<HashSet<&'static str>>>,
    /// Whether only tools that leave the desktop as it is are on.
    pub read_only: bool,
}

impl Offered {
    /// Whether it can call this tool.
    pub fn has(&self, tool: &str) -> bool {
        self.on.as_ref().is_none_or(|on| on.contains(tool))
    }
}

/// What surrounds one call: who asked, until when, and whether it is still wanted.
#[derive(Debug, Clone)]
pub struct Call {
    /// The operation that it is a call of, by the name of its tool. The gate states it.
    pub tool: &'static str,
    /// What the reader of its answer can do with it.
    pub reader: Reader,
    /// When it has to be over, without its grace. The gate brings it forward to the operation's own deadline.
    pub deadline: Instant,
    /// More time.
    pub grace: Grace,
    /// Cancelled when the client no longer wants the answer.
    pub cancelled: CancellationToken,
    /// Reports to the client how far it has come.
    pub progress: Progress,
    /// Reports to the client what happens in it.
    pub log: Log,
    /// Who can be asked something while it runs.
    pub client: Arc<dyn Client>,
    /// What its caller may do; a face whose callers are authorized for less than everything states it. The calls within it have the same.
    pub scopes: Scopes,
    /// What else this client can call, for what is offered to it.
    pub offered: Offered,
    /// How many resources its caller watches; a face that has subscriptions states it.
    pub subscriptions: usize,
    /// What it adds to its audit line and its answer.
    pub trail: Trail,
    /// What the audit log has of it. The gate states it.
    pub audited: Arc<Audited>,
}

impl Call {
    /// Longest time that a call may take when its face sets no limit and its operation allows more.
    const LONGEST: Duration = Duration::from_secs(600);

    /// A call without a limit of its own.
    pub fn new(reader: Reader, cancelled: CancellationToken) -> Self {
        Self {
            tool: "",
            reader,
            deadline: Instant::now() + Self::LONGEST,
            grace: Grace::default(),
            cancelled,
            progress: Progress::default(),
            log: Log::default(),
            client: client::nobody(),
            scopes: Scopes::ALL,
            offered: Offered::default(),
            subscriptions: 0,
            trail: Trail::default(),
            audited: Arc::default(),
        }
    }

    /// The same call, over after `limit` at the latest.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.deadline = self.deadline.min(Instant::now() + limit);
        self
    }

    /// How much time is left.
    pub fn remaining(&self) -> Duration {
        (self.deadline + self.grace.granted()).saturating_duration_since(Instant::now())
    }

    /// Returns when it has to be over.
    pub async fn over(&self) {
        loop {
            let remaining = self.remaining();
            if remaining.is_zero() {
                return;
            }
            // Grace may be granted meanwhile.
            tokio::time::sleep(remaining).await;
        }
    }
}

//! A question to a person that has no answer yet.

use crate::gate::Gate;
use crate::recorded;
use handeye_act::desk::Desk;
use handeye_call::audited::Audited;
use handeye_call::call::Call;
use handeye_engine::{AnyOperation, Engine};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// A question to a person that has no answer yet. Dropped without one, the audit log has its call: the client left, or the person did not
/// answer in time.
pub struct OpenQuestion {
    desk: Desk,
    call: Call,
    is_answered: bool,
    /// The process waits for the record at its end.
    _running: Option<TaskTrackerToken>,
}

impl Gate {
    /// Notes that a call ended with a question; `None` for an operation that only looks, which the audit log does not have. `waits` says whether
    /// somebody waits for the answer in this process.
    pub fn asks(
        &self,
        engine: &Engine,
        operation: &dyn AnyOperation,
        arguments: &Value,
        call: Call,
        waits: bool,
    ) -> Option<OpenQuestion> {
        let meta = operation.meta();
        if meta.read_only {
            return None;
        }
        let audited = Audited { session_id: engine.caller.to_string(), args: recorded::arguments(arguments) };
        Some(OpenQuestion {
            desk: engine.desk.clone(),
            call: Call { tool: meta.tool, audited: Arc::new(audited), ..call },
            is_answered: false,
            _running: waits.then(|| self.token()),
        })
    }
}

impl OpenQuestion {
    /// An answer came, whatever it is.
    pub fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        if !self.is_answered {
            self.desk.unanswered(&self.call);
        }
    }
}

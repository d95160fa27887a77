//! Calls of other operations from within one.

use crate::operation::{AnyOperation, ParsedInput};
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::outcome::Answer;
use handeye_core::Result;

/// Calls of other operations from within one. They go the way of every call: policy, deadline, consent and audit are those of the called operation.
#[async_trait]
pub trait InnerCalls: Send + Sync {
    /// The operation behind a tool, whether or not the client is offered it.
    fn operation(&self, tool: &str) -> Option<&'static dyn AnyOperation>;

    /// The names of all tools.
    fn tools(&self) -> Vec<&'static str>;

    /// Calls an operation.
    ///
    /// # Errors
    /// Those of the gate and of the operation.
    async fn call(&self, operation: &dyn AnyOperation, input: ParsedInput, call: Call) -> Result<Answer>;
}

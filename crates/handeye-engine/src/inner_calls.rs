//! Calls of other operations from within one.

use crate::toolset::Toolset;
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::outcome::Answer;
use handeye_core::Result;
use serde_json::Value;

/// A tool that can be called from within an operation: as much of its description as is needed for that.
#[derive(Debug, Clone)]
pub struct InnerTool {
    /// Its name.
    pub tool: &'static str,
    /// The group that it belongs to.
    pub toolset: Toolset,
    /// Whether it leaves the desktop as it is.
    pub read_only: bool,
    /// Whether doing it twice is the same as doing it once.
    pub idempotent: bool,
    /// Whether it calls other operations itself.
    pub composes: bool,
    /// The parameter that names the application.
    pub application: &'static str,
    /// The parameters that name an element.
    pub elements: &'static [&'static str],
    /// The schema of its parameters.
    pub parameters: Value,
}

impl InnerTool {
    /// Whether a parameter is a text.
    pub fn takes_text(&self, parameter: &str) -> bool {
        let schema = self.parameters.get("properties").and_then(|known| known.get(parameter));
        schema.and_then(|schema| schema.get("type")).and_then(Value::as_str) == Some("string")
    }

    /// The names of its parameters.
    pub fn parameter_names(&self) -> impl Iterator<Item = &str> {
        let known = self.parameters.get("properties").and_then(Value::as_object);
        known.into_iter().flat_map(|known| known.keys().map(String::as_str))
    }
}

/// Calls of other operations from within one. They go the way of every call: policy, deadline, consent and audit are those of the called operation.
#[async_trait]
pub trait InnerCalls: Send + Sync {
    /// A tool, whether or not the client is offered it.
    fn tool(&self, name: &str) -> Option<InnerTool>;

    /// The names of all tools.
    fn names(&self) -> Vec<&'static str>;

    /// Checks the parameters of a call.
    ///
    /// # Errors
    /// That of the call, if it cannot be made.
    fn check(&self, tool: &str, arguments: Value) -> Result<()>;

    /// Calls a tool.
    ///
    /// # Errors
    /// Those of the gate and of the operation.
    async fn call(&self, tool: &str, arguments: Value, call: Call) -> Result<Answer>;
}

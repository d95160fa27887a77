//! Which tools can be steps, and with which parameters.

use handeye_call::call::Call;
use handeye_core::nearness::nearest;
use handeye_core::screen_text;
use handeye_engine::InnerCalls;
use handeye_flow::definition::Tools;
use serde_json::{Map, Value};

/// The tools that this client can call.
pub(super) struct Offered<'a> {
    pub(super) inner: &'a dyn InnerCalls,
    pub(super) call: &'a Call,
}

impl Tools for Offered<'_> {
    fn unfit(&self, tool: &str) -> Option<String> {
        let Some(known) = self.inner.tool(tool) else {
            let hint = hint(tool, self.inner.names().into_iter());
            return Some(format!("there is no tool '{}'{hint}", screen_text::line(tool, 40)));
        };
        if known.composes {
            return Some("a workflow cannot be a step of a workflow: put its steps in".to_owned());
        }
        let is_offered = self.call.offered.has(known.tool);
        (!is_offered).then(|| "this server does not offer the tool".to_owned())
    }

    fn fault(&self, tool: &str, args: &Map<String, Value>, are_known: bool) -> Option<String> {
        if are_known {
            return self.inner.check(tool, Value::Object(args.clone())).err().map(|error| {
                // With what was found: it names each parameter.
                std::iter::once(error.message).chain(error.found).collect::<Vec<_>>().join("; ")
            });
        }
        let known = self.inner.tool(tool)?;
        let unknown = args.keys().find(|name| known.parameter_names().all(|known| known != *name))?;
        let hint = hint(unknown, known.parameter_names());
        Some(format!("unknown parameter '{}'{hint}", screen_text::line(unknown, 40)))
    }
}

/// What was probably meant, as the end of a sentence.
fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known, 1).first().map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

//! What a prompt is.

use super::argument::Argument;
use super::arguments::Arguments;
use super::script::Script;
use handeye_service::toolbox::Toolbox;
use rmcp::ErrorData;
use rmcp::model::{JsonObject, Prompt, PromptArgument};

/// A prompt.
#[derive(Clone, Copy)]
pub(crate) struct Definition {
    /// Its name, for example `test-app`.
    pub(crate) name: &'static str,
    /// Title for people.
    pub(crate) title: &'static str,
    /// What it is for.
    pub(crate) description: &'static str,
    /// What it asks for.
    pub(crate) arguments: &'static [Argument],
    /// Of each of these, one tool at least has to be on, or it leads nowhere.
    pub(crate) needs: &'static [&'static [&'static str]],
    /// Writes its steps.
    pub(crate) write: for<'a> fn(&Arguments, Script<'a>) -> Script<'a>,
}

impl Arguments {
    /// Checks what a client sent for a prompt.
    ///
    /// # Errors
    /// As [`Arguments::read`].
    pub(crate) fn check(prompt: &'static Definition, given: JsonObject) -> Result<Self, ErrorData> {
        Self::read(prompt.name, prompt.arguments, given)
    }
}

impl Definition {
    /// What it would need and does not have, as the end of a sentence.
    pub(crate) fn lacks(&self, toolbox: &Toolbox) -> Option<String> {
        let missing = self.needs.iter().find(|tools| !tools.iter().any(|tool| toolbox.has(tool)))?;
        Some(format!("it needs {}, which is switched off", missing.join(" or ")))
    }
}

impl From<Definition> for Prompt {
    fn from(definition: Definition) -> Self {
        let arguments = definition.arguments.iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.required)
        });
        Self::new(definition.name, Some(definition.description), Some(arguments.collect()))
            .with_title(definition.title)
    }
}

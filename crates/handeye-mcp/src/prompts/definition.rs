//! What a prompt is.

use super::argument::{Argument, Kind};
use super::arguments::Arguments;
use super::running::Running;
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

    /// Its entry in the list; an argument that names an application has those that run in its description.
    pub(crate) fn listed(&self, running: &Running) -> Prompt {
        let arguments = self.arguments.iter().map(|argument| {
            let description = match argument.kind {
                Kind::Application | Kind::Applications => running.after(argument.description),
                _ => argument.description.to_owned(),
            };
            PromptArgument::new(argument.name).with_description(description).with_required(argument.required)
        });
        Prompt::new(self.name, Some(self.description), Some(arguments.collect())).with_title(self.title)
    }
}

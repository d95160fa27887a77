//! What a prompt is.

use super::arguments::Arguments;
use super::script::Script;
use handeye_engine::toolbox::Toolbox;
use rmcp::model::{Prompt, PromptArgument};

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

/// An argument of a prompt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) required: bool,
    /// What it names, for completions.
    pub(crate) kind: Kind,
}

/// What an argument names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An application.
    Application,
    /// Applications, separated by commas.
    Applications,
    /// A region of the application that another argument names: a tool bar, a list.
    Region(&'static str),
    /// An element of the application that another argument names.
    Element(&'static str),
    /// What leads somewhere in the application that another argument names: a menu, a tab, a button.
    Way(&'static str),
    /// One of these.
    Choice(&'static [&'static str]),
    /// Words.
    Text,
}

/// Yes or no.
pub(crate) const SWITCH: Kind = Kind::Choice(&["true", "false"]);

/// An argument that has to be given.
pub(crate) const fn required(name: &'static str, description: &'static str, kind: Kind) -> Argument {
    Argument { name, description, required: true, kind }
}

/// An argument that may be left out.
pub(crate) const fn optional(name: &'static str, description: &'static str, kind: Kind) -> Argument {
    Argument { name, description, required: false, kind }
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

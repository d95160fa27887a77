//! The call of an operation, as text that advises it holds it: which operation, with which arguments.
//!
//! This crate knows no operation, only names of some. A test of the binary (`tests/advice.rs`) compares every name and every argument
//! in the source with the operations that there are.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A call of an operation: what advice and notes name instead of a sentence that has to be parsed.
///
/// ```
/// # use handeye_core::Invocation;
/// let call = Invocation::of("ax_click").with("query", "e12").with("mode", "focus");
/// assert_eq!(call.to_string(), r#"ax_click with query: "e12", mode: "focus""#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invocation {
    operation: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<Argument>,
    #[serde(default)]
    notation: Notation,
}

/// An argument of a call: its name and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    name: Cow<'static, str>,
    value: Value,
    /// Whether it reads `click_type "double"`, without the colon.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_in_a_sentence: bool,
}

/// A parameter of the call that is answered, without a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameter(Cow<'static, str>);

/// How a model reads the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Notation {
    /// `ax_click with query: "e12", mode: "focus"`
    #[default]
    With,
    /// `ax_click, query: "e12"`
    Comma,
    /// `ax_get_tree root_query=e4 include_invisible=true`
    Compact,
}

impl Invocation {
    /// The call of an operation, by the name of its tool.
    pub const fn of(operation: &'static str) -> Self {
        Self { operation: Cow::Borrowed(operation), arguments: Vec::new(), notation: Notation::With }
    }

    /// The same call with one more argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.arguments.push(Argument::new(name, value));
        self
    }

    /// The same call with one more argument, if there is a value for it.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The same call in the short notation of outlines, where every character costs.
    #[must_use]
    pub fn compact(self) -> Self {
        Self { notation: Notation::Compact, ..self }
    }

    /// The same call where "with" stands before it already.
    #[must_use]
    pub fn after_with(self) -> Self {
        Self { notation: Notation::Comma, ..self }
    }

    /// The name of the operation's tool.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// The arguments, in the order in which they were given.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// The same call, each text in its arguments changed by `change`.
    #[must_use]
    pub(crate) fn map_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        for argument in &mut self.arguments {
            argument.map_text(&change);
        }
        self
    }
}

impl Argument {
    /// An argument that stands by itself: the call that it belongs to is the one that is answered.
    pub fn new(name: &'static str, value: impl Into<Value>) -> Self {
        Self { name: Cow::Borrowed(name), value: value.into(), is_in_a_sentence: false }
    }

    /// The same argument where it is a part of a sentence: `click_type "double" opens it`.
    #[must_use]
    pub fn in_a_sentence(self) -> Self {
        Self { is_in_a_sentence: true, ..self }
    }

    /// Its name, as in the parameters of the tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Its value as a word: a text without quotes.
    pub fn word(&self) -> Cow<'_, str> {
        match &self.value {
            Value::String(text) => Cow::Borrowed(text),
            other => Cow::Owned(other.to_string()),
        }
    }

    pub(crate) fn map_text(&mut self, change: impl Fn(&str) -> String) {
        if let Value::String(text) = &mut self.value {
            *text = change(text);
        }
    }
}

/// As a model reads it, which makes the call by the names of the tool's parameters.
impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operation)?;
        for (at, argument) in self.arguments.iter().enumerate() {
            match self.notation {
                Notation::Compact => {
                    let word = argument.word();
                    let is_bare = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
                    let quote = if is_bare { "" } else { "'" };
                    write!(f, " {}={quote}{word}{quote}", argument.name)?;
                }
                Notation::With if at == 0 => write!(f, " with {argument}")?,
                Notation::With | Notation::Comma => write!(f, ", {argument}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.is_in_a_sentence { "" } else { ":" };
        write!(f, "{}{colon} {}", self.name, self.value)
    }
}

impl Parameter {
    /// The parameter of this name.
    pub const fn named(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Its name, as in the parameters of the tool.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// As a model reads it.
impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_reads_as_a_model_makes_it() {
        let call = Invocation::of("ax_click_at").with("x", -5).with("y", 7).with("mode", "focus");
        assert_eq!(call.to_string(), r#"ax_click_at with x: -5, y: 7, mode: "focus""#);
        let call = Invocation::of("ax_type").with("query", r#"button "It's""#).with("clear_first", true);
        assert_eq!(call.to_string(), r#"ax_type with query: "button \"It's\"", clear_first: true"#);
        let call = Invocation::of("ax_get_tree").with("root_query", "e4").with("include_invisible", true);
        assert_eq!(call.compact().to_string(), "ax_get_tree root_query=e4 include_invisible=true");
        let call = Invocation::of("ax_get_tree").with("root_query", "list \"Files\"").compact();
        assert_eq!(call.to_string(), "ax_get_tree root_query='list \"Files\"'");
        let call = Invocation::of("ax_click").with("query", "e4").after_with();
        assert_eq!(format!("Open it with {call}, then"), "Open it with ax_click, query: \"e4\", then");
        assert_eq!(
            Argument::new("click_type", "double").in_a_sentence().to_string(),
            r#"click_type "double""#
        );
        assert_eq!(Invocation::of("ax_find").with_some("app", None::<&str>).to_string(), "ax_find");
    }
}

//! The arguments of a prompt: what is missing, unknown or wrong is named, all at once.

use super::argument::{Argument, Kind};
use handeye_engine::parameters;
use handeye_tree::outline;
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The longest value, in characters: it is quoted in the prompt.
const MAX_CHARS: usize = 2_000;
/// Most applications whose state is shown.
const MAX_APPLICATIONS: usize = 4;

/// The arguments of a prompt, checked.
#[derive(Debug)]
pub(crate) struct Arguments {
    values: BTreeMap<&'static str, String>,
    of: &'static [Argument],
}

impl Arguments {
    /// Reads what a client sent. An argument that is empty is one that was not given: clients send every field of a form.
    ///
    /// # Errors
    /// `-32602`, naming each argument that is missing, unknown, of the wrong type or none of its choices.
    pub(crate) fn read(
        prompt: &'static str,
        arguments: &'static [Argument],
        given: JsonObject,
    ) -> Result<Self, ErrorData> {
        let is_empty = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
        let given: JsonObject =
            given.into_iter().filter(|(_, value)| !is_empty(value) && !value.is_null()).collect();
        let fault = |message: String| ErrorData::invalid_params(message, None);
        parameters::check(prompt, &schema(arguments), &Value::Object(given.clone()))
            .map_err(|error| fault(format!("{}. {}", error.message, error.next.unwrap_or_default())))?;
        let too_long: Vec<&str> = given
            .iter()
            .filter(|(_, value)| value.as_str().is_some_and(|text| text.chars().count() > MAX_CHARS))
            .map(|(name, _)| name.as_str())
            .collect();
        if !too_long.is_empty() {
            let names = too_long.join(", ");
            return Err(fault(format!("{prompt}: longer than {MAX_CHARS} characters: {names}")));
        }
        let values = arguments.iter().filter_map(|argument| {
            let text = given.get(argument.name)?.as_str()?;
            Some((argument.name, text.trim().to_owned()))
        });
        Ok(Self { values: values.collect(), of: arguments })
    }

    /// The value of an argument.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The value of an argument in quotes, ready for use in a sentence; empty quotes if it was not given.
    pub(crate) fn quoted(&self, name: &str) -> String {
        quoted(self.get(name).unwrap_or_default())
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }

    /// The applications that it names, each once, a few at most.
    pub(crate) fn applications(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for argument in self.of {
            let value = self.get(argument.name).unwrap_or_default();
            let named: Vec<&str> = match argument.kind {
                Kind::Application => vec![value],
                Kind::Applications => value.split(',').map(str::trim).collect(),
                _ => Vec::new(),
            };
            let new = named.into_iter().filter(|name| !name.is_empty());
            for name in new {
                if !all.iter().any(|known| known.eq_ignore_ascii_case(name)) && all.len() < MAX_APPLICATIONS {
                    all.push(name);
                }
            }
        }
        all
    }
}

/// Text in quotes: what it holds cannot end them.
pub(crate) fn quoted(text: &str) -> String {
    outline::quoted(text, usize::MAX)
}

fn schema(arguments: &[Argument]) -> Value {
    let properties: Map<String, Value> = arguments
        .iter()
        .map(|argument| {
            let schema = match argument.kind {
                Kind::Choice(choices) => json!({"type": "string", "enum": choices}),
                _ => json!({"type": "string"}),
            };
            (argument.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

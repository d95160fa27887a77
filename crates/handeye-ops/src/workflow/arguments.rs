//! The parameters of a step, with the values of earlier steps in them.

use handeye_engine::InnerTool;
use handeye_flow::definition::{Condition, Flow};
use handeye_flow::template::{self, Source};
use handeye_flow::{Place, Progress};
use serde_json::{Map, Value};

/// The parameters of a call.
///
/// # Errors
/// Which value is not there or cannot be put in, as a sentence.
pub(super) fn filled(
    tool: &InnerTool,
    args: &Map<String, Value>,
    (flow, progress): (&Flow, &Progress),
) -> Result<Value, String> {
    let known = |source: &Source| value_of(source, flow, progress);
    let mut filled = Map::new();
    for (name, value) in args {
        let place = if tool.elements.contains(&name.as_str()) {
            Place::Query
        } else if tool.takes_text(name) {
            Place::Text
        } else {
            Place::Anything
        };
        filled.insert(name.clone(), template::fill(value, place, &known)?);
    }
    Ok(Value::Object(filled))
}

/// A condition with the values of earlier steps in it.
pub(super) fn filled_condition(
    condition: &Condition,
    (flow, progress): (&Flow, &Progress),
) -> Result<Condition, String> {
    let known = |source: &Source| value_of(source, flow, progress);
    let text = |text: &Option<String>, place| match text {
        Some(text) => filled_text(text, place, &known).map(Some),
        None => Ok(None),
    };
    let mut filled = condition.clone();
    filled.app = text(&condition.app, Place::Text)?;
    filled.exists = text(&condition.exists, Place::Query)?;
    filled.gone = text(&condition.gone, Place::Query)?;
    filled.enabled = text(&condition.enabled, Place::Query)?;
    filled.window = text(&condition.window, Place::Text)?;
    filled.query = text(&condition.query, Place::Query)?;
    filled.value = text(&condition.value, Place::Text)?;
    Ok(filled)
}

fn filled_text<'v>(
    text: &str,
    place: Place,
    known: &dyn Fn(&Source) -> Result<&'v Value, String>,
) -> Result<String, String> {
    match template::fill(&Value::String(text.to_owned()), place, known)? {
        Value::String(text) => Ok(text),
        other => Ok(other.to_string()),
    }
}

fn value_of<'v>(source: &Source, flow: &'v Flow, progress: &'v Progress) -> Result<&'v Value, String> {
    match source {
        Source::Variable(name) => {
            flow.variables.get(name).ok_or_else(|| format!("there is no variable '{name}'"))
        }
        Source::Step { number, .. } => {
            let missing = || format!("step {number} has no answer");
            let index = number.checked_sub(1).ok_or_else(missing)?;
            template::field(source, progress.answers.get(index).ok_or_else(missing)?)
        }
    }
}

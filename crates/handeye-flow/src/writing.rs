//! A workflow as text.

use crate::definition::Flow;
use handeye_core::{Error, Result};
use serde_json::Value;
use yaml_rust2::yaml::Hash;
use yaml_rust2::{Yaml, YamlEmitter};

/// The first line of a recording in YAML.
const HEAD: &str = "# Recorded by handeye.";
/// The last line of it: YAML that was cut off is YAML still.
const END: &str = "...";

/// A workflow in JSON.
///
/// # Errors
/// None that a workflow can cause.
pub fn json(flow: &Flow) -> Result<String> {
    serde_json::to_string_pretty(flow).map(|text| text + "\n").map_err(Error::internal)
}

/// A workflow in YAML, with marks at its beginning and its end.
///
/// # Errors
/// None that a workflow can cause.
pub fn yaml(flow: &Flow) -> Result<String> {
    let value = serde_json::to_value(flow).map_err(Error::internal)?;
    let mut text = String::new();
    YamlEmitter::new(&mut text)
        .dump(&converted(value))
        .map_err(|error| Error::internal(format!("{error:?}")))?;
    let body = text.strip_prefix("---\n").unwrap_or(&text);
    Ok(format!("{HEAD}\n{body}\n{END}\n"))
}

fn converted(value: Value) -> Yaml {
    match value {
        Value::Null => Yaml::Null,
        Value::Bool(value) => Yaml::Boolean(value),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Yaml::Real(number.to_string()), Yaml::Integer)
        }
        Value::String(text) => Yaml::String(text),
        Value::Array(items) => Yaml::Array(items.into_iter().map(converted).collect()),
        Value::Object(fields) => Yaml::Hash(
            fields.into_iter().map(|(name, value)| (Yaml::String(name), converted(value))).collect::<Hash>(),
        ),
    }
}

/// Whether a text begins as a recording and does not end as one.
pub(crate) fn is_cut_off(text: &str) -> bool {
    text.starts_with(HEAD) && text.trim_end().lines().next_back() != Some(END)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Step, file};
    use proptest::prelude::*;

    fn flow(texts: &[String]) -> Flow {
        let steps = texts.iter().map(|text| -> Step {
            let step = serde_json::json!({"tool": "ax_set_value", "args": {"query": text, "value": text, "app": "a"}});
            serde_json::from_value(step).expect("a step")
        });
        Flow { steps: steps.collect(), ..Flow::default() }
    }

    #[test]
    fn a_recording_that_was_cut_off_is_not_run() {
        let text = yaml(&flow(&["one".to_owned(), "two".to_owned()])).expect("written");
        assert!(file::parse(&text).is_ok(), "{text}");
        for end in HEAD.len() + 1..text.len() - END.len() {
            let error = file::parse(&text[..end]).expect_err("cut off");
            assert!(error.message.contains("cut off"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_as_the_same(texts in proptest::collection::vec("\\PC{0,30}|[ -~\n\t]{0,30}|true|null|1e3|~|0x1F|- a|: |#", 1..6)) {
            let flow = flow(&texts);
            let in_yaml = yaml(&flow).expect("written");
            prop_assert_eq!(&file::parse(&in_yaml).map_err(|error| error.to_string()), &Ok(flow.clone()), "{}", in_yaml);
            let in_json = json(&flow).expect("written");
            prop_assert_eq!(file::parse(&in_json).map_err(|error| error.to_string()), Ok(flow), "{}", in_json);
        }
    }
}

//! A reference belongs to an application, so an input that has one needs no `app`.

use handeye_act::targets::FRONTMOST;
use handeye_core::{Error, ErrorCode, Invocation, Result, text};
use handeye_engine::Engine;
use serde_json::Value;

/// The parameter that names the application.
pub const APPLICATION: &str = "app";

/// The parameters that name an element.
const ELEMENTS: [&str; 4] = ["query", "root_query", "from_query", "to_query"];

/// Whether an input names an element by a reference, known or not.
pub fn has_reference(input: &Value) -> bool {
    references(input).next().is_some()
}

/// The input with the application of its first known reference, where it names an element so and no application: the frontmost one, if no
/// reference is known.
///
/// # Errors
/// [`ErrorCode::AppGone`] if the application of that reference has ended.
pub fn completed(mut input: Value, engine: &Engine) -> Result<Value> {
    if input.get(APPLICATION).is_none() && has_reference(&input) {
        let application = application(&input, engine)?.unwrap_or_else(|| FRONTMOST.to_owned());
        input[APPLICATION] = application.into();
    }
    Ok(input)
}

/// The application of the first reference of an input that is known to the caller.
fn application(input: &Value, engine: &Engine) -> Result<Option<String>> {
    let known = references(input).find_map(|reference| {
        let entry = engine.desk.own.references.lookup(reference).ok()?;
        Some((reference, entry))
    });
    let Some((reference, entry)) = known else { return Ok(None) };
    let Some(connection) = engine.desk.memory.connection_to(&entry.app) else { return Ok(None) };
    if !connection.is_alive() {
        return Err(Error::new(ErrorCode::AppGone, format!("the application of {reference} has ended"))
            .with_next(text![
                "Look at another one: ",
                Invocation::of("ax_list_apps"),
                ", then ",
                Invocation::of("ax_get_tree"),
                "."
            ]));
    }
    Ok(connection.application().pid().map(|pid| pid.to_string()))
}

/// Why no application was found for an input that named none, where that is for a reference that is not known.
pub fn unknown(input: &Value, engine: &Engine) -> Option<Error> {
    references(input).find_map(|reference| engine.desk.own.references.lookup(reference).err())
}

/// The references of an input that names no application.
fn references(input: &Value) -> impl Iterator<Item = &str> {
    let elements: &[&str] = if input.get(APPLICATION).is_none() { &ELEMENTS } else { &[] };
    let given = elements.iter().filter_map(|parameter| input.get(parameter)?.as_str());
    given.filter(|element| is_reference(element))
}

fn is_reference(value: &str) -> bool {
    value
        .strip_prefix('e')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_application_that_is_named_counts_and_not_that_of_a_reference() {
        assert!(has_reference(&json!({ "query": "e12" })));
        assert!(has_reference(&json!({ "from_query": "Save", "to_query": "e7" })));
        for without in [json!({ "query": "e12", "app": "Editor" }), json!({ "query": "e1x" }), json!(null)] {
            assert!(!has_reference(&without), "{without}");
        }
    }
}

//! A reference belongs to an application, so an input that has one needs no `app`.

use handeye_act::targets::FRONTMOST;
use handeye_core::reference::digits;
use handeye_core::{Error, ErrorCode, Invocation, Result, text};
use handeye_engine::{Engine, Meta};
use serde_json::Value;

/// The parameter that names the application.
pub const APPLICATION: &str = "app";

/// Whether an input of this operation names an element by a reference, known or not, and no application.
pub fn has_reference(meta: &Meta, input: &Value) -> bool {
    references(meta, input).next().is_some()
}

/// The input of this operation with the application of its first known reference, where it names an element so and no application: the frontmost one, if no
/// reference is known.
///
/// # Errors
/// [`ErrorCode::AppGone`] if the application of that reference has ended.
pub fn completed(meta: &Meta, mut input: Value, engine: &Engine) -> Result<Value> {
    if has_reference(meta, &input) {
        let application = application(meta, &input, engine)?.unwrap_or_else(|| FRONTMOST.to_owned());
        input[APPLICATION] = application.into();
    }
    Ok(input)
}

/// The application of the first reference of an input that is known to the caller.
fn application(meta: &Meta, input: &Value, engine: &Engine) -> Result<Option<String>> {
    let known = references(meta, input).find_map(|reference| {
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
pub fn unknown(meta: &Meta, input: &Value, engine: &Engine) -> Option<Error> {
    references(meta, input).find_map(|reference| engine.desk.own.references.lookup(reference).err())
}

/// The references of an input that names no application.
fn references<'a>(meta: &Meta, input: &'a Value) -> impl Iterator<Item = &'a str> {
    let elements = if input.get(APPLICATION).is_none() { meta.elements } else { &[] };
    let given = elements.iter().filter_map(|parameter| input.get(parameter)?.as_str());
    given.filter(|element| digits(element).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_application_that_is_named_counts_and_not_that_of_a_reference() {
        let meta = &Meta { elements: &["query", "target"], ..Meta::READ };
        assert!(has_reference(meta, &json!({ "query": "e12" })));
        assert!(has_reference(meta, &json!({ "query": "Save", "target": "e7" })));
        for without in [
            json!({ "query": "e12", "app": "Editor" }),
            json!({ "query": "e1x" }),
            json!({ "text": "e7" }),
            json!(null),
        ] {
            assert!(!has_reference(meta, &without), "{without}");
        }
    }
}

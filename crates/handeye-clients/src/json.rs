//! JSON with comments.

use crate::document::Field;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Value, json};

/// What editors write: comments and trailing commas, and no other liberties.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// What the text says; nothing says an empty object.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let value: Option<Value> =
        parse_to_serde_value(text, &OPTIONS).map_err(|fault| format!("it is not valid JSON: {fault}"))?;
    Ok(value.unwrap_or_else(|| json!({})))
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &OPTIONS).map_err(|fault| format!("it is not valid JSON: {fault}"))
}

/// The text with the entry at the end of the table `key`.
pub(crate) fn insert(text: &str, key: &str, name: &str, fields: &[(&str, Field)]) -> Result<String, String> {
    let root = parse(text)?;
    let object = root.object_value_or_create().ok_or("it is not a JSON object")?;
    let servers = match object.get(key) {
        Some(_) => object.object_value(key).ok_or(format!("\"{key}\" in it is not an object"))?,
        None => object.object_value_or_set(key),
    };
    let entry = fields.iter().map(|(name, field)| ((*name).to_owned(), input(field))).collect();
    servers.append(name, CstInputValue::Object(entry));
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn input(field: &Field) -> CstInputValue {
    match field {
        Field::Text(text) => CstInputValue::String(text.clone()),
        Field::Texts(texts) => {
            CstInputValue::Array(texts.iter().cloned().map(CstInputValue::String).collect())
        }
        Field::Switch(is_on) => CstInputValue::Bool(*is_on),
        Field::Number(number) => CstInputValue::Number(number.to_string()),
    }
}

/// The text with these fields of the entry set, and its other fields as they are.
pub(crate) fn set(text: &str, key: &str, name: &str, fields: &[(&str, Field)]) -> Result<String, String> {
    let root = parse(text)?;
    let servers = root.object_value().and_then(|object| object.object_value(key));
    let entry = servers.and_then(|servers| servers.object_value(name)).ok_or("the entry is not an object")?;
    for (name, field) in fields {
        match entry.get(name) {
            Some(property) => property.set_value(input(field)),
            None => drop(entry.append(name, input(field))),
        }
    }
    Ok(root.to_string())
}

/// The text without the entry.
pub(crate) fn remove(text: &str, key: &str, name: &str) -> Result<String, String> {
    let root = parse(text)?;
    let servers = root.object_value().and_then(|object| object.object_value(key));
    if let Some(entry) = servers.and_then(|servers| servers.get(name)) {
        entry.remove();
    }
    Ok(root.to_string())
}

//! TOML.

use crate::document::Field;
use serde_json::Value;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike};

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|fault: toml_edit::TomlError| {
        let before = fault.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        format!("it is not valid TOML: {} in line {line}", fault.message())
    })
}

/// What the text says.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    Ok(plain_table(parse(text)?.as_table()))
}

fn plain_table(table: &dyn TableLike) -> Value {
    Value::Object(table.iter().map(|(name, item)| (name.to_owned(), plain(item))).collect())
}

fn plain(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Table(table) => plain_table(table),
        Item::ArrayOfTables(tables) => Value::Array(tables.iter().map(|table| plain_table(table)).collect()),
        Item::Value(found) => plain_value(found),
    }
}

fn plain_value(found: &toml_edit::Value) -> Value {
    match found {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Boolean(is_on) => Value::from(*is_on.value()),
        toml_edit::Value::Array(values) => Value::Array(values.iter().map(plain_value).collect()),
        toml_edit::Value::InlineTable(table) => plain_table(table),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        // They are only compared.
        toml_edit::Value::Float(number) => Value::from(number.value().to_string()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
    }
}

/// The text with the entry at the end of `key`: a table by its name, or one more of a list of tables.
pub(crate) fn insert(
    text: &str,
    key: &str,
    name: &str,
    fields: &[(&str, Field)],
    is_listed: bool,
) -> Result<String, String> {
    let mut document = parse(text)?;
    let mut entry = Table::new();
    for (name, field) in fields {
        entry.insert(name, item(field));
    }
    let other = |what: &str| format!("{key} in it is not {what}");
    if is_listed {
        let empty = || Item::ArrayOfTables(ArrayOfTables::new());
        let list = document.entry(key).or_insert_with(empty);
        // `mcp_servers = []` is what some write for none.
        if list.as_array().is_some_and(Array::is_empty) {
            *list = empty();
        }
        list.as_array_of_tables_mut().ok_or_else(|| other("a list of tables"))?.push(entry);
    } else {
        let parent = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        let table = document.entry(key).or_insert_with(parent);
        match table {
            Item::Table(table) => table.insert(name, Item::Table(entry)),
            Item::Value(toml_edit::Value::InlineTable(table)) => {
                table.insert(name, toml_edit::Value::InlineTable(entry.into_inline_table())).map(Item::Value)
            }
            _ => return Err(other("a table")),
        };
    }
    Ok(document.to_string())
}

fn item(field: &Field) -> Item {
    Item::Value(value_of(field))
}

fn value_of(field: &Field) -> toml_edit::Value {
    match field {
        Field::Text(text) => text.as_str().into(),
        Field::Texts(texts) => texts.iter().map(String::as_str).collect::<Array>().into(),
        Field::Switch(is_on) => (*is_on).into(),
        Field::Number(number) => i64::from(*number).into(),
    }
}

/// The text with these fields of the entry set, and its other fields as they are.
pub(crate) fn set(text: &str, key: &str, name: &str, fields: &[(&str, Field)]) -> Result<String, String> {
    let mut document = parse(text)?;
    let entry: Option<&mut dyn TableLike> = match document.get_mut(key) {
        Some(Item::ArrayOfTables(list)) => list
            .iter_mut()
            .find(|table| table.get("name").and_then(Item::as_str) == Some(name))
            .map(|table| table as &mut dyn TableLike),
        Some(servers) => servers
            .as_table_like_mut()
            .and_then(|servers| servers.get_mut(name))
            .and_then(Item::as_table_like_mut),
        None => None,
    };
    let entry = entry.ok_or("the entry is not a table")?;
    for (name, field) in fields {
        match entry.get_mut(name).and_then(Item::as_value_mut) {
            // What is before and behind the value stays: spaces and a comment.
            Some(old) => {
                let around = old.decor().clone();
                *old = value_of(field);
                *old.decor_mut() = around;
            }
            None => drop(entry.insert(name, item(field))),
        }
    }
    Ok(document.to_string())
}

/// The text without the entry.
pub(crate) fn remove(text: &str, key: &str, name: &str) -> Result<String, String> {
    let mut document = parse(text)?;
    match document.get_mut(key) {
        Some(Item::ArrayOfTables(list)) => {
            list.retain(|table| table.get("name").and_then(Item::as_str) != Some(name));
        }
        Some(item) => {
            if let Some(table) = item.as_table_like_mut() {
                table.remove(name);
            }
        }
        None => {}
    }
    Ok(document.to_string())
}

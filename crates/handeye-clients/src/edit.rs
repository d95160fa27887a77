//! Editing a text in the format of its client, and proving that nothing else has changed.

use crate::document::{Server, entry, fields, value, without};
use crate::table::{Client, Format};
use crate::{json, toml, yaml};
use serde_json::Value;

/// The fields of an entry that say what it starts.
const START: [&str; 3] = ["command", "cmd", "args"];

/// What the text says.
pub(crate) fn read(client: &Client, text: &str) -> Result<Value, String> {
    let parsed = match client.format {
        Format::Json => json::read(text),
        Format::Toml => toml::read(text),
        Format::Yaml => yaml::read(text),
    }?;
    if parsed.is_object() { Ok(parsed) } else { Err("it is not a table of settings".to_owned()) }
}

/// The text with the entry, in place of an older one of that name. Every comment and all other settings are as they were.
pub(crate) fn insert(client: &Client, text: &str, name: &str, server: &Server) -> Result<String, String> {
    let before = read(client, text)?;
    let cleared =
        if entry(&before, client, name).is_some() { remove(client, text, name)? } else { text.to_owned() };
    let fields = fields(client.shape, name, server);
    let after = match client.format {
        Format::Json => json::insert(&cleared, client.key, name, &fields),
        Format::Toml => toml::insert(&cleared, client.key, name, &fields, client.shape.is_listed()),
        Format::Yaml => yaml::insert(&cleared, client.key, name, &fields, client.shape.is_listed()),
    }?;
    let parsed = read(client, &after)?;
    if entry(&parsed, client, name) != Some(&value(&fields)) {
        return Err("the entry cannot be added to it unambiguously".to_owned());
    }
    unchanged(client, name, before, parsed).map(|()| after)
}

/// The text with an entry that starts this server from now on. Its other fields, such as an environment, are as they were.
pub(crate) fn update(client: &Client, text: &str, name: &str, server: &Server) -> Result<String, String> {
    let before = read(client, text)?;
    let fields = fields(client.shape, name, server);
    let start: Vec<_> = fields.iter().filter(|(name, _)| START.contains(name)).cloned().collect();
    let mut wanted = entry(&before, client, name).cloned().ok_or("it has no such entry")?;
    let object = wanted.as_object_mut().ok_or("the entry is not a table")?;
    let has_others = object.keys().any(|key| fields.iter().all(|(known, _)| known != key));
    for (name, field) in &start {
        object.insert((*name).to_owned(), field.value());
    }
    let after = match client.format {
        Format::Json => json::set(text, client.key, name, &start),
        Format::Toml => toml::set(text, client.key, name, &start),
        Format::Yaml if has_others => {
            Err(format!("the entry '{name}' has settings of its own, which can be kept only by hand"))
        }
        Format::Yaml => return insert(client, text, name, server),
    }?;
    let parsed = read(client, &after)?;
    if entry(&parsed, client, name) != Some(&wanted) {
        return Err("the entry cannot be changed in it unambiguously".to_owned());
    }
    unchanged(client, name, before, parsed).map(|()| after)
}

/// The text without the entry.
pub(crate) fn remove(client: &Client, text: &str, name: &str) -> Result<String, String> {
    let before = read(client, text)?;
    let after = match client.format {
        Format::Json => json::remove(text, client.key, name),
        Format::Toml => toml::remove(text, client.key, name),
        Format::Yaml => yaml::remove(text, client.key, name, client.shape.is_listed()),
    }?;
    let parsed = read(client, &after)?;
    if entry(&parsed, client, name).is_some() {
        return Err("the entry cannot be removed from it unambiguously".to_owned());
    }
    unchanged(client, name, before, parsed).map(|()| after)
}

fn unchanged(client: &Client, name: &str, before: Value, after: Value) -> Result<(), String> {
    if without(before, client, name) == without(after, client, name) {
        Ok(())
    } else {
        Err("the entry cannot be changed without changing something else".to_owned())
    }
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;

//! YAML in block style, as the clients write it. The entry is put in and taken out as lines, so that every other byte stays.
//!
//! What cannot be edited this way for certain (a list in braces, tabs, several documents) is refused; the caller compares what the text says before and after.

use crate::document::Field;
use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

/// What the text says; nothing says an empty object.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let documents =
        YamlLoader::load_from_str(text).map_err(|fault| format!("it is not valid YAML: {fault}"))?;
    match documents.as_slice() {
        [] | [Yaml::Null | Yaml::BadValue] => Ok(Value::Object(serde_json::Map::new())),
        [document] => Ok(plain(document)),
        _ => Err("it has several YAML documents".to_owned()),
    }
}

fn plain(value: &Yaml) -> Value {
    match value {
        Yaml::String(text) => Value::from(text.as_str()),
        Yaml::Boolean(is_on) => Value::from(*is_on),
        Yaml::Integer(number) => Value::from(*number),
        // They are only compared.
        Yaml::Real(number) => Value::from(format!("real {number}")),
        Yaml::Alias(number) => Value::from(format!("alias {number}")),
        Yaml::Array(values) => Value::Array(values.iter().map(plain).collect()),
        Yaml::Hash(pairs) => {
            let name = |key: &Yaml| key.as_str().map_or_else(|| format!("{key:?}"), str::to_owned);
            Value::Object(pairs.iter().map(|(key, value)| (name(key), plain(value))).collect())
        }
        Yaml::Null | Yaml::BadValue => Value::Null,
    }
}

/// The lines of the block below a key at the margin.
struct Block {
    /// The line of the key.
    key: usize,
    /// The line after the last one with content.
    end: usize,
    /// Spaces before each entry.
    indent: usize,
}

/// The lines, each with its end.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn has_content(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Whether the line is the key `name`, and nothing or a comment follows it; the rest of the line otherwise.
fn value_after<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let line = line.trim();
    let bare = [name.to_owned(), format!("\"{name}\""), format!("'{name}'")];
    let rest = bare.iter().find_map(|key| line.strip_prefix(key.as_str())?.trim_start().strip_prefix(':'))?;
    Some(rest.split(" #").next().unwrap_or_default().trim())
}

/// The block of the key, if it is there; an error if it is there in another form.
fn block(lines: &[&str], key: &str, is_listed: bool) -> Result<Option<Block>, String> {
    let is_key = |line: &&str| !line.starts_with([' ', '\t', '#']) && value_after(line, key).is_some();
    let Some(line) = lines.iter().position(is_key) else { return Ok(None) };
    let rest = value_after(lines[line], key).unwrap_or_default();
    if !matches!(rest, "" | "{}" | "[]" | "null" | "~") {
        return Err(format!("'{key}' in it is not written as a block of lines"));
    }
    // The entries of a list may be at the margin, like their key.
    let belongs = |line: &str| line.starts_with(' ') || is_listed && line.starts_with("- ");
    let mut end = line + 1;
    let mut first = None;
    for (number, content) in lines.iter().enumerate().skip(line + 1).filter(|(_, line)| has_content(line)) {
        if !belongs(content) {
            break;
        }
        first = first.or(Some(indent(content)));
        end = number + 1;
    }
    Ok(Some(Block { key: line, end, indent: first.unwrap_or(2) }))
}

/// The text with the entry at the end of the block `key`.
pub(crate) fn insert(
    text: &str,
    key: &str,
    name: &str,
    fields: &[(&str, Field)],
    is_listed: bool,
) -> Result<String, String> {
    if text.contains("\r\n") {
        return Err("it has Windows line endings".to_owned());
    }
    let mut all: Vec<String> = lines(text).into_iter().map(str::to_owned).collect();
    if let Some(last) = all.last_mut().filter(|last| !last.ends_with('\n')) {
        last.push('\n');
    }
    let found = block(&lines(text), key, is_listed)?;
    let at = if let Some(found) = &found {
        let empty = value_after(&all[found.key], key).unwrap_or_default().to_owned();
        if !empty.is_empty() {
            all[found.key] = all[found.key].replacen(&empty, "", 1).trim_end().to_owned() + "\n";
        }
        found.end
    } else {
        all.push(format!("{key}:\n"));
        all.len()
    };
    let entry = entry(name, fields, found.map_or(2, |found| found.indent), is_listed);
    all.insert(at, entry);
    Ok(all.concat())
}

fn entry(name: &str, fields: &[(&str, Field)], indent: usize, is_listed: bool) -> String {
    let margin = " ".repeat(indent);
    let mut text = if is_listed { String::new() } else { format!("{margin}{}:\n", scalar(name)) };
    for (number, (name, field)) in fields.iter().enumerate() {
        let before = if is_listed && number == 0 { "- " } else { "  " };
        text.push_str(&format!("{margin}{before}{name}:"));
        match field {
            Field::Text(value) => text.push_str(&format!(" {}\n", scalar(value))),
            Field::Switch(is_on) => text.push_str(&format!(" {is_on}\n")),
            Field::Number(number) => text.push_str(&format!(" {number}\n")),
            Field::Texts(values) => {
                text.push('\n');
                for value in values {
                    text.push_str(&format!("{margin}    - {}\n", scalar(value)));
                }
            }
        }
    }
    text
}

/// Text as it may follow a key: plain where that is safe, else in double quotes, as JSON has them.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter))
        && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
            .contains(&text.to_lowercase().as_str());
    if is_plain { text.to_owned() } else { Value::from(text).to_string() }
}

/// The text without the entry.
pub(crate) fn remove(text: &str, key: &str, name: &str, is_listed: bool) -> Result<String, String> {
    let all = lines(text);
    let Some(found) = block(&all, key, is_listed)? else { return Ok(text.to_owned()) };
    let begins = |line: &str| has_content(line) && indent(line) == found.indent;
    let starts: Vec<usize> = (found.key + 1..found.end).filter(|line| begins(all[*line])).collect();
    let end_of = |number: usize| {
        let next = starts.get(number + 1).copied().unwrap_or(found.end);
        // Comments above the next entry are its own.
        (starts[number] + 1..next)
            .rev()
            .find(|line| has_content(all[*line]))
            .map_or(starts[number] + 1, |last| last + 1)
    };
    let is_it = |number: usize| {
        let lines = &all[starts[number]..end_of(number)];
        if !is_listed {
            return value_after(lines[0], name).is_some_and(str::is_empty);
        }
        let mut fields = lines.iter().map(|line| line.trim_start().trim_start_matches("- "));
        fields.any(|field| {
            value_after(field, "name").is_some_and(|value| value.trim_matches(['"', '\'']) == name)
        })
    };
    let Some(number) = (0..starts.len()).find(|number| is_it(*number)) else {
        return Err(format!("the entry '{name}' in it is not written as a block of lines"));
    };
    let gone = starts[number]..end_of(number);
    let mut kept: Vec<String> = all
        .iter()
        .enumerate()
        .filter(|(line, _)| !gone.contains(line))
        .map(|(_, line)| (*line).to_owned())
        .collect();
    if starts.len() == 1 {
        // A key without a value would be null, which some clients do not accept.
        let line = kept[found.key].trim_end().to_owned();
        let (line, comment) = line
            .split_once(" #")
            .map_or((line.as_str(), String::new()), |(line, comment)| (line, format!(" #{comment}")));
        kept[found.key] = format!("{} {}{comment}\n", line.trim_end(), if is_listed { "[]" } else { "{}" });
    }
    Ok(kept.concat())
}

//! Advice is data: what the source names as a call can be made, and nothing but data names a tool.

use handeye_engine::AnyOperation;
use handeye_service::registry;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "language/passage.rs"]
mod passage;
#[path = "language/rust.rs"]
mod rust;

use passage::Kind;

/// Where sentences for models name tools: they are about several of them, and are left out with them by name.
const ABOUT_TOOLS: &[&str] = &[
    "handeye-mcp/src/prompts/",
    "handeye-mcp/src/instructions.rs",
    // Descriptions, which are written once for all clients.
    "handeye-resources/src/catalog.rs",
    "handeye-ops/src/windows.rs",
    // What a person at a terminal reads of the machine.
    "handeye-linux/src/doctor/",
];

/// A string literal in a pattern.
const LITERAL: &str = r#""(?:[^"\\]|\\.)*""#;

fn sources() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = fs::read_dir(&crates)
        .expect("the folder of the crates")
        .map(|entry| entry.expect("an entry").path().join("src"))
        .filter(|source| source.is_dir())
        .collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&crates).expect("below it").to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path).expect("a file")));
            }
        }
    }
    assert!(found.len() > 300, "{}", found.len());
    found
}

fn parameters(operation: &dyn AnyOperation) -> BTreeSet<String> {
    let schema = operation.input_schema();
    let properties = schema["properties"].as_object();
    properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect()
}

#[test]
fn every_call_in_the_source_can_be_made() {
    let inside = format!(r"(?:[^()\x22]|{LITERAL}|\((?:[^()\x22]|{LITERAL}|\([^()]*\))*\))*");
    let chain = Regex::new(&format!(
        r#"Invocation::of\(\s*"(\w+)"\s*\)((?:\s*\.(?:with|with_some|compact|after_with)\({inside}\))*)"#
    ))
    .expect("a pattern");
    let argument = Regex::new(r#"\.with(?:_some)?\(\s*"(\w+)""#).expect("a pattern");
    let (mut calls, mut arguments) = (0, 0);
    for (file, source) in sources().iter().filter(|(file, _)| file != "handeye-core/src/text.rs") {
        for call in chain.captures_iter(source) {
            let operation =
                registry::by_tool(&call[1]).unwrap_or_else(|| panic!("{file} names {}", &call[1]));
            let known = parameters(operation);
            for given in argument.captures_iter(&call[2]) {
                assert!(known.contains(&given[1]), "{file}: {} takes no {}", &call[1], &given[1]);
                arguments += 1;
            }
            calls += 1;
        }
    }
    assert!(calls > 60 && arguments > 40, "{calls} calls with {arguments} arguments");
}

#[test]
fn no_sentence_names_a_tool() {
    let tools: BTreeSet<&str> = registry::all().iter().map(|operation| operation.meta().tool).collect();
    let word = Regex::new(r"\bax_[a-z_]+\b").expect("a pattern");
    let mut found = Vec::new();
    for (file, source) in sources() {
        if ABOUT_TOOLS.iter().any(|about| file.starts_with(about)) || file.contains("/tests") {
            continue;
        }
        for literal in rust::passages(&source).into_iter().filter(|passage| passage.kind == Kind::Literal) {
            let names_one = word.find_iter(&literal.text).any(|word| tools.contains(word.as_str()));
            if names_one && !tools.contains(literal.text.as_str()) {
                found.push(format!("{file}:{}: {}", literal.line, literal.text));
            }
        }
    }
    assert!(
        found.is_empty(),
        "an Invocation names a tool, so that each caller reads it its own way:\n{}",
        found.join("\n")
    );
}

#[test]
fn a_face_knows_no_operation() {
    let mut found = Vec::new();
    let compares = Regex::new(r#""(\w+)"\s*(?:\||=>|if )|[=!]=\s*"(\w+)""#).expect("a pattern");
    for (file, source) in sources() {
        let is_face = file.starts_with("handeye-cli/src/") || file.starts_with("handeye-mcp/src/");
        if !is_face || ABOUT_TOOLS.iter().any(|about| file.starts_with(about)) || file.contains("/tests") {
            continue;
        }
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for compared in compares.captures_iter(code) {
            let name = compared.get(1).or(compared.get(2)).map_or("", |name| name.as_str());
            if registry::by_tool(name).is_some() {
                found.push(format!("{file}: {}", &compared[0]));
            }
        }
    }
    assert!(
        found.is_empty(),
        "what is special about an operation stands in its own file:\n{}",
        found.join("\n")
    );
}

//! Advice is data: what the source names as a call can be made, and nothing but data names a tool.

use handeye_cli::settings;
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

/// The crates of the faces, of what a person types and of what only tests and builds use.
const FACES: &[&str] =
    &["handeye/", "handeye-cli/", "handeye-mcp/", "handeye-clients/", "handeye-conformance/", "xtask/"];

/// The literals below the faces that a caller can be shown: without the help of arguments, which clap prints and only a shell shows.
fn below_the_faces() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (file, source) in sources() {
        let is_face = FACES.iter().chain(ABOUT_TOOLS).any(|about| file.starts_with(about));
        if is_face || file.contains("/tests") {
            continue;
        }
        let lines: Vec<&str> = source.lines().collect();
        for literal in rust::passages(&source).into_iter().filter(|passage| passage.kind == Kind::Literal) {
            let line = lines.get(literal.line - 1).copied().unwrap_or_default();
            if !line.contains("help = ") {
                found.push((format!("{file}:{}", literal.line), literal.text));
            }
        }
    }
    assert!(found.len() > 2_000, "{}", found.len());
    found
}

/// The words that a parameter takes, as its schema lists them.
fn words_of(schema: &serde_json::Value, found: &mut BTreeSet<String>) {
    match schema {
        serde_json::Value::Object(fields) => {
            if let Some(serde_json::Value::Array(words)) = fields.get("enum") {
                found.extend(words.iter().filter_map(|word| word.as_str().map(str::to_owned)));
            }
            found.extend(fields.get("const").and_then(|word| word.as_str()).map(str::to_owned));
            if fields.get("type").is_some_and(|kind| kind.to_string().contains("boolean")) {
                found.extend(["true".to_owned(), "false".to_owned()]);
            }
            fields.values().for_each(|inner| words_of(inner, found));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|inner| words_of(inner, found)),
        _ => {}
    }
}

#[test]
fn no_sentence_below_the_faces_spells_an_argument() {
    let mut known = BTreeSet::new();
    for operation in registry::all() {
        let schema = operation.input_schema();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let mut words = BTreeSet::new();
            words_of(property, &mut words);
            known.extend(words.into_iter().map(|word| (name.clone(), word)));
        }
    }
    assert!(known.contains(&("mode".to_owned(), "background".to_owned())), "{known:?}");
    let spelled = Regex::new(r#"\b([a-zA-Z_]+): "?([a-z_-]+)\b"#).expect("a pattern");
    let mut found = Vec::new();
    for (place, text) in below_the_faces() {
        for argument in spelled.captures_iter(&text) {
            if known.contains(&(argument[1].to_owned(), argument[2].to_owned())) {
                found.push(format!("{place}: {text}"));
            }
        }
    }
    assert!(
        found.is_empty(),
        "an Argument names a parameter and its value, so that each face spells it its own way:\n{}",
        found.join("\n")
    );
}

#[test]
fn no_sentence_below_the_faces_spells_a_flag() {
    let mut flags: BTreeSet<String> =
        settings::abouts().filter_map(|setting| setting.flag).map(str::to_owned).collect();
    for operation in registry::all() {
        let command = operation.command();
        flags.extend(command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)));
    }
    assert!(flags.contains("app") && flags.contains("read-only"), "{flags:?}");
    // What a person is to type at a shell stands between backticks.
    let commands = Regex::new("`[^`]*`").expect("a pattern");
    let flag = Regex::new(r"--([a-z][a-z-]*)").expect("a pattern");
    let mut found = Vec::new();
    for (place, text) in below_the_faces() {
        if flag.captures_iter(&commands.replace_all(&text, "")).any(|flag| flags.contains(&flag[1])) {
            found.push(format!("{place}: {text}"));
        }
    }
    assert!(
        found.is_empty(),
        "a Parameter, an Argument or a SettingName is what a face spells as a flag:\n{}",
        found.join("\n")
    );
}

#[test]
fn every_setting_in_the_source_exists() {
    let named = Regex::new(r#"SettingName::of\(\s*"([\w-]+)"\s*,?\s*\)"#).expect("a pattern");
    let mut count = 0;
    for (file, source) in sources() {
        for setting in named.captures_iter(&source) {
            let known = settings::abouts().find(|known| known.flag == Some(&setting[1]));
            let known = known.unwrap_or_else(|| panic!("{file}: no setting has the flag --{}", &setting[1]));
            let variable = format!("HANDEYE_{}", setting[1].replace('-', "_").to_uppercase());
            assert_eq!(known.variable, variable, "{file}: a text may name the variable");
            count += 1;
        }
    }
    assert!(count > 6, "{count}");
}

#[test]
fn what_holds_an_element_is_a_parameter_and_declared() {
    let named = Regex::new(r"(?:^|_)query$").expect("a pattern");
    for operation in registry::all() {
        let (meta, known) = (operation.meta(), parameters(operation.as_ref()));
        for element in meta.elements {
            assert!(known.contains(*element), "{} takes no {element}", meta.tool);
        }
        let undeclared =
            known.iter().find(|name| named.is_match(name) && !meta.elements.contains(&name.as_str()));
        assert_eq!(undeclared, None, "{}: META.elements lists what holds an element", meta.tool);
        let application = known.contains("app") && meta.application != "app";
        assert!(!application, "{}: META.application names the application", meta.tool);
    }
}

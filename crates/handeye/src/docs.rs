//! `handeye docs` and `handeye man`: the reference documentation and manual pages, written from the same definitions that the program
//! runs on.

use clap::{Arg, ArgMatches, Command};
use handeye_cli::{EXIT_CODES, PEEKABOO_EXIT_CODES, settings};
use handeye_core::ErrorCode;
use handeye_engine::{AnyOperation, Dialect};
use handeye_service::registry;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The first line of every page.
const GENERATED: &str =
    "<!-- Written by `handeye docs`; change the definitions and run `cargo run -- docs docs/reference`. -->";

/// The hidden `docs` command.
pub(crate) fn command() -> Command {
    Command::new("docs").hide(true).about("Write the reference documentation").arg(
        Arg::new("directory")
            .required(true)
            .value_parser(clap::value_parser!(PathBuf))
            .help("Where to write the pages"),
    )
}

/// The `man` command.
pub(crate) fn man_command() -> Command {
    Command::new("man")
        .about("Write the manual pages")
        .long_about("Writes a manual page for handeye and one for each command, for example: handeye man ~/.local/share/man/man1")
        .arg(
            Arg::new("directory")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Where to write the pages; created when needed"),
        )
}

/// Writes the pages into the given directory.
pub(crate) fn print(arguments: &ArgMatches, command_line: Command) -> ExitCode {
    write(arguments, |directory| {
        pages(command_line)
            .into_iter()
            .try_for_each(|(name, text)| std::fs::write(directory.join(name), text))
    })
}

/// Writes the manual pages into the given directory.
pub(crate) fn print_man(arguments: &ArgMatches, command_line: Command) -> ExitCode {
    write(arguments, |directory| clap_mangen::generate_to(command_line, directory))
}

fn write(arguments: &ArgMatches, pages: impl FnOnce(&Path) -> std::io::Result<()>) -> ExitCode {
    let directory =
        arguments.get_one::<PathBuf>("directory").map_or_else(|| Path::new("."), PathBuf::as_path);
    let written = std::fs::create_dir_all(directory).and_then(|()| pages(directory));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}: {error}", directory.display());
            ExitCode::FAILURE
        }
    }
}

/// Every page: its file name and its text.
fn pages(command_line: Command) -> Vec<(&'static str, String)> {
    vec![
        ("tools.md", tools()),
        ("cli.md", cli(command_line)),
        ("errors.md", errors()),
        ("environment.md", environment()),
        ("client-profiles.md", format!("{GENERATED}\n{}", handeye_mcp::profile::page())),
    ]
}

fn tools() -> String {
    let mut lines = vec![
        GENERATED.to_owned(),
        "# Tools\n".to_owned(),
        "What an MCP client sees. Every tool is also a command; a failing call answers with `isError: true` and \
         `{\"error\": {code, message, found, next}}`, see [errors](errors.md).\n"
            .to_owned(),
    ];
    lines.extend(registry::all().iter().map(|operation| tool(operation.as_ref())));
    lines.join("\n")
}

fn tool(operation: &dyn AnyOperation) -> String {
    let meta = operation.meta();
    let traits: Vec<&str> = [
        (meta.read_only, "read-only"),
        (meta.destructive, "destructive"),
        (meta.idempotent, "idempotent"),
        (meta.open_world, "open world"),
    ]
    .into_iter()
    .filter_map(|(holds, name)| holds.then_some(name))
    .collect();
    format!(
        "## `{}`\n\n{}. {}\n\nCommand: `handeye {}`. Deadline: {} s. {}\n\n### Parameters\n\n{}\n### Answer\n\n{}",
        meta.tool,
        meta.title,
        meta.description,
        meta.command,
        meta.deadline.as_secs_f64(),
        capitalised(&traits.join(", ")),
        properties(&operation.input_schema()),
        properties(&operation.output_schema()),
    )
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
}

/// The properties of an object schema as a table.
fn properties(schema: &Value) -> String {
    if schema.get("properties").and_then(Value::as_object).is_none_or(serde_json::Map::is_empty) {
        return "None.\n".to_owned();
    }
    let mut table = "| name | type | required | default | |\n| --- | --- | --- | --- | --- |\n".to_owned();
    add_rows(&mut table, "", schema, schema.get("$defs"));
    table
}

/// One row for each property, and for those of the objects inside of it: `windows[].bounds`.
fn add_rows(table: &mut String, prefix: &str, schema: &Value, definitions: Option<&Value>) {
    let named = |name: &str| schema.get(name).and_then(Value::as_array).into_iter().flatten();
    let required: Vec<&str> = named("required").filter_map(Value::as_str).collect();
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let mark = if required.contains(&name.as_str()) { "yes" } else { "" };
        let default = property.get("default").map_or_else(String::new, |value| format!("`{value}`"));
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let path = format!("{prefix}{name}");
        let row =
            format!("| `{path}` | {} | {mark} | {default} | {} |\n", kind(property), one_line(description));
        table.push_str(&row);
        let is_array = property.get("items").is_some();
        let inner = definition(property.get("items").unwrap_or(property), definitions);
        // Deeper ones are those of elements again.
        if prefix.matches('.').count() < 2 {
            add_rows(table, &format!("{path}{}.", if is_array { "[]" } else { "" }), inner, definitions);
        }
    }
}

/// What a schema refers to, or itself.
fn definition<'a>(schema: &'a Value, definitions: Option<&'a Value>) -> &'a Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    name.and_then(|name| definitions?.get(name)).unwrap_or(schema)
}

/// What a value may be, in a few words.
fn kind(property: &Value) -> String {
    if let Some(options) = property.get("enum").and_then(Value::as_array) {
        return options
            .iter()
            .map(|option| format!("`{}`", option.as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
            .join(" \\| ");
    }
    match property.get("type") {
        Some(Value::String(name)) if name == "array" => {
            format!("array of {}", property.get("items").map_or_else(|| "anything".into(), kind))
        }
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" \\| "),
        _ => "anything".to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn cli(mut command_line: Command) -> String {
    command_line = command_line.term_width(100);
    command_line.build();
    let mut text = format!("{GENERATED}\n# Command line\n\n```text\n{}\n```\n", command_line.render_help());
    for command in command_line.get_subcommands_mut() {
        text.push_str(&command_page(command, "handeye"));
    }
    text.push_str("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n");
    text.extend(EXIT_CODES.iter().map(|(code, meaning)| format!("| {code} | {meaning} |\n")));
    text.push_str(
        "\n## Exit codes of `image`, `list` and `analyze`\n\nThey end with the exit code of the error code that clients of \
         Peekaboo know; `--json-output` prints it as `error.code`, in every command.\n\n| `error.code` | exit code |\n| --- | --- |\n",
    );
    text.extend(PEEKABOO_EXIT_CODES.iter().map(|(name, exit)| format!("| `{name}` | {exit} |\n")));
    text
}

fn command_page(command: &mut Command, parent: &str) -> String {
    // `handeye help COMMAND` prints the same.
    if command.is_hide_set() || command.get_name() == "help" {
        return String::new();
    }
    let name = format!("{parent} {}", command.get_name());
    let mut text = format!("\n## `{name}`\n\n```text\n{}\n```\n", command.render_long_help());
    for inner in command.get_subcommands_mut() {
        text.push_str(&command_page(inner, &name));
    }
    text
}

fn errors() -> String {
    let rows = ErrorCode::ALL.iter().map(|code| {
        let known_as =
            |dialect: Dialect| dialect.code(*code).map_or_else(String::new, |name| format!("`{name}`"));
        format!(
            "| `{code}` | {} | {} | {} | {} |\n",
            code.exit_code(),
            known_as(Dialect::Peekaboo),
            known_as(Dialect::ScreenshotMac),
            code.meaning()
        )
    });
    format!(
        "{GENERATED}\n# Errors\n\n`image`, `list` and `analyze` return the code of Peekaboo in `_meta.backend_error_code`, \
         `--json-output` in `error.code`; `screenshot_app_window` begins its message with the code of mcp-screenshot-mac.\n\n\
         | code | exit code | of Peekaboo | of mcp-screenshot-mac | meaning |\n| --- | --- | --- | --- | --- |\n{}",
        rows.collect::<String>()
    )
}

fn environment() -> String {
    let rows = settings::abouts().map(|setting| {
        let names =
            |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let flag = setting.flag.map_or_else(String::new, |flag| format!("`--{flag}`"));
        format!(
            "| `{}` | {} | {flag} | {} | {} | {} |\n",
            setting.variable,
            names(setting.aliases),
            setting.key.map_or_else(String::new, |key| format!("`{key}`")),
            setting.default,
            one_line(setting.help)
        )
    });
    format!(
        "{GENERATED}\n# Environment and configuration file\n\nA flag wins over its variable, a variable over its older names, those over the \
         [configuration file](../how-to/configure.md). A key of that file stands with its table: `server.read_only` is `read_only` in \
         `[server]`.\n\n| variable | older names | flag | key | default | |\n| --- | --- | --- | --- | --- | --- |\n{}",
        rows.collect::<String>()
    )
}

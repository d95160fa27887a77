//! A workflow as a script for a POSIX shell: one command for each step.

use super::{comment, unfit, variables};
use crate::spelling::{is_same, operation};
use clap::{Arg, ArgAction, Command};
use handeye_core::{Error, Result};
use handeye_flow::definition::{Awaited, Condition};
use handeye_flow::template::{Piece, Source, parse, sources};
use handeye_flow::{Flow, OnFail, Step};
use serde_json::Value;

/// What the script begins with.
const HEAD: &str = r#"set -eu
HANDEYE=${HANDEYE:-handeye}

# Repeats a command until it succeeds: at most $1 times, $2 seconds apart.
again() {
    times=$1 pause=$2
    shift 2
    until "$@"; do
        times=$((times - 1))
        [ "$times" -gt 0 ] || return 1
        sleep "$pause"
    done
}
# Whether an application $1 has a window with $2 in its title.
has_window() {
    "$HANDEYE" windows --app="$1" --format json | grep -qiF -- "$2"
}
# Whether an application $1 has no element $2.
has_none() {
    ! "$HANDEYE" find --app="$1" --format quiet -- "$2" >/dev/null 2>&1
}
# Whether an application $1 has an element $2.
has_one() {
    "$HANDEYE" find --app="$1" --format quiet -- "$2" >/dev/null 2>&1
}
"#;
/// What to use where a shell cannot do what a step does.
const ELSE: &str = "Use --language python, or `handeye run`.";

/// The script.
pub(super) fn script(flow: &Flow, name: &str) -> Result<String> {
    let mut text = format!("#!/bin/sh\n# {}, written by handeye codegen.\n{HEAD}", comment(name));
    for variable in variables(flow)? {
        let shell = shell_name(&variable);
        match flow.variables.get(&variable) {
            Some(value) => text.push_str(&format!("{shell}=${{{shell}-{}}}\n", default(&word(value)))),
            None => text.push_str(&format!(": \"${{{shell}:?has to be set}}\"\n")),
        }
    }
    for (index, step) in flow.steps.iter().enumerate() {
        text.push_str(&format!("\n# {}: {}\n", index + 1, comment(&step.tool)));
        let line = line(index, step)?;
        let times = step.retry + 1;
        let line = if times > 1 { format!("again {times} 0.3 {line}") } else { line };
        match step.on_fail {
            OnFail::Skip => {
                text.push_str(&format!("{line} || echo 'step {} failed; going on' >&2\n", index + 1));
            }
            OnFail::Abort | OnFail::Rollback => text.push_str(&format!("{line}\n")),
        }
        if step.wait_after_ms > 0 {
            text.push_str(&format!("sleep {}\n", f64::from(step.wait_after_ms) / 1000.0));
        }
        if let Some(condition) = &step.wait_until {
            text.push_str(&waiting(index, step, condition)?);
        }
    }
    Ok(text)
}

/// The command of a step.
fn line(index: usize, step: &Step) -> Result<String> {
    let operation =
        operation(&step.tool).ok_or_else(|| unfit(index, step, "has a tool that does not exist", ELSE))?;
    let command = operation.command();
    let mut words = vec!["\"$HANDEYE\"".to_owned(), command.get_name().to_owned()];
    let mut positional = Vec::new();
    for (name, value) in &step.args {
        // A shell would not quote it as a query does.
        let is_query = operation.meta().elements.contains(&name.as_str());
        if is_query && !sources(value).is_ok_and(|sources| sources.is_empty()) {
            return Err(unfit(index, step, "has a variable in its query", ELSE));
        }
        let argument = argument(&command, name)
            .ok_or_else(|| unfit(index, step, "has a parameter that its command has not", ELSE))?;
        match (argument.get_long(), value) {
            (_, Value::Null | Value::Bool(false)) => {}
            (Some(long), Value::Bool(true)) if matches!(argument.get_action(), ArgAction::SetTrue) => {
                words.push(format!("--{long}"));
            }
            (Some(long), value) => words.push(format!("--{long}={}", spliced(index, step, &word(value))?)),
            (None, value) => {
                positional.push((place(&command, argument), spliced(index, step, &word(value))?));
            }
        }
    }
    if !positional.is_empty() {
        positional.sort();
        words.push("--".to_owned());
        words.extend(positional.into_iter().map(|(_, value)| value));
    }
    Ok(words.join(" "))
}

fn argument<'c>(command: &'c Command, parameter: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|argument| is_same(argument.get_id().as_str(), parameter))
}

fn place(command: &Command, argument: &Arg) -> usize {
    command.get_positionals().position(|own| own.get_id() == argument.get_id()).unwrap_or(usize::MAX)
}

/// A value as one word, before it is quoted.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(word).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// A text as one word of a shell, with variables in the place of placeholders.
fn spliced(index: usize, step: &Step, text: &str) -> Result<String> {
    let mut quoted = String::new();
    for piece in parse(text).map_err(|why| Error::invalid_parameter("steps", why))? {
        match piece {
            Piece::Literal(text) => quoted.push_str(&literal(&text)),
            Piece::Placeholder(Source::Variable(name)) => {
                quoted.push_str(&format!("\"${{{}}}\"", shell_name(&name)));
            }
            Piece::Placeholder(Source::Step { .. }) => {
                return Err(unfit(index, step, "takes a value from an earlier step", ELSE));
            }
        }
    }
    Ok(if quoted.is_empty() { "''".to_owned() } else { quoted })
}

/// A text that a shell takes as it is.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text as the default in `${NAME-…}`.
fn default(text: &str) -> String {
    literal(text)
}

/// The variable of a shell for one of a workflow.
fn shell_name(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    format!("VAR_{}", letters.collect::<String>())
}

/// The lines that wait for the condition of a step.
fn waiting(index: usize, step: &Step, condition: &Condition) -> Result<String> {
    let app = condition.app.as_deref().or_else(|| step.args.get("app").and_then(Value::as_str));
    let app = spliced(index, step, app.unwrap_or("frontmost"))?;
    let times = condition.timeout_ms.div_ceil(250).max(1);
    let line = match condition.awaited() {
        Some(Awaited::Window(title)) => format!("has_window {app} {}", spliced(index, step, title)?),
        Some(Awaited::Exists(query)) => format!("has_one {app} {}", spliced(index, step, query)?),
        Some(Awaited::Gone(query)) => format!("has_none {app} {}", spliced(index, step, query)?),
        Some(Awaited::Idle | Awaited::Enabled(_) | Awaited::Value(..)) | None => {
            return Err(unfit(index, step, "waits for something that no command waits for", ELSE));
        }
    };
    Ok(format!("again {times} 0.25 {line}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_flow::file;

    fn written(text: &str) -> Result<String> {
        script(&file::parse(text).expect("a workflow"), "test")
    }

    /// The words that a shell makes of a line, by a shell.
    fn words(line: &str) -> Vec<String> {
        let script = format!("HANDEYE=handeye; VAR_WHO='a \"b\" $c'; printf '%s\\0' {line}");
        let run = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
        assert!(run.status.success(), "{line}");
        let text = String::from_utf8(run.stdout).expect("text");
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    #[test]
    fn a_shell_reads_what_the_workflow_says() {
        let step = serde_json::json!({"tool": "ax_set_value", "args": {
            "app": "it's $HOME", "query": "textbox \"A `b` \\\\ c\"", "value": "-x\n{{var.who}}; rm {{{{x}}"}});
        let step: Step = serde_json::from_value(step).expect("a step");
        let line = line(0, &step).expect("a line");
        assert_eq!(
            words(&line),
            [
                "handeye",
                "set-value",
                "--app=it's $HOME",
                "--",
                "textbox \"A `b` \\\\ c\"",
                "-x\na \"b\" $c; rm {{x}}",
            ]
        );
    }

    #[test]
    fn what_a_shell_cannot_do_is_refused() {
        for text in [
            "- {tool: ax_get_value, args: {app: a, query: q}}\n- {tool: ax_set_value, args: {app: a, query: q, value: '{{step_1.value}}'}}",
            "- {tool: ax_click, args: {app: a, query: q}, wait_until: {idle: true}}",
        ] {
            assert_eq!(written(text).expect_err(text).code, handeye_core::ErrorCode::NotSupported);
        }
    }

    #[test]
    fn a_script_is_one_for_a_shell() {
        let text = "variables: {name: \"it's\"}\nsteps:\n- {tool: ax_click, args: {app: a, query: q}, retry: 2, \
                    on_fail: skip, wait_until: {window: Open}}\n- {tool: ax_set_value, args: {app: a, query: q, value: '{{var.password_1}}{{var.name}}'}}";
        let script = written(text).expect("a script");
        let mut checked = std::process::Command::new("sh");
        let checked = checked.args(["-n", "-c", &script]).status().expect("a shell");
        assert!(checked.success(), "{script}");
        assert!(script.contains("VAR_PASSWORD_1:?") && script.contains("has_window 'a' 'Open'"), "{script}");
    }
}

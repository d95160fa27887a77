//! Advice for a shell: the engine names tools and their parameters, a person types commands.

use crate::names::Names;
use crate::outline::{quoted_length, without_references};
use clap::{Arg, ArgAction, Command};
use handeye_core::Error;
use handeye_service::registry;
use serde_json::Value;

/// Writes the calls that a text speaks of (`ax_click with query: "Save", mode: "focus"`) as commands
/// (`handeye click Save --mode focus`).
pub(crate) struct Speller<'a> {
    /// Each tool with its subcommand.
    commands: Vec<(&'static str, Command)>,
    /// The application that the user named; the commands name it too.
    application: Option<&'a str>,
    /// Whether references can be used by the next command.
    names: Names,
}

/// One parameter of a call: its name and its value.
type Parameter<'t> = (&'t str, String);

impl<'a> Speller<'a> {
    /// A speller for advice about `application`.
    pub(crate) fn new(application: Option<&'a str>, names: Names) -> Self {
        let commands =
            registry::all().iter().map(|operation| (operation.meta().tool, operation.command())).collect();
        Self { commands, application, names }
    }

    /// The error as a shell shows it. References are left out where they end with the process.
    pub(crate) fn error(&self, mut error: Error) -> Error {
        let shown = |text: &str| match self.names {
            Names::Kept => text.to_owned(),
            Names::Lost => without_references(text),
        };
        error.message = self.text(&shown(&error.message));
        error.next = error.next.map(|next| self.text(&shown(&next)));
        error.found = error.found.iter().map(|line| shown(line)).collect();
        error
    }

    /// Whether a command may name `value`: not a reference that ends with the process that gave it.
    fn can_be_named(&self, value: &str) -> bool {
        self.names == Names::Kept || !is_reference(value)
    }

    /// The text with its calls as commands. What stands in quotes is left alone: an application shows it.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' => quoted_length(rest).max(1),
                _ if is_word(first) => {
                    let (word, after) = split_word(rest);
                    if let Some((spelled, left)) = self.call(word, after).or_else(|| self.lone(word, after)) {
                        out.push_str(&spelled);
                        rest = left;
                        continue;
                    }
                    word.len()
                }
                other => other.len_utf8(),
            };
            let (taken, after) = rest.split_at(length);
            out.push_str(taken);
            rest = after;
        }
        out
    }

    /// A tool and the parameters after it.
    fn call<'t>(&self, word: &str, after: &'t str) -> Option<(String, &'t str)> {
        let (tool, command) = self.commands.iter().find(|(tool, _)| *tool == word)?;
        // `image`, `list` and `analyze` are words of any sentence too.
        if !tool.contains('_') && !after.starts_with(" with ") {
            return None;
        }
        let (parameters, left) = parameters(after);
        if parameters.is_empty() {
            return Some((format!("handeye {}", command.get_name()), after));
        }
        Some((format!("`{}`", self.line(command, &parameters)), left))
    }

    /// A parameter that stands by itself: `mode: "focus"`.
    fn lone<'t>(&self, word: &str, after: &'t str) -> Option<(String, &'t str)> {
        let argument = self
            .commands
            .iter()
            .find_map(|(_, command)| command.get_arguments().find(|argument| argument.get_id() == word))?;
        let (value, left) = value_after(after, ": ").filter(|_| after.starts_with(": \""))?;
        Some((spelled(argument, &value), left))
    }

    fn line(&self, command: &Command, parameters: &[Parameter<'_>]) -> String {
        let mut words = vec!["handeye".to_owned(), command.get_name().to_owned()];
        let value_of =
            |id: &str| parameters.iter().find(|(name, _)| *name == id).map(|(_, value)| value.as_str());
        for argument in command.get_positionals() {
            let value = value_of(argument.get_id().as_str());
            if value.is_some() || argument.is_required_set() {
                let value = value.filter(|value| self.can_be_named(value));
                words.push(value.map_or_else(|| argument.get_id().as_str().to_uppercase(), quoted));
            }
        }
        for argument in command.get_opts() {
            let id = argument.get_id().as_str();
            let value = value_of(id).or_else(|| self.application.filter(|_| id == "app"));
            if let Some(value) = value.filter(|value| self.can_be_named(value)) {
                words.push(spelled(argument, value));
            }
        }
        words.join(" ")
    }
}

/// The parameters at the start of `text` (` with a: 1, b: "x"`, ` a=1 b=x`) and what is left.
fn parameters(text: &str) -> (Vec<Parameter<'_>>, &str) {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let leads: &[&str] = if found.is_empty() { &[" with ", ", ", " "] } else { &[", ", " "] };
        let next = leads.iter().find_map(|lead| {
            let (name, after) = split_word(rest.strip_prefix(lead)?);
            let (value, left) = value_after(after, ": ").or_else(|| value_after(after, "="))?;
            (!name.is_empty()).then_some((name, value, left))
        });
        let Some((name, value, left)) = next else { return (found, rest) };
        found.push((name, value));
        rest = left;
    }
}

/// The value after `separator` and what is left: a JSON string, a text in single quotes, or a bare word.
fn value_after<'t>(text: &'t str, separator: &str) -> Option<(String, &'t str)> {
    let text = text.strip_prefix(separator)?;
    if text.starts_with('"') {
        let (literal, left) = text.split_at(quoted_length(text));
        return match serde_json::from_str(literal) {
            Ok(Value::String(value)) => Some((value, left)),
            _ => None,
        };
    }
    if let Some(value) = text.strip_prefix('\'') {
        let (value, left) = value.split_once('\'')?;
        return Some((value.to_owned(), left));
    }
    let end = text.find(|c: char| !is_word(c) && c != '-').unwrap_or(text.len());
    let (value, left) = text.split_at(end);
    (!value.is_empty()).then(|| (value.to_owned(), left))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !is_word(c)).unwrap_or(text.len()))
}

pub(crate) fn is_reference(value: &str) -> bool {
    value
        .strip_prefix('e')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

fn is_flag(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::SetTrue)
}

/// An argument of a command line with its value.
fn spelled(argument: &Arg, value: &str) -> String {
    match argument.get_long() {
        Some(long) if is_flag(argument) => format!("--{long}"),
        Some(long) => format!("--{long} {}", quoted(value)),
        None => quoted(value),
    }
}

/// The value as a shell takes it for one word.
fn quoted(value: &str) -> String {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | '%' | '+' | ',');
    let is_option = value.starts_with('-') && value.parse::<f64>().is_err();
    if !value.is_empty() && !is_option && value.chars().all(plain) {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_becomes_a_command_that_can_be_pasted() {
        let spell = |text: &str| Speller::new(Some("mousepad"), Names::Lost).text(text);
        for (tool, shell) in [
            (
                r#"ax_click with query: "Save", mode: "focus" uses the real pointer."#,
                "`handeye click Save --app mousepad --mode focus` uses the real pointer.",
            ),
            (
                r#"If it should have: ax_click with query: "button \"It's\"", mode: "focus"."#,
                r#"If it should have: `handeye click 'button "It'\''s"' --app mousepad --mode focus`."#,
            ),
            (
                r#"ax_type with query: "Name", clear_first: true, mode: "focus" types."#,
                "`handeye type TEXT --app mousepad --element Name --clear-first --mode focus` types.",
            ),
            (r#"ax_click_at with x: -5, y: 7, mode: "focus"."#, "`handeye click-at -5 7 --mode focus`."),
            (
                r#"ax_key_press with app: "7", key: "ctrl+s", mode: "focus" does."#,
                "`handeye key ctrl+s --app 7 --mode focus` does.",
            ),
            ("- … 9 more rows: ax_get_tree root_query=e4", "- … 9 more rows: `handeye tree --app mousepad`"),
            (
                r#"The same call with mode: "focus" works; ax_screenshot shows it."#,
                "The same call with --mode focus works; handeye screenshot shows it.",
            ),
            (r#"- button "ax_click with x: 1" [disabled]"#, r#"- button "ax_click with x: 1" [disabled]"#),
        ] {
            assert_eq!(spell(tool), shell);
        }
    }

    #[test]
    fn an_error_shows_references_that_can_be_used() {
        let error = Error::new(handeye_core::ErrorCode::Refused, "button \"A\" [ref=e3] is disabled")
            .with_found(["button \"B\" [ref=e4]"]);
        let kept = Speller::new(None, Names::Kept).error(error.clone());
        assert_eq!(kept, error, "the next command can use them");
        let error = Speller::new(None, Names::Lost).error(error);
        assert_eq!(error.message, "button \"A\" is disabled");
        assert_eq!(error.found, ["button \"B\""]);
    }
}

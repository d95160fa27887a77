//! Calls as a person at a shell makes them: the engine names operations and their arguments, a person types commands.

use crate::output::harmless;
use anstyle::Style;
use clap::{Arg, ArgAction, Command};
use handeye_core::{Advice, Argument, Error, Invocation, Parameter, Part, Text};
use handeye_engine::AnyOperation;
use handeye_service::registry;
use serde_json::{Map, Value, json};

const ROLE: Style = Style::new().bold();
const MARKS: Style = Style::new().dimmed();

/// Spells the calls in texts (`ax_click with query: "Save", mode: "focus"`) as commands (`handeye click Save --mode focus`).
pub(crate) struct Speller<'a> {
    /// The command that is answered: an argument that stands by itself is one of it.
    command: Command,
    /// The tool's parameter that names the application.
    application_parameter: &'static str,
    /// The application that the user named; the commands name it too.
    application: Option<&'a str>,
}

impl<'a> Speller<'a> {
    /// A speller for the answer of `operation`, about `application`.
    pub(crate) fn new(operation: &dyn AnyOperation, application: Option<&'a str>) -> Self {
        Self {
            command: operation.command(),
            application_parameter: operation.meta().application,
            application,
        }
    }

    /// The error as a shell shows it.
    pub(crate) fn error(&self, mut error: Error) -> Error {
        error.next = error.next.map(|next| Advice::from(self.text(next.text())));
        error
    }

    /// The words of a text.
    pub(crate) fn text(&self, text: &Text) -> String {
        self.rendered(text, |shown, _| shown.to_owned())
    }

    /// The words of a text for a terminal, where nothing in it steers that; the lines of outlines are in colours.
    pub(crate) fn painted(&self, text: &Text, coloured: bool) -> String {
        self.rendered(text, |shown, part| {
            let shown = harmless(shown);
            match part {
                Some(Part::Role) if coloured => format!("{ROLE}{shown}{ROLE:#}"),
                Some(Part::Marks) if coloured => format!("{MARKS}{shown}{MARKS:#}"),
                _ => shown,
            }
        })
    }

    fn rendered(&self, text: &Text, words: impl Fn(&str, Option<&Part>) -> String) -> String {
        let run = |(shown, part): (&str, Option<&Part>)| match part {
            Some(Part::Calls(calls)) => {
                let spelled: Vec<String> = calls.iter().map(|call| self.call(call)).collect();
                words(&spelled.join(" or "), part)
            }
            Some(Part::Argument(argument)) => words(&self.argument(argument), part),
            Some(Part::Parameter(parameter)) => words(&self.parameter(parameter), part),
            // A setting reads as the flag that it is.
            Some(Part::Setting(_) | Part::Role | Part::Marks) | None => words(shown, part),
        };
        text.runs().map(run).collect()
    }

    fn call(&self, call: &Invocation) -> String {
        // A test sees to it that there is such an operation.
        let Some(operation) = registry::by_tool(call.operation()) else { return call.to_string() };
        let command = operation.command();
        if call.arguments().is_empty() {
            return self::command(call);
        }
        format!("`{}`", self.line(&command, call.arguments()))
    }

    /// A call as a program reads it: the tool, its command and the arguments, by the names of the tool's parameters. The application is
    /// among them where the user named one.
    pub(crate) fn fields(&self, call: &Invocation) -> Value {
        let given = call.arguments().iter();
        let mut arguments: Map<String, Value> =
            given.map(|argument| (argument.name().to_owned(), argument.value().clone())).collect();
        let command = registry::by_tool(call.operation()).map(AnyOperation::command);
        let takes_one = command
            .as_ref()
            .is_some_and(|command| command.get_arguments().any(|argument| argument.get_id() == "app"));
        if let Some(application) = self.application.filter(|_| takes_one) {
            arguments.entry("app").or_insert_with(|| application.into());
        }
        json!({
            "operation": call.operation(),
            "command": command.as_ref().map(Command::get_name),
            "arguments": arguments,
        })
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        let long = self.own(parameter.name()).and_then(Arg::get_long);
        long.map_or_else(|| parameter.to_string(), |long| format!("--{long}"))
    }

    fn argument(&self, argument: &Argument) -> String {
        let own = self.own(argument.name());
        own.map_or_else(|| argument.to_string(), |own| spelled(own, &argument.word()))
    }

    /// The argument of the command that is answered for a parameter of its tool.
    fn own(&self, parameter: &str) -> Option<&Arg> {
        let named =
            |name: &str| self.command.get_arguments().find(|own| is_same(own.get_id().as_str(), name));
        // A command may name the application in another way than the tool, which then has it in `--app`.
        named(parameter).or_else(|| named("app").filter(|_| parameter == self.application_parameter))
    }

    fn line(&self, command: &Command, given: &[Argument]) -> String {
        let mut words = vec!["handeye".to_owned(), command.get_name().to_owned()];
        let value_of = |id: &str| given.iter().find(|argument| argument.name() == id).map(Argument::word);
        for argument in command.get_positionals() {
            let id = argument.get_id().as_str();
            let value = value_of(id);
            if value.is_some() || argument.is_required_set() {
                words.push(value.map_or_else(|| id.to_uppercase(), |value| quoted(&value)));
            }
        }
        for argument in command.get_opts() {
            let id = argument.get_id().as_str();
            let value = value_of(id).or_else(|| self.application.filter(|_| id == "app").map(Into::into));
            if let Some(value) = value {
                words.push(spelled(argument, &value));
            }
        }
        words.join(" ")
    }
}

/// The command of a call, without its arguments.
pub(crate) fn command(call: &Invocation) -> String {
    // A test sees to it that there is such an operation.
    registry::by_tool(call.operation())
        .map_or_else(|| call.to_string(), |operation| format!("handeye {}", operation.meta().command))
}

/// The operation of a tool.
pub(crate) fn operation(tool: &str) -> Option<&'static dyn AnyOperation> {
    registry::by_tool(tool)
}

/// Whether an argument of a command is the tool's parameter of this name: `app_name` is `appName`.
pub(crate) fn is_same(id: &str, parameter: &str) -> bool {
    let letters = |name: &str| name.replace('_', "").to_lowercase();
    letters(id) == letters(parameter)
}

/// An argument of a command line with its value.
fn spelled(argument: &Arg, value: &str) -> String {
    match argument.get_long() {
        Some(long) if matches!(argument.get_action(), ArgAction::SetTrue) => format!("--{long}"),
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
    use handeye_core::text;

    fn speller(application: Option<&str>) -> Speller<'_> {
        let click = registry::by_command("click").expect("a command");
        Speller::new(click, application)
    }

    #[test]
    fn a_call_becomes_a_command_that_can_be_pasted() {
        let call = Invocation::of;
        for (text, shell) in [
            (
                text![
                    call("ax_click").with("query", "Save").with("mode", "focus"),
                    " uses the real pointer."
                ],
                "`handeye click Save --app mousepad --mode focus` uses the real pointer.",
            ),
            (
                text![
                    "If it should have: ",
                    call("ax_click").with("query", r#"button "It's""#).with("mode", "focus"),
                    "."
                ],
                r#"If it should have: `handeye click 'button "It'\''s"' --app mousepad --mode focus`."#,
            ),
            (
                text![
                    call("ax_type").with("query", "Name").with("clear_first", true).with("mode", "focus"),
                    " types."
                ],
                "`handeye type TEXT --app mousepad --element Name --clear-first --mode focus` types.",
            ),
            (
                text![call("ax_click_at").with("x", -5).with("y", 7).with("mode", "focus"), "."],
                "`handeye click-at -5 7 --mode focus`.",
            ),
            (
                text![
                    call("ax_key_press").with("app", "7").with("key", "ctrl+s").with("mode", "focus"),
                    " does."
                ],
                "`handeye key ctrl+s --app 7 --mode focus` does.",
            ),
            (
                text!["- … 9 more rows: ", call("ax_get_tree").with("root_query", "e4").compact()],
                "- … 9 more rows: `handeye tree --app mousepad --root e4`",
            ),
            (
                text![
                    "The same call with ",
                    Argument::new("mode", "focus"),
                    " works; ",
                    call("ax_screenshot"),
                    " shows it."
                ],
                "The same call with --mode focus works; handeye screenshot shows it.",
            ),
            (
                text!["Look with ", Text::either(vec![call("ax_find"), call("ax_get_tree")]), "."],
                "Look with handeye find or handeye tree.",
            ),
            (
                text![r#"- button "ax_click with x: 1" [disabled]"#],
                r#"- button "ax_click with x: 1" [disabled]"#,
            ),
        ] {
            assert_eq!(speller(Some("mousepad")).text(&text), shell);
        }
        let lone = text![Argument::new("query", "e5"), " and ", Argument::new("text", "x")];
        assert_eq!(speller(None).text(&lone), "e5 and text: \"x\"", "a click takes no text");
    }

    #[test]
    fn the_application_is_named_as_the_command_takes_it() {
        for operation in registry::all() {
            let argument = Argument::new(operation.meta().application, "7");
            let spelled = Speller::new(operation.as_ref(), None).text(&text![argument]);
            let command = operation.command();
            let takes_one = command.get_arguments().any(|own| own.get_id().as_str().starts_with("app"));
            let expected = match operation.meta().command {
                "connect" => "7",
                "app-window" => "--app-name 7",
                _ => "--app 7",
            };
            assert!(!takes_one || spelled == expected, "{}: {spelled}", command.get_name());
        }
    }

    #[test]
    fn an_error_has_its_advice_in_words() {
        let error = Error::new(handeye_core::ErrorCode::Refused, "button \"A\" [ref=e3] is disabled")
            .with_next(text!["Look: ", Invocation::of("ax_find"), "."]);
        let spelled = speller(None).error(error);
        assert_eq!(serde_json::to_value(&spelled).expect("JSON")["next"], "Look: handeye find.");
        assert_eq!(spelled.message, "button \"A\" [ref=e3] is disabled");
    }

    #[test]
    fn the_parts_of_a_line_are_coloured_and_steer_no_terminal() {
        let mut line = text!["  - "];
        line.push_part("textbox", Part::Role);
        line.push_str(" \"a\u{1b}\"");
        line.push_part(" [ref=e3] [focused]", Part::Marks);
        line.push_str(": \"- x\"\n");
        assert_eq!(
            speller(None).painted(&line, true),
            format!("  - {ROLE}textbox{ROLE:#} \"a\u{fffd}\"{MARKS} [ref=e3] [focused]{MARKS:#}: \"- x\"\n")
        );
        assert_eq!(
            speller(None).painted(&line, false),
            "  - textbox \"a\u{fffd}\" [ref=e3] [focused]: \"- x\"\n"
        );
    }
}

//! What the search reports: where each value came from, or why there is no session to work on.

use handeye_core::{Error, ErrorCode};
use std::sync::OnceLock;

/// What this process did not find, if it searched and did not find.
static PROBLEM: OnceLock<Problem> = OnceLock::new();

/// Passes what was found to the program that is started again, with the process that found it: a child that inherits the variable ignores it.
pub(super) const FOUND_VARIABLE: &str = "HANDEYE_DISCOVERED";

/// A variable that was missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Where the value is from, for people: `process 812 (xfwm4)`.
    pub source: String,
}

/// The variables that are searched for.
const NAMES: [&str; 7] = [
    "DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "WAYLAND_DISPLAY",
    "QT_SCREEN_SCALE_FACTORS",
    "HANDEYE_DESKTOP",
];

/// The facts as the value of [`FOUND_VARIABLE`].
pub(super) fn encode(facts: &[Fact]) -> String {
    let line = |fact: &Fact| format!("\n{}\t{}", fact.name, fact.source.replace(['\n', '\t'], " "));
    std::iter::once(std::process::id().to_string()).chain(facts.iter().map(line)).collect()
}

/// The names and sources in the value of [`FOUND_VARIABLE`], if it was written by the process `own`.
fn decode(text: &str, own: u32) -> Option<Vec<(&'static str, &str)>> {
    let (process, lines) = text.split_once('\n').unwrap_or((text, ""));
    if process.parse() != Ok(own) {
        return None;
    }
    let known = |name: &str| NAMES.into_iter().find(|known| *known == name);
    let facts = lines.lines().filter_map(|line| line.split_once('\t'));
    Some(facts.filter_map(|(name, source)| Some((known(name)?, source))).collect())
}

/// Whether this process is one that was started again.
pub(super) fn is_completed() -> bool {
    std::env::var(FOUND_VARIABLE).is_ok_and(|text| decode(&text, std::process::id()).is_some())
}

/// What was not in the environment that this process was started with, and where it was found.
pub(crate) fn facts() -> Vec<Fact> {
    let Ok(text) = std::env::var(FOUND_VARIABLE) else { return Vec::new() };
    let found = decode(&text, std::process::id()).unwrap_or_default();
    let fact = |(name, source): (&'static str, &str)| {
        let value = std::env::var(name).ok()?;
        Some(Fact { name, value, source: source.to_owned() })
    };
    found.into_iter().filter_map(fact).collect()
}

/// Why there is no session to work on.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    message: String,
    found: Vec<String>,
    next: String,
}

impl Problem {
    /// There is none. `rejected` are those that cannot be used, each with the reason.
    pub(super) fn none(rejected: Vec<String>, why: &str) -> Self {
        Self {
            message: format!("no desktop session of this user was found: {why}"),
            found: rejected,
            next: format!(
                "Log in to a desktop, set DISPLAY, or give the server a desktop of its own, in the client's configuration: {}; \
                 in a shell: `handeye desktop run -- COMMAND`.",
                private_configuration()
            ),
        }
    }

    /// There are several. `sessions` are described so that people can distinguish them, `first` is the display of one.
    pub(super) fn several(sessions: Vec<String>, first: &str) -> Self {
        Self {
            message: format!(
                "this user has {} desktop sessions and DISPLAY does not say which one to use",
                sessions.len()
            ),
            found: sessions,
            next: format!(
                "Set DISPLAY to one of them; handeye finds the rest. In a client's configuration: \
                 \"env\": {{\"DISPLAY\": \"{first}\"}}; in a shell: `DISPLAY={first} handeye doctor`."
            ),
        }
    }

    /// The session that is named cannot be used.
    pub(super) fn unusable(rejected: Vec<String>) -> Self {
        Self {
            message: "the display that DISPLAY names cannot be used".to_owned(),
            ..Self::none(rejected, "")
        }
    }

    fn error(&self, code: ErrorCode) -> Error {
        Error::new(code, &self.message).with_found(self.found.iter().cloned()).with_next(&self.next)
    }
}

/// The entry that a client needs for a server with a private desktop, in the form that most clients read.
fn private_configuration() -> String {
    let program = std::env::current_exe().ok().and_then(|path| path.to_str().map(str::to_owned));
    let command = serde_json::Value::from(program.unwrap_or_else(|| "handeye".to_owned()));
    format!("{{\"command\": {command}, \"args\": [\"mcp\", \"serve\", \"--desktop\", \"private\"]}}")
}

/// Keeps what was not found, for the errors that follow from it. Nothing else sets it.
pub(super) fn keep(problem: Problem) {
    PROBLEM.get_or_init(|| problem);
}

/// Why there is no display, if this process has searched for one.
pub(crate) fn display_problem() -> Option<Error> {
    PROBLEM.get().map(|problem| problem.error(ErrorCode::DisplayUnavailable))
}

/// Why there is no session bus, if this process has searched for one.
pub(crate) fn bus_problem() -> Option<Error> {
    PROBLEM.get().map(|problem| problem.error(ErrorCode::AccessibilityUnavailable))
}

/// The displays that were found and cannot be used, each with the reason.
pub(crate) fn rejected() -> Vec<String> {
    PROBLEM.get().map(|problem| problem.found.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_reported_to_the_same_process_alone() {
        let fact = |name, source: &str| Fact { name, value: "value".into(), source: source.into() };
        let text = encode(&[fact("DISPLAY", "process 7 (a\tb\nc)"), fact("XAUTHORITY", "~/.Xauthority")]);
        let own = std::process::id();
        let decoded = decode(&text, own).expect("its own");
        assert_eq!(decoded, [("DISPLAY", "process 7 (a b c)"), ("XAUTHORITY", "~/.Xauthority")]);
        assert_eq!(decode(&text, own + 1), None);
        assert_eq!(decode("", own), None);
        assert_eq!(decode(&format!("{own}\nPATH\tx"), own), Some(Vec::new()), "only what is searched for");
    }

    #[test]
    fn an_error_contains_the_configuration_for_a_private_desktop() {
        let error = Problem::none(vec![], "nothing").error(ErrorCode::DisplayUnavailable);
        let next = error.next.expect("a next step");
        assert!(next.contains("\"args\": [\"mcp\", \"serve\", \"--desktop\", \"private\"]"), "{next}");
    }
}

//! Where answers go: standard output, in one of four formats, with colours on a terminal only.

use crate::debug_logs::DebugLogs;
use crate::envelope;
use crate::format::Format;
use crate::settings::NO_COLOR;
use anstyle::Style;
use handeye_core::screen_text::is_forging;
use serde::Serialize;
use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Standard output and standard error in the chosen format.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// The format.
    pub format: Format,
    /// What was logged, for [`Format::Envelope`].
    pub debug_logs: DebugLogs,
}

impl Output {
    /// Prints in `format`.
    pub fn new(format: Format) -> Self {
        Self { format, debug_logs: DebugLogs::default() }
    }

    /// Whether standard output shows colours.
    pub fn coloured(&self) -> bool {
        self.format == Format::Text && wants_colour(io::stdout().is_terminal())
    }

    /// Prints an answer: `fields` for programs, or else the text for people. `messages` are for both.
    pub fn answer(
        &self,
        fields: &impl Serialize,
        messages: &[String],
        text: impl FnOnce() -> String,
    ) -> io::Result<()> {
        match self.format {
            Format::Quiet => Ok(()),
            Format::Json => {
                for message in messages {
                    complain(&format!("{}\n", harmless(message)));
                }
                print_json(fields)
            }
            Format::Envelope => {
                print_json(&envelope::success(&serde_json::to_value(fields)?, messages, &self.debug_logs))
            }
            Format::Text => {
                let mut text = text();
                for message in messages {
                    text = format!("{}\n{}", text.trim_end(), harmless(message));
                }
                print_line(&text)
            }
        }
    }
}

/// Prints one JSON document.
pub(crate) fn print_json(value: &impl Serialize) -> io::Result<()> {
    let mut text = escaped(&serde_json::to_string_pretty(value)?);
    text.push('\n');
    write_all(text.as_bytes())
}

/// A JSON document whose strings hold nothing that forges or hides something: such characters have their escape sequences, so
/// that a program reads the same.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // JSON escapes those of ASCII itself, and lays itself out with some of them.
        if c < '\u{7f}' || !is_forging(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

/// Prints text for people, with a line end.
fn print_line(text: &str) -> io::Result<()> {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    write_all(format!("{text}{end}").as_bytes())
}

/// Writes bytes to standard output. A reader that has left (`handeye tree | head`) is not an error.
pub(crate) fn write_all(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes to standard error. There is nowhere left to report a failure to, so it is not reported.
pub(crate) fn complain(text: &str) {
    if io::stderr().lock().write_all(text.as_bytes()).is_err() {
        tracing::debug!("standard error is closed");
    }
}

/// Whether to colour a stream, by the conventions of `NO_COLOR` and `TERM=dumb`.
pub(crate) fn wants_colour(is_terminal: bool) -> bool {
    is_terminal && !no_colour() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether `NO_COLOR` is set, to anything; in the configuration file it is a switch.
fn no_colour() -> bool {
    matches!(NO_COLOR.configured(), Ok(Some(true)))
}

/// `text` in `style`, or plain.
pub(crate) fn paint(text: &str, style: Style, coloured: bool) -> String {
    if coloured { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// The text without what forges or hides something, but for ends of lines and tabs: what an application shows must not steer the
/// terminal.
pub fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| if is_forging(c) && c != '\n' && c != '\t' { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_the_same_to_a_program_and_hides_nothing() {
        let value = serde_json::json!({"a\u{202e}": ["\u{1b}\n\u{9b}", "\u{e0041}ü漢", 1]});
        let text = escaped(&serde_json::to_string_pretty(&value).expect("serialises"));
        assert!(!text.contains(|c: char| c != '\n' && is_forging(c)), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
    }

    #[test]
    fn escape_sequences_of_an_application_reach_no_terminal() {
        assert_eq!(harmless("a\u{1b}[31mb\r\u{9b}2J\n\tc"), "a\u{fffd}[31mb\u{fffd}\u{fffd}2J\n\tc");
    }
}

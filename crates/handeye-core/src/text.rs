//! Running text that holds data: calls, arguments, the parts of an outline's line.
//!
//! A [`Text`] reads as a model reads it, and says of each place in it what stands there, so that another reader (a person at a shell)
//! can be shown the same thing in another spelling. Nobody has to parse a sentence for that.

use crate::invocation::{Argument, Invocation, Parameter};
use crate::screen_text;
use crate::setting::SettingName;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Deref, Range};

/// What stands at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// One of these calls, the reader's choice: `ax_get_tree or ax_find`.
    Calls(Vec<Invocation>),
    /// An argument of the call that is answered: `mode: "focus"`.
    Argument(Argument),
    /// A parameter of that call: `max_depth`.
    Parameter(Parameter),
    /// A setting of handeye: `--confirm always`.
    Setting(SettingName),
    /// The role of an element, in a line of an outline.
    Role,
    /// The marks of an element, in a line of an outline: ` [ref=e12] [disabled]`.
    Marks,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Span {
    start: usize,
    end: usize,
    part: Part,
}

/// Text that knows which of its places are data. It is a `str` to read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub struct Text {
    shown: String,
    /// In order, none of them touching another.
    spans: Vec<Span>,
}

/// A text as it is serialised: a string where nothing but words is in it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Wire {
    Plain(String),
    Parts { text: String, parts: Vec<Span> },
}

impl From<Text> for Wire {
    fn from(text: Text) -> Self {
        if text.spans.is_empty() {
            Self::Plain(text.shown)
        } else {
            Self::Parts { text: text.shown, parts: text.spans }
        }
    }
}

impl From<Wire> for Text {
    fn from(wire: Wire) -> Self {
        match wire {
            Wire::Plain(shown) => Self { shown, spans: Vec::new() },
            Wire::Parts { text, parts } => {
                let mut spans = parts;
                let mut end = 0;
                // A place that is none would be sliced at.
                spans.retain(|span| {
                    let fits = span.start >= end && text.get(span.start..span.end).is_some();
                    end = if fits { span.end } else { end };
                    fits
                });
                Self { shown: text, spans }
            }
        }
    }
}

/// A [`Text`] of some parts: words, [`Invocation`]s, [`Argument`]s, [`Parameter`]s, [`SettingName`]s, other texts.
///
/// ```
/// # use handeye_core::{Invocation, text};
/// let text = text!["Call ", Invocation::of("ax_list_apps"), " to see what runs."];
/// assert_eq!(text, "Call ax_list_apps to see what runs.");
/// ```
#[macro_export]
macro_rules! text {
    ($($part:expr),* $(,)?) => {{
        let mut text = $crate::Text::default();
        $(text.push($part);)*
        text
    }};
}

impl Text {
    /// Appends a text.
    pub fn push(&mut self, text: impl Into<Self>) {
        self.append(text.into());
    }

    /// Appends words.
    pub fn push_str(&mut self, words: &str) {
        self.shown.push_str(words);
    }

    /// Appends words that are a part of an outline's line.
    pub fn push_part(&mut self, words: &str, part: Part) {
        let start = self.shown.len();
        self.shown.push_str(words);
        self.mark(start, part);
    }

    /// What was appended since the text had `start` bytes is this part.
    pub fn mark(&mut self, start: usize, part: Part) {
        if start < self.shown.len() {
            self.spans.push(Span { start, end: self.shown.len(), part });
        }
    }

    fn append(&mut self, other: Self) {
        let offset = self.shown.len();
        self.shown.push_str(&other.shown);
        let moved = |span: Span| Span { start: span.start + offset, end: span.end + offset, ..span };
        self.spans.extend(other.spans.into_iter().map(moved));
    }

    /// The text as a model reads it.
    pub fn as_str(&self) -> &str {
        &self.shown
    }

    /// The text between two places; what is cut in two is words.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let shown = self.shown[range.clone()].to_owned();
        let inside = self.spans.iter().filter(|span| span.start >= range.start && span.end <= range.end);
        let spans = inside.map(|span| Span {
            start: span.start - range.start,
            end: span.end - range.start,
            part: span.part.clone(),
        });
        Self { spans: spans.collect(), shown }
    }

    /// Its lines, without their ends.
    pub fn split_lines(&self) -> Vec<Self> {
        let mut start = 0;
        let lines = self.shown.split_inclusive('\n').map(|line| {
            let range = start..start + line.trim_end_matches('\n').len();
            start += line.len();
            self.slice(range)
        });
        lines.collect()
    }

    /// Keeps the first `bytes` of it.
    pub fn truncate(&mut self, bytes: usize) {
        self.shown.truncate(bytes);
        self.spans.retain(|span| span.end <= bytes);
    }

    /// Its places in order: words, and where they are data, what they are.
    pub fn runs(&self) -> impl Iterator<Item = (&str, Option<&Part>)> {
        let mut at = 0;
        let mut runs = Vec::with_capacity(self.spans.len() * 2 + 1);
        for span in &self.spans {
            runs.push((&self.shown[at..span.start], None));
            runs.push((&self.shown[span.start..span.end], Some(&span.part)));
            at = span.end;
        }
        runs.push((&self.shown[at..], None));
        runs.into_iter().filter(|(shown, _)| !shown.is_empty())
    }

    /// The calls in it, in their order; of some to choose from, each.
    pub fn calls(&self) -> impl Iterator<Item = &Invocation> {
        self.spans.iter().flat_map(|span| match &span.part {
            Part::Calls(calls) => calls.as_slice(),
            Part::Argument(_) | Part::Parameter(_) | Part::Setting(_) | Part::Role | Part::Marks => &[],
        })
    }

    /// The text on one line that hides nothing and has at most `longest` characters: the words, and the texts in calls.
    /// Cut is between its parts or in its words, see [`screen_text::line`].
    #[must_use]
    pub fn harmless_line(&self, longest: usize) -> Self {
        let mut out = Self::default();
        let mut left = longest;
        for (shown, part) in self.runs() {
            let line = |text: &str| screen_text::line(text, longest);
            let run = match part {
                None => Self::from(screen_text::line(shown, left)),
                Some(Part::Calls(calls)) => {
                    Self::either(calls.iter().map(|call| call.clone().map_texts(line)).collect())
                }
                Some(Part::Argument(argument)) => {
                    let mut argument = argument.clone();
                    argument.map_text(line);
                    argument.into()
                }
                Some(part @ (Part::Parameter(_) | Part::Setting(_) | Part::Role | Part::Marks)) => {
                    let mut run = Self::default();
                    run.push_part(&line(shown), part.clone());
                    run
                }
            };
            let length = run.chars().count();
            if length > left {
                // Words were cut to one more than fits, an ellipsis; a call that does not fit is not a call.
                out.push_str(if part.is_none() { &run.shown } else { "…" });
                return out;
            }
            left -= length;
            out.append(run);
        }
        out
    }

    /// The same text with other words: `change` gets each stretch of words, and the texts in calls and arguments.
    #[must_use]
    pub fn map_words(&self, change: impl Fn(&str) -> String) -> Self {
        let mut out = Self::default();
        for (shown, part) in self.runs() {
            match part {
                None => out.push_str(&change(shown)),
                Some(Part::Calls(calls)) => {
                    let changed = calls.iter().map(|call| call.clone().map_texts(&change)).collect();
                    out.append(Self::either(changed));
                }
                Some(Part::Argument(argument)) => {
                    let mut argument = argument.clone();
                    argument.map_text(&change);
                    out.push(argument);
                }
                Some(part @ (Part::Parameter(_) | Part::Setting(_) | Part::Role | Part::Marks)) => {
                    out.push_part(&change(shown), part.clone());
                }
            }
        }
        out
    }

    /// One of some calls; the first one where only that one can be made.
    pub fn either(calls: Vec<Invocation>) -> Self {
        let shown = calls.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
        let mut text = Self::default();
        text.push_part(&shown, Part::Calls(calls));
        text
    }

    /// The text without the calls that cannot be made; `None` if some place in it has no call left.
    #[must_use]
    pub fn possible(&self, is_possible: impl Fn(&str) -> bool) -> Option<Self> {
        let mut out = Self::default();
        for (shown, part) in self.runs() {
            match part {
                None => out.push_str(shown),
                Some(Part::Calls(calls)) => {
                    let left: Vec<Invocation> =
                        calls.iter().filter(|call| is_possible(call.operation())).cloned().collect();
                    if left.is_empty() {
                        return None;
                    }
                    out.append(Self::either(left));
                }
                Some(part) => out.push_part(shown, part.clone()),
            }
        }
        Some(out)
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.shown
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.shown)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.shown == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.shown == *other
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.shown
    }
}

impl From<String> for Text {
    fn from(shown: String) -> Self {
        Self { shown, spans: Vec::new() }
    }
}

impl From<&String> for Text {
    fn from(shown: &String) -> Self {
        shown.clone().into()
    }
}

impl From<&str> for Text {
    fn from(shown: &str) -> Self {
        shown.to_owned().into()
    }
}

impl From<&Self> for Text {
    fn from(text: &Self) -> Self {
        text.clone()
    }
}

impl From<Invocation> for Text {
    fn from(call: Invocation) -> Self {
        Self::either(vec![call])
    }
}

impl From<Argument> for Text {
    fn from(argument: Argument) -> Self {
        let mut text = Self::default();
        text.push_part(&argument.to_string(), Part::Argument(argument));
        text
    }
}

impl From<Parameter> for Text {
    fn from(parameter: Parameter) -> Self {
        let mut text = Self::default();
        text.push_part(&parameter.to_string(), Part::Parameter(parameter));
        text
    }
}

impl From<SettingName> for Text {
    fn from(setting: SettingName) -> Self {
        let mut text = Self::default();
        text.push_part(&setting.to_string(), Part::Setting(setting));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Text {
        text![
            "Look with ",
            Text::either(vec![Invocation::of("ax_get_tree"), Invocation::of("ax_find")]),
            ",\nor with ",
            Argument::new("mode", "focus"),
            "."
        ]
    }

    #[test]
    fn it_reads_as_one_text_and_knows_its_parts() {
        let text = sample();
        assert_eq!(text, "Look with ax_get_tree or ax_find,\nor with mode: \"focus\".");
        assert_eq!(text.runs().filter(|(_, part)| part.is_some()).count(), 2);
        assert_eq!(text.runs().map(|(shown, _)| shown).collect::<String>(), text.as_str());
        let lines = text.split_lines();
        assert_eq!(lines[1], "or with mode: \"focus\".");
        assert_eq!(lines[1].runs().filter(|(_, part)| part.is_some()).count(), 1);
        let mut cut = text.clone();
        cut.truncate(15);
        assert_eq!(cut, Text::from("Look with ax_ge"), "half a call is none");
    }

    #[test]
    fn it_is_the_same_on_the_other_side_of_a_wire() {
        for text in [sample(), "words".into(), Text::default()] {
            let json = serde_json::to_string(&text).expect("a text serialises");
            assert_eq!(serde_json::from_str::<Text>(&json).expect("a text"), text, "{json}");
        }
        assert_eq!(serde_json::to_value(Text::from("words")).expect("a string"), "words");
        let forged = r#"{"text": "ü", "parts": [{"start": 1, "end": 2, "part": "role"}]}"#;
        assert_eq!(serde_json::from_str::<Text>(forged).expect("a text"), Text::from("ü"));
    }

    #[test]
    fn what_cannot_be_called_is_not_in_it() {
        let without = |off: &[&str]| sample().possible(|name| !off.contains(&name));
        assert_eq!(without(&[]), Some(sample()));
        assert_eq!(
            without(&["ax_find"]).as_deref(),
            Some("Look with ax_get_tree,\nor with mode: \"focus\".")
        );
        assert_eq!(without(&["ax_find", "ax_get_tree"]), None);
    }

    #[test]
    fn words_are_changed_in_calls_too() {
        let text = text!["a token, ", Invocation::of("ax_find").with("query", "token"), " b"];
        let changed = text.map_words(|words| words.replace("token", "mark"));
        assert_eq!(changed, "a mark, ax_find with query: \"mark\" b");
        assert_eq!(changed.calls().count(), 1);
        assert_eq!(sample().map_words(str::to_owned), sample());
    }

    #[test]
    fn a_line_hides_nothing_and_is_short() {
        let call = Invocation::of("ax_find").with("query", "a\u{202e}\nb");
        let text = text!["x\u{1b}\ny ", call, " z"];
        let line = text.harmless_line(100);
        assert_eq!(line, "x\u{fffd} y ax_find with query: \"a\u{fffd} b\" z");
        assert_eq!(line.runs().count(), 3);
        assert_eq!(text.harmless_line(3), "x\u{fffd} …");
        assert_eq!(text.harmless_line(10), "x\u{fffd} y …");
    }
}

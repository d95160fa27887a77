//! What to do next: sentences, with the calls in them as data.

use crate::invocation::Invocation;
use crate::text::Text;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;

/// What to do next: one or more sentences that may hold calls. A sentence is followed or left out as a whole.
///
/// ```
/// # use handeye_core::{Advice, Invocation, text};
/// let list = text![Invocation::of("ax_list_windows"), " lists them; take one."];
/// let advice = Advice::from(list).and("Without app the whole screen is captured.");
/// let left = advice.possible(|operation| operation != "ax_list_windows");
/// assert_eq!(left.as_deref(), Some("Without app the whole screen is captured."));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub struct Advice(Box<Sentences>);

/// Behind a pointer, as every error has room for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Sentences {
    /// All sentences, with spaces between them.
    text: Text,
    /// Where each sentence but the last one ends.
    ends: Vec<usize>,
}

/// An advice as it is serialised: a string where nothing in it is a call, else the list of its sentences.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Wire {
    Plain(String),
    Sentences(Vec<Text>),
}

impl From<Advice> for Wire {
    fn from(advice: Advice) -> Self {
        if advice.0.text.runs().all(|(_, part)| part.is_none()) {
            Self::Plain(advice.0.text.into())
        } else {
            Self::Sentences(advice.sentences().collect())
        }
    }
}

impl From<Wire> for Advice {
    fn from(wire: Wire) -> Self {
        match wire {
            Wire::Plain(text) => text.into(),
            Wire::Sentences(sentences) => sentences.into_iter().collect(),
        }
    }
}

impl Advice {
    /// The same with another sentence behind it.
    #[must_use]
    pub fn and(mut self, sentence: impl Into<Text>) -> Self {
        self.add(sentence.into());
        self
    }

    fn add(&mut self, sentence: Text) {
        if !self.0.text.is_empty() {
            self.0.ends.push(self.0.text.len());
            self.0.text.push_str(" ");
        }
        self.0.text.push(sentence);
    }

    /// All of it as one text.
    pub fn text(&self) -> &Text {
        &self.0.text
    }

    /// As a model reads it.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Its sentences, each as it was added.
    pub fn sentences(&self) -> impl Iterator<Item = Text> {
        let starts = std::iter::once(0).chain(self.0.ends.iter().map(|end| end + 1));
        let ends = self.0.ends.iter().copied().chain([self.0.text.len()]);
        starts.zip(ends).map(|(start, end)| self.0.text.slice(start..end))
    }

    /// The calls in it, in their order; of some to choose from, each.
    pub fn calls(&self) -> impl Iterator<Item = &Invocation> {
        self.0.text.calls()
    }

    /// The sentences whose calls can be made, where `is_possible` says so of an operation; `None` if none is left.
    #[must_use]
    pub fn possible(&self, is_possible: impl Fn(&str) -> bool) -> Option<Self> {
        let left: Self = self.sentences().filter_map(|sentence| sentence.possible(&is_possible)).collect();
        (!left.0.text.is_empty()).then_some(left)
    }

    /// The same on one line that hides nothing, each sentence of at most `longest` characters.
    #[must_use]
    pub fn harmless_line(&self, longest: usize) -> Self {
        self.sentences().map(|sentence| sentence.harmless_line(longest)).collect()
    }

    /// The same with other words, see [`Text::map_words`].
    #[must_use]
    pub fn map_words(&self, change: impl Fn(&str) -> String) -> Self {
        self.sentences().map(|sentence| sentence.map_words(&change)).collect()
    }

    /// The words alone, as a model reads them: for who can make no use of calls.
    #[must_use]
    pub fn into_words(self) -> Self {
        Self::from(String::from(self.0.text))
    }
}

impl FromIterator<Text> for Advice {
    fn from_iter<I: IntoIterator<Item = Text>>(sentences: I) -> Self {
        let mut advice = Self::default();
        sentences.into_iter().for_each(|sentence| advice.add(sentence));
        advice
    }
}

impl Deref for Advice {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.text.fmt(f)
    }
}

impl PartialEq<str> for Advice {
    fn eq(&self, other: &str) -> bool {
        self.0.text == *other
    }
}

impl PartialEq<&str> for Advice {
    fn eq(&self, other: &&str) -> bool {
        self.0.text == **other
    }
}

impl From<Text> for Advice {
    fn from(text: Text) -> Self {
        Self(Box::new(Sentences { text, ends: Vec::new() }))
    }
}

impl From<&str> for Advice {
    fn from(words: &str) -> Self {
        Text::from(words).into()
    }
}

impl From<&String> for Advice {
    fn from(words: &String) -> Self {
        Text::from(words).into()
    }
}

impl From<Advice> for String {
    fn from(advice: Advice) -> Self {
        advice.0.text.into()
    }
}

impl From<String> for Advice {
    fn from(words: String) -> Self {
        Text::from(words).into()
    }
}

impl From<Invocation> for Advice {
    fn from(call: Invocation) -> Self {
        Text::from(call).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn without(advice: impl Into<Advice>, off: &[&str]) -> Option<String> {
        advice.into().possible(|name| !off.contains(&name)).map(|left| left.to_string())
    }

    #[test]
    fn a_sentence_goes_with_its_call() {
        let click = || Invocation::of("ax_click").with("query", "a. b").with("mode", "focus");
        let advice = || Advice::from("Wait.").and(text!["Call ", click(), "."]).and("Then look.");
        assert_eq!(
            advice(),
            r#"Wait. Call ax_click with query: "a. b", mode: "focus". Then look."#,
            "all of it is one text"
        );
        assert_eq!(without(advice(), &[]), Some(advice().to_string()));
        assert_eq!(without(advice(), &["ax_click"]).as_deref(), Some("Wait. Then look."));
        assert_eq!(without(text![click(), " clicks it."], &["ax_click"]), None);
        assert_eq!(without("A word: ax_click.", &["ax_click"]).as_deref(), Some("A word: ax_click."));
        assert_eq!(without("", &[]), None);
    }

    #[test]
    fn it_is_the_same_on_the_other_side_of_a_wire() {
        for advice in [
            Advice::from("Look."),
            Advice::from(text!["Call ", Invocation::of("ax_find"), "."]).and("Or not."),
        ] {
            let json = serde_json::to_string(&advice).expect("an advice serialises");
            assert_eq!(serde_json::from_str::<Advice>(&json).expect("an advice"), advice, "{json}");
        }
        let words = Advice::from(Invocation::of("ax_find")).and("Or not.").into_words();
        assert_eq!(serde_json::to_value(words).expect("a string"), "ax_find Or not.");
    }
}

//! The values of secrets that were typed: wherever one is shown afterwards, it is taken out, whatever it looks like.

use aho_corasick::{AhoCorasick, MatchKind};
use handeye_core::SecretText;
use std::ops::Range;
use std::sync::Arc;

/// Most values that are known at once; the oldest one is forgotten first.
const MOST: usize = 64;
/// Shortest value that is looked for, in bytes: what is shorter is a part of ordinary words and numbers.
pub(crate) const SHORTEST: usize = 4;
/// Shortest beginning of a value that counts where the text was cut after it, in bytes.
const SHORTEST_CUT: usize = 3;

/// The values of secrets, by name.
#[derive(Default, Clone)]
pub(crate) struct Typed {
    values: Vec<(Arc<str>, SecretText)>,
    /// Over the forms of all values.
    finder: Option<Arc<AhoCorasick>>,
    /// The value of each form.
    of_forms: Vec<usize>,
}

impl Typed {
    /// Remembers a value; whether it is a new one.
    pub(crate) fn remember(&mut self, name: &str, value: &SecretText) -> bool {
        if value.expose().len() < SHORTEST || self.values.iter().any(|(_, known)| known == value) {
            return false;
        }
        if self.values.len() >= MOST {
            self.values.remove(0);
        }
        self.values.push((name.into(), value.clone()));
        self.build();
        true
    }

    fn build(&mut self) {
        let mut forms = Vec::new();
        self.of_forms.clear();
        for (number, (_, value)) in self.values.iter().enumerate() {
            for form in forms_of(value.expose()) {
                forms.push(form);
                self.of_forms.push(number);
            }
        }
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms);
        // It fails for more patterns than there is room for in memory only; then the last one that could be built goes on.
        if let Ok(finder) = built {
            self.finder = Some(Arc::new(finder));
        }
    }

    /// Whether a mark may name a secret so.
    pub(crate) fn is_name(&self, name: &str) -> bool {
        self.values.iter().any(|(known, _)| **known == *name)
    }

    /// The places of the values in a text, each with the name of the secret.
    pub(crate) fn places(&self, text: &str, mut found: impl FnMut(Range<usize>, &Arc<str>)) {
        let Some(finder) = &self.finder else { return };
        for place in finder.find_iter(text) {
            let number = self.of_forms[place.pattern().as_usize()];
            found(place.range(), &self.values[number].0);
        }
        for (end, _) in text.match_indices('…') {
            for (name, value) in &self.values {
                if let Some(length) = longest_beginning(&text[..end], value.expose()) {
                    found(end - length..end, name);
                }
            }
        }
    }
}

/// A value as it is shown: as it is, and escaped as in JSON and in quotes of an outline.
fn forms_of(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    let escaped = serde_json::Value::from(value).to_string();
    let escaped = escaped.trim_matches('"').to_owned();
    if escaped != value && !escaped.is_empty() {
        forms.push(escaped);
    }
    let on_a_line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    if on_a_line != value && on_a_line.len() >= SHORTEST {
        forms.push(on_a_line);
    }
    forms
}

/// How many bytes the longest beginning of `value` has with which `text` ends.
fn longest_beginning(text: &str, value: &str) -> Option<usize> {
    let lengths = value.char_indices().map(|(at, _)| at).chain([value.len()]);
    lengths.rev().filter(|length| *length >= SHORTEST_CUT).find(|length| text.ends_with(&value[..*length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(typed: &Typed, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        typed.places(text, |place, name| all.push(format!("{name}: {}", &text[place])));
        all
    }

    #[test]
    fn a_value_is_found_as_it_is_escaped_and_cut() {
        let mut typed = Typed::default();
        assert!(typed.remember("bank", &SecretText::new("hun\"ter two".to_owned())));
        assert!(!typed.remember("bank", &SecretText::new("hun\"ter two".to_owned())), "known already");
        assert!(!typed.remember("pin", &SecretText::new("12".to_owned())), "too short");
        assert_eq!(found(&typed, "it reads hun\"ter two."), ["bank: hun\"ter two"]);
        assert_eq!(found(&typed, r#"{"a":"hun\"ter two"}"#), [r#"bank: hun\"ter two"#]);
        assert_eq!(found(&typed, "it reads hun\"t…"), ["bank: hun\"t"]);
        assert!(found(&typed, "a hunter… hu…").is_empty());
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let mut typed = Typed::default();
        for number in 0..=MOST {
            assert!(typed.remember(&format!("n{number}"), &SecretText::new(format!("value-{number:04}"))));
        }
        assert!(found(&typed, "value-0000").is_empty() && !typed.is_name("n0"));
        assert_eq!(found(&typed, "value-0064"), ["n64: value-0064"]);
    }
}

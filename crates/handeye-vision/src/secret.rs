//! Keys, and keeping them out of what is shown and logged.

use reqwest::header::HeaderValue;
use std::fmt;

/// The replacement of a key.
const HIDDEN: &str = "[key]";
/// How many characters in a row of a key betray it.
const REVEALING_LENGTH: usize = 6;
/// How keys of well-known providers begin.
const BEGINNINGS: [&str; 3] = ["sk-", "AIza", "Bearer"];

/// A key for a provider. It is never shown.
#[derive(Clone)]
pub(crate) struct Key(String);

impl Key {
    /// The key in the text of a variable; `None` if that is blank.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The key behind `scheme` as the value of a header that no log shows; `None` if it holds what no header can.
    pub(crate) fn header(&self, scheme: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{scheme}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Whether a word contains a revealing part of the key.
    fn betrayed_by(&self, word: &str) -> bool {
        let (word, key) = (word.to_lowercase(), self.0.to_lowercase());
        if key.chars().count() < REVEALING_LENGTH {
            return word == key;
        }
        let letters: Vec<char> = key.chars().collect();
        letters.windows(REVEALING_LENGTH).any(|part| word.contains(&part.iter().collect::<String>()))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// The words of a provider's own message without keys: a word that shares a revealing part with one of `keys`, that begins as
/// keys do, or that is masked already is hidden.
pub(crate) fn scrubbed(text: &str, keys: &[&Key]) -> String {
    let separates = |c: char| c.is_whitespace() || "\"'`,;:=&?<>(){}[]".contains(c);
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(separates).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let secret = word.contains("**")
            || BEGINNINGS
                .iter()
                .any(|beginning| word.len() > beginning.len() + 4 && word.starts_with(beginning))
            || (!word.is_empty() && keys.iter().any(|key| key.betrayed_by(word)));
        shown.push_str(if secret { HIDDEN } else { word });
        let separator = after.chars().next().map_or(0, char::len_utf8);
        shown.push_str(&after[..separator]);
        rest = &after[separator..];
    }
    shown
}

/// An answer without the whole of a key: a server that echoes what it was sent must not bring it on the screen.
pub(crate) fn without_key(answer: String, keys: &[&Key]) -> String {
    // A short key may be a word of any answer.
    const LONG: usize = 12;
    keys.iter().filter(|key| key.0.len() >= LONG).fold(answer, |answer, key| answer.replace(&key.0, HIDDEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        Key::new(text).expect("not blank")
    }

    #[test]
    fn a_key_is_hidden_whole_in_part_and_masked() {
        let keys = [key("sk-proj-abcdef123456"), key("qx")];
        let keys: Vec<&Key> = keys.iter().collect();
        for (text, shown) in [
            ("Incorrect API key provided: sk-proj-abcdef123456.", "Incorrect API key provided: [key]"),
            ("wrong key sk-pr*******3456", "wrong key [key]"),
            ("at https://x/y?key=abcdef123456&z=1", "at https://x/y?key=[key]&z=1"),
            ("token ABCDEF1 is bad", "token [key] is bad"),
            ("key qx, not qxy", "key [key], not qxy"),
            ("another: sk-somebody-elses", "another: [key]"),
            ("model 'gpt-4o' not found", "model 'gpt-4o' not found"),
        ] {
            assert_eq!(scrubbed(text, &keys), shown);
        }
    }

    #[test]
    fn a_key_is_not_in_its_debug_output() {
        let key = key("sk-proj-abcdef123456");
        assert_eq!(format!("{key:?}"), HIDDEN);
        assert_eq!(format!("{:?}", key.header("Bearer ")), "Some(Sensitive)");
    }

    #[test]
    fn an_answer_loses_only_a_whole_long_key() {
        let (long, short) = (key("abcdefghijkl"), key("cat"));
        assert_eq!(without_key("a cat: abcdefghijkl!".to_owned(), &[&long, &short]), "a cat: [key]!");
    }
}

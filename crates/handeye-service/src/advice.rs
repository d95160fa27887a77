//! What an error advises to do next, without the tools that are switched off: a caller could not follow it.

use crate::toolbox::Toolbox;
use handeye_core::Error;

impl Toolbox {
    /// The error, advising nothing but tools that are on. Of two tools to choose from the other one is left, and else the
    /// sentence is.
    #[must_use]
    pub fn advisable(&self, mut error: Error) -> Error {
        error.next = error.next.and_then(|next| self.possible(&next));
        error
    }

    /// The sentences of an advice that can be followed; `None` if there are none.
    fn possible(&self, advice: &str) -> Option<String> {
        let sentences: Vec<String> =
            sentences(advice).filter_map(|sentence| self.possible_sentence(sentence)).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    fn possible_sentence(&self, sentence: &str) -> Option<String> {
        let mut sentence = sentence.to_owned();
        while let Some((start, end)) = self.first_off(&sentence) {
            let (before, after) = (&sentence[..start], &sentence[end..]);
            // "ax_get_tree or ax_find"
            let alternative = after.strip_prefix(" or ").filter(|rest| self.begins_with_tool(rest));
            let cut = match (alternative, before.strip_suffix(" or ")) {
                (Some(other), _) => format!("{before}{other}"),
                (None, Some(other)) if self.ends_with_tool(other) => format!("{other}{after}"),
                (None, _) => return None,
            };
            sentence = cut;
        }
        Some(sentence)
    }

    /// Where a tool that is off is named first.
    fn first_off(&self, sentence: &str) -> Option<(usize, usize)> {
        let named = words(sentence).find(|(start, word)| {
            // `image`, `list` and `analyze` are words of any sentence too.
            let is_call = word.contains('_') || sentence[start + word.len()..].starts_with(" with ");
            is_call && self.is_off(word)
        });
        named.map(|(start, word)| (start, start + word.len()))
    }

    fn begins_with_tool(&self, text: &str) -> bool {
        words(text).next().is_some_and(|(start, word)| start == 0 && self.has(word))
    }

    fn ends_with_tool(&self, text: &str) -> bool {
        words(text).last().is_some_and(|(start, word)| start + word.len() == text.len() && self.has(word))
    }
}

/// The sentences of a text, without the spaces between them.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut ends: Vec<usize> = unquoted(text)
        .filter(|(at, letter)| matches!(letter, '.' | '!' | '?') && text[at + 1..].starts_with(' '))
        .map(|(at, _)| at + 1)
        .collect();
    ends.push(text.len());
    let begins = std::iter::once(0).chain(ends.clone());
    begins.zip(ends).map(|(begin, end)| text[begin..end].trim()).filter(|sentence| !sentence.is_empty())
}

/// The words of a text and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut letters = unquoted(text).filter(|(_, letter)| is_of_word(*letter)).map(|(at, _)| at).peekable();
    std::iter::from_fn(move || {
        let start = letters.next()?;
        let mut end = start + letter_length(text, start);
        while let Some(at) = letters.next_if_eq(&end) {
            end = at + letter_length(text, at);
        }
        Some((start, &text[start..end]))
    })
}

fn letter_length(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The characters of a text outside of double quotes: what is in them is a value, or what an application shows.
fn unquoted(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut quoted, mut escaped) = (false, false);
    text.char_indices().filter(move |(_, letter)| {
        let (was_quoted, was_escaped) = (quoted, std::mem::take(&mut escaped));
        match letter {
            '\\' if was_quoted && !was_escaped => escaped = true,
            '"' if !was_escaped => quoted = !quoted,
            _ => {}
        }
        !was_quoted && *letter != '"'
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolbox::Selection;
    use handeye_core::ErrorCode;
    use handeye_ops::registry;
    use proptest::prelude::*;

    fn without(tools: &[&str]) -> Toolbox {
        let exclude = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let everything = Some(vec!["all".to_owned()]);
        Toolbox::of(&Selection { exclude, toolsets: everything, ..Selection::default() }).expect("sound")
    }

    fn advised(toolbox: &Toolbox, next: &str) -> Option<String> {
        toolbox.advisable(Error::new(ErrorCode::AppNotFound, "x").with_next(next)).next
    }

    #[test]
    fn what_can_be_followed_stays_as_it_is() {
        let toolbox = without(&["ax_click", "list"]);
        for next in [
            "Call ax_list_apps to see what runs.",
            "Take one of the list. Or ask ax_find with query: \"ax_click. Save\".",
            "",
            "  two  spaces ",
            "1.5 is no end. No end here either",
        ] {
            assert_eq!(advised(&toolbox, next).unwrap_or_default(), next.trim());
        }
    }

    #[test]
    fn a_tool_that_is_off_goes_with_its_sentence_or_leaves_the_other() {
        let toolbox = without(&["ax_click", "ax_find", "ax_list_windows", "image"]);
        let cases = [
            ("Find it again with ax_find.", None),
            (
                "Use one of these, or look with ax_get_tree.",
                Some("Use one of these, or look with ax_get_tree."),
            ),
            ("Look again with ax_get_tree or ax_find.", Some("Look again with ax_get_tree.")),
            ("Look again with ax_find or ax_get_tree.", Some("Look again with ax_get_tree.")),
            ("Look again with ax_find or ax_click.", None),
            (
                "ax_list_windows lists them; take one. Without app the whole screen is captured.",
                Some("Without app the whole screen is captured."),
            ),
            (
                "Wait. Call ax_click with query: \"a. b\", mode: \"focus\". Then look.",
                Some("Wait. Then look."),
            ),
            ("Call image with app_target: \"screen:0\".", None),
            ("An image of the window is enough.", Some("An image of the window is enough.")),
        ];
        for (next, left) in cases {
            assert_eq!(advised(&toolbox, next).as_deref(), left, "{next}");
        }
    }

    proptest! {
        #[test]
        fn no_tool_that_is_off_is_advised(text in "(ax_find|ax_click|ax_get_tree| or |\\. |\"|\\\\|[a-zäß_ ]{0,4}){0,20}") {
            let toolbox = without(&["ax_click", "ax_find"]);
            let left = advised(&toolbox, &text).unwrap_or_default();
            prop_assert!(words(&left).all(|(_, word)| !toolbox.is_off(word)), "{left:?} of {text:?}");
            prop_assert_eq!(advised(&toolbox, &left).unwrap_or_default(), left);
        }
    }

    #[test]
    fn every_tool_can_be_off() {
        for tool in registry::all().iter().map(|operation| operation.meta().tool) {
            assert_eq!(advised(&without(&[tool]), &format!("Call {tool} with app: \"x\".")), None);
        }
    }
}

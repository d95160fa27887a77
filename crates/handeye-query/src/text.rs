//! Text comparison that ignores case and allocates nothing for each element that is looked at.

/// A text to look for, folded to lower case once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Needle {
    original: Box<str>,
    folded: Box<str>,
}

impl Needle {
    /// Prepares `text`, without the white space around it.
    pub(super) fn new(text: &str) -> Self {
        let original: Box<str> = text.trim().into();
        let folded = original.chars().flat_map(char::to_lowercase).collect::<String>().into();
        Self { original, folded }
    }

    /// The text as it was given.
    pub(super) fn as_str(&self) -> &str {
        &self.original
    }

    /// Whether `hay` is this text to the letter.
    pub(super) fn is_exactly(&self, hay: &str) -> bool {
        *self.original == *hay.trim()
    }

    /// Whether `hay` is this text in any case.
    pub(super) fn equals(&self, hay: &str) -> bool {
        strip_folded(hay.trim(), &self.folded).is_some_and(str::is_empty)
    }

    /// Whether `hay` begins with this text in any case.
    pub(super) fn begins(&self, hay: &str) -> bool {
        strip_folded(hay.trim_start(), &self.folded).is_some()
    }

    /// Whether this text occurs in `hay` in any case.
    pub(super) fn is_in(&self, hay: &str) -> bool {
        let Some(first) = self.folded.chars().next() else { return true };
        if first.is_ascii() && hay.is_ascii() {
            let (hay, needle) = (hay.as_bytes(), self.folded.as_bytes());
            return hay.len() >= needle.len()
                && hay.windows(needle.len()).any(|part| {
                    part[0].to_ascii_lowercase() == needle[0] && part.eq_ignore_ascii_case(needle)
                });
        }
        hay.char_indices().any(|(at, _)| strip_folded(&hay[at..], &self.folded).is_some())
    }

    /// Whether this text occurs in `hay` in any case as whole words, and not as a part of a longer one ("done" in "undone").
    pub(super) fn is_words_in(&self, hay: &str) -> bool {
        let (begins, ends) = (self.folded.starts_with(is_letter), self.folded.ends_with(is_letter));
        self.folded.is_empty()
            || hay.char_indices().any(|(at, _)| {
                strip_folded(&hay[at..], &self.folded).is_some_and(|rest| {
                    let goes_on_before = begins && hay[..at].ends_with(is_letter);
                    let goes_on_after = ends && rest.starts_with(is_letter);
                    !goes_on_before && !goes_on_after
                })
            })
    }
}

/// Whether a character continues the word beside it. Scripts without capitals do not separate words by spaces.
fn is_letter(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

/// What is left of `hay` after a beginning that is `folded` in any case.
fn strip_folded<'h>(hay: &'h str, folded: &str) -> Option<&'h str> {
    if folded.is_ascii()
        && let Some(head) = hay.as_bytes().get(..folded.len())
        && head.is_ascii()
    {
        return head.eq_ignore_ascii_case(folded.as_bytes()).then(|| &hay[folded.len()..]);
    }
    let mut wanted = folded.chars();
    let mut rest = hay;
    while !wanted.as_str().is_empty() {
        let next = rest.chars().next()?;
        for lower in next.to_lowercase() {
            if let Some(expected) = wanted.next()
                && expected != lower
            {
                return None;
            }
        }
        rest = &rest[next.len_utf8()..];
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_is_ignored_in_every_script() {
        assert!(Needle::new("größe").equals("GRÖßE"));
        assert!(Needle::new("ФАЙЛ").is_in("Открыть файл…"));
        assert!(Needle::new("save").is_in("  Auto-SAVE  "));
        assert!(Needle::new("保存").is_in("名前を付けて保存"));
        assert!(!Needle::new("saved").is_in("save"));
    }

    #[test]
    fn whole_words_are_not_parts_of_longer_ones() {
        assert!(!Needle::new("Don").is_words_in("Redo the action that was undone"));
        assert!(!Needle::new("Done").is_words_in("Redo the action that was undone"));
        assert!(Needle::new("undone").is_words_in("Redo the action that was undone"));
        assert!(Needle::new("the Action").is_words_in("Redo the action"));
        assert!(Needle::new("保存").is_words_in("名前を付けて保存する"));
        assert!(Needle::new("+1").is_words_in("rated+1"));
    }

    #[test]
    fn exactly_is_stricter_than_equals() {
        assert!(Needle::new("Save").is_exactly("Save "));
        assert!(!Needle::new("save").is_exactly("Save"));
        assert!(!Needle::new("Save").equals("Save as"));
        assert!(Needle::new("Save").begins("save as"));
    }

    proptest! {
        #[test]
        fn a_part_is_found_in_its_whole(before in ".{0,8}", part in "[a-zé漢ß]{1,6}", after in ".{0,8}") {
            let hay = format!("{before}{part}{after}");
            prop_assert!(Needle::new(&part).is_in(&hay));
        }

        #[test]
        fn no_text_panics(needle in ".*", hay in ".*") {
            let needle = Needle::new(&needle);
            let _found = (needle.is_in(&hay), needle.equals(&hay), needle.begins(&hay));
        }
    }
}

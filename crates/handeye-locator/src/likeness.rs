//! How alike two labels are.

use handeye_core::nearness::distance;

/// What two labels have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Likeness {
    /// They are the same, to the letter.
    Same,
    /// They are the same but for capitals, punctuation, or a count.
    Alike,
    /// One contains the other as whole words.
    Contained,
    /// They differ; [`similarity`] says how much, which costs more.
    Different,
    /// Neither element has a label.
    NoLabels,
}

/// Compares two labels.
pub(crate) fn likeness(ours: &str, theirs: &str) -> Likeness {
    /// Least length of a label that can be a part of another one, in bytes.
    const LEAST: usize = 3;
    if ours == theirs {
        return if ours.is_empty() { Likeness::NoLabels } else { Likeness::Same };
    }
    if ours.is_empty() || theirs.is_empty() {
        return Likeness::Different;
    }
    let (ours, theirs) = (bare(ours), bare(theirs));
    if ours.is_empty() || theirs.is_empty() {
        return Likeness::Different;
    }
    if ours == theirs {
        return Likeness::Alike;
    }
    let (short, long) = if ours.len() < theirs.len() { (&ours, &theirs) } else { (&theirs, &ours) };
    if short.len() >= LEAST && has_words(long, short) {
        return Likeness::Contained;
    }
    Likeness::Different
}

/// How similar two labels are, from 0 to 1.
pub(crate) fn similarity(ours: &str, theirs: &str) -> f64 {
    let (ours, theirs) = (bare(ours), bare(theirs));
    let (one, other) = (ours.chars().count(), theirs.chars().count());
    let longest = one.max(other).min(64);
    // Labels of very different lengths are not similar, whatever their letters are.
    if one.min(other) * 2 < longest || one.min(other) == 0 {
        return 0.0;
    }
    1.0 - distance(&ours, &theirs) as f64 / longest as f64
}

/// A label without capitals, punctuation and a count at its end. Digits elsewhere stay: "Page 2" is not "Page 1".
fn bare(label: &str) -> String {
    let label = label.trim();
    let without_count = label.strip_suffix(')').and_then(|rest| {
        let (name, count) = rest.rsplit_once('(')?;
        (!count.is_empty() && count.chars().all(|c| c.is_ascii_digit())).then_some(name)
    });
    let mut bare = String::with_capacity(label.len());
    for c in without_count.unwrap_or(label).chars() {
        if c.is_alphanumeric() {
            bare.extend(c.to_lowercase());
        } else if c.is_whitespace() && !bare.is_empty() && !bare.ends_with(' ') {
            bare.push(' ');
        }
    }
    bare.truncate(bare.trim_end().len());
    bare
}

/// Whether `part` is in `whole` from the beginning of a word to the end of one.
fn has_words(whole: &str, part: &str) -> bool {
    whole.match_indices(part).any(|(at, _)| {
        whole[..at].is_empty() || whole[..at].ends_with(' ') && ends_word(whole, at + part.len())
    }) && whole.match_indices(part).any(|(at, _)| ends_word(whole, at + part.len()))
}

fn ends_word(whole: &str, at: usize) -> bool {
    whole[at..].is_empty() || whole[at..].starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_compared() {
        assert_eq!(likeness("Save", "Save"), Likeness::Same);
        assert_eq!(likeness("", ""), Likeness::NoLabels);
        assert_eq!(likeness("Save", "save…"), Likeness::Alike);
        assert_eq!(likeness("Inbox (3)", "Inbox (12)"), Likeness::Alike);
        assert_eq!(likeness("Save", "Save as"), Likeness::Contained);
        assert_eq!(likeness("Page 1", "Page 2"), Likeness::Different);
        assert_eq!(likeness("count", "account"), Likeness::Different);
        assert!(similarity("Colour", "Color") > 0.8 && similarity("+", "Colour") < 0.1);
        assert_eq!(likeness("+", "-"), Likeness::Different);
        assert_eq!(likeness("保存", "保存…"), Likeness::Alike);
    }
}

//! Descriptions by the text that the thing shows: "the Save draft button" is where *Save draft* can be read.

use super::words::{is_around, is_article};
use handeye_core::nearness::distance;
use handeye_core::ocr::{TextLine, Word};
use handeye_core::{InPicture, Rect};

/// What text between quotes begins and ends with.
const QUOTES: [(char, char); 6] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`'), ('「', '」')];
/// Longest text that is looked for, in characters without white space: it is compared letter by letter.
const LONGEST: usize = 60;
/// Words further apart than this part of their height are two texts in one row.
const GAP: f64 = 1.2;

/// The text that a description means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Its words, folded, run together: readers part and join words as they like.
    letters: String,
    words: usize,
}

impl Wanted {
    /// The text between quotes in the description, else its words without those that say what kind of thing it is;
    /// `None` if that is nothing, or too long for a label.
    pub(super) fn of(description: &str) -> Option<Self> {
        let whole = quoted(description);
        let words: Vec<String> = whole
            .unwrap_or(description)
            .split_whitespace()
            .map(folded)
            .filter(|word| !word.is_empty())
            .collect();
        let inner = if whole.is_some() { words.as_slice() } else { named(&words) };
        let letters: String = inner.concat();
        (!letters.is_empty() && letters.chars().count() <= LONGEST)
            .then_some(Self { letters, words: inner.len() })
    }

    /// How many letters may be read wrongly.
    fn allowed_slips(&self) -> usize {
        match self.letters.chars().count() {
            0..4 => 0,
            4..8 => 1,
            8..16 => 2,
            _ => 3,
        }
    }
}

/// A place where the wanted text can be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextMatch {
    /// Where in the picture that was read.
    pub(super) area: Rect<InPicture>,
    /// What is read there.
    pub(super) text: String,
    /// How sure the reader is of the words, less for each letter that is another one.
    pub(super) confidence: f64,
    slips: usize,
    /// Whether there is more text beside it.
    in_more: bool,
}

/// The places where the text can be read best; several if they are equally good. From the top of the picture down.
pub(super) fn places(wanted: &Wanted, lines: &[TextLine]) -> Vec<TextMatch> {
    let mut found: Vec<TextMatch> = lines.iter().filter_map(|line| best_in(wanted, &line.0)).collect();
    let Some(best) = found.iter().map(|place| (place.slips, place.in_more)).min() else { return Vec::new() };
    found.retain(|place| (place.slips, place.in_more) == best);
    found.sort_by_key(|place| (place.area.y, place.area.x));
    let mut apart: Vec<TextMatch> = Vec::new();
    for place in found {
        // Readers give some words twice.
        if !apart.iter().any(|other| other.area.intersection(&place.area).is_some()) {
            apart.push(place);
        }
    }
    apart
}

/// The words of a line that come nearest to the text.
fn best_in(wanted: &Wanted, words: &[Word]) -> Option<TextMatch> {
    let folded: Vec<String> = words.iter().map(|word| folded(&word.text)).collect();
    let letters = wanted.letters.chars().count();
    let allowed = wanted.allowed_slips();
    let mut best: Option<TextMatch> = None;
    for first in 0..words.len() {
        let mut read = String::new();
        // A reader may make several words of one, or one of several.
        for last in first..words.len().min(first + wanted.words * 2 + 1) {
            read.push_str(&folded[last]);
            let length = read.chars().count();
            if length > letters + allowed {
                break;
            }
            if folded[first].is_empty() || folded[last].is_empty() || length + allowed < letters {
                continue;
            }
            let slips = distance(&wanted.letters, &read);
            if slips > allowed {
                continue;
            }
            let span = &words[first..=last];
            let in_more =
                near(words, first.checked_sub(1), Some(first)) || near(words, Some(last), Some(last + 1));
            let sure = span.iter().map(|word| word.confidence).sum::<f64>() / span.len() as f64;
            let place = TextMatch {
                area: Rect::around(span.iter().map(|word| word.area)),
                text: span.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "),
                confidence: sure * (1.0 - slips as f64 / letters.max(1) as f64),
                slips,
                in_more,
            };
            if best.as_ref().is_none_or(|best| (place.slips, place.in_more) < (best.slips, best.in_more)) {
                best = Some(place);
            }
        }
    }
    best
}

/// Whether two words of a line are one text; not where one of them does not exist.
fn near(words: &[Word], left: Option<usize>, right: Option<usize>) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at));
    let (Some(left), Some(right)) = (word(left), word(right)) else { return false };
    let gap = f64::from(right.area.x) - f64::from(left.area.right());
    gap <= GAP * f64::from(left.area.height.max(right.area.height))
}

/// The words of a description without those around the name of a thing. A single word is its name; of several that only say what
/// kind of thing it is, it is not known which.
fn named(words: &[String]) -> &[String] {
    let mut inner = words;
    while let [first, rest @ ..] = inner
        && is_article(first)
    {
        inner = rest;
    }
    if inner.len() < 2 {
        return inner;
    }
    while let [first, rest @ ..] = inner
        && is_around(first)
    {
        inner = rest;
    }
    while let [rest @ .., last] = inner
        && is_around(last)
    {
        inner = rest;
    }
    inner
}

/// The text between the first quotes of a description.
fn quoted(description: &str) -> Option<&str> {
    let between = QUOTES.iter().filter_map(|(open, close)| {
        let from = description.find(*open)? + open.len_utf8();
        let length = description[from..].find(*close)?;
        (!description[from..from + length].trim().is_empty()).then_some((from, length))
    });
    between.min().map(|(from, length)| &description[from..from + length])
}

/// A word in lower case, without the signs around it.
fn folded(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(y: i32, words: &[(&str, i32)]) -> TextLine {
        let word = |(text, x): &(&str, i32)| Word {
            text: (*text).to_owned(),
            area: Rect::new(*x, y, text.chars().count() as u32 * 7, 10),
            confidence: 0.9,
        };
        TextLine(words.iter().map(word).collect())
    }

    fn letters(description: &str) -> Option<String> {
        Wanted::of(description).map(|wanted| wanted.letters)
    }

    fn read(description: &str, lines: &[TextLine]) -> Vec<(String, i32, i32)> {
        let wanted = Wanted::of(description).expect("it names a text");
        places(&wanted, lines).into_iter().map(|place| (place.text, place.area.x, place.area.y)).collect()
    }

    #[test]
    fn a_description_is_the_text_in_it() {
        for (description, expected) in [
            ("Save", "save"),
            ("the Save draft button", "savedraft"),
            ("button labelled \"Open the menu\"", "openthemenu"),
            ("Sign in link", "signin"),
            ("menu", "menu"),
            ("„Löschen“", "löschen"),
            ("a tab that says 'Details'", "details"),
        ] {
            assert_eq!(letters(description).as_deref(), Some(expected), "{description}");
        }
        assert_eq!(letters("…"), None);
        assert_eq!(letters("the text field"), None);
        assert_eq!(letters(&"word ".repeat(40)), None);
    }

    #[test]
    fn text_is_found_with_slips_and_wherever_words_are_parted() {
        let lines = [line(10, &[("Save", 5), ("craft", 40)]), line(50, &[("Laun", 5), ("chrocket", 36)])];
        assert_eq!(read("Save draft", &lines), [("Save craft".to_owned(), 5, 10)]);
        assert_eq!(read("the Launch rocket button", &lines), [("Laun chrocket".to_owned(), 5, 50)]);
        assert!(
            read("Save", &[line(1, &[("Safe", 1)])]).len() == 1
                && read("OK", &[line(1, &[("OH", 1)])]).is_empty()
        );
    }

    #[test]
    fn what_stands_alone_goes_before_what_is_a_part_and_equals_are_all_reported() {
        let lines = [
            line(10, &[("Please", 5), ("Save", 54), ("now", 90)]),
            line(50, &[("Save", 5), ("Cancel", 300)]),
        ];
        assert_eq!(read("Save", &lines), [("Save".to_owned(), 5, 50)]);
        let twice = [line(50, &[("Save", 5)]), line(10, &[("Save", 5)]), line(10, &[("Save", 6)])];
        assert_eq!(read("Save", &twice), [("Save".to_owned(), 5, 10), ("Save".to_owned(), 5, 50)]);
    }

    proptest! {
        #[test]
        fn nothing_panics(description in ".{0,80}", words in prop::collection::vec((".{1,12}", -9..9_000), 0..30)) {
            let words: Vec<(&str, i32)> = words.iter().map(|(text, x)| (text.as_str(), *x)).collect();
            if let Some(wanted) = Wanted::of(&description) {
                for place in places(&wanted, &[line(3, &words)]) {
                    prop_assert!((0.0..=1.0).contains(&place.confidence));
                }
            }
        }

        #[test]
        fn a_text_that_stands_there_is_found(
            before in "[a-z]{3,8}", text in "[A-Z][a-z]{3,9} [a-z]{3,9}", after in "[0-9]{3,8}",
        ) {
            let parts: Vec<&str> = text.split(' ').collect();
            let row = line(7, &[(&before, 0), (parts[0], 500), (parts[1], 580), (&after, 2_000)]);
            let found = read(&format!("\"{text}\""), &[row]);
            prop_assert_eq!(found, [(text, 500, 7)]);
        }
    }
}

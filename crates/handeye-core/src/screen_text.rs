//! Text of an application or a caller inside of a sentence: it stays on its line, says what it seems to say, and is short.
//!
//! Names and titles pass here where they enter ([`name`], [`title`]), errors as they are made, and everything else that is quoted in
//! a sentence where that is written ([`line`]). Outlines escape instead of replacing, by the same set of characters ([`is_forging`]).

/// Longest name of an application, a class or a toolkit, in characters.
pub const LONGEST_NAME: usize = 200;
/// Longest title of a window, in characters.
pub const LONGEST_TITLE: usize = 500;

/// Whether a character shows nothing itself and may change what others show or hide something: control characters (ESC and C1
/// among them), ends of lines and paragraphs, what turns the direction of writing, what has no width, tags. Joiners and the
/// selectors of emoji are none: scripts need them.
pub const fn is_forging(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0d}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether a character only says how its neighbours are joined. Between Latin letters it only hides.
const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// The text on one line, `longest` characters at most, with `…` where it was cut. Ends of lines become spaces, other characters
/// that could forge something become U+FFFD.
pub fn line(text: &str, longest: usize) -> String {
    bounded(text, longest, false)
}

/// The same for a text of several lines that handeye wrote itself.
pub fn block(text: &str, longest: usize) -> String {
    bounded(text, longest, true)
}

/// The name of an application, a class or a toolkit.
pub fn name(text: &str) -> String {
    line(text, LONGEST_NAME)
}

/// The title of a window.
pub fn title(text: &str) -> String {
    line(text, LONGEST_TITLE)
}

fn bounded(text: &str, longest: usize, keeps_lines: bool) -> String {
    let mut out = String::with_capacity(text.len().min(longest));
    let mut chars = text.chars().peekable();
    let mut before = None;
    for _ in 0..longest {
        let Some(c) = chars.next() else { return out };
        let is_script = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_forging(c) && !is_joiner(c));
        let shown = match c {
            '\n' if keeps_lines => '\n',
            '\t' | '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
            c if is_joiner(c) && !(is_script(before) && is_script(chars.peek().copied())) => {
                char::REPLACEMENT_CHARACTER
            }
            c if is_forging(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        };
        before = Some(c);
        out.push(shown);
    }
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_leaves_its_line_or_hides() {
        assert_eq!(name("Evil\n- button \"Pay\""), "Evil - button \"Pay\"");
        assert_eq!(name("a\r\n\tb\u{2028}c\u{85}d"), "a   b c d");
        assert_eq!(name("\u{1b}[31mx\u{9b}y\u{7}"), "\u{fffd}[31mx\u{fffd}y\u{fffd}");
        assert_eq!(name("x\u{202e}gnp.exe\u{2066}"), "x\u{fffd}gnp.exe\u{fffd}");
        assert_eq!(
            name("a\u{200b}\u{e0041}\u{ad}\u{feff}b\u{200d}c"),
            "a\u{fffd}\u{fffd}\u{fffd}\u{fffd}b\u{fffd}c"
        );
        assert_eq!(line("abcdef", 3), "abc…");
        assert_eq!(line("abc", 3), "abc");
        assert_eq!(block("a\nb\u{1b}", 9), "a\nb\u{fffd}");
    }

    #[test]
    fn every_script_is_left_as_it_is() {
        for text in ["Übersicht 漢字", "می‌خواهم", "👩‍💻 Code", "שלום, עולם", "क्‍ष", "1️⃣ ❤️", "a\u{a0}b"]
        {
            assert_eq!(name(text), text, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_line_is_one_line_that_hides_nothing(text in any::<String>(), longest in 0_usize..60) {
            let shown = line(&text, longest);
            prop_assert!(!shown.contains(is_forging), "{shown:?}");
            prop_assert!(shown.lines().count() <= 1);
            prop_assert!(shown.chars().count() <= longest + 1);
            prop_assert_eq!(line(&shown, longest + 1), shown.clone(), "twice is once");
        }

        #[test]
        fn characters_that_forge_nothing_stay(text in "[a-zA-Z0-9 äöü漢字,.;:!?-]{0,50}") {
            prop_assert_eq!(line(&text, 50), text);
        }

        #[test]
        fn control_characters_are_all_known(c in any::<char>()) {
            prop_assert!(!c.is_control() || is_forging(c));
        }
    }
}

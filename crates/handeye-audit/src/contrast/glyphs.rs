//! How large the letters of a text are, from the height of what is drawn.

use super::measure::Ink;

/// Large text, in logical pixels, and large bold text.
const LARGE: f64 = 24.0;
const LARGE_BOLD: f64 = 18.66;
/// How much smaller text may be measured that counts as large: the estimate is not better than that.
const TOLERANCE: f64 = 0.95;
/// From which share of its size on a stroke is bold.
const BOLD: f64 = 0.115;

/// What the letters of a text reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Glyphs {
    /// The height of the ink of one line as a share of the size of the font.
    share: f64,
}

impl Glyphs {
    /// What the letters of a text reach. Of other scripts than Latin the smallest share is taken, so that they count as large early.
    pub(crate) fn of(text: &str) -> Self {
        let is_high = |c: char| c.is_uppercase() || c.is_ascii_digit() || "bdfhkltij()[]/\"'!?".contains(c);
        let is_deep = |c: char| "gjpqyQ,;()[]".contains(c);
        let known = text.chars().filter(|c| !c.is_whitespace()).all(|c| c.is_ascii());
        let share = match (known, text.contains(is_high), text.contains(is_deep)) {
            (false, ..) | (true, true, false) => 0.73,
            (true, true, true) => 0.94,
            (true, false, true) => 0.74,
            (true, false, false) => 0.54,
        };
        Self { share }
    }

    /// Whether the text is large by WCAG: 24 logical pixels, or 18.66 and bold.
    pub(crate) fn is_large(self, ink: &Ink, scale: f64) -> bool {
        let size = f64::from(ink.height) / self.share;
        let logical = size / scale;
        let is_bold = size > 0.0 && f64::from(ink.stroke) / size >= BOLD;
        logical >= TOLERANCE * LARGE || (is_bold && logical >= TOLERANCE * LARGE_BOLD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(height: u32, stroke: u32) -> Ink {
        Ink { text: [0; 3], background: [255; 3], ratio: 21.0, is_solid: true, height, stroke }
    }

    #[test]
    fn the_size_follows_from_what_the_letters_reach() {
        assert!(Glyphs::of("HEADING").is_large(&ink(18, 2), 1.0));
        assert!(!Glyphs::of("Heading").is_large(&ink(18, 2), 1.0), "with descenders it is a smaller font");
        assert!(Glyphs::of("Heading").is_large(&ink(23, 2), 1.0));
        assert!(!Glyphs::of("Heading").is_large(&ink(23, 2), 2.0), "physical pixels");
        assert!(Glyphs::of("Bold").is_large(&ink(14, 3), 1.0));
        assert!(!Glyphs::of("Bold").is_large(&ink(14, 1), 1.0));
        assert!(!Glyphs::of("").is_large(&ink(0, 0), 1.0));
    }
}

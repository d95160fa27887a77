//! Tesseract's table of words: a line for each page, block, paragraph, line and word, with columns between tabs.

use handeye_core::Rect;
use handeye_core::ocr::{TextLine, Word};

/// Most words that are taken: more are noise, not a screen.
const MAX_WORDS: usize = 20_000;
/// Longest word, in characters.
const MAX_WORD: usize = 200;
/// The first column of a word.
const WORD: &str = "5";

/// The lines of a table, in its order. A line that is not about a word, or has no area, is left out.
pub(super) fn lines(table: &str) -> Vec<TextLine> {
    let mut lines: Vec<TextLine> = Vec::new();
    let mut current = None;
    for (line_of_word, word) in table.lines().filter_map(word).take(MAX_WORDS) {
        match lines.last_mut().filter(|_| current == Some(line_of_word)) {
            Some(line) => line.0.push(word),
            None => lines.push(TextLine(vec![word])),
        }
        current = Some(line_of_word);
    }
    lines
}

/// A word, and the page, block, paragraph and line that it is in.
fn word(line: &str) -> Option<([u32; 4], Word)> {
    let columns: Vec<&str> = line.splitn(12, '\t').collect();
    let [level, page, block, paragraph, line, _number, left, top, width, height, confidence, text] =
        columns[..]
    else {
        return None;
    };
    let text: String =
        text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(MAX_WORD).collect();
    if level != WORD || text.is_empty() {
        return None;
    }
    let (left, top) = (left.parse().ok().filter(|at| *at >= 0)?, top.parse().ok().filter(|at| *at >= 0)?);
    let area = Rect::new(left, top, width.parse().ok()?, height.parse().ok()?);
    let percent: f64 = confidence.parse().ok().filter(|percent: &f64| percent.is_finite())?;
    let line_of_word = [page.parse().ok()?, block.parse().ok()?, paragraph.parse().ok()?, line.parse().ok()?];
    let word = Word { text, area, confidence: (percent / 100.0).clamp(0.0, 1.0) };
    (!area.is_empty()).then_some((line_of_word, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::InPicture;
    use proptest::prelude::*;

    const TABLE: &str = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
                         1\t1\t0\t0\t0\t0\t0\t0\t500\t300\t-1\t\n\
                         4\t1\t1\t1\t1\t0\t40\t52\t59\t8\t-1\t\n\
                         5\t1\t1\t1\t1\t1\t40\t52\t27\t8\t95.317719\tSave\n\
                         5\t1\t1\t1\t1\t2\t72\t52\t27\t8\t95\tdraft\n\
                         5\t1\t2\t1\t1\t1\t300\t52\t37\t8\t-3\tCancel\n\
                         5\t1\t3\t1\t1\t1\t10\t90\t400\t1\t95\t \n";

    #[test]
    fn words_of_one_line_are_together_and_white_space_is_none() {
        let read = lines(TABLE);
        let texts: Vec<Vec<&str>> =
            read.iter().map(|line| line.0.iter().map(|word| word.text.as_str()).collect()).collect();
        assert_eq!(texts, [vec!["Save", "draft"], vec!["Cancel"]]);
        assert_eq!(read[0].0[1].area, Rect::new(72, 52, 27, 8));
        assert!((read[0].0[0].confidence - 0.953).abs() < 0.001);
        assert!(read[1].0[0].confidence.abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn no_text_panics_or_gives_what_is_promised_not_to_come(table in "([0-9a-z\\t.,+-]{0,30}\n){0,20}|.{0,300}") {
            for line in lines(&table) {
                prop_assert!(!line.0.is_empty());
                for word in line.0 {
                    prop_assert!(!word.text.is_empty() && !word.text.contains(char::is_whitespace));
                    prop_assert!((0.0..=1.0).contains(&word.confidence) && !word.area.is_empty());
                }
            }
        }

        #[test]
        fn every_word_comes_back_in_its_line(
            words in prop::collection::vec((1_u32..4, 1_u32..4, 0_i32..9_000, 0_i32..9_000, 1_u32..900, 1_u32..90, 0_u32..=100, "[^\\s\\p{C}]{1,12}"), 0..40),
        ) {
            let rows: Vec<String> = words.iter().map(|(block, line, x, y, w, h, percent, text)| {
                format!("5\t1\t{block}\t1\t{line}\t1\t{x}\t{y}\t{w}\t{h}\t{percent}\t{text}")
            }).collect();
            let table = rows.join("\n");
            let read = lines(&table);
            let flat: Vec<(&str, Rect<InPicture>)> =
                read.iter().flat_map(|line| &line.0).map(|word| (word.text.as_str(), word.area)).collect();
            let expected: Vec<(&str, Rect<InPicture>)> =
                words.iter().map(|(_, _, x, y, w, h, _, text)| (text.as_str(), Rect::new(*x, *y, *w, *h))).collect();
            prop_assert_eq!(flat, expected);
            let breaks = words.windows(2).filter(|pair| (pair[0].0, pair[0].1) != (pair[1].0, pair[1].1)).count();
            prop_assert_eq!(read.len(), if words.is_empty() { 0 } else { breaks + 1 });
        }
    }
}

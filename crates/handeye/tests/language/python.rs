//! The comments and docstrings of a Python source file.

use crate::passage::{Kind, Passage, add_comment};

/// Reads a file from its beginning to its end, one token at a time.
struct Scanner<'a> {
    rest: &'a str,
    line: usize,
    /// How many brackets are open.
    depth: usize,
    /// Whether a statement starts here: a string literal here is a docstring.
    starts: bool,
    found: Vec<Passage>,
}

/// Every comment and docstring.
pub(crate) fn comments(source: &str) -> Vec<Passage> {
    let mut scanner = Scanner { rest: source, line: 1, depth: 0, starts: true, found: Vec::new() };
    while !scanner.rest.is_empty() {
        scanner.step();
    }
    scanner.found
}

impl Scanner<'_> {
    fn step(&mut self) {
        let one = self.rest.chars().next().map_or(0, char::len_utf8);
        if self.rest.starts_with('#') {
            let length = self.rest.find('\n').unwrap_or(self.rest.len());
            add_comment(&mut self.found, self.line, self.rest[..length].trim_start_matches('#').trim());
            self.advance(length);
        } else if let Some((text, length)) = string(self.rest) {
            if self.starts {
                self.found.push(Passage { kind: Kind::Comment, line: self.line, text: text.to_owned() });
            }
            self.starts = false;
            self.advance(length);
        } else if self.rest.starts_with("\\\n") {
            self.advance(2);
        } else if self.rest.starts_with('\n') {
            self.starts = self.depth == 0;
            self.advance(one);
        } else if self.rest.starts_with(char::is_whitespace) {
            self.advance(one);
        } else {
            if self.rest.starts_with(['(', '[', '{']) {
                self.depth += 1;
            } else if self.rest.starts_with([')', ']', '}']) {
                self.depth = self.depth.saturating_sub(1);
            }
            self.starts = false;
            let word = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
            self.advance(word.max(one));
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.line += self.rest[..bytes].matches('\n').count();
        self.rest = &self.rest[bytes..];
    }
}

/// The text of the string literal that starts here, as the source has it, and the length of the literal.
fn string(source: &str) -> Option<(&str, usize)> {
    let opening = source.find(['"', '\''])?;
    let prefix = &source[..opening];
    if prefix.len() > 2 || !prefix.chars().all(|c| "rbfuRBFU".contains(c)) {
        return None;
    }
    let quote = &source[opening..=opening];
    let quotes = if source[opening..].starts_with(&quote.repeat(3)) { 3 } else { 1 };
    let closing = quote.repeat(quotes);
    let start = opening + quotes;
    let mut at = start;
    while at < source.len() && !source[at..].starts_with(&closing) {
        // An escaped quote does not end the literal, in a raw literal neither.
        at += usize::from(source[at..].starts_with('\\'));
        at += source[at..].chars().next().map_or(0, char::len_utf8);
    }
    Some((&source[start..at], source.len().min(at + quotes)))
}

#[test]
fn comments_and_docstrings_are_found_with_their_lines() {
    let source = "#!/bin/x\n\"\"\"One\ntwo\"\"\"\n\nimport a  # three\n# four\n\ndef f(x='#', y=[\n    \"five\",\n]):\n    r'''six \\''' '''\n    return b\"seven\" + (\n        '''eight'''\n    )\n";
    let found: Vec<(usize, String)> =
        comments(source).into_iter().map(|found| (found.line, found.text)).collect();
    let expected = [(1, "!/bin/x"), (2, "One\ntwo"), (5, "three\nfour"), (11, "six \\''' ")];
    assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
}

//! The comments of a Rust source file, and its string literals without those of test modules.

use crate::passage::{Kind, Passage, add_comment};

/// Reads a file from its beginning to its end, one token at a time.
struct Scanner<'a> {
    rest: &'a str,
    line: usize,
    /// How many braces are open.
    depth: usize,
    /// `#[cfg(test)]` was read, and the item that it belongs to has not begun.
    marked: bool,
    /// The depth inside of an item for tests, while it is read.
    skipped: Option<usize>,
    found: Vec<Passage>,
}

/// Every comment, and every literal outside of items marked `#[cfg(test)]`.
pub(crate) fn passages(source: &str) -> Vec<Passage> {
    let mut scanner =
        Scanner { rest: source, line: 1, depth: 0, marked: false, skipped: None, found: Vec::new() };
    while !scanner.rest.is_empty() {
        scanner.step();
    }
    scanner.found
}

impl Scanner<'_> {
    fn step(&mut self) {
        if self.rest.starts_with("//") {
            let length = self.rest.find('\n').unwrap_or(self.rest.len());
            let text = self.rest[..length].trim_start_matches('/').trim_start_matches('!').trim();
            add_comment(&mut self.found, self.line, text);
            self.advance(length);
        } else if self.rest.starts_with("/*") {
            let length = comment(self.rest);
            let text = self.rest[2..length].to_owned();
            self.found.push(Passage { kind: Kind::Comment, line: self.line, text });
            self.advance(length);
        } else if self.rest.starts_with("#[cfg(test)]") {
            self.marked = true;
            self.advance("#[cfg(test)]".len());
        } else if let Some(hashes) = raw(self.rest) {
            let opening = 2 + hashes;
            let closing = format!("\"{}", "#".repeat(hashes));
            let length = self.rest[opening..].find(&closing).unwrap_or(self.rest.len() - opening);
            self.keep(self.rest[opening..opening + length].to_owned());
            self.advance(self.rest.len().min(opening + length + closing.len()));
        } else if self.rest.starts_with('"') {
            let (text, length) = quoted(self.rest);
            self.keep(text);
            self.advance(length);
        } else if let Some(length) = character(self.rest) {
            self.advance(length);
        } else {
            self.plain();
        }
    }

    /// A word or one other character.
    fn plain(&mut self) {
        match self.rest.chars().next() {
            Some('{') => {
                self.depth += 1;
                if std::mem::take(&mut self.marked) && self.skipped.is_none() {
                    self.skipped = Some(self.depth);
                }
            }
            Some('}') => {
                if self.skipped == Some(self.depth) {
                    self.skipped = None;
                }
                self.depth = self.depth.saturating_sub(1);
            }
            Some(';') => self.marked = false,
            _ => {}
        }
        let word = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let one = self.rest.chars().next().map_or(0, char::len_utf8);
        self.advance(word.max(one));
    }

    fn keep(&mut self, text: String) {
        if self.skipped.is_none() {
            self.found.push(Passage { kind: Kind::Literal, line: self.line, text });
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.line += self.rest[..bytes].matches('\n').count();
        self.rest = &self.rest[bytes..];
    }
}

/// How many bytes a block comment has; they may be nested.
fn comment(text: &str) -> usize {
    let mut open = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            open += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            open -= 1;
            at += 2;
            if open == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// How many hashes the raw literal has that begins here.
fn raw(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('r')?;
    let hashes = behind.len() - behind.trim_start_matches('#').len();
    behind[hashes..].starts_with('"').then_some(hashes)
}

/// The text of a literal in quotes, and its length in the source. A backslash at the end of a line joins the lines, as in Rust.
fn quoted(source: &str) -> (String, usize) {
    let mut text = String::new();
    let mut characters = source.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return (text, at + 1),
            '\\' => match characters.next() {
                Some((_, '\n')) => while characters.next_if(|(_, c)| c.is_whitespace()).is_some() {},
                Some((_, 'n' | 't' | 'r')) => text.push('\n'),
                Some((_, escaped)) => text.push(escaped),
                None => {}
            },
            c => text.push(c),
        }
    }
    (text, source.len())
}

/// The length of a literal of one character; a lifetime is not one.
fn character(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('\'')?;
    if behind.starts_with('\\') {
        return behind[2..].find('\'').map(|at| at + 4);
    }
    let length = behind.chars().next()?.len_utf8();
    behind[length..].starts_with('\'').then_some(length + 2)
}

#[cfg(test)]
fn of(kind: Kind, source: &str) -> Vec<(usize, String)> {
    let found = passages(source).into_iter().filter(|found| found.kind == kind);
    found.map(|found| (found.line, found.text)).collect()
}

#[test]
fn literals_are_found_with_their_lines() {
    let source = "let a = \"one\";\nlet b = r#\"two \"2\"\"#;\nf('\"', '\\'', \"three \\\n   lines\");\nfn g<'a>(x: &'a str) {}\n\"four\"";
    let found = of(Kind::Literal, source);
    let expected = [(1, "one"), (2, "two \"2\""), (3, "three lines"), (6, "four")];
    assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn comments_and_test_modules_are_skipped() {
    let source = "// \"a\"\n/* \"b\" /* \"c\" */ */\n#[cfg(test)]\nmod tests;\nconst D: &str = \"d\";\n#[cfg(test)]\nmod t {\n fn f() { \"e\" }\n}\n\"f\"";
    let found: Vec<String> = of(Kind::Literal, source).into_iter().map(|(_, text)| text).collect();
    assert_eq!(found, ["d", "f"]);
}

#[test]
fn comments_are_found_with_their_lines() {
    let source = "//! One\n//! two\n\nlet a = \"// three\"; // four\n#[cfg(test)]\nmod t {\n    /// five\n    fn f() {} /* six\n*/\n}\n";
    let found = of(Kind::Comment, source);
    let expected = [(1, "One\ntwo"), (4, "four"), (7, "five"), (8, " six\n*/")];
    assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
}

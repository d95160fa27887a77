//! The parts of an expression as they stand in the text: words, keys, numbers and quotes.

use crate::cursor::Cursor;
use crate::expression::Pattern;
use crate::fault::fault;
use crate::text::Needle;
use crate::vocabulary::{Key, RoleSet};
use handeye_core::Result;
use regex::RegexBuilder;

/// Largest compiled size of a regular expression, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// Compiles a regular expression, with a fault that points into `query` at `offset`.
pub(crate) fn compile_regex(
    query: &str,
    offset: usize,
    pattern: &str,
    ignore_case: bool,
) -> Result<regex::Regex> {
    RegexBuilder::new(pattern).case_insensitive(ignore_case).size_limit(MAX_REGEX_BYTES).build().map_err(
        |error| {
            let why = match error {
                regex::Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
                other => {
                    other.to_string().lines().last().unwrap_or("not a regular expression").trim().to_owned()
                }
            };
            fault(query, offset, why, r"^Save( as)?$ (look-around and back-references are not supported)")
        },
    )
}

/// A key that was found, and the byte after its operator.
pub(super) struct FoundKey<'q> {
    pub(super) named: Named,
    pub(super) name: &'q str,
    pub(super) operator: Operator,
    pub(super) end: usize,
}

pub(super) enum Named {
    Key(Key),
    /// `button:Save`
    Role(RoleSet),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// `:` the whole or a part
    Loose,
    /// `=` the whole
    Equals,
    /// `~=` a part
    Contains,
    /// `!=` not the whole
    Differs,
}

impl Operator {
    const fn symbol(self) -> &'static str {
        match self {
            Self::Loose => ":",
            Self::Equals => "=",
            Self::Contains => "~=",
            Self::Differs => "!=",
        }
    }
}

/// A text that is read as an expression, and what its parts so far have shown about it.
pub(super) struct Parser<'q> {
    pub(super) cursor: Cursor<'q>,
    pub(super) reference: Option<String>,
    pub(super) is_structured: bool,
}

impl<'q> Parser<'q> {
    /// The next word without taking it: up to white space or a character that ends words.
    pub(super) fn peek_word(&mut self) -> &'q str {
        self.cursor.peek();
        let rest = self.cursor.rest();
        let end = rest
            .char_indices()
            .find(|(index, c)| c.is_whitespace() || matches!(c, '(' | ')' | '[') && *index > 0 || *c == ')')
            .map_or(rest.len(), |(index, _)| index);
        &rest[..end]
    }

    /// Takes the keyword if it comes next.
    pub(super) fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.peek_word() == keyword;
        if found {
            self.cursor.at += keyword.len();
            self.is_structured = true;
        }
        found
    }

    /// The digits of `#3` or `nth:3` and the length of it all, if that comes next.
    pub(super) fn peek_nth(&mut self) -> Option<(&'q str, usize)> {
        let word = self.peek_word();
        let digits = word.strip_prefix('#').or_else(|| word.strip_prefix("nth:"))?;
        (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some((digits, word.len()))
    }

    /// The key, its operator and their place, if a condition comes next.
    pub(super) fn peek_key(&mut self) -> Option<FoundKey<'q>> {
        self.cursor.peek();
        let rest = self.cursor.rest();
        let length =
            rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).filter(|n| *n > 0)?;
        let name = &rest[..length];
        let operator = [Operator::Contains, Operator::Differs, Operator::Loose, Operator::Equals]
            .into_iter()
            .find(|operator| rest[length..].starts_with(operator.symbol()))?;
        let after = &rest[length + operator.symbol().len()..];
        let key = match Key::named(name) {
            Some(key) => Named::Key(key),
            None => Named::Role(RoleSet::named(name)?),
        };
        // "Title:" at the end is a label that ends in a colon, not a condition without a value.
        let has_value = !after.trim_start().is_empty();
        let end = self.cursor.at + length + operator.symbol().len();
        has_value.then_some(FoundKey { named: key, name, operator, end })
    }

    /// A quoted text; a name that an outline cut off gives its beginning.
    pub(super) fn quoted(&mut self) -> Result<Pattern> {
        let opened = self.cursor.at;
        let text = self.quoted_text()?;
        if let Some(head) = cut_off_head(&text) {
            return Ok(Pattern::Prefix(Needle::new(head)));
        }
        if text.trim().is_empty() {
            return Err(self.cursor.fault_at(opened, "the text between the quotes is empty"));
        }
        Ok(Pattern::Whole(Needle::new(&text)))
    }

    pub(super) fn quoted_text(&mut self) -> Result<String> {
        let opened = self.cursor.at;
        let mut chars = self.cursor.rest().char_indices();
        let quote = chars.next().map(|(_, c)| c);
        let mut text = String::new();
        while let Some((index, c)) = chars.next() {
            if Some(c) == quote {
                self.cursor.at += index + 1;
                return Ok(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, 'r')) => text.push('\r'),
                Some((_, 'u')) => {
                    let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                    let escaped = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    text.push(escaped.ok_or_else(|| self.cursor.fault("\\u needs four hexadecimal digits"))?);
                }
                Some((_, other)) => text.push(other),
                None => break,
            }
        }
        Err(self.cursor.fault_at(opened, "this quote is never closed"))
    }

    /// Takes the words up to the next thing that means something else.
    pub(super) fn run_of_words(&mut self) -> &'q str {
        self.cursor.peek();
        let start = self.cursor.at;
        let mut end = start;
        while let Some(c) = self.cursor.peek() {
            let is_first = end == start;
            let stops = matches!(c, '(' | ')' | '[' | '"' | '\'')
                || self.cursor.rest().starts_with(">>")
                || matches!(self.peek_word(), "AND" | "OR" | "NOT" | ":")
                || self.peek_nth().is_some()
                || (!is_first && self.peek_key().is_some());
            if stops {
                break;
            }
            self.cursor.at += self.peek_word().len();
            end = self.cursor.at;
        }
        self.cursor.at = end;
        &self.cursor.text()[start..end]
    }
}

/// The beginning of a name that an outline shows as `beginning…(+80 chars)`.
fn cut_off_head(text: &str) -> Option<&str> {
    let (head, count) = text.strip_suffix(" chars)")?.rsplit_once("…(+")?;
    (!head.is_empty() && count.bytes().all(|b| b.is_ascii_digit())).then_some(head)
}

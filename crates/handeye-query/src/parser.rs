//! The parser of expressions; the grammar is in the documentation of [`super`].

mod condition;

use super::cursor::Cursor;
use super::expression::{Chain, Expression, Pattern, Step};
use super::fault::fault;
use super::text::Needle;
use super::vocabulary::{Condition, Field, leading_role};
use handeye_core::Result;
use regex::RegexBuilder;

/// Deepest nesting of parentheses and negations.
const MAX_DEPTH: usize = 32;
/// Largest compiled size of a regular expression, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;
const EXAMPLE: &str = r#"role:button AND title:"Save", or button "Save", or dialog >> button "OK""#;

/// What a text means as an expression.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The steps.
    pub(super) chain: Chain,
    /// The reference of a pasted outline line, for example `e40`.
    pub(super) reference: Option<String>,
    /// Whether there is more to it than plain words: a role with a title, a field, an operator.
    pub(super) is_structured: bool,
}

/// Compiles a regular expression, with a fault that points into `query` at `offset`.
pub(super) fn compile_regex(
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

/// Reads `text` as an expression.
pub(super) fn parse(text: &str) -> Result<Parsed> {
    let start = outline_bullet(text);
    let cursor = Cursor::new(text, start, EXAMPLE);
    let mut parser = Parser { cursor, reference: None, is_structured: start > 0 };
    let mut steps = vec![parser.step()?];
    while parser.cursor.take(">>") {
        parser.is_structured = true;
        steps.push(parser.step()?);
    }
    parser.cursor.expect_end()?;
    let is_structured = parser.is_structured;
    Ok(Parsed { chain: Chain { steps }, reference: parser.reference, is_structured })
}

/// Length of the `- ` before a line that was copied from an outline.
fn outline_bullet(text: &str) -> usize {
    let rest = text.trim_start();
    if rest.starts_with("- ") { text.len() - rest.len() + 2 } else { 0 }
}

struct Parser<'q> {
    cursor: Cursor<'q>,
    reference: Option<String>,
    is_structured: bool,
}

impl<'q> Parser<'q> {
    /// The next word without taking it: up to white space or a character that ends words.
    fn peek_word(&mut self) -> &'q str {
        self.cursor.peek();
        let rest = self.cursor.rest();
        let end = rest
            .char_indices()
            .find(|(index, c)| c.is_whitespace() || matches!(c, '(' | ')' | '[') && *index > 0 || *c == ')')
            .map_or(rest.len(), |(index, _)| index);
        &rest[..end]
    }

    /// Takes the keyword if it comes next.
    fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.peek_word() == keyword;
        if found {
            self.cursor.at += keyword.len();
            self.is_structured = true;
        }
        found
    }

    fn step(&mut self) -> Result<Step> {
        let mut expression = None;
        if self.peek_nth().is_none() {
            expression = Some(self.or()?);
        }
        let mut nth = None;
        while let Some((number, length)) = self.peek_nth() {
            if nth.is_some() {
                return Err(self.cursor.fault("a step has one number only"));
            }
            let number = number.parse().ok().filter(|n| *n > 0);
            nth =
                Some(number.ok_or_else(|| self.cursor.fault("matches are counted from 1, for example #2"))?);
            self.cursor.at += length;
            self.is_structured = true;
        }
        let expression =
            expression.ok_or_else(|| self.cursor.fault("say what to count, for example button #2"))?;
        Ok(Step { expression, nth })
    }

    /// The digits of `#3` or `nth:3` and the length of it all, if that comes next.
    fn peek_nth(&mut self) -> Option<(&'q str, usize)> {
        let word = self.peek_word();
        let digits = word.strip_prefix('#').or_else(|| word.strip_prefix("nth:"))?;
        (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some((digits, word.len()))
    }

    fn or(&mut self) -> Result<Expression> {
        let mut parts = vec![self.and()?];
        while self.take_keyword("OR") {
            parts.push(self.and()?);
        }
        Ok(one_or(parts, Expression::Or))
    }

    fn and(&mut self) -> Result<Expression> {
        let mut parts = self.unary()?;
        loop {
            if self.take_keyword("AND") {
                parts.extend(self.unary()?);
            } else if self.ends_here() {
                // Only a reference or ignorable tags, as in "[ref=e3]": the reference alone decides.
                if parts.is_empty() {
                    return Err(self.cursor.fault("a role, a title or a condition is missing"));
                }
                return Ok(one_or(parts, Expression::And));
            } else {
                parts.extend(self.unary()?);
            }
        }
    }

    /// Whether a step or a group ends here.
    fn ends_here(&mut self) -> bool {
        matches!(self.cursor.peek(), None | Some(')'))
            || self.cursor.rest().starts_with(">>")
            || self.peek_word() == "OR"
            || self.peek_nth().is_some()
    }

    /// One condition, or none for a tag that says nothing about the element itself (its reference).
    fn unary(&mut self) -> Result<Vec<Expression>> {
        self.cursor.enter(MAX_DEPTH)?;
        let parts = self.unary_inside();
        self.cursor.leave();
        parts
    }

    fn unary_inside(&mut self) -> Result<Vec<Expression>> {
        if self.take_keyword("NOT") {
            let parts = self.unary()?;
            if parts.is_empty() {
                return Err(self.cursor.fault("NOT needs a condition"));
            }
            return Ok(vec![Expression::Not(Box::new(one_or(parts, Expression::And)))]);
        }
        match self.cursor.peek() {
            None => Err(self.cursor.fault("a role, a title or a condition is missing")),
            Some('(') => self.group().map(|group| vec![group]),
            Some('[') => self.tag().map(|condition| condition.into_iter().collect()),
            Some(':') => self.pasted_value().map(|value| value.into_iter().collect()),
            Some('"' | '\'') => {
                self.is_structured = true;
                let pattern = self.quoted()?;
                Ok(vec![Expression::Text(Field::Title, pattern)])
            }
            Some(_) => self.key_or_words(),
        }
    }

    fn group(&mut self) -> Result<Expression> {
        let opened = self.cursor.at;
        self.cursor.at += 1;
        let inside = self.or()?;
        if self.cursor.rest().starts_with(">>") {
            return Err(self.cursor.fault("'>>' stands between steps, not inside of parentheses"));
        }
        if self.peek_nth().is_some() {
            return Err(self.cursor.fault("a number stands at the end of a step, not inside of parentheses"));
        }
        if !self.cursor.take(")") {
            return Err(self.cursor.fault_at(opened, "this '(' is never closed"));
        }
        Ok(inside)
    }

    /// `[ref=e40]`, `[disabled]`, `[checked=mixed]`: the tags of an outline line.
    fn tag(&mut self) -> Result<Option<Expression>> {
        let opened = self.cursor.at;
        let Some(length) = self.cursor.rest().find(']') else {
            return Err(self.cursor.fault("this '[' is never closed"));
        };
        let tag = self.cursor.rest()[1..length].trim();
        self.cursor.at += length + 1;
        self.is_structured = true;
        if let Some(reference) = tag.strip_prefix("ref=") {
            self.reference = Some(reference.trim().to_owned());
            return Ok(None);
        }
        if tag.starts_with("of ") {
            // Whose it is: the tag is for readers, and no query asks for it.
            return Ok(None);
        }
        let condition = match tag {
            "checked=mixed" => Condition::named("mixed"),
            _ => Condition::named(&tag.to_ascii_lowercase()),
        };
        condition.map(|condition| Some(Expression::State(condition))).ok_or_else(|| {
            self.cursor.fault_at(opened, format!("no state is called '{tag}'")).with_found(Condition::names())
        })
    }

    /// The `: "hello"` at the end of an outline line.
    fn pasted_value(&mut self) -> Result<Option<Expression>> {
        self.cursor.at += 1;
        match self.cursor.peek() {
            None => Ok(None),
            Some('"' | '\'') => {
                let pattern = self.quoted()?;
                Ok(Some(Expression::Text(Field::Value, pattern)))
            }
            Some('[') if self.cursor.rest().starts_with("[protected]") => {
                self.cursor.at += "[protected]".len();
                Ok(None)
            }
            Some(_) => {
                let run = self.run_of_words();
                if run.is_empty() {
                    return Err(self.cursor.fault("a value is missing after ':'"));
                }
                Ok(Some(Expression::Text(Field::Value, Pattern::Whole(Needle::new(run)))))
            }
        }
    }

    /// A quoted text; a name that an outline cut off gives its beginning.
    fn quoted(&mut self) -> Result<Pattern> {
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

    fn quoted_text(&mut self) -> Result<String> {
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

    fn key_or_words(&mut self) -> Result<Vec<Expression>> {
        if let Some(key) = self.peek_key() {
            return self.condition(&key).map(|condition| vec![condition]);
        }
        let start = self.cursor.at;
        let run = self.run_of_words();
        if run.is_empty() {
            let c = self.cursor.peek().unwrap_or(' ');
            return Err(self.cursor.fault_at(start, format!("'{c}' has no meaning here")));
        }
        let words: Vec<&str> = run.split_whitespace().collect();
        let Some((roles, count)) = leading_role(&words) else {
            return Ok(vec![Expression::Words(Needle::new(run))]);
        };
        let mut parts = vec![Expression::Role(roles)];
        if count < words.len() {
            self.is_structured = true;
            parts.push(Expression::Words(Needle::new(&words[count..].join(" "))));
        }
        Ok(parts)
    }

    /// Takes the words up to the next thing that means something else.
    fn run_of_words(&mut self) -> &'q str {
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

fn one_or(mut parts: Vec<Expression>, join: impl FnOnce(Vec<Expression>) -> Expression) -> Expression {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

/// Byte after the `count`-th word of `run`.
fn end_of_word(run: &str, count: usize) -> usize {
    let mut end = 0;
    for word in run.split_whitespace().take(count) {
        end += run[end..].find(word).unwrap_or(0) + word.len();
    }
    end
}

/// The beginning of a name that an outline shows as `beginning…(+80 chars)`.
fn cut_off_head(text: &str) -> Option<&str> {
    let (head, count) = text.strip_suffix(" chars)")?.rsplit_once("…(+")?;
    (!head.is_empty() && count.bytes().all(|b| b.is_ascii_digit())).then_some(head)
}

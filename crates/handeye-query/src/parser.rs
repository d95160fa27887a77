//! The parser of expressions; the grammar is in the documentation of [`super`].

mod condition;
mod reader;

pub(super) use reader::compile_regex;

use super::cursor::Cursor;
use super::expression::{Chain, Expression, Pattern, Step};
use super::text::Needle;
use super::vocabulary::{Condition, Field, leading_role};
use handeye_core::Result;
use reader::Parser;

/// Deepest nesting of parentheses and negations.
const MAX_DEPTH: usize = 32;
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

impl Parser<'_> {
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
}

fn one_or(mut parts: Vec<Expression>, join: impl FnOnce(Vec<Expression>) -> Expression) -> Expression {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

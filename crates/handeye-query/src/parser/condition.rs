//! Conditions of an expression: a field, a state or a role with a value.

use super::reader::{FoundKey, Named, Operator, Parser, compile_regex};
use crate::expression::{Expression, Pattern};
use crate::near;
use crate::text::Needle;
use crate::vocabulary::{Condition, Field, Key, RoleSet, leading_role};
use handeye_core::{Error, Result};

impl<'q> Parser<'q> {
    pub(super) fn condition(&mut self, found: &FoundKey<'q>) -> Result<Expression> {
        let start = self.cursor.at;
        self.cursor.at = found.end;
        self.is_structured = true;
        let condition = match &found.named {
            Named::Role(roles) => {
                let title = self.text_condition(Field::Title, found.operator)?;
                return Ok(Expression::And(vec![Expression::Role(*roles), title]));
            }
            Named::Key(Key::Field(field)) => return self.text_condition(*field, found.operator),
            Named::Key(Key::Role) => self.role_value()?,
            Named::Key(Key::State) => Expression::State(self.state_value()?),
            Named::Key(Key::Flag(condition)) => {
                let wanted = self.boolean(found.name)?;
                Expression::State(if wanted { *condition } else { condition.negated() })
            }
            Named::Key(Key::Nth) => {
                return Err(self
                    .cursor
                    .fault_at(start, "nth: takes a number from 1 and stands at the end of a step"));
            }
        };
        match found.operator {
            Operator::Loose | Operator::Equals => Ok(condition),
            Operator::Differs => Ok(Expression::Not(Box::new(condition))),
            Operator::Contains => {
                Err(self.cursor.fault_at(start, format!("'~=' is for texts; '{}' is none", found.name)))
            }
        }
    }

    fn text_condition(&mut self, field: Field, operator: Operator) -> Result<Expression> {
        let start = self.cursor.at;
        let pattern = match self.cursor.peek() {
            Some('"' | '\'') => {
                let pattern = self.quoted()?;
                match (operator, pattern) {
                    (Operator::Contains, Pattern::Whole(needle)) => Pattern::Part(needle),
                    (_, pattern) => pattern,
                }
            }
            Some('/') if self.cursor.rest()[1..].contains('/') => self.regex()?,
            _ => {
                let run = self.run_of_words();
                if run.is_empty() {
                    return Err(self.cursor.fault_at(start, "a value is missing here"));
                }
                match operator {
                    Operator::Loose | Operator::Contains => Pattern::Part(Needle::new(run)),
                    Operator::Equals | Operator::Differs => Pattern::Whole(Needle::new(run)),
                }
            }
        };
        let condition = Expression::Text(field, pattern);
        Ok(if operator == Operator::Differs { Expression::Not(Box::new(condition)) } else { condition })
    }

    /// `/pattern/` or `/pattern/i`; a slash inside is written `\/`.
    fn regex(&mut self) -> Result<Pattern> {
        let opened = self.cursor.at;
        let body = &self.cursor.rest()[1..];
        let mut escaped = false;
        let end = body.char_indices().find_map(|(index, c)| {
            let closes = c == '/' && !escaped;
            escaped = c == '\\' && !escaped;
            closes.then_some(index)
        });
        let Some(end) = end else {
            return Err(self.cursor.fault("this regular expression is never closed with '/'"));
        };
        self.cursor.at += end + 2;
        let ignore_case = self.cursor.rest().starts_with('i');
        self.cursor.at += usize::from(ignore_case);
        compile_regex(self.cursor.text(), opened, &body[..end], ignore_case).map(Pattern::Regex)
    }

    fn role_value(&mut self) -> Result<Expression> {
        let start = self.cursor.at;
        if matches!(self.cursor.peek(), Some('"' | '\'')) {
            let name = self.quoted_text()?;
            let roles = RoleSet::named(&name).ok_or_else(|| self.unknown_role(start, &name))?;
            return Ok(Expression::Role(roles));
        }
        let run_start = self.cursor.at;
        let run = self.run_of_words();
        let words: Vec<&str> = run.split_whitespace().collect();
        let (roles, count) =
            leading_role(&words).ok_or_else(|| self.unknown_role(start, words.first().unwrap_or(&"")))?;
        // What follows the role is another condition: role:button Save.
        self.cursor.at = run_start + end_of_word(run, count);
        Ok(Expression::Role(roles))
    }

    fn unknown_role(&self, at: usize, name: &str) -> Error {
        self.cursor.fault_at(at, format!("no role is called '{name}'")).with_found(near::roles(name))
    }

    fn state_value(&mut self) -> Result<Condition> {
        let start = self.cursor.at;
        let name = if matches!(self.cursor.peek(), Some('"' | '\'')) {
            self.quoted_text()?
        } else {
            let word = self.peek_word();
            self.cursor.at += word.len();
            word.to_owned()
        };
        Condition::named(&name.to_ascii_lowercase()).ok_or_else(|| {
            self.cursor.fault_at(start, format!("no state is called '{name}'")).with_found(Condition::names())
        })
    }

    fn boolean(&mut self, name: &str) -> Result<bool> {
        let word = self.peek_word().trim_matches(['"', '\'']);
        let wanted = match word.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" | "on" => true,
            "false" | "no" | "0" | "off" => false,
            _ => return Err(self.cursor.fault(format!("'{name}' is true or false, not '{word}'"))),
        };
        self.cursor.at += self.peek_word().len();
        Ok(wanted)
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

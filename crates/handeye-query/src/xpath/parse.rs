//! The parser of XPath expressions.

use super::{Attribute, Axis, Comparison, Expr, Function, Step, Test};
use crate::cursor::Cursor;
use crate::near;
use crate::vocabulary::{Condition, RoleSet};
use handeye_core::{DetailKinds, Result};

/// Deepest nesting of parentheses and predicates.
const MAX_DEPTH: usize = 24;
/// Most operands and steps, so that a chain of them cannot nest too deeply either.
const MAX_PARTS: usize = 400;
const EXAMPLE: &str = "//button[@name='Save'] or //dialog//textbox[@focused='true']";

/// Parses `text` into an expression that selects elements, and the details that it asks about.
pub(super) fn parse(text: &str) -> Result<(Expr, DetailKinds)> {
    let cursor = Cursor::new(text, 0, EXAMPLE);
    let mut parser = Parser { cursor, parts: 0, needs: DetailKinds::empty() };
    let expression = parser.expression()?;
    parser.cursor.expect_end()?;
    if !selects_elements(&expression) {
        return Err(parser
            .cursor
            .fault_at(0, "the expression gives a text, a number or a truth value, not elements"));
    }
    Ok((expression, parser.needs))
}

fn selects_elements(expression: &Expr) -> bool {
    match expression {
        Expr::Union(a, b) => selects_elements(a) && selects_elements(b),
        Expr::Path { steps, .. } => end_in_elements(steps),
        Expr::Filter { base, steps, .. } => selects_elements(base) && end_in_elements(steps),
        _ => false,
    }
}

fn end_in_elements(steps: &[Step]) -> bool {
    steps.last().is_none_or(|step| !matches!(step.test, Test::Attribute(_) | Test::Text))
}

/// Whether a predicate asks for the place of an element among those of its step. Says yes when in doubt.
fn is_positional(predicate: &Expr) -> bool {
    match predicate {
        Expr::Path { .. } | Expr::Literal(_) | Expr::Union(..) => false,
        Expr::And(a, b) | Expr::Or(a, b) => is_positional(a) || is_positional(b),
        Expr::Compare(_, a, b) => asks_for_position(a) || asks_for_position(b),
        Expr::Call(
            Function::Not | Function::Contains | Function::StartsWith | Function::EndsWith,
            arguments,
        ) => arguments.iter().any(asks_for_position),
        _ => true,
    }
}

/// Whether an operand may have `position()` or `last()` in it; a plain number is not a position there.
fn asks_for_position(operand: &Expr) -> bool {
    !matches!(operand, Expr::Number(_)) && is_positional(operand)
}

struct Parser<'q> {
    cursor: Cursor<'q>,
    parts: usize,
    needs: DetailKinds,
}

impl<'q> Parser<'q> {
    fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.cursor.take(symbol) {
            Ok(())
        } else {
            Err(self.cursor.fault(format!("'{symbol}' is missing here")))
        }
    }

    /// The name that comes next, without taking it.
    fn peek_name(&mut self) -> &'q str {
        self.cursor.peek();
        let rest = self.cursor.rest();
        let is_first = rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let end =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).unwrap_or(rest.len());
        if is_first { &rest[..end] } else { "" }
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.peek_name() == keyword;
        if found {
            self.cursor.at += keyword.len();
        }
        found
    }

    fn count_part(&mut self) -> Result<()> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            Err(self.cursor.fault("the expression has too many parts"))
        } else {
            Ok(())
        }
    }

    fn expression(&mut self) -> Result<Expr> {
        self.cursor.enter(MAX_DEPTH)?;
        let mut left = self.and()?;
        while self.take_keyword("or") {
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        self.cursor.leave();
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr> {
        let mut left = self.comparison()?;
        while self.take_keyword("and") {
            left = Expr::And(Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expr> {
        const OPERATORS: [(&str, Comparison); 6] = [
            ("!=", Comparison::Different),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("=", Comparison::Equal),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let mut left = self.sum()?;
        while let Some((_, comparison)) = OPERATORS.into_iter().find(|(symbol, _)| self.cursor.take(symbol)) {
            left = Expr::Compare(comparison, Box::new(left), Box::new(self.sum()?));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expr> {
        let mut left = self.union()?;
        loop {
            left = if self.cursor.take("+") {
                Expr::Add(Box::new(left), Box::new(self.union()?))
            } else if self.cursor.take("-") {
                Expr::Subtract(Box::new(left), Box::new(self.union()?))
            } else {
                return Ok(left);
            };
        }
    }

    fn union(&mut self) -> Result<Expr> {
        let mut left = self.operand()?;
        while self.cursor.take("|") {
            let right = self.operand()?;
            if !selects_elements(&left) || !selects_elements(&right) {
                return Err(self.cursor.fault("'|' joins two paths"));
            }
            left = Expr::Union(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expr> {
        self.count_part()?;
        match self.cursor.peek() {
            None => Err(self.cursor.fault("the expression ends here although something is missing")),
            Some('"' | '\'') => self.literal(),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some('(') => self.filter(),
            Some(_) => match Function::named(self.peek_name()) {
                Some(function) if self.is_call() => self.call(function),
                _ => self.path(),
            },
        }
    }

    fn is_call(&mut self) -> bool {
        let name = self.peek_name();
        self.cursor.rest()[name.len()..].trim_start().starts_with('(')
    }

    fn literal(&mut self) -> Result<Expr> {
        let quote = self.cursor.rest().chars().next().unwrap_or('"');
        let inside = &self.cursor.rest()[1..];
        let end = inside.find(quote).ok_or_else(|| self.cursor.fault("this quote is never closed"))?;
        self.cursor.at += end + 2;
        Ok(Expr::Literal(inside[..end].to_owned()))
    }

    fn number(&mut self) -> Result<Expr> {
        let rest = self.cursor.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = rest[..end].parse().map_err(|_| self.cursor.fault("this is not a number"))?;
        self.cursor.at += end;
        Ok(Expr::Number(number))
    }

    fn filter(&mut self) -> Result<Expr> {
        self.expect("(")?;
        let base = self.expression()?;
        self.expect(")")?;
        let predicates = self.predicates()?;
        let mut steps = Vec::new();
        if self.cursor.rest().trim_start().starts_with('/') {
            self.steps(&mut steps)?;
        }
        if predicates.is_empty() && steps.is_empty() {
            return Ok(base);
        }
        if !selects_elements(&base) {
            return Err(self.cursor.fault("only what selects elements can be filtered"));
        }
        Ok(Expr::Filter { base: Box::new(base), predicates, steps })
    }

    fn call(&mut self, function: Function) -> Result<Expr> {
        let start = self.cursor.at;
        let name = self.peek_name();
        self.cursor.at += name.len();
        self.expect("(")?;
        let mut arguments = Vec::new();
        while self.cursor.peek() != Some(')') {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.expression()?);
        }
        self.expect(")")?;
        let expected = function.arguments();
        if !expected.contains(&arguments.len()) {
            self.cursor.at = start;
            let (fewest, most) = expected.into_inner();
            let number = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
            return Err(self.cursor.fault(format!("{name}() takes {number} arguments")));
        }
        if function == Function::Count && !selects_elements(&arguments[0]) {
            return Err(self.cursor.fault("count() counts what a path selects"));
        }
        Ok(Expr::Call(function, arguments))
    }

    fn path(&mut self) -> Result<Expr> {
        let mut steps = Vec::new();
        let absolute = self.cursor.peek() == Some('/');
        if absolute {
            // "/" alone is the application.
            let after = self.cursor.rest()[1..].trim_start();
            let goes_on =
                after.starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '*' | '.' | '@' | '_'));
            if !goes_on {
                self.cursor.at += 1;
                return Ok(Expr::Path { absolute, steps });
            }
            self.steps(&mut steps)?;
        } else {
            steps.push(self.step()?);
            self.steps(&mut steps)?;
        }
        Ok(Expr::Path { absolute, steps })
    }

    /// Every `/step` and `//step` that follows.
    fn steps(&mut self, steps: &mut Vec<Step>) -> Result<()> {
        loop {
            let skips_levels = self.cursor.take("//");
            if !skips_levels && !self.cursor.take("/") {
                return Ok(());
            }
            let mut step = self.step()?;
            if skips_levels && step.axis == Axis::Child && !step.predicates.iter().any(is_positional) {
                // "//button" by its long form looks at the children of every element, one by one.
                step.axis = Axis::Descendant;
            } else if skips_levels {
                steps.push(Step { axis: Axis::DescendantOrSelf, test: Test::Any, predicates: Vec::new() });
            }
            steps.push(step);
        }
    }

    fn step(&mut self) -> Result<Step> {
        self.count_part()?;
        if self.cursor.take("..") {
            return Ok(Step { axis: Axis::Parent, test: Test::Any, predicates: self.predicates()? });
        }
        if self.cursor.take(".") {
            return Ok(Step { axis: Axis::Itself, test: Test::Any, predicates: self.predicates()? });
        }
        let axis = self.axis()?;
        let test = if axis == Axis::Attribute { self.attribute()? } else { self.test()? };
        Ok(Step { axis, test, predicates: self.predicates()? })
    }

    fn axis(&mut self) -> Result<Axis> {
        if self.cursor.take("@") {
            return Ok(Axis::Attribute);
        }
        let name = self.peek_name();
        if !self.cursor.rest()[name.len()..].trim_start().starts_with("::") {
            return Ok(Axis::Child);
        }
        let axis = match name {
            "child" => Axis::Child,
            "descendant" => Axis::Descendant,
            "descendant-or-self" => Axis::DescendantOrSelf,
            "self" => Axis::Itself,
            "parent" => Axis::Parent,
            "ancestor" => Axis::Ancestor,
            "ancestor-or-self" => Axis::AncestorOrSelf,
            "following-sibling" => Axis::FollowingSibling,
            "preceding-sibling" => Axis::PrecedingSibling,
            "following" => Axis::Following,
            "preceding" => Axis::Preceding,
            "attribute" => Axis::Attribute,
            _ => return Err(self.cursor.fault(format!("there is no axis '{name}'"))),
        };
        self.cursor.at += name.len();
        self.expect("::")?;
        Ok(axis)
    }

    fn test(&mut self) -> Result<Test> {
        if self.cursor.take("*") {
            return Ok(Test::Any);
        }
        let name = self.peek_name();
        if name.is_empty() {
            return Err(self.cursor.fault("a role is missing here, or * for any"));
        }
        if self.is_call() {
            let test = match name {
                "node" => Test::Any,
                "text" => {
                    self.needs |= DetailKinds::TEXT | DetailKinds::VALUE;
                    Test::Text
                }
                _ => {
                    return Err(self
                        .cursor
                        .fault(format!("there is no function '{name}'"))
                        .with_found(Function::NAMES.iter().copied()));
                }
            };
            self.cursor.at += name.len();
            self.expect("(")?;
            self.expect(")")?;
            return Ok(test);
        }
        let roles = RoleSet::named(name).ok_or_else(|| {
            self.cursor.fault(format!("no role is called '{name}'")).with_found(near::roles(name))
        })?;
        self.cursor.at += name.len();
        Ok(Test::Role(roles))
    }

    fn attribute(&mut self) -> Result<Test> {
        const NAMED: [&str; 5] = ["name", "role", "value", "identifier", "description"];
        let name = self.peek_name();
        let lower = name.to_ascii_lowercase();
        let attribute = match lower.as_str() {
            "name" | "title" | "label" => Attribute::Name,
            "role" => Attribute::Role,
            "value" => {
                self.needs |= DetailKinds::TEXT | DetailKinds::VALUE;
                Attribute::Value
            }
            "identifier" | "id" => {
                self.needs |= DetailKinds::IDENTIFIER;
                Attribute::Identifier
            }
            "description" | "help" => Attribute::Description,
            state => Attribute::State(Condition::named(state).ok_or_else(|| {
                self.cursor
                    .fault(format!("there is no attribute '{name}'"))
                    .with_found(NAMED.into_iter().chain(Condition::names()))
            })?),
        };
        self.cursor.at += name.len();
        Ok(Test::Attribute(attribute))
    }

    fn predicates(&mut self) -> Result<Vec<Expr>> {
        let mut predicates = Vec::new();
        while self.cursor.take("[") {
            predicates.push(self.expression()?);
            self.expect("]")?;
        }
        Ok(predicates)
    }
}

//! A subset of XPath 1.0 over the tree: elements are called by their roles.
//!
//! ```text
//! //button[@name='Save']                     /window[1]//textbox[@focused='true']
//! //dialog//*[contains(@name, 'file')]       //text[.='Name:']/following-sibling::textbox
//! (//button)[last()]                         //row[cell[starts-with(@name, 'Inv')]]/checkbox
//! ```
//!
//! - The document is the application (or the element at which the search starts): `/window` are its windows.
//! - A name test is a role by its ARIA, AT-SPI or macOS name (`push-button`, `AXButton`); `*` and `node()` are any element.
//! - Axes: `child`, `descendant`, `descendant-or-self` (`//`), `self` (`.`), `parent` (`..`), `ancestor`, `ancestor-or-self`,
//!   `following-sibling`, `preceding-sibling`, `following`, `preceding`, `attribute` (`@`).
//! - Attributes: `@name` (also `@title`, `@label`), `@role`, `@value`, `@identifier` (`@id`), `@description`, and every
//!   state (`@enabled`, `@checked`, `@focused` …), which is `'true'` or `'false'`. Unlike in XML, `[@checked]` by itself
//!   asks whether it is true. `text()` is the label and what the element holds; the string value of an element is its label.
//! - Operators: `and or = != < <= > >= + - |`. Functions: `not contains starts-with ends-with position last count
//!   normalize-space string string-length lower-case concat translate boolean number true false name`.
//!
//! Evaluation has a budget of visited elements, so that no expression can hold up the process.

mod eval;
mod parse;

use handeye_core::{DetailKinds, Node, NodeId, Result, Tree};
use std::sync::Arc;

/// A parsed XPath expression that selects elements.
#[derive(Debug, Clone)]
pub(super) struct XPath {
    text: Box<str>,
    expression: Expr,
    needs: DetailKinds,
}

impl XPath {
    /// Parses `text`.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let (expression, needs) = parse::parse(text)?;
        Ok(Self { text: text.into(), expression, needs })
    }

    /// The details that it asks about.
    pub(super) const fn needs(&self) -> DetailKinds {
        self.needs
    }

    /// The elements that it selects below `root`, in document order.
    pub(super) fn select<'t>(&self, tree: &'t Tree, root: NodeId) -> Result<Vec<&'t Arc<Node>>> {
        eval::select(&self.text, &self.expression, tree, root)
    }
}

#[derive(Debug, Clone)]
enum Expr {
    Or(Box<Self>, Box<Self>),
    And(Box<Self>, Box<Self>),
    Compare(Comparison, Box<Self>, Box<Self>),
    Add(Box<Self>, Box<Self>),
    Subtract(Box<Self>, Box<Self>),
    Union(Box<Self>, Box<Self>),
    Literal(String),
    Number(f64),
    Call(Function, Vec<Self>),
    /// `/…` or a path from the context element.
    Path {
        absolute: bool,
        steps: Vec<Step>,
    },
    /// `(…)[2]/…`
    Filter {
        base: Box<Self>,
        predicates: Vec<Self>,
        steps: Vec<Step>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone)]
struct Step {
    axis: Axis,
    test: Test,
    predicates: Vec<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Child,
    Descendant,
    DescendantOrSelf,
    Itself,
    Parent,
    Ancestor,
    AncestorOrSelf,
    FollowingSibling,
    PrecedingSibling,
    Following,
    Preceding,
    Attribute,
}

#[derive(Debug, Clone)]
enum Test {
    Any,
    Role(super::vocabulary::RoleSet),
    Attribute(Attribute),
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attribute {
    Name,
    Role,
    Value,
    Identifier,
    Description,
    State(super::vocabulary::Condition),
}

/// Declares [`Function`] with its name and how many arguments it takes.
macro_rules! functions {
    ($($variant:ident, $name:literal, $fewest:literal..=$most:literal;)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Function {
            $($variant,)+
        }

        impl Function {
            const NAMES: &'static [&'static str] = &[$($name),+];

            fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }

            const fn arguments(self) -> std::ops::RangeInclusive<usize> {
                match self { $(Self::$variant => $fewest..=$most,)+ }
            }
        }
    };
}

functions! {
    Not, "not", 1..=1;
    Contains, "contains", 2..=2;
    StartsWith, "starts-with", 2..=2;
    EndsWith, "ends-with", 2..=2;
    Position, "position", 0..=0;
    Last, "last", 0..=0;
    Count, "count", 1..=1;
    NormalizeSpace, "normalize-space", 0..=1;
    String, "string", 0..=1;
    StringLength, "string-length", 0..=1;
    LowerCase, "lower-case", 1..=1;
    Concat, "concat", 2..=16;
    Translate, "translate", 3..=3;
    Boolean, "boolean", 1..=1;
    Number, "number", 0..=1;
    True, "true", 0..=0;
    False, "false", 0..=0;
    Name, "name", 0..=1;
}

//! A query language for accessibility trees: how an element is called.
//!
//! [`Query::parse`] reads a query once; [`Query::find`] runs it on any [`Tree`]. Nothing here waits, and whatever text comes in, parsing
//! and searching end soon.
//!
//! Wherever a query goes, these work (in the strategy `auto`, the default):
//!
//! | query | finds |
//! | --- | --- |
//! | `e12` | the element of that reference |
//! | `Save` | what is called Save: by identifier, title, part of the title, role, value or description, in this order |
//! | `button Save`, `button "Save"`, `button:Save` | a role with a title |
//! | `- button "Save" [ref=e40] [disabled]` | a line of an outline, pasted back |
//! | `role:button AND title:Save` | an expression |
//! | `dialog "Open" >> button OK` | an element inside of another one |
//! | `row #3`, `role:row nth:3` | the third match |
//! | `//button[@name='Save']` | XPath, see below |
//!
//! # Grammar of expressions
//!
//! ```text
//! query     = step { ">>" step }                  the right one inside of the left one
//! step      = or [ "#" NUMBER | "nth:" NUMBER ]   the match of that number, in document order
//! or        = and { "OR" and }
//! and       = unary { [ "AND" ] unary }           conditions side by side all have to hold
//! unary     = "NOT" unary | "(" or ")" | condition
//! condition = role [ title ]                      button "Save", menu item Quit
//!           | quoted                              the whole title
//!           | words                               part of a title, or a value or description
//!           | field operator value
//!           | "[" state "]" | "[ref=e40]"
//! field     = "role" | "title" | "value" | "identifier" | "description" | "text" | "state"
//!           | a state with true or false (checked:true) | a role (button:Save)
//! operator  = ":" | "=" | "~=" | "!="
//! value     = quoted | words | "/" regex "/" [ "i" ]
//! quoted    = '"' … '"' | "'" … "'"               with \" \\ \n \t \uXXXX
//! ```
//!
//! - `title:Save` means a title that contains "Save"; `title:"Save"` and `title=Save` the whole title; `title~="Save"` a
//!   part again; `title=/^Save/i` a regular expression. Case is ignored, except in a regular expression without `i`.
//! - A better match hides the worse ones: if one title is exactly "Save", those that only contain it are not matches.
//! - `title` is the element's name, or its description if it has no name. `text` is title or value.
//! - Operators are written in capitals, so that "save and close" stays a title.
//! - A role is an ARIA (`textbox`), AT-SPI (`push button`) or macOS (`AXButton`) name in any spelling.
//! - Fields also answer to: `name`, `label` (title), `id` (identifier), `help`, `tooltip`, `placeholder` (description), `type` (role).
//!
//! In `auto`, the whole text is first taken literally (identifier, then exact title), so an element whose title looks
//! like an expression is found nevertheless. The result says which way matched.
//!
//! # XPath
//!
//! What starts with `//`, or with `/` and a role, is XPath: `//dialog[@name='Open']//button[last()]`. Elements are called by
//! their roles; attributes are `@name`, `@role`, `@value`, `@identifier`, `@description` and the states (`@checked='true'`, or just
//! `[@checked]`). The usual axes, operators and string functions work.
//!
//! # Order of the answer
//!
//! What is showing comes before what is hidden, what people act on before what they read, what is enabled before what
//! is greyed out, then document order.

/// The examples of the README, which are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod auto;
mod beside;
mod cursor;
mod expression;
mod fault;
mod grade;
mod inside;
mod near;
mod parser;
mod strategy;
mod text;
mod vocabulary;
mod walk;
mod xpath;

#[cfg(test)]
mod tests;

pub use near::near_misses;
pub use strategy::{Matched, Strategy};

use auto::Auto;
use expression::{Expression, Pattern, best_only};
use fault::fault;
use grade::{EXACT, Grade, PART, SAME};
use handeye_core::{DetailKinds, Error, ErrorCode, Node, NodeId, Result, States, Tree};
use std::sync::Arc;
use text::Needle;
use vocabulary::{Field, RoleSet};
use walk::walk;
use xpath::XPath;

/// Longest query, in bytes.
pub const MAX_QUERY_BYTES: usize = 4096;

/// Where to look, and for how many.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// The element at and below which to look; `None` for the whole application.
    pub root: Option<NodeId>,
    /// Whether to leave out what is not showing.
    pub showing_only: bool,
    /// Most elements to return; the others are counted.
    pub limit: usize,
}

impl Default for Search {
    /// Everything in the application, shown or not, and 20 matches at most.
    fn default() -> Self {
        Self { root: None, showing_only: false, limit: 20 }
    }
}

/// What a query found.
#[derive(Debug, Clone)]
pub struct Matches {
    /// The matches, the best first, at most as many as were asked for.
    pub nodes: Vec<Arc<Node>>,
    /// Number of all matches.
    pub total: usize,
    /// How many of them are as good as the first: as exact, showing and actionable as it is. More than 1 means
    /// that document order alone decided.
    pub equally_good: usize,
    /// Which way they matched.
    pub matched: Matched,
}

/// A parsed query.
#[derive(Debug, Clone)]
pub struct Query {
    text: Box<str>,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Auto(Box<Auto>),
    /// One expression, and the name of the way that it matches.
    Expression(Expression, Matched),
    Regex(regex::Regex),
    XPath(XPath),
}

impl Query {
    /// Reads `text` as `strategy` says.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidQuery`] for a malformed query, with the position of the fault, the known names that come near to an unknown one, and a
    /// query that works; also for one of more than [`MAX_QUERY_BYTES`].
    pub fn parse(text: &str, strategy: Strategy) -> Result<Self> {
        if text.len() > MAX_QUERY_BYTES {
            return Err(Error::new(
                ErrorCode::InvalidQuery,
                format!("the query has {} bytes; at most {MAX_QUERY_BYTES} are read", text.len()),
            )
            .with_next("Use a part of the title."));
        }
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(fault(
                text,
                0,
                "the query is empty",
                r#"Save, or button "Save", or a reference such as e12"#,
            ));
        }
        let title = |pattern| Expression::Text(Field::Title, pattern);
        let kind = match strategy {
            Strategy::Auto => Kind::Auto(Box::new(Auto::parse(trimmed)?)),
            Strategy::Exact => {
                Kind::Expression(title(Pattern::Whole(Needle::new(trimmed))), Matched::TitleExact)
            }
            Strategy::Contains => {
                Kind::Expression(title(Pattern::Part(Needle::new(trimmed))), Matched::TitleContains)
            }
            Strategy::Regex => Kind::Regex(parser::compile_regex(trimmed, 0, trimmed, false)?),
            Strategy::Role => {
                let roles = RoleSet::named(trimmed).ok_or_else(|| {
                    fault(trimmed, 0, format!("no role is called '{trimmed}'"), "button")
                        .with_found(near::roles(trimmed))
                })?;
                Kind::Expression(Expression::Role(roles), Matched::Role)
            }
            Strategy::Identifier => Kind::Expression(
                Expression::Text(Field::Identifier, Pattern::Part(Needle::new(trimmed))),
                Matched::Identifier,
            ),
            Strategy::Xpath => Kind::XPath(XPath::parse(trimmed)?),
        };
        Ok(Self { text: trimmed.into(), kind })
    }

    /// The query as it was written, without white space around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The reference that the query is (`e12`) or carries (a pasted outline line). Resolve it first; what
    /// [`find`](Self::find) returns counts only when the reference was never issued.
    pub fn reference(&self) -> Option<&str> {
        match &self.kind {
            Kind::Auto(auto) => auto.reference.as_deref(),
            _ => None,
        }
    }

    /// The details that have to be read before [`find`](Self::find) can distinguish elements.
    pub fn needs(&self) -> DetailKinds {
        match &self.kind {
            Kind::Auto(auto) => auto.needs(),
            Kind::Expression(expression, _) => expression.needs(),
            Kind::Regex(_) => DetailKinds::empty(),
            Kind::XPath(xpath) => xpath.needs(),
        }
    }

    /// The details worth reading when nothing was found without them: the query may mean an identifier or a value.
    pub fn needs_after_miss(&self) -> DetailKinds {
        match &self.kind {
            // And a field can be meant by the text that stands before it.
            Kind::Auto(auto) => {
                let places = if auto.chain.is_some() { DetailKinds::EXTENTS } else { DetailKinds::empty() };
                DetailKinds::IDENTIFIER | DetailKinds::TEXT | DetailKinds::VALUE | places
            }
            Kind::Regex(_) => DetailKinds::TEXT | DetailKinds::VALUE,
            Kind::Expression(..) | Kind::XPath(_) => self.needs(),
        }
    }

    /// The elements that match, the best first. Finding nothing is not an error.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidQuery`] for an XPath expression that is too costly on this tree.
    pub fn find(&self, tree: &Tree, search: Search) -> Result<Matches> {
        let Some(root) = search.root.or(tree.root()) else {
            return Ok(Matches { nodes: Vec::new(), total: 0, equally_good: 0, matched: self.first_way() });
        };
        let accept = |node: &Node| !search.showing_only || node.is_showing();
        let single = |expression: &Expression| {
            let mut found = Vec::new();
            walk(tree, root, |node| {
                if accept(node)
                    && let Some(grade) = expression.grade(node)
                {
                    found.push((grade, node));
                }
            });
            found
        };
        let (found, matched) = match &self.kind {
            Kind::Auto(auto) => auto.find(tree, root, &accept)?,
            Kind::Expression(expression, Matched::TitleExact) => {
                // To the letter: unlike in an expression, another case is not a match.
                let found = single(expression).into_iter().filter(|(grade, _)| *grade == EXACT).collect();
                (found, Matched::TitleExact)
            }
            Kind::Expression(expression, matched) => (single(expression), *matched),
            Kind::Regex(regex) => (find_regex(regex, tree, root, &accept), Matched::Regex),
            Kind::XPath(xpath) => (select(xpath, tree, root, &accept)?, Matched::Xpath),
        };
        Ok(ranked(tree, found, matched, search.limit))
    }

    /// What the query may have meant, each element as `line` writes it, for the error when nothing was found.
    pub fn near_misses(&self, tree: &Tree, count: usize, line: impl Fn(&Node) -> String) -> Vec<String> {
        let mut texts = self.titles();
        if texts.is_empty() {
            texts.push(&self.text);
        }
        // Where a role alone is asked for, its relatives are nearer than labels that are spelled like it.
        let name = self.text.trim();
        let roles = RoleSet::named(name.strip_prefix("role:").unwrap_or(name));
        let mut lines = roles.map_or_else(Vec::new, |roles| near::related(tree, roles, count, &line));
        for text in texts {
            for line in near_misses(tree, text, count, &line) {
                if lines.len() < count && !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines
    }

    /// Whether `label` is what the query asks for, whole. A query without a title asks for none.
    pub fn is_whole(&self, label: &str) -> bool {
        let label = label.trim().to_lowercase();
        // In "link button" a role may be meant, or the whole of a title.
        self.text.trim().to_lowercase() == label
            || self.titles().iter().all(|title| title.to_lowercase() == label)
    }

    /// Whether a title that the query asks for is in `label` only from the middle of a word on, as "count" is in "Account".
    pub fn cuts_a_word(&self, label: &str) -> bool {
        let is_letter = |c: char| c.is_lowercase() || c.is_uppercase();
        let label = label.to_lowercase();
        self.titles().iter().any(|title| {
            let title = title.to_lowercase();
            let mut places = label.match_indices(&title).peekable();
            title.starts_with(is_letter)
                && places.peek().is_some()
                && places.all(|(at, _)| label[..at].ends_with(is_letter))
        })
    }

    /// What it means in words, for somebody who looks at a picture: a plain text, or the title of one element. `None` for
    /// references, paths and conditions.
    pub fn in_words(&self) -> Option<&str> {
        match &self.kind {
            Kind::Auto(auto) if auto.xpath.is_none() && auto.reference.is_none() => match &auto.chain {
                None => Some(&self.text),
                Some((chain, _)) => beside::role_and_title(chain).map(|(_, title)| title),
            },
            _ => None,
        }
    }

    /// The strategies that were tried, for an error, in parentheses; empty where the query or its strategy names the only one.
    pub fn tried(&self) -> &'static str {
        match &self.kind {
            Kind::Auto(auto) if auto.xpath.is_none() => {
                " (tried title_exact, title_contains, role_title, identifier, semantic, fuzzy)"
            }
            _ => "",
        }
    }

    /// The titles that are asked for: those of the innermost step, which names the element.
    fn titles(&self) -> Vec<&str> {
        let mut titles = Vec::new();
        match &self.kind {
            Kind::Auto(auto) => match &auto.chain {
                Some((chain, _)) => {
                    if let Some(step) = chain.steps.last() {
                        step.expression.texts(&mut titles);
                    }
                }
                None if auto.xpath.is_none() => titles.push(&self.text),
                None => {}
            },
            Kind::Expression(expression, _) => expression.texts(&mut titles),
            Kind::Regex(_) | Kind::XPath(_) => {}
        }
        titles
    }

    fn first_way(&self) -> Matched {
        match &self.kind {
            Kind::Auto(_) => Matched::TitleExact,
            Kind::Expression(_, matched) => *matched,
            Kind::Regex(_) => Matched::Regex,
            Kind::XPath(_) => Matched::Xpath,
        }
    }
}

type Graded<'t> = Vec<(Grade, &'t Arc<Node>)>;

fn find_regex<'t>(
    regex: &regex::Regex,
    tree: &'t Tree,
    root: NodeId,
    accept: &dyn Fn(&Node) -> bool,
) -> Graded<'t> {
    let title = Expression::Text(Field::Title, Pattern::Regex(regex.clone()));
    let value = Expression::Text(Field::Value, Pattern::Regex(regex.clone()));
    let mut found = Vec::new();
    walk(tree, root, |node| {
        if !accept(node) {
            return;
        }
        if title.grade(node).is_some() {
            found.push((SAME, node));
        } else if value.grade(node).is_some() {
            found.push((PART, node));
        }
    });
    found
}

fn select<'t>(
    xpath: &XPath,
    tree: &'t Tree,
    root: NodeId,
    accept: &dyn Fn(&Node) -> bool,
) -> Result<Graded<'t>> {
    let selected = xpath.select(tree, root)?;
    Ok(selected.into_iter().filter(|node| accept(node)).map(|node| (EXACT, node)).collect())
}

fn is_modal(node: &Node) -> bool {
    node.is_showing() && node.states.contains(States::MODAL)
}

/// The matches of the best grade: those that show first, of these the ones of a modal dialog, the interactive and the enabled ones;
/// each group in document order.
fn ranked(tree: &Tree, found: Graded<'_>, matched: Matched, limit: usize) -> Matches {
    let mut best = best_only(found);
    // XPath gives its own order, and its positions would lie if another one came first.
    let in_order = matched == Matched::Xpath;
    let has_dialog = tree.windows().any(|window| is_modal(window));
    let rank = |node: &Node| {
        let enabled = node.is_enabled();
        // What lies behind a modal dialog cannot be meant by who sees it.
        let behind = has_dialog && !is_modal(node) && !tree.ancestors(node.id).any(|above| is_modal(above));
        (
            !node.is_showing(),
            !in_order && behind,
            !in_order && !node.role.is_interactive(),
            !in_order && !enabled,
        )
    };
    if best.len() > 1 {
        // The application is found only when nothing else is meant.
        best.retain(|(_, node)| Some(node.id) != tree.root());
    }
    best.sort_by_key(|(_, node)| rank(node));
    let equally_good = best.first().map_or(0, |(_, first)| {
        let first = rank(first);
        best.iter().take_while(|(_, node)| rank(node) == first).count()
    });
    let total = best.len();
    let nodes = best.into_iter().take(limit).map(|(_, node)| Arc::clone(node)).collect();
    Matches { nodes, total, equally_good, matched }
}

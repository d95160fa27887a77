//! What an expression asks for, and how well an element answers to it.

use super::grade::{ELSEWHERE, EXACT, Grade, PART, SAME};
use super::text::Needle;
use super::vocabulary::{Condition, Field, RoleSet};
use super::walk::{none_seen, walk_unseen};
use handeye_core::{DetailKinds, Node, NodeId, States, Tree};
use regex::Regex;
use std::sync::Arc;

/// How a text is compared.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    /// The whole text in any case.
    Whole(Needle),
    /// The beginning in any case (what a cut-off name in an outline gives).
    Prefix(Needle),
    /// A part in any case; the whole is better.
    Part(Needle),
    /// A regular expression.
    Regex(Regex),
}

impl Pattern {
    fn grade(&self, hay: &str) -> Option<Grade> {
        match self {
            Self::Whole(needle) | Self::Part(needle) if needle.is_exactly(hay) => Some(EXACT),
            Self::Whole(needle) | Self::Part(needle) if needle.equals(hay) => Some(SAME),
            Self::Whole(_) => None,
            Self::Prefix(needle) => needle.begins(hay).then_some(PART),
            Self::Part(needle) => needle.is_in(hay).then_some(PART),
            Self::Regex(regex) => regex.is_match(hay).then_some(EXACT),
        }
    }

    /// The text that is looked for, for near misses.
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Whole(needle) | Self::Prefix(needle) | Self::Part(needle) => needle.as_str(),
            Self::Regex(regex) => regex.as_str(),
        }
    }
}

/// A boolean expression over one element.
#[derive(Debug, Clone)]
pub(super) enum Expression {
    /// All of them; never empty.
    And(Vec<Self>),
    /// At least one of them; never empty.
    Or(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// One of these roles.
    Role(RoleSet),
    /// A state.
    State(Condition),
    /// A text.
    Text(Field, Pattern),
    /// Words without a field: label, identifier, value or description.
    Words(Needle),
}

impl Expression {
    /// How well `node` answers, `None` if it does not.
    pub(super) fn grade(&self, node: &Node) -> Option<Grade> {
        match self {
            Self::And(parts) => {
                parts.iter().try_fold(EXACT, |worst, part| Some(worst.max(part.grade(node)?)))
            }
            Self::Or(parts) => parts.iter().filter_map(|part| part.grade(node)).min(),
            Self::Not(part) => part.grade(node).is_none().then_some(EXACT),
            Self::Role(roles) => roles.grade(node),
            Self::State(condition) => condition.holds(node).then_some(EXACT),
            Self::Text(field, pattern) => grade_field(*field, pattern, node),
            Self::Words(needle) => grade_words(needle, node),
        }
    }

    /// The details that are needed to distinguish elements.
    pub(super) fn needs(&self) -> DetailKinds {
        match self {
            Self::And(parts) | Self::Or(parts) => {
                parts.iter().fold(DetailKinds::empty(), |needs, part| needs | part.needs())
            }
            Self::Not(part) => part.needs(),
            Self::Text(Field::Value | Field::Text, _) => DetailKinds::TEXT | DetailKinds::VALUE,
            Self::Text(Field::Identifier, _) => DetailKinds::IDENTIFIER,
            Self::Text(Field::Title | Field::Description, _)
            | Self::Role(_)
            | Self::State(_)
            | Self::Words(_) => DetailKinds::empty(),
        }
    }

    /// The texts that are looked for (not those that are excluded).
    pub(super) fn texts<'e>(&'e self, found: &mut Vec<&'e str>) {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.texts(found)),
            Self::Text(_, pattern) => found.push(pattern.as_str()),
            Self::Words(needle) => found.push(needle.as_str()),
            Self::Not(_) | Self::Role(_) | Self::State(_) => {}
        }
    }
}

fn grade_field(field: Field, pattern: &Pattern, node: &Node) -> Option<Grade> {
    match field {
        Field::Title => pattern.grade(node.label()),
        Field::Value => grade_value(pattern, node),
        Field::Identifier => node.details.identifier.known().and_then(|identifier| pattern.grade(identifier)),
        Field::Description => pattern.grade(&node.description),
        Field::Text => pattern.grade(node.label()).or_else(|| grade_value(pattern, node)),
    }
}

/// A protected element has no value that could be found: a query must not become a way to guess a password.
fn grade_value(pattern: &Pattern, node: &Node) -> Option<Grade> {
    if node.states.contains(States::PROTECTED) {
        return None;
    }
    if let Some(text) = node.details.text.known() {
        return pattern.grade(&text.shown);
    }
    node.details.value.known().and_then(|value| pattern.grade(&value.current.to_string()))
}

fn grade_words(needle: &Needle, node: &Node) -> Option<Grade> {
    let label = node.label();
    if needle.is_exactly(label) {
        return Some(EXACT);
    }
    if node.details.identifier.known().is_some_and(|identifier| needle.is_exactly(identifier)) {
        return Some(EXACT);
    }
    if needle.equals(label) {
        return Some(SAME);
    }
    // A description counts as a label where it is meant as a whole.
    if needle.is_in(&node.name) {
        return Some(PART);
    }
    is_semantic_match(needle, node).then_some(ELSEWHERE)
}

/// Whether the text is in what the element holds or explains rather than in its name. Descriptions are sentences: what is asked
/// for is a word of them, not a part of one.
pub(super) fn is_semantic_match(needle: &Needle, node: &Node) -> bool {
    if needle.is_words_in(&node.description) {
        return true;
    }
    if node.states.contains(States::PROTECTED) {
        return false;
    }
    node.details.text.known().is_some_and(|text| needle.is_in(&text.shown))
        || node.details.value.known().is_some_and(|value| needle.equals(&value.current.to_string()))
}

/// One step of a chain: an expression, and which of its matches is meant.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// What the element has to be.
    pub(super) expression: Expression,
    /// Only the match of this number in document order, from 1.
    pub(super) nth: Option<usize>,
}

/// Steps from the outside to the inside, at least one: `dialog >> button Save`.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// The steps, the outermost first.
    pub(super) steps: Vec<Step>,
}

impl Chain {
    /// The elements that match, each with its grade, in document order. `accept` says which elements may be the answer
    /// (the ones around it are not asked).
    pub(super) fn find<'t>(
        &self,
        tree: &'t Tree,
        root: NodeId,
        accept: &dyn Fn(&Node) -> bool,
    ) -> Vec<(Grade, &'t Arc<Node>)> {
        let mut scopes = vec![root];
        let mut found = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let is_last = index + 1 == self.steps.len();
            found = matches_below(tree, &scopes, index > 0, |node| {
                if is_last && !accept(node) { None } else { step.expression.grade(node) }
            });
            if let Some(nth) = step.nth {
                found = best_only(found).into_iter().skip(nth - 1).take(1).collect();
            }
            if !is_last {
                scopes = best_only(std::mem::take(&mut found)).into_iter().map(|(_, node)| node.id).collect();
            }
        }
        found
    }
}

/// Every element below `scopes` that has a grade, in document order and once each.
fn matches_below<'t>(
    tree: &'t Tree,
    scopes: &[NodeId],
    without_scope: bool,
    grade: impl Fn(&Node) -> Option<Grade>,
) -> Vec<(Grade, &'t Arc<Node>)> {
    let mut found = Vec::new();
    // One for all scopes, so that many of them cost no more than the tree: a scope inside of another one was walked with it.
    let mut seen = none_seen(tree);
    for scope in scopes {
        walk_unseen(tree, *scope, &mut seen, |node| {
            if without_scope && node.id == *scope {
                return;
            }
            if let Some(grade) = grade(node) {
                found.push((grade, node));
            }
        });
    }
    found
}

/// The matches of the best grade.
pub(super) fn best_only(found: Vec<(Grade, &Arc<Node>)>) -> Vec<(Grade, &Arc<Node>)> {
    let best = found.iter().map(|(grade, _)| *grade).min();
    found.into_iter().filter(|(grade, _)| Some(*grade) == best).collect()
}

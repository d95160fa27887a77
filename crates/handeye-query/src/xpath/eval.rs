//! The evaluation of XPath expressions, within a budget.

use super::{Attribute, Axis, Comparison, Expr, Function, Step, Test};
use crate::walk::walk;
use handeye_core::{Error, ErrorCode, Node, NodeId, Result, States, Tree};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// How many elements an evaluation may look at, over all steps and predicates.
const BUDGET: usize = 1_000_000;

/// An element or, below an attribute step, a text.
enum Value<'t> {
    Nodes(Vec<&'t Arc<Node>>),
    Texts(Vec<String>),
    Text(String),
    Number(f64),
    Truth(bool),
}

/// The element that is looked at, its place among those of its step, and their number.
#[derive(Clone, Copy)]
struct Context<'t> {
    node: &'t Arc<Node>,
    position: usize,
    size: usize,
}

/// The elements that `expression` selects below `root`, in document order.
pub(super) fn select<'t>(
    text: &str,
    expression: &Expr,
    tree: &'t Tree,
    root: NodeId,
) -> Result<Vec<&'t Arc<Node>>> {
    let Some(root_node) = tree.get(root) else { return Ok(Vec::new()) };
    let mut places = FxHashMap::default();
    let mut order = Vec::with_capacity(tree.len());
    walk(tree, root, |node| {
        places.insert(node.id, order.len());
        order.push(node);
    });
    let mut evaluation = Evaluation { text, tree, root: root_node, places, order, budget: BUDGET };
    match evaluation.value(expression, Context { node: root_node, position: 1, size: 1 })? {
        Value::Nodes(nodes) => Ok(nodes),
        // The parser lets expressions of elements through only.
        _ => Ok(Vec::new()),
    }
}

struct Evaluation<'q, 't> {
    text: &'q str,
    tree: &'t Tree,
    root: &'t Arc<Node>,
    places: FxHashMap<NodeId, usize>,
    order: Vec<&'t Arc<Node>>,
    budget: usize,
}

impl<'t> Evaluation<'_, 't> {
    fn spend(&mut self, elements: usize) -> Result<()> {
        self.budget = self.budget.checked_sub(elements).ok_or_else(|| {
            Error::new(
                ErrorCode::InvalidQuery,
                format!(
                    "the XPath expression looks at more than {BUDGET} elements: {}",
                    shortened(self.text)
                ),
            )
            .with_next("leave out nested '//' inside of predicates, or start at a window: /window[1]//button")
        })?;
        Ok(())
    }

    fn value(&mut self, expression: &Expr, context: Context<'t>) -> Result<Value<'t>> {
        Ok(match expression {
            Expr::Or(a, b) => Value::Truth(self.truth(a, context)? || self.truth(b, context)?),
            Expr::And(a, b) => Value::Truth(self.truth(a, context)? && self.truth(b, context)?),
            Expr::Compare(comparison, a, b) => {
                let (a, b) = (self.value(a, context)?, self.value(b, context)?);
                self.spend(cardinality(&a).saturating_mul(cardinality(&b)))?;
                Value::Truth(compare(*comparison, &a, &b))
            }
            Expr::Add(a, b) => Value::Number(self.number(a, context)? + self.number(b, context)?),
            Expr::Subtract(a, b) => Value::Number(self.number(a, context)? - self.number(b, context)?),
            Expr::Union(a, b) => {
                let mut nodes = self.nodes(a, context)?;
                nodes.extend(self.nodes(b, context)?);
                Value::Nodes(self.in_order(nodes))
            }
            Expr::Literal(text) => Value::Text(text.clone()),
            Expr::Number(number) => Value::Number(*number),
            Expr::Call(function, arguments) => self.call(*function, arguments, context)?,
            Expr::Path { absolute, steps } => {
                let start = if *absolute { self.root } else { context.node };
                self.path(vec![start], steps)?
            }
            Expr::Filter { base, predicates, steps } => {
                let mut nodes = self.nodes(base, context)?;
                for predicate in predicates {
                    nodes = self.filtered(nodes, predicate)?;
                }
                self.path(nodes, steps)?
            }
        })
    }

    fn nodes(&mut self, expression: &Expr, context: Context<'t>) -> Result<Vec<&'t Arc<Node>>> {
        match self.value(expression, context)? {
            Value::Nodes(nodes) => Ok(nodes),
            _ => Ok(Vec::new()),
        }
    }

    fn truth(&mut self, expression: &Expr, context: Context<'t>) -> Result<bool> {
        self.value(expression, context).map(|value| truth(&value))
    }

    fn number(&mut self, expression: &Expr, context: Context<'t>) -> Result<f64> {
        self.value(expression, context).map(|value| number(&value))
    }

    fn string(&mut self, expression: &Expr, context: Context<'t>) -> Result<String> {
        self.value(expression, context).map(|value| string(&value))
    }

    fn path(&mut self, mut nodes: Vec<&'t Arc<Node>>, steps: &[Step]) -> Result<Value<'t>> {
        for step in steps {
            if matches!(step.test, Test::Attribute(_) | Test::Text) {
                // Nothing lies below an attribute.
                return Ok(Value::Texts(nodes.iter().flat_map(|node| texts(&step.test, node)).collect()));
            }
            let mut found = Vec::new();
            for node in nodes {
                let mut on_axis = self.on_axis(step.axis, node)?;
                if let Test::Role(roles) = &step.test {
                    on_axis.retain(|node| roles.names(node.role));
                }
                for predicate in &step.predicates {
                    on_axis = self.filtered(on_axis, predicate)?;
                }
                found.extend(on_axis);
            }
            nodes = self.in_order(found);
        }
        Ok(Value::Nodes(nodes))
    }

    fn filtered(&mut self, nodes: Vec<&'t Arc<Node>>, predicate: &Expr) -> Result<Vec<&'t Arc<Node>>> {
        let size = nodes.len();
        self.spend(size)?;
        let mut kept = Vec::new();
        for (index, node) in nodes.into_iter().enumerate() {
            let position = index + 1;
            let keeps = match self.value(predicate, Context { node, position, size })? {
                #[expect(clippy::float_cmp, reason = "positions are whole numbers")]
                Value::Number(number) => number == position as f64,
                value => truth(&value),
            };
            if keeps {
                kept.push(node);
            }
        }
        Ok(kept)
    }

    /// The elements on an axis, nearest first on the axes that go backwards.
    fn on_axis(&mut self, axis: Axis, node: &'t Arc<Node>) -> Result<Vec<&'t Arc<Node>>> {
        let tree = self.tree;
        let found: Vec<&'t Arc<Node>> = match axis {
            Axis::Child => tree.children(node.id).collect(),
            Axis::Descendant => self.below(node).skip(1).collect(),
            Axis::DescendantOrSelf => self.below(node).collect(),
            Axis::Itself => vec![node],
            Axis::Parent => self.above(node).take(1).collect(),
            Axis::Ancestor => self.above(node).collect(),
            Axis::AncestorOrSelf => std::iter::once(node).chain(self.above(node)).collect(),
            Axis::FollowingSibling => {
                let siblings = self.siblings(node);
                self.spend(siblings.len())?;
                siblings.into_iter().skip_while(|sibling| sibling.id != node.id).skip(1).collect()
            }
            Axis::PrecedingSibling => {
                let siblings = self.siblings(node);
                self.spend(siblings.len())?;
                let mut before: Vec<_> =
                    siblings.into_iter().take_while(|sibling| sibling.id != node.id).collect();
                before.reverse();
                before
            }
            Axis::Following => {
                let end = self.place(node) + self.below(node).count();
                self.order.get(end..).unwrap_or_default().to_vec()
            }
            Axis::Preceding => {
                let above: FxHashSet<NodeId> = self.above(node).map(|node| node.id).collect();
                let before = self.order.get(..self.place(node)).unwrap_or_default();
                before.iter().rev().filter(|node| !above.contains(&node.id)).copied().collect()
            }
            Axis::Attribute => Vec::new(),
        };
        self.spend(found.len() + 1)?;
        Ok(found)
    }

    fn place(&self, node: &Node) -> usize {
        self.places.get(&node.id).copied().unwrap_or(0)
    }

    /// The element and everything below it, which are adjacent in document order.
    fn below(&self, node: &'t Arc<Node>) -> impl Iterator<Item = &'t Arc<Node>> + use<'t> {
        let start = self.place(node);
        let mut inside = FxHashSet::default();
        let mut found = Vec::new();
        for candidate in self.order.get(start..).unwrap_or_default() {
            let belongs = found.is_empty() || candidate.parent.is_some_and(|parent| inside.contains(&parent));
            if !belongs {
                break;
            }
            inside.insert(candidate.id);
            found.push(*candidate);
        }
        found.into_iter()
    }

    /// The ancestors up to the element at which the search starts, nearest first.
    fn above(&self, node: &'t Arc<Node>) -> impl Iterator<Item = &'t Arc<Node>> + use<'_, 't> {
        let is_root = node.id == self.root.id;
        self.tree.ancestors(node.id).take_while(move |above| !is_root && self.places.contains_key(&above.id))
    }

    fn siblings(&self, node: &'t Arc<Node>) -> Vec<&'t Arc<Node>> {
        self.above(node).next().map(|parent| self.tree.children(parent.id).collect()).unwrap_or_default()
    }

    fn in_order(&self, mut nodes: Vec<&'t Arc<Node>>) -> Vec<&'t Arc<Node>> {
        nodes.sort_by_key(|node| self.place(node));
        nodes.dedup_by_key(|node| node.id);
        nodes
    }

    fn call(&mut self, function: Function, arguments: &[Expr], context: Context<'t>) -> Result<Value<'t>> {
        // A function that takes an optional argument uses the context element without it.
        let subject = match arguments.first() {
            Some(argument) => self.value(argument, context)?,
            None => Value::Nodes(vec![context.node]),
        };
        Ok(match function {
            Function::Not => Value::Truth(!truth(&subject)),
            Function::Boolean => Value::Truth(truth(&subject)),
            Function::True => Value::Truth(true),
            Function::False => Value::Truth(false),
            Function::Contains => {
                Value::Truth(string(&subject).contains(&self.string(&arguments[1], context)?))
            }
            Function::StartsWith => {
                Value::Truth(string(&subject).starts_with(&self.string(&arguments[1], context)?))
            }
            Function::EndsWith => {
                Value::Truth(string(&subject).ends_with(&self.string(&arguments[1], context)?))
            }
            Function::Position => Value::Number(context.position as f64),
            Function::Last => Value::Number(context.size as f64),
            Function::Count => match subject {
                Value::Nodes(nodes) => Value::Number(nodes.len() as f64),
                _ => Value::Number(0.0),
            },
            Function::NormalizeSpace => {
                Value::Text(string(&subject).split_whitespace().collect::<Vec<_>>().join(" "))
            }
            Function::String => Value::Text(string(&subject)),
            Function::StringLength => Value::Number(string(&subject).chars().count() as f64),
            Function::LowerCase => Value::Text(string(&subject).to_lowercase()),
            Function::Concat => {
                let mut text = string(&subject);
                for argument in &arguments[1..] {
                    text.push_str(&self.string(argument, context)?);
                }
                Value::Text(text)
            }
            Function::Translate => {
                let from: Vec<char> = self.string(&arguments[1], context)?.chars().collect();
                let to: Vec<char> = self.string(&arguments[2], context)?.chars().collect();
                Value::Text(translate(&string(&subject), &from, &to))
            }
            Function::Number => Value::Number(number(&subject)),
            Function::Name => match subject {
                Value::Nodes(nodes) => {
                    Value::Text(nodes.first().map_or("", |node| node.role.aria()).to_owned())
                }
                _ => Value::Text(String::new()),
            },
        })
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

fn translate(text: &str, from: &[char], to: &[char]) -> String {
    text.chars()
        .filter_map(|c| match from.iter().position(|known| *known == c) {
            Some(index) => to.get(index).copied(),
            None => Some(c),
        })
        .collect()
}

/// What an attribute or `text()` gives for an element: none, one or two texts.
fn texts(test: &Test, node: &Node) -> Vec<String> {
    let held = || if node.states.contains(States::PROTECTED) { None } else { node.value_text() };
    let named = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    match test {
        Test::Attribute(Attribute::Name) => named(node.label()).into_iter().collect(),
        Test::Attribute(Attribute::Role) => vec![node.role.aria().to_owned()],
        Test::Attribute(Attribute::Value) => held().into_iter().collect(),
        Test::Attribute(Attribute::Identifier) => {
            node.details.identifier.known().map(ToString::to_string).into_iter().collect()
        }
        Test::Attribute(Attribute::Description) => named(&node.description).into_iter().collect(),
        Test::Attribute(Attribute::State(condition)) => vec![condition.holds(node).to_string()],
        Test::Text => named(node.label()).into_iter().chain(held()).collect(),
        Test::Any | Test::Role(_) => Vec::new(),
    }
}

fn truth(value: &Value<'_>) -> bool {
    match value {
        Value::Nodes(nodes) => !nodes.is_empty(),
        // A state that is "false" is not set, although its attribute exists.
        Value::Texts(texts) => texts.iter().any(|text| text != "false"),
        Value::Text(text) => !text.is_empty(),
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::Truth(truth) => *truth,
    }
}

fn string(value: &Value<'_>) -> String {
    match value {
        Value::Nodes(nodes) => nodes.first().map_or("", |node| node.label()).to_owned(),
        Value::Texts(texts) => texts.first().cloned().unwrap_or_default(),
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Truth(truth) => truth.to_string(),
    }
}

fn number(value: &Value<'_>) -> f64 {
    match value {
        Value::Number(number) => *number,
        Value::Truth(truth) => f64::from(u8::from(*truth)),
        other => string(other).trim().parse().unwrap_or(f64::NAN),
    }
}

/// Compares as XPath does: a set of nodes or texts compares true if any of its members does.
fn compare(comparison: Comparison, a: &Value<'_>, b: &Value<'_>) -> bool {
    if let (Value::Truth(_), other) | (other, Value::Truth(_)) = (a, b)
        && !matches!(other, Value::Number(_))
    {
        return compare_numbers(comparison, f64::from(u8::from(truth(a))), f64::from(u8::from(truth(b))));
    }
    let (many_a, many_b) = (members(a), members(b));
    many_a.iter().any(|one| many_b.iter().any(|other| compare_one(comparison, one, other)))
}

fn cardinality(value: &Value<'_>) -> usize {
    match value {
        Value::Nodes(nodes) => nodes.len(),
        Value::Texts(texts) => texts.len(),
        Value::Text(_) | Value::Number(_) | Value::Truth(_) => 1,
    }
}

fn members<'v>(value: &'v Value<'_>) -> Vec<Value<'v>> {
    match value {
        Value::Nodes(nodes) => nodes.iter().map(|node| Value::Text(node.label().to_owned())).collect(),
        Value::Texts(texts) => texts.iter().map(|text| Value::Text(text.clone())).collect(),
        Value::Text(text) => vec![Value::Text(text.clone())],
        Value::Number(number) => vec![Value::Number(*number)],
        Value::Truth(truth) => vec![Value::Truth(*truth)],
    }
}

fn compare_one(comparison: Comparison, a: &Value<'_>, b: &Value<'_>) -> bool {
    let is_equality = matches!(comparison, Comparison::Equal | Comparison::Different);
    if let (true, Value::Text(a), Value::Text(b)) = (is_equality, a, b) {
        return (a == b) == (comparison == Comparison::Equal);
    }
    compare_numbers(comparison, number(a), number(b))
}

#[expect(clippy::float_cmp, reason = "XPath compares numbers exactly")]
fn compare_numbers(comparison: Comparison, a: f64, b: f64) -> bool {
    match comparison {
        Comparison::Equal => a == b,
        Comparison::Different => a != b,
        Comparison::Less => a < b,
        Comparison::LessOrEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterOrEqual => a >= b,
    }
}

//! A query as people write it: every way in which the text can be meant, the most exact one first.

use super::expression::{Chain, Expression, Pattern, is_semantic_match};
use super::grade::{EXACT, Grade};
use super::text::Needle;
use super::vocabulary::{Field, RoleSet};
use super::walk::walk;
use super::xpath::XPath;
use super::{Graded, Matched, parser, select};
use super::{beside, inside};
use handeye_core::{DetailKinds, Node, NodeId, Result, Role, Tree, reference};

/// The ways in which a plain text can be meant.
#[derive(Debug, Clone)]
pub(super) struct Auto {
    literal: Needle,
    pub(super) reference: Option<String>,
    /// The text as an expression, when it is more than words.
    pub(super) chain: Option<(Chain, Matched)>,
    /// The text as the name of a role.
    role: Option<RoleSet>,
    pub(super) xpath: Option<XPath>,
}

impl Auto {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let literal = Needle::new(text);
        let role = RoleSet::named(text);
        if text.starts_with("//") || text.starts_with("(/") || is_rooted_path(text) {
            let xpath = Some(XPath::parse(text)?);
            return Ok(Self { literal, reference: None, chain: None, role, xpath });
        }
        if let Some(reference) = lone_reference(text) {
            let reference = Some(reference.to_owned());
            return Ok(Self { literal, reference, chain: None, role, xpath: None });
        }
        match parser::parse(text) {
            Ok(parsed) => {
                let chain = parsed.is_structured.then(|| {
                    let matched = kind_of(&parsed.chain);
                    (parsed.chain, matched)
                });
                Ok(Self { literal, reference: parsed.reference, chain, role, xpath: None })
            }
            // A title may hold a lone quote or bracket; only what is clearly meant as an expression is malformed.
            Err(error) if is_meant_as_expression(text) => Err(error),
            Err(_) => Ok(Self { literal, reference: None, chain: None, role, xpath: None }),
        }
    }

    pub(super) fn needs(&self) -> DetailKinds {
        let chain = self.chain.iter().flat_map(|(chain, _)| &chain.steps);
        chain.fold(self.xpath.as_ref().map_or(DetailKinds::empty(), XPath::needs), |needs, step| {
            needs | step.expression.needs()
        })
    }

    pub(super) fn find<'t>(
        &self,
        tree: &'t Tree,
        root: NodeId,
        accept: &dyn Fn(&Node) -> bool,
    ) -> Result<(Graded<'t>, Matched)> {
        let (level, literal) = self.find_literal(tree, root, accept);
        if let Some(level) = level
            && level <= Level::TitleSame
        {
            return Ok((literal, level.matched()));
        }
        if let Some(xpath) = &self.xpath {
            return Ok((select(xpath, tree, root, accept)?, Matched::Xpath));
        }
        if let Some((chain, matched)) = &self.chain {
            let found = chain.find(tree, root, accept);
            if !found.is_empty() {
                return Ok((inside::whole_cells(chain, tree, found, accept), *matched));
            }
            let named =
                if level.is_none() { inside::elements(chain, tree, root, accept) } else { Vec::new() };
            if !named.is_empty() {
                return Ok((named, Matched::Semantic));
            }
            if level.is_none()
                && let Some(field) = beside::field(chain, tree, root, accept)
            {
                return Ok((vec![field], Matched::Semantic));
            }
        }
        if level.is_none() && self.chain.is_none() && self.reference.is_none() {
            let is_meant = |node: &Node| node.role == Role::Cell && accept(node);
            let named = inside::named(self.literal.as_str(), tree, root, &is_meant);
            if !named.is_empty() {
                return Ok((named, Matched::Semantic));
            }
        }
        let matched = level
            .map_or(self.chain.as_ref().map_or(Matched::TitleExact, |(_, matched)| *matched), Level::matched);
        Ok((literal, matched))
    }

    /// The elements of the best level at which the text itself matches, in one walk.
    fn find_literal<'t>(
        &self,
        tree: &'t Tree,
        root: NodeId,
        accept: &dyn Fn(&Node) -> bool,
    ) -> (Option<Level>, Graded<'t>) {
        let mut best: Option<Level> = None;
        let mut found = Vec::new();
        walk(tree, root, |node| {
            if Some(node.id) == tree.root() || !accept(node) {
                return;
            }
            let Some(level) = self.level(node, best) else { return };
            if best.is_none_or(|best| level < best) {
                best = Some(level);
                found.clear();
            }
            let grade = if level == Level::Role { self.role_grade(node) } else { None };
            found.push((grade.unwrap_or(EXACT), node));
        });
        (best, found)
    }

    fn role_grade(&self, node: &Node) -> Option<Grade> {
        self.role.and_then(|roles| roles.grade(node))
    }

    /// The level of a node that has the text in its name. Where the text is the name of a role, what shows and has that role is meant
    /// before an item of a closed menu that mentions it.
    fn part_of_title(&self, node: &Node) -> Level {
        let is_hidden = self.role.is_some() && !node.is_showing() && self.role_grade(node).is_none();
        if is_hidden { Level::HiddenPart } else { Level::TitlePart }
    }

    /// The level at which the node matches, if that is not worse than `best`.
    fn level(&self, node: &Node, best: Option<Level>) -> Option<Level> {
        let label = node.label();
        let identifier = node.details.identifier.known();
        let at =
            |level: Level, matches: &dyn Fn() -> bool| best.is_none_or(|best| level <= best) && matches();
        if at(Level::Identifier, &|| identifier.is_some_and(|identifier| self.literal.is_exactly(identifier)))
        {
            Some(Level::Identifier)
        } else if at(Level::TitleExact, &|| self.literal.is_exactly(label)) {
            Some(Level::TitleExact)
        } else if at(Level::TitleSame, &|| self.literal.equals(label)) {
            Some(Level::TitleSame)
        } else if at(self.part_of_title(node), &|| self.literal.is_in(&node.name)) {
            Some(self.part_of_title(node))
        } else if at(Level::IdentifierPart, &|| {
            identifier.is_some_and(|identifier| self.literal.is_in(identifier))
        }) {
            Some(Level::IdentifierPart)
        } else if at(Level::Role, &|| self.role_grade(node).is_some()) {
            Some(Level::Role)
        } else if at(Level::Semantic, &|| is_semantic_match(&self.literal, node)) {
            Some(Level::Semantic)
        } else {
            None
        }
    }
}

/// The ways in which the text itself can match, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Identifier,
    TitleExact,
    TitleSame,
    TitlePart,
    IdentifierPart,
    Role,
    HiddenPart,
    Semantic,
}

impl Level {
    const fn matched(self) -> Matched {
        match self {
            Self::Identifier | Self::IdentifierPart => Matched::Identifier,
            Self::TitleExact | Self::TitleSame => Matched::TitleExact,
            Self::TitlePart | Self::HiddenPart => Matched::TitleContains,
            Self::Semantic => Matched::Semantic,
            Self::Role => Matched::Role,
        }
    }
}

/// The reference when it is the whole text, as `e12`, `ref=e12` or `[ref=e12]`.
fn lone_reference(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let lone = inside.strip_prefix("ref=").unwrap_or(inside);
    reference::digits(lone).map(|_digits| lone)
}

/// Whether the text is `/role…`, as opposed to a path in a file system.
fn is_rooted_path(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return false };
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or("");
    rest.starts_with('*') || RoleSet::named(name).is_some()
}

/// Whether the text has what only an expression has, so that a fault in it is worth reporting.
fn is_meant_as_expression(text: &str) -> bool {
    const SIGNS: [&str; 10] = [
        "role:",
        "title:",
        "name:",
        "value:",
        "identifier:",
        "description:",
        "state:",
        " AND ",
        " OR ",
        " >> ",
    ];
    const OPERATORS: [&str; 3] = ["title=", "title~=", "role="];
    let text = &format!("{text} ");
    let at_word = |sign: &str| {
        text.match_indices(sign).any(|(index, _)| {
            index == 0 || sign.starts_with(' ') || text[..index].ends_with([' ', '(', '\t', '\n'])
        })
    };
    // "Title: " is a label; "title:x" a condition.
    SIGNS.iter().any(|sign| at_word(sign))
        || OPERATORS.iter().any(|sign| at_word(sign))
        || text.starts_with("NOT ")
}

/// The name for the way in which an expression matches.
fn kind_of(chain: &Chain) -> Matched {
    let [step] = chain.steps.as_slice() else { return Matched::Compound };
    match &step.expression {
        Expression::Role(_) => Matched::Role,
        Expression::And(parts) => match parts.as_slice() {
            [Expression::Role(_), Expression::Words(_) | Expression::Text(Field::Title, _)] => {
                Matched::RoleTitle
            }
            _ => Matched::Compound,
        },
        Expression::Text(Field::Title, Pattern::Whole(_)) => Matched::TitleExact,
        Expression::Text(Field::Title, Pattern::Part(_) | Pattern::Prefix(_)) => Matched::TitleContains,
        Expression::Text(Field::Identifier, _) => Matched::Identifier,
        Expression::Text(_, Pattern::Regex(_)) => Matched::Regex,
        _ => Matched::Compound,
    }
}

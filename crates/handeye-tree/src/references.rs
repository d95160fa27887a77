//! References: short names such as `e12` that stay bound to one element.
//!
//! A number is issued once and never again, over all applications. When its element is gone, a reference is healed
//! only if exactly one element can be the same one, created again by the application: by its role, name and path, or by its
//! fingerprint where that is as sure as an action needs it. Between two equals, and for an element that was beside the old one all along, it is
//! never guessed.

use crate::line;
use handeye_core::nearness::similarity;
use handeye_core::{
    ApplicationId, Error, ErrorCode, Invocation, Node, NodeId, Numbers, Result, Role, Text, Tree, reference,
    text,
};
use handeye_locator::{ACT, Fingerprint, Outcome, Survey, heal_among};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many references are remembered; the oldest ones are forgotten beyond that.
pub const MAX_REFERENCES: usize = 100_000;
/// How many ancestors are remembered to recognise an element by.
const MAX_PATH: usize = 16;
/// From how many elements of one role and name on they count as twins without a look at their paths: comparing
/// those of hundreds of "Delete" buttons for each of them is not worth it.
const MANY_NAMESAKES: usize = 32;
/// How many candidates an error lists.
const MAX_CANDIDATES: usize = 5;

/// The short name of an element, shown as `e12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref(u64);

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

/// What is known about a referenced element.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its reference.
    pub reference: Ref,
    /// The application that it belongs to.
    pub app: ApplicationId,
    /// The element.
    pub node: NodeId,
    /// What it was when it was last seen.
    pub role: Role,
    /// Its name when it was last seen.
    pub name: Arc<str>,
    /// Its identifier, if that was ever read.
    pub identifier: Option<Arc<str>>,
    /// Its ancestors with a name, nearest first, as role and name, up to the window.
    path: Box<[(Role, Arc<str>)]>,
    /// What else it is recognized by.
    print: Option<Box<Fingerprint>>,
    /// Its parent when that was made.
    parent: Option<NodeId>,
    /// Whether another element had the same role, name and path, so that those do not identify it.
    had_twin: bool,
    /// Ids up to this one were issued while the element was alive: an element that has one of them existed beside it.
    alive_until: u64,
}

/// What became of a referenced element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// It is in the tree.
    Alive(NodeId),
    /// It is gone, but exactly one element can be the same one.
    Healed {
        /// That element, to which the reference is bound from now on.
        node: NodeId,
        /// How it was recognised, for the answer.
        how: String,
    },
    /// It is gone. The nearest elements as outline lines with nothing but their names, the most similar first.
    Gone {
        /// Those lines; they may be none.
        candidates: Vec<String>,
    },
}

/// Every reference that one caller was given.
#[derive(Debug)]
pub struct References {
    inner: Mutex<Inner>,
    numbers: Numbers,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Inner {
    /// The highest number that was forgotten; the oldest goes first.
    forgotten: u64,
    by_number: FxHashMap<u64, Entry>,
    by_node: FxHashMap<NodeId, u64>,
    oldest_first: VecDeque<u64>,
}

impl Default for References {
    fn default() -> Self {
        Self::new()
    }
}

impl References {
    /// No reference issued yet.
    pub fn new() -> Self {
        Self::with_capacity(MAX_REFERENCES)
    }

    /// Remembers `capacity` references at most.
    fn with_capacity(capacity: usize) -> Self {
        Self { inner: Mutex::default(), numbers: Numbers::default(), capacity }
    }

    /// Those of another caller, who has none yet. No number of the one is ever a number of the other.
    #[must_use]
    pub fn of_another_caller(&self) -> Self {
        Self { numbers: self.numbers.clone(), ..Self::with_capacity(self.capacity) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change below leaves the maps consistent even if a later one panics.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reference of an element, issued now if it has none. `None` if the element is not in the tree.
    /// For many elements of one tree use a [`Minter`].
    pub fn mint(&self, app: &ApplicationId, tree: &Tree, node: NodeId) -> Option<Ref> {
        self.minter(app, tree).mint(node)
    }

    /// Gives out references for the elements of one tree.
    pub fn minter<'a>(&'a self, app: &'a ApplicationId, tree: &'a Tree) -> Minter<'a> {
        // Taken once: everything in this tree exists by now, so its ids are smaller.
        Minter {
            references: self,
            app,
            tree,
            namesakes: OnceLock::new(),
            survey: OnceLock::new(),
            alive_until: NodeId::mint().get(),
        }
    }

    /// What is known about a reference such as `e12`.
    pub fn lookup(&self, reference: &str) -> Result<Entry> {
        let number =
            parse_reference(reference).ok_or_else(|| unknown(reference, "it is not of the form e12"))?;
        let inner = self.lock();
        if let Some(entry) = inner.by_number.get(&number) {
            return Ok(entry.clone());
        }
        Err(if number <= inner.forgotten {
            unknown(reference, "it was issued too long ago and is no longer kept")
        } else if number <= self.numbers.last() {
            unknown(reference, "it was issued to another caller, or too long ago and is no longer kept")
        } else {
            unknown(reference, "it was never issued by this process")
        })
    }

    /// Finds the element of `entry` in a tree of its application, heals the reference if its element is gone and exactly one
    /// other can be the same, and remembers what was seen.
    pub fn resolve(&self, entry: &Entry, tree: &Tree) -> Resolution {
        let resolution = entry.resolve(tree);
        match &resolution {
            Resolution::Alive(node) | Resolution::Healed { node, .. } => self.bind(entry, tree, *node),
            Resolution::Gone { .. } => {}
        }
        resolution
    }

    /// Binds the reference of `entry` to `node` and remembers how it looks now.
    fn bind(&self, entry: &Entry, tree: &Tree, node: NodeId) {
        let Some(node) = tree.get(node) else { return };
        let alive_until = NodeId::mint().get();
        let path = path_of(tree, node.id);
        let print = entry.is_other(node).then(|| Survey::new(tree).fingerprint(node.id)).flatten();
        let mut inner = self.lock();
        let Some(known) = inner.by_number.get_mut(&entry.reference.0) else { return };
        let before = known.node;
        known.see(node, path, print, alive_until);
        if before != node.id {
            inner.by_node.remove(&before);
            // An outline may have given the new element a number of its own already; both then mean it.
            inner.by_node.entry(node.id).or_insert(entry.reference.0);
        }
    }

    /// The error for a reference whose element is gone and could not be healed.
    pub fn stale(entry: &Entry, candidates: Vec<String>) -> Error {
        let what = line::summary(entry.role, &entry.name);
        Error::new(
            ErrorCode::StaleReference,
            format!(
                "the element of {} ({what}) no longer exists, and no single element matches it",
                entry.reference
            ),
        )
        .with_found(candidates)
        .with_next(text!["Look again with ", looking(), " and use the new reference"])
    }
}

/// Gives out references for the elements of one tree.
pub struct Minter<'a> {
    references: &'a References,
    app: &'a ApplicationId,
    tree: &'a Tree,
    namesakes: OnceLock<FxHashMap<(Role, &'a str), Vec<NodeId>>>,
    survey: OnceLock<Survey<'a>>,
    alive_until: u64,
}

impl Minter<'_> {
    /// The reference of an element, issued now if it has none. `None` if the element is not in the tree.
    pub fn mint(&self, id: NodeId) -> Option<Ref> {
        let node = self.tree.get(id)?;
        let path = path_of(self.tree, id);
        let mut inner = self.references.lock();
        if let Some(number) = inner.by_node.get(&id).copied()
            && let Some(entry) = inner.by_number.get_mut(&number)
        {
            // The survey of a tree costs about as much as a search in it.
            let print = entry.is_other(node).then(|| self.survey().fingerprint(id)).flatten();
            entry.see(node, path, print, self.alive_until);
            return Some(entry.reference);
        }
        drop(inner);
        let print = self.survey().fingerprint(id).map(Box::new);
        let had_twin = self.has_twin(node, &path);
        let mut inner = self.references.lock();
        let reference = Ref(self.references.numbers.next());
        let entry = Entry {
            reference,
            app: self.app.clone(),
            node: id,
            role: node.role,
            name: Arc::clone(&node.name),
            identifier: node.details.identifier.known().cloned(),
            path,
            print,
            parent: node.parent,
            had_twin,
            alive_until: self.alive_until,
        };
        inner.by_number.insert(reference.0, entry);
        inner.by_node.insert(id, reference.0);
        inner.oldest_first.push_back(reference.0);
        while inner.oldest_first.len() > self.references.capacity {
            inner.forget_oldest();
        }
        Some(reference)
    }

    fn survey(&self) -> &Survey<'_> {
        self.survey.get_or_init(|| Survey::new(self.tree))
    }

    fn has_twin(&self, node: &Node, path: &[(Role, Arc<str>)]) -> bool {
        let namesakes = self.namesakes.get_or_init(|| {
            let mut by_name: FxHashMap<_, Vec<NodeId>> = FxHashMap::default();
            for node in self.tree.nodes() {
                by_name.entry((node.role, &*node.name)).or_default().push(node.id);
            }
            by_name
        });
        namesakes.get(&(node.role, &*node.name)).is_some_and(|same| {
            same.len() > MANY_NAMESAKES
                || same.iter().any(|other| *other != node.id && *path_of(self.tree, *other) == *path)
        })
    }
}

impl Inner {
    fn forget_oldest(&mut self) {
        let Some(number) = self.oldest_first.pop_front() else { return };
        self.forgotten = number;
        if let Some(entry) = self.by_number.remove(&number)
            && self.by_node.get(&entry.node) == Some(&number)
        {
            self.by_node.remove(&entry.node);
        }
    }
}

impl Entry {
    /// Whether the element is in the tree, or else which one can be the same.
    fn resolve(&self, tree: &Tree) -> Resolution {
        if tree.contains(self.node) {
            return Resolution::Alive(self.node);
        }
        let mut same = tree.nodes().filter_map(|node| self.recognise(tree, node).map(|how| (node.id, how)));
        match (same.next(), same.next()) {
            (Some((node, how)), None) => Resolution::Healed { node, how: how.to_owned() },
            (Some(_), Some(_)) => Resolution::Gone { candidates: self.candidates(tree) },
            (None, _) => self.resolve_by_fingerprint(tree),
        }
    }

    /// The element that is recognized by all that is known of it, surely enough for an action.
    fn resolve_by_fingerprint(&self, tree: &Tree) -> Resolution {
        let Some(print) = &self.print else { return Resolution::Gone { candidates: self.candidates(tree) } };
        match heal_among(print, &Survey::new(tree), |id| id.get() > self.alive_until) {
            Outcome::Found(healed) if healed.confidence >= ACT => {
                let how = format!("{}, confidence {:.2}", healed.strategy.as_str(), healed.confidence);
                Resolution::Healed { node: healed.node, how }
            }
            Outcome::Found(_) | Outcome::Ambiguous(_) | Outcome::Gone(_) => {
                Resolution::Gone { candidates: self.candidates(tree) }
            }
        }
    }

    /// Whether an element is another one, or elsewhere or of another name, than when the fingerprint was made.
    fn is_other(&self, node: &Node) -> bool {
        self.print.as_ref().is_none_or(|print| {
            node.id != self.node
                || node.parent != self.parent
                || node.role != print.role()
                || node.name != *print.name()
        })
    }

    /// What the element is recognized by.
    pub fn fingerprint(&self) -> Option<&Fingerprint> {
        self.print.as_deref()
    }

    /// How `node` is recognized as this element, if it is.
    fn recognise(&self, tree: &Tree, node: &Node) -> Option<&'static str> {
        if node.role != self.role || node.id.get() <= self.alive_until {
            return None;
        }
        let identifier = node.details.identifier.known();
        let same_identifier = match (&self.identifier, identifier) {
            (Some(ours), Some(theirs)) if !ours.is_empty() => {
                if ours != theirs {
                    return None;
                }
                true
            }
            _ => false,
        };
        if same_identifier && node.name == self.name {
            return Some("same role, name and identifier");
        }
        let is_identified_by_name = !self.name.is_empty() && !self.had_twin && node.name == self.name;
        if !is_identified_by_name {
            return None;
        }
        same_place(&self.path, &path_of(tree, node.id)).then_some("same role, name and path")
    }

    fn see(
        &mut self,
        node: &Node,
        path: Box<[(Role, Arc<str>)]>,
        print: Option<Fingerprint>,
        alive_until: u64,
    ) {
        if let Some(print) = print {
            self.print = Some(Box::new(print));
            self.parent = node.parent;
        }
        self.node = node.id;
        self.role = node.role;
        self.name = Arc::clone(&node.name);
        if let Some(identifier) = node.details.identifier.known() {
            self.identifier = Some(Arc::clone(identifier));
        }
        self.path = path;
        self.alive_until = self.alive_until.max(alive_until);
    }

    /// The elements that are most like this one, as outline lines.
    fn candidates(&self, tree: &Tree) -> Vec<String> {
        let wanted = self.name.to_lowercase();
        let mut near: Vec<(f64, &Arc<Node>)> = tree
            .nodes()
            .filter(|node| node.is_showing() && node.role == self.role)
            .map(|node| (likeness(&wanted, &node.name), node))
            .filter(|(likeness, _)| *likeness >= 0.5)
            .collect();
        near.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.id.cmp(&other.id)));
        near.into_iter().take(MAX_CANDIDATES).map(|(_, node)| line::line(node, None).into()).collect()
    }
}

fn likeness(wanted: &str, name: &str) -> f64 {
    const COMPARED_CHARS: usize = 64;
    let cut = |text: &str| text.chars().take(COMPARED_CHARS).collect::<String>();
    if wanted.is_empty() || name.is_empty() {
        return f64::from(u8::from(wanted.is_empty() && name.is_empty()));
    }
    similarity(&cut(wanted), &cut(&name.to_lowercase()))
}

/// The ancestors that have a name, nearest first, and always the window.
fn path_of(tree: &Tree, id: NodeId) -> Box<[(Role, Arc<str>)]> {
    tree.ancestors(id)
        .filter(|above| above.parent.is_some() && !above.name.is_empty())
        .take(MAX_PATH)
        .map(|above| (above.role, Arc::clone(&above.name)))
        .collect()
}

/// Whether two paths lead to the same place. The title of an ordinary window may differ (it often contains the name of the
/// document, or a mark that it was changed); that of a dialog may not: an "OK" elsewhere is another button.
fn same_place(ours: &[(Role, Arc<str>)], theirs: &[(Role, Arc<str>)]) -> bool {
    ours.len() == theirs.len()
        && ours.iter().zip(theirs).all(|((our_role, our_name), (their_role, their_name))| {
            our_role == their_role && (our_name == their_name || *our_role == Role::Window)
        })
}

fn parse_reference(text: &str) -> Option<u64> {
    // A number is written without leading zeros.
    reference::digits(text.trim()).filter(|digits| !digits.starts_with('0'))?.parse().ok()
}

/// What gives references.
fn looking() -> Text {
    Text::either(vec![Invocation::of("ax_get_tree"), Invocation::of("ax_find")])
}

fn unknown(reference: &str, why: &str) -> Error {
    let shown = handeye_core::screen_text::line(reference, 24);
    Error::new(ErrorCode::UnknownReference, format!("the reference '{shown}' is not known: {why}"))
        .with_next(text!["Get references from ", looking()])
}

#[cfg(test)]
mod tests;

//! A tree with what a comparison needs of every element, worked out once.

use crate::fingerprint::{Fingerprint, MAX_BESIDE, NEAR, Place};
use crate::role_kind::{is_data, is_record};
use handeye_core::{Node, NodeId, Role, Tree};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How far the labels beside an element are looked for, in elements.
const FAR: usize = 48;
/// Most levels that are compared.
const MAX_DEPTH: usize = 64;

/// An element and where it is.
pub(crate) struct Seen<'t> {
    pub(crate) node: &'t Arc<Node>,
    /// Its parent, as a position in document order.
    pub(crate) parent: Option<u32>,
    /// The position after the last element inside of it.
    pub(crate) end: u32,
    /// Its number among the children of its parent that have its role, and how many those are.
    pub(crate) index: u16,
    pub(crate) count: u16,
    /// What it is to the elements inside of it, if there are any.
    pub(crate) place: Option<Arc<Place>>,
    /// What the record is that it is in or is itself; 0 if it is in none, 1 if other records are the same.
    pub(crate) record: u32,
    /// A record begins with it.
    begins: bool,
    /// It is one of many siblings that are sorted by their labels.
    pub(crate) sorted: bool,
    /// The roles of its siblings before and after it.
    pub(crate) sides: [Option<Role>; 2],
}

/// The elements of a tree in document order.
pub struct Survey<'t> {
    pub(crate) seen: Vec<Seen<'t>>,
    positions: FxHashMap<NodeId, u32>,
    /// How many elements have a role and a name.
    names: FxHashMap<(Role, &'t str), u32>,
    /// Marks of all labels, sorted.
    marks: Vec<u16>,
    /// Those that a fingerprint keeps.
    beside: Arc<[u16]>,
}

impl<'t> Survey<'t> {
    /// Looks at every element of a tree once.
    pub fn new(tree: &'t Tree) -> Self {
        let mut survey = Self {
            seen: Vec::with_capacity(tree.len()),
            positions: FxHashMap::default(),
            names: FxHashMap::default(),
            marks: Vec::new(),
            beside: Arc::from([]),
        };
        survey.positions.reserve(tree.len());
        if let Some(root) = tree.root().and_then(|root| tree.get(root)) {
            survey.walk(tree, root);
            survey.forget_equal_records();
        }
        let mut labels: Vec<u16> = survey
            .names
            .keys()
            .filter(|(role, name)| !name.is_empty() && !is_data(*role))
            .map(|(role, name)| mark(*role, name))
            .collect();
        labels.sort_unstable();
        labels.dedup();
        // The smallest of hashes are a fair sample, to be looked for among all: the smallest of a larger tree are others.
        survey.beside = labels[..labels.len().min(MAX_BESIDE)].into();
        survey.marks = labels;
        survey
    }

    fn walk(&mut self, tree: &'t Tree, root: &'t Arc<Node>) {
        // What is still to be looked at, with its parent, its number and their count; an element without a parent in the list ends one.
        let mut stack = vec![(
            Child { node: root, index: 0, count: 1, row: 0, sorted: false, sides: [None; 2] },
            None::<u32>,
            0_usize,
        )];
        let mut open: Vec<u32> = Vec::new();
        while let Some((Child { node, index, count, row, sorted, sides }, parent, depth)) = stack.pop() {
            let position = u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
            while open.last().copied() != parent {
                let Some(closed) = open.pop() else { break };
                self.seen[closed as usize].end = position;
            }
            if self.positions.insert(node.id, position).is_some() {
                // A tree that contains an element twice is not one; the second is left out.
                continue;
            }
            let above = parent.map(|parent| &self.seen[parent as usize]);
            let outer = above.map_or(0, |above| above.record);
            // A cell belongs to its row, where there is one.
            let is_own = is_record(node.role) && (outer == 0 || node.role != Role::Cell);
            let record = if is_own && row != 0 {
                row
            } else if is_own {
                record_of(tree, node)
            } else {
                outer
            };
            let place = (!node.children.is_empty()).then(|| {
                let above = above.and_then(|above| above.place.clone());
                Arc::new(Place {
                    role: node.role,
                    name: Arc::clone(&node.name),
                    identifier: node.details.identifier.known().cloned(),
                    index,
                    count,
                    above,
                })
            });
            *self.names.entry((node.role, &*node.name)).or_default() += 1;
            self.seen.push(Seen {
                node,
                parent,
                end: position + 1,
                index,
                count,
                place,
                record,
                begins: is_own && (row == 0 || index == 0),
                sorted,
                sides,
            });
            open.push(position);
            if depth < MAX_DEPTH {
                let children = children(tree, node).into_iter().rev();
                stack.extend(children.map(|child| (child, Some(position), depth + 1)));
            }
        }
        let end = u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
        for closed in open {
            self.seen[closed as usize].end = end;
        }
    }

    /// Between two rows with the same words, these decide nothing.
    fn forget_equal_records(&mut self) {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for seen in self.seen.iter().filter(|seen| seen.begins) {
            *counts.entry(seen.record).or_default() += 1;
        }
        for seen in &mut self.seen {
            if counts.get(&seen.record).is_some_and(|count| *count > 1) {
                seen.record = 1;
            }
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// What an element is to be recognized by, if it is in the tree.
    pub fn fingerprint(&self, id: NodeId) -> Option<Fingerprint> {
        let position = *self.positions.get(&id)?;
        let seen = &self.seen[position as usize];
        let node = seen.node;
        let [before, after] = self.near(position);
        Some(Fingerprint {
            role: node.role,
            name: Arc::clone(&node.name),
            identifier: node.details.identifier.known().filter(|text| !text.is_empty()).cloned(),
            description: Arc::clone(&node.description),
            within: self.within(position).cloned(),
            index: seen.index,
            count: seen.count,
            before,
            after,
            abilities: node.abilities.bits(),
            children: u16::try_from(node.children.len()).unwrap_or(u16::MAX),
            namesakes: u16::try_from(self.namesakes(node) - 1).unwrap_or(u16::MAX),
            record: seen.record,
            sides: seen.sides,
            beside: Arc::clone(&self.beside),
        })
    }

    /// How many elements have the role and the name of this one.
    pub(crate) fn namesakes(&self, node: &Node) -> u32 {
        self.names.get(&(node.role, &*node.name)).copied().unwrap_or(1)
    }

    /// What an element is in.
    pub(crate) fn within(&self, position: u32) -> Option<&Arc<Place>> {
        let parent = self.seen[position as usize].parent?;
        self.seen[parent as usize].place.as_ref()
    }

    /// Which part of the labels of an earlier tree is in this one, from 0 to 1.
    pub(crate) fn kept(&self, beside: &[u16]) -> f64 {
        if beside.is_empty() {
            return 1.0;
        }
        let both = beside.iter().filter(|mark| self.marks.binary_search(mark).is_ok()).count();
        both as f64 / beside.len() as f64
    }

    /// The labels that come before and after an element, the nearest first. What it is in and what is in it does not count.
    pub(crate) fn near(&self, position: u32) -> [[Option<Arc<str>>; NEAR]; 2] {
        let own = &self.seen[position as usize];
        let mut before = Near::default();
        let start = (position as usize).saturating_sub(FAR);
        for at in (start..position as usize).rev() {
            // What contains the element ends after it.
            if self.seen[at].end <= position && before.take(self.seen[at].node) {
                break;
            }
        }
        let mut after = Near::default();
        for seen in self.seen.iter().skip(own.end as usize).take(FAR) {
            if after.take(seen.node) {
                break;
            }
        }
        [before.labels, after.labels]
    }
}

/// The labels on one side.
#[derive(Default)]
struct Near {
    labels: [Option<Arc<str>>; NEAR],
    count: usize,
}

impl Near {
    /// Takes the label of an element, and returns whether that is enough.
    fn take(&mut self, node: &Node) -> bool {
        // The text inside of a button repeats its name.
        let repeats = self.count > 0 && self.labels[self.count - 1].as_deref() == Some(&*node.name);
        if !node.name.is_empty() && !repeats && self.count < NEAR {
            self.labels[self.count] = Some(Arc::clone(&node.name));
            self.count += 1;
        }
        self.count == NEAR
    }
}

/// A child of an element.
struct Child<'t> {
    node: &'t Arc<Node>,
    index: u16,
    count: u16,
    /// What its row is, where cells are not in rows; 0 elsewhere.
    row: u32,
    sorted: bool,
    sides: [Option<Role>; 2],
}

/// The children of an element, each with its number among those of its role and their count.
fn children<'t>(tree: &'t Tree, node: &Node) -> Vec<Child<'t>> {
    /// From how many siblings on they are looked at as a list.
    const MANY: usize = 8;
    let mut counts: FxHashMap<Role, u16> = FxHashMap::default();
    let mut children: Vec<Child<'t>> = Vec::with_capacity(node.children.len());
    let mut before = None;
    for child in tree.children(node.id) {
        if let Some(last) = children.last_mut() {
            last.sides[1] = Some(child.role);
        }
        let count = counts.entry(child.role).or_default();
        children.push(Child {
            node: child,
            index: *count,
            count: 0,
            row: 0,
            sorted: false,
            sides: [before, None],
        });
        before = Some(child.role);
        *count = count.saturating_add(1);
    }
    let columns = counts.get(&Role::ColumnHeader).copied().unwrap_or(0);
    let rows = if columns > 0 { rows(tree, &children, usize::from(columns)) } else { Vec::new() };
    // The buttons of a tool bar stand where they were put, however many they are.
    let are_sorted = children.len() >= MANY && node.role != Role::ToolBar && are_sorted(&children);
    for child in &mut children {
        child.count = counts.get(&child.node.role).copied().unwrap_or(1);
        child.sorted = are_sorted && usize::from(child.count) >= MANY;
        if child.node.role == Role::Cell && columns > 0 {
            child.row = rows.get(usize::from(child.index / columns)).copied().unwrap_or(0);
            if child.row != 0 {
                // Its column.
                (child.index, child.count) = (child.index % columns, columns);
            }
        }
    }
    children
}

/// What each row of a table is whose cells are its children.
fn rows(tree: &Tree, children: &[Child<'_>], columns: usize) -> Vec<u32> {
    let cells: Vec<&Child<'_>> = children.iter().filter(|child| child.node.role == Role::Cell).collect();
    let key = |row: &[&Child<'_>]| {
        row.iter().map(|cell| record_of(tree, cell.node)).find(|record| *record > 1).unwrap_or(1)
    };
    if cells.len().is_multiple_of(columns) { cells.chunks(columns).map(key).collect() } else { Vec::new() }
}

/// Whether most labels come after the one before.
fn are_sorted(children: &[Child<'_>]) -> bool {
    /// More of one kind are the entries of a list, however they are sorted: collation depends on the language.
    const LIST: usize = 30;
    let labels: Vec<String> = children
        .iter()
        .filter(|child| !child.node.name.is_empty())
        .map(|child| child.node.name.to_lowercase())
        .collect();
    let in_order = labels.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    labels.len() >= LIST || in_order * 10 >= labels.len().saturating_sub(1) * 8
}

/// What a record is: its name, or the first words in it.
fn record_of(tree: &Tree, node: &Node) -> u32 {
    /// How many elements of a record are looked at.
    const LOOKED_AT: usize = 12;
    // The first one may be a bullet or an icon.
    let has_words = |inside: &&Arc<Node>| inside.label().contains(char::is_alphanumeric);
    let named = tree.descendants(node.id).take(LOOKED_AT).find(has_words);
    // A row of a table is not the item of a list that has its name.
    named.map_or(1, |inside| hash(node.role, inside.label()))
}

/// A number for a text that is never 0 and the same in every process.
fn hash(role: Role, text: &str) -> u32 {
    let long = fnv(text.as_bytes(), fnv(role.aria().as_bytes(), FNV_START));
    ((long ^ (long >> 32)) as u32).max(2)
}

/// A short mark of a role and a label, the same in every process and version.
pub(crate) fn mark(role: Role, label: &str) -> u16 {
    let long = fnv(label.as_bytes(), fnv(role.aria().as_bytes(), FNV_START));
    (long ^ (long >> 16) ^ (long >> 32) ^ (long >> 48)) as u16
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: files keep what is made of it, so it must never change.
fn fnv(bytes: &[u8], start: u64) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

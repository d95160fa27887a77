//! A recorded tree.

use handeye_core::testing::add;
use handeye_core::testing::recorded::role_at;
use handeye_core::{Abilities, Detail, Node, NodeId, States, Tree};
use std::path::Path;

/// A tree, and its elements by the lines of its file.
pub(crate) struct Recording {
    /// The name of its file.
    pub(crate) name: String,
    /// The tree.
    pub(crate) tree: Tree,
    /// The element of each line.
    pub(crate) ids: Vec<NodeId>,
}

impl Recording {
    /// Reads the file of that name.
    pub(crate) fn read(folder: &Path, name: &str) -> Self {
        let text = std::fs::read_to_string(folder.join(format!("{name}.tsv"))).expect("a recording");
        let mut tree = Tree::new();
        let mut ids: Vec<NodeId> = Vec::new();
        let mut open: Vec<NodeId> = Vec::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [depth, role, flags, _extents, identifier, label, description] = fields.as_slice() else {
                panic!("{name}: {line}")
            };
            let depth: usize = depth.parse().expect("a depth");
            open.truncate(depth);
            let role = role_at(role, label, &open, &tree);
            let mut node = Node::new(NodeId::mint(), open.last().copied(), role, label);
            node.description = (*description).into();
            let bits = flags.strip_prefix('s').unwrap_or_else(|| {
                node.states.remove(States::SHOWING);
                flags
            });
            node.abilities = Abilities::from_bits_truncate(bits.parse().expect("abilities"));
            node.details.identifier = Detail::from((!identifier.is_empty()).then(|| (*identifier).into()));
            let id = node.id;
            if let Some(parent) = open.last() {
                add(&mut tree, *parent, node);
            } else {
                tree.insert(node);
                tree.set_root(id);
            }
            ids.push(id);
            open.push(id);
        }
        Self { name: name.to_owned(), tree, ids }
    }
}

//! One element of an accessibility tree, as the mirror holds it.

use crate::{KeptDetails, ProcessIdentity, Role, States};
use bitflags::bitflags;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies an element for as long as this process runs. Never reused, not even after the element is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(u64);

impl NodeId {
    /// An id that no other element has or ever had in this process.
    pub fn mint() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The number behind the id, for logs and hash keys.
    pub const fn get(self) -> u64 {
        self.0
    }
}

bitflags! {
    /// What can be asked of an element: the interfaces that its toolkit offers for it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Abilities: u32 {
        /// Offers named actions, such as "click".
        const ACTION = 1 << 0;
        /// Has a place.
        const COMPONENT = 1 << 1;
        /// Holds text that can be read.
        const TEXT = 1 << 2;
        /// Holds text that can be changed.
        const EDITABLE_TEXT = 1 << 3;
        /// Holds a number.
        const VALUE = 1 << 4;
        /// Its children can be selected.
        const SELECTION = 1 << 5;
        /// Has rows and columns.
        const TABLE = 1 << 6;
        /// Is a cell of a table.
        const TABLE_CELL = 1 << 7;
        /// Is a document (a web page, a text).
        const DOCUMENT = 1 << 8;
        /// Is a picture.
        const IMAGE = 1 << 9;
        /// Its text holds links.
        const HYPERTEXT = 1 << 10;
        /// Can be asked for its descendants that match a rule.
        const COLLECTION = 1 << 11;
    }
}

/// A process that shows elements inside of another application: a plug in its socket, the page of a web view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Name of its executable, in letters, digits and `-_.+` only.
    pub name: Arc<str>,
    /// The process, or `None` where the bus does not report it.
    pub process: Option<ProcessIdentity>,
}

impl Owner {
    /// Process id, where that is known.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|process| process.pid)
    }
}

impl std::fmt::Display for Owner {
    /// `python3 (process 4242)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.pid() {
            Some(pid) => write!(f, "{} (process {pid})", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// One element of an accessibility tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Identity within this process.
    pub id: NodeId,
    /// Parent, or `None` for the application itself.
    pub parent: Option<NodeId>,
    /// Children that are loaded, in their order.
    pub children: Vec<NodeId>,
    /// Number of children that the toolkit reports. Larger than `children.len()` where a long list
    /// is only partly loaded (a spreadsheet reports 2,147,483,647).
    pub child_count: u32,
    /// What it is.
    pub role: Role,
    /// What its toolkit calls that, for example `push button`.
    pub native_role: Arc<str>,
    /// Its label. Cut to [`Node::MAX_NAME_BYTES`] bytes.
    pub name: Arc<str>,
    /// Its longer explanation, cut like the name.
    pub description: Arc<str>,
    /// What it is like at the moment.
    pub states: States,
    /// What can be asked of it.
    pub abilities: Abilities,
    /// What was read on demand.
    pub details: KeptDetails,
    /// Whose it is, where it is another process's than its application's.
    pub owner: Option<Arc<Owner>>,
    /// Number of children that were left out because they belong to other processes and nothing proves that these show them here.
    pub strangers: u32,
}

impl Node {
    /// An element that is showing and enabled, without children, description and details. What else is known of it is set in its fields.
    pub fn new(id: NodeId, parent: Option<NodeId>, role: Role, name: &str) -> Self {
        Self {
            id,
            parent,
            children: Vec::new(),
            child_count: 0,
            role,
            native_role: role.atspi_names().first().copied().unwrap_or_default().into(),
            name: name.into(),
            description: "".into(),
            states: States::SHOWING | States::VISIBLE | States::ENABLED,
            abilities: Abilities::COMPONENT,
            details: KeptDetails::default(),
            owner: None,
            strangers: 0,
        }
    }

    /// From how many children on an element has only those loaded that can be seen. A spreadsheet reports 2^31.
    pub const MAX_LISTED_CHILDREN: u32 = 1000;

    /// Longest name or description that the mirror keeps, in bytes.
    pub const MAX_NAME_BYTES: usize = 4096;

    /// Whether an element is greyed out, as far as its role shows that.
    pub fn is_greyed_out(&self) -> bool {
        // Tabs, rows and cells do not report reliably whether they are enabled.
        let reports = matches!(
            self.role,
            Role::Button
                | Role::ToggleButton
                | Role::CheckBox
                | Role::RadioButton
                | Role::Switch
                | Role::ComboBox
                | Role::MenuItem
                | Role::TextBox
                | Role::SpinButton
        );
        reports && !self.states.contains(States::ENABLED)
    }

    /// Whether the element is drawn (see [`States::SHOWING`]).
    pub fn is_showing(&self) -> bool {
        self.states.contains(States::SHOWING)
    }

    /// Whether the element is not greyed out. Tabs, rows and cells do not report that reliably, so they always count as enabled.
    pub const fn is_enabled(&self) -> bool {
        self.states.contains(States::ENABLED)
            || matches!(self.role, Role::Tab | Role::TreeItem | Role::Cell | Role::ColumnHeader)
    }

    /// Whether the element would take input and is greyed out.
    pub const fn is_disabled(&self) -> bool {
        self.role.is_interactive() && !self.is_enabled()
    }

    /// The label by which a person would call the element: its name, or else its description.
    pub fn label(&self) -> &str {
        if self.name.is_empty() { &self.description } else { &self.name }
    }

    /// What the element holds, as one string: its text, else its number. `None` if it holds
    /// nothing or that was not read.
    pub fn value_text(&self) -> Option<String> {
        if let Some(text) = self.details.text.known() {
            return Some(text.shown.to_string());
        }
        self.details.value.known().map(|value| value.current.to_string())
    }

    /// Whether it has so many children that only those are loaded that can be seen.
    pub const fn has_virtual_children(&self) -> bool {
        self.child_count > Self::MAX_LISTED_CHILDREN
    }

    /// Number of children that the toolkit reports but that are not loaded.
    pub fn unloaded_children(&self) -> u32 {
        self.child_count.saturating_sub(self.children.len() as u32)
    }
}

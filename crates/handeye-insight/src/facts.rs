//! What a window shows, gathered in one pass: what every rule looks at.

use crate::front::{Front, is_dialog};
use handeye_core::{Node, NodeId, NumericValue, Role, States, Tree};
use handeye_words::consequences::is_mute;
use std::collections::HashSet;
use std::sync::Arc;

/// Most elements of a window that are looked at, shown or not.
const MOST: usize = 4_000;
/// Most elements of one kind that are kept.
const MOST_OF_A_KIND: usize = 200;

/// How web pages are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    /// As something of their own in a browser.
    Apart,
    /// As the content of the window: many applications are nothing but a page.
    Within,
}

/// Where an element is within its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "an element can be in all of them at once")]
struct Place {
    /// In a menu bar, a tool bar, a status bar or a title bar.
    bar: bool,
    /// In a web page.
    page: bool,
    /// In a cell, an item of a list, or a field that shows what it holds by elements of its own.
    item: bool,
    /// In a list or a table.
    list: bool,
    /// In a row of a list that holds controls of its own, as pages of settings have them.
    row: bool,
    /// In a combo box.
    choice: bool,
}

/// Elements of a window by what they are for. Those of bars are in [`Facts::bar_fields`] and [`Facts::has_bars`] alone, and those of a web page in
/// [`Facts::page`]'s own tree, apart from passwords.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub(crate) struct Facts<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) window: &'a Arc<Node>,
    /// Whether the window is a dialog.
    pub(crate) is_dialog: bool,
    /// Buttons with words on them.
    pub(crate) buttons: Vec<&'a Arc<Node>>,
    /// Fields of one line, without passwords and searches.
    pub(crate) fields: Vec<&'a Arc<Node>>,
    /// Fields for passwords, also those of a page.
    pub(crate) passwords: Vec<&'a Arc<Node>>,
    pub(crate) searches: Vec<&'a Arc<Node>>,
    /// Texts of several lines that can be edited.
    pub(crate) editors: Vec<&'a Arc<Node>>,
    /// Texts of several lines that can only be read, and documents.
    pub(crate) readings: usize,
    pub(crate) spins: Vec<&'a Arc<Node>>,
    /// Check boxes, switches and radio buttons.
    pub(crate) toggles: Vec<&'a Arc<Node>>,
    /// Combo boxes and sliders.
    pub(crate) choices: Vec<&'a Arc<Node>>,
    pub(crate) tabs: Vec<&'a Arc<Node>>,
    /// Lists, tables and trees.
    pub(crate) lists: Vec<&'a Arc<Node>>,
    pub(crate) headers: Vec<&'a Arc<Node>>,
    /// Bars that show how far something is, outside of tables.
    pub(crate) progress: Vec<&'a Arc<Node>>,
    /// Texts and headings.
    pub(crate) texts: Vec<&'a Arc<Node>>,
    /// Messages in the window, and its status bars.
    pub(crate) messages: Vec<&'a Arc<Node>>,
    pub(crate) links: usize,
    /// A part of the window in which a file is chosen, by the toolkit's own name for it.
    pub(crate) chooses_file: bool,
    /// The same for a colour or a font.
    pub(crate) chooses_look: bool,
    /// Pictures that are worked in, and calendars.
    pub(crate) canvases: usize,
    /// Buttons of all kinds, also those with a sign on them.
    pub(crate) commands: usize,
    /// The first web page.
    pub(crate) page: Option<&'a Arc<Node>>,
    /// Fields in bars.
    pub(crate) bar_fields: Vec<&'a Arc<Node>>,
    pub(crate) has_menu_bar: bool,
    pub(crate) has_tool_bar: bool,
    /// Something that shows is busy.
    pub(crate) busy: Option<NodeId>,
}

impl<'a> Facts<'a> {
    /// What a window shows; `None` if it is not in the tree.
    pub(crate) fn of(tree: &'a Tree, front: Front, pages: Pages) -> Option<Self> {
        let window = tree.get(front.window)?;
        let calls_itself = is_dialog(window) || window.states.contains(States::MODAL);
        let mut facts = Self {
            tree,
            window,
            is_dialog: front.is_dialog || calls_itself,
            buttons: Vec::new(),
            fields: Vec::new(),
            passwords: Vec::new(),
            searches: Vec::new(),
            editors: Vec::new(),
            readings: 0,
            spins: Vec::new(),
            toggles: Vec::new(),
            choices: Vec::new(),
            tabs: Vec::new(),
            lists: Vec::new(),
            headers: Vec::new(),
            progress: Vec::new(),
            texts: Vec::new(),
            messages: Vec::new(),
            links: 0,
            chooses_file: false,
            chooses_look: false,
            canvases: 0,
            commands: 0,
            page: None,
            bar_fields: Vec::new(),
            has_menu_bar: false,
            has_tool_bar: false,
            busy: None,
        };
        facts.gather(pages);
        Some(facts)
    }

    fn gather(&mut self, pages: Pages) {
        let tree = self.tree;
        let mut open: Vec<(NodeId, Place)> = vec![(self.window.id, Place::default())];
        // A tree that is in a circle ends too.
        let mut known = HashSet::new();
        while let Some((id, place)) = open.pop() {
            if known.len() >= MOST {
                return;
            }
            let Some(node) = tree.get(id).filter(|_| known.insert(id)) else { continue };
            if node.is_showing() {
                self.take(node, place, pages);
            }
            let mut inside = place.within(node);
            inside.page &= pages == Pages::Apart;
            open.extend(node.children.iter().rev().map(|child| (*child, inside)));
        }
    }

    fn take(&mut self, node: &'a Arc<Node>, place: Place, pages: Pages) {
        if node.states.contains(States::BUSY) && self.busy.is_none() {
            self.busy = Some(node.id);
        }
        match &*node.native_role {
            "file chooser" if !place.page => self.chooses_file = true,
            "color chooser" | "font chooser" if !place.page => self.chooses_look = true,
            _ => {}
        }
        match node.role {
            Role::MenuBar => self.has_menu_bar = true,
            Role::ToolBar => self.has_tool_bar = true,
            Role::StatusBar | Role::Notification => keep(&mut self.messages, node),
            Role::Alert if node.id != self.window.id => keep(&mut self.messages, node),
            Role::TextBox
                if node.states.contains(States::PROTECTED) || &*node.native_role == "password text" =>
            {
                keep(&mut self.passwords, node);
            }
            Role::Document if &*node.native_role == "document web" => {
                if pages == Pages::Apart {
                    self.page = self.page.or(Some(node));
                }
            }
            _ if place.page => {}
            Role::ProgressBar if !place.item && !place.row && !place.bar => keep(&mut self.progress, node),
            Role::TextBox | Role::SearchBox | Role::ComboBox if place.bar && is_typed_into(node) => {
                keep(&mut self.bar_fields, node);
            }
            _ if place.bar => {}
            _ => self.take_content(node, place),
        }
    }

    fn take_content(&mut self, node: &'a Arc<Node>, place: Place) {
        let is_editable = node.states.contains(States::EDITABLE);
        match node.role {
            Role::Button if !place.list && !is_mute(node.label()) => {
                self.commands += 1;
                keep(&mut self.buttons, node);
            }
            Role::Button | Role::ToggleButton if !place.list => self.commands += 1,
            Role::SearchBox => keep(&mut self.searches, node),
            Role::Document if &*node.native_role == "document text" && is_editable => {
                keep(&mut self.editors, node);
            }
            Role::Document => self.readings += 1,
            Role::TextBox if place.item || place.row || &*node.native_role == "terminal" => {}
            Role::TextBox if node.states.contains(States::MULTI_LINE) && is_editable => {
                keep(&mut self.editors, node);
            }
            Role::TextBox if node.states.contains(States::MULTI_LINE) => self.readings += 1,
            Role::TextBox => keep(&mut self.fields, node),
            Role::SpinButton if !place.item => keep(&mut self.spins, node),
            // What is typed into one is the field in it.
            Role::ComboBox if self.tree.children(node.id).any(|inner| inner.role == Role::TextBox) => {}
            Role::ComboBox if is_typed_into(node) => keep(&mut self.fields, node),
            Role::CheckBox | Role::Switch | Role::RadioButton if !place.item => keep(&mut self.toggles, node),
            Role::ComboBox | Role::Slider if !place.item => keep(&mut self.choices, node),
            Role::Tab => keep(&mut self.tabs, node),
            Role::List | Role::ListBox | Role::Table | Role::Tree | Role::TreeGrid
                if !place.item && !place.row && !place.choice =>
            {
                keep(&mut self.lists, node);
            }
            Role::ColumnHeader => keep(&mut self.headers, node),
            Role::Text | Role::Heading | Role::Paragraph if !place.list => keep(&mut self.texts, node),
            Role::Link => self.links += 1,
            Role::Canvas | Role::Calendar => self.canvases += 1,
            _ => {}
        }
    }

    /// How much can be set or filled in, besides passwords.
    pub(crate) fn controls(&self) -> usize {
        self.fields.len()
            + self.searches.len()
            + self.spins.len()
            + self.toggles.len()
            + self.choices.len()
            + self.editors.len()
    }
}

impl Place {
    /// The place of what is inside an element at this place.
    fn within(self, node: &Node) -> Self {
        let is_bar =
            matches!(node.role, Role::MenuBar | Role::ToolBar | Role::StatusBar | Role::Notification)
                || &*node.native_role == "title bar";
        let is_list = matches!(
            node.role,
            Role::List | Role::ListBox | Role::Table | Role::Tree | Role::TreeGrid | Role::Menu
        );
        let holds_itself = matches!(
            node.role,
            Role::Cell | Role::Row | Role::TreeItem | Role::SpinButton | Role::Button | Role::Slider
        );
        Self {
            bar: self.bar || is_bar,
            page: self.page || &*node.native_role == "document web",
            item: self.item || holds_itself,
            list: self.list || is_list || node.role == Role::ScrollBar,
            row: self.row || node.role == Role::ListItem,
            choice: self.choice || node.role == Role::ComboBox,
        }
    }
}

fn keep<'a>(list: &mut Vec<&'a Arc<Node>>, node: &'a Arc<Node>) {
    if list.len() < MOST_OF_A_KIND {
        list.push(node);
    }
}

/// Whether text is typed into an element itself.
fn is_typed_into(node: &Node) -> bool {
    node.role != Role::ComboBox || node.states.contains(States::EDITABLE)
}

/// The ids of elements.
pub(crate) fn ids<'a>(nodes: &'a [&'a Arc<Node>]) -> impl Iterator<Item = NodeId> + 'a {
    nodes.iter().map(|node| node.id)
}

/// Whether a number is not at its end, or is not known.
pub(crate) fn is_under_way(value: Option<&NumericValue>) -> bool {
    value.is_none_or(|value| value.current < value.maximum || value.minimum >= value.maximum)
}

//! An element as a step names it, and what a person does with such a one.

use crate::naming;
use handeye_act::is_option;
use handeye_core::{Abilities, ConnectedApp, Node, NodeAction, NodeId, Role, States, Tree};
use handeye_locator::{Fingerprint, Survey};

/// What comes of a person's input to an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text that hides what is typed.
    Secret,
    /// Text of one line.
    Line,
    /// Text of several lines.
    Lines,
    /// Text that is typed into an editor which opens at the place of the element, as for a cell of a sheet.
    InPlace,
    /// On or off.
    Switch,
    /// A number.
    Number,
    /// Opens a list of options.
    List,
    /// Opens a menu.
    Opener,
    /// Anything else that takes a click.
    Other,
}

/// An option of a list, and the list that it is chosen in.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What means the list.
    pub list: String,
    /// What the list is recognized by.
    pub locator: Option<Box<Fingerprint>>,
    /// How the option is called there.
    pub option: String,
}

/// What an application makes when input comes to an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Makes {
    /// Nothing that a step depends on.
    Nothing,
    /// The items of its menu: they can be chosen in the open menu only.
    Items,
    /// An editor in its place, which takes what is typed.
    Editor,
}

/// An element as a step names it.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Its application.
    pub app: String,
    /// What means it.
    pub query: String,
    /// What comes of input to it.
    pub kind: Kind,
    /// Whether it can be clicked in the background, as far as it says.
    pub takes_requests: bool,
    /// What it is recognized by where `query` means it no longer.
    pub locator: Option<Box<Fingerprint>>,
    /// For an option of a list: where it is chosen.
    pub option_of: Option<Choice>,
    /// How it is called, if it is what lists have as options.
    pub option: Option<String>,
    /// For an item of a menu: what the menus above it are called.
    pub in_menus: Vec<String>,
    /// Whether its text or number can be typed alone: it takes none by request, as a browser's fields.
    pub is_typed: bool,
    /// What else is made when input comes to it.
    pub makes: Makes,
}

impl Target {
    /// The element of an application that is called `app` which a click at `id` is for; `None` where there is none that takes input, or nothing
    /// means it alone.
    pub fn of(app: &str, tree: &Tree, id: NodeId) -> Option<Self> {
        Self::any(app, tree, worth(tree, id)?)
    }

    /// The element `id` itself, whether it takes clicks or not: for drags and the wheel.
    pub fn any(app: &str, tree: &Tree, id: NodeId) -> Option<Self> {
        let survey = Survey::new(tree);
        let node = tree.get(id)?;
        let locator = |id| survey.fingerprint(id).map(Box::new);
        let list = tree.ancestors(id).find(|above| above.role == Role::ComboBox);
        let option_of = list.and_then(|list| {
            let option = naming::label(node)?.to_owned();
            Some(Choice { list: naming::query(tree, list.id)?, locator: locator(list.id), option })
        });
        let option = is_option(node.role).then(|| naming::label(node).map(str::to_owned)).flatten();
        let in_menus = tree
            .ancestors(id)
            .filter(|above| matches!(above.role, Role::Menu | Role::MenuItem))
            .filter_map(|above| naming::query(tree, above.id))
            .collect();
        Some(Self {
            app: app.to_owned(),
            query: naming::query(tree, id)?,
            kind: kind(tree, node),
            takes_requests: node.abilities.contains(Abilities::ACTION)
                || node.states.contains(States::SELECTABLE),
            locator: locator(id),
            option_of,
            option,
            in_menus,
            is_typed: false,
            makes: if node.role == Role::Cell { Makes::Editor } else { Makes::Nothing },
        })
    }

    /// The same, as the element `id` of this application: what it takes is known there.
    #[must_use]
    pub fn of_application(mut self, app: &dyn ConnectedApp, tree: &Tree, id: NodeId) -> Self {
        let takes_text = tree.get(id).is_some_and(|node| node.abilities.contains(Abilities::EDITABLE_TEXT));
        self.is_typed = match self.kind {
            Kind::Secret | Kind::Line | Kind::Lines => {
                !takes_text || app.only_shows(id, &NodeAction::SetText(String::new()))
            }
            Kind::Number => app.only_shows(id, &NodeAction::SetValue(0.0)),
            Kind::InPlace => true,
            Kind::Switch | Kind::List | Kind::Opener | Kind::Other => false,
        };
        self
    }

    /// The same, as what is typed into.
    #[must_use]
    pub fn in_place(self) -> Self {
        Self { kind: Kind::InPlace, is_typed: true, ..self }
    }

    /// Whether both are the same element, as far as their names show.
    pub fn is(&self, other: &Self) -> bool {
        self.app == other.app && self.query == other.query
    }
}

/// The element that a click at this one is for: the nearest one that people act on. A text in a button is the button's.
pub fn worth(tree: &Tree, id: NodeId) -> Option<NodeId> {
    const NEAR: usize = 4;
    let node = tree.get(id)?;
    let acted_on = |node: &&std::sync::Arc<Node>| node.role.is_interactive();
    // The list of a combo box is a menu in GTK, at the place of the combo box.
    let is_of_list = tree.ancestors(id).next().is_some_and(|above| above.role == Role::ComboBox);
    if acted_on(&node) || (node.role == Role::Menu && !is_of_list) {
        return Some(id);
    }
    tree.ancestors(id)
        .take(NEAR)
        .take_while(|above| !above.role.is_window())
        .find(acted_on)
        .map(|above| above.id)
}

/// What comes of input to an element.
pub fn kind(tree: &Tree, node: &Node) -> Kind {
    if node.states.contains(States::PROTECTED) {
        return Kind::Secret;
    }
    let takes_text =
        node.abilities.contains(Abilities::EDITABLE_TEXT) || node.states.contains(States::EDITABLE);
    match node.role {
        Role::SpinButton | Role::Slider => Kind::Number,
        Role::CheckBox
        | Role::Switch
        | Role::ToggleButton
        | Role::RadioButton
        | Role::MenuItemCheckBox
        | Role::MenuItemRadio => Kind::Switch,
        Role::ComboBox if !takes_text => Kind::List,
        Role::Menu => Kind::Opener,
        Role::MenuItem
            if node.states.contains(States::HAS_POPUP)
                || tree.children(node.id).any(|child| matches!(child.role, Role::Menu | Role::MenuItem)) =>
        {
            Kind::Opener
        }
        // Of combo boxes those that are typed into, as the address bar of Firefox.
        Role::TextBox | Role::SearchBox | Role::ComboBox | Role::Document if takes_text => {
            if node.states.contains(States::MULTI_LINE) { Kind::Lines } else { Kind::Line }
        }
        _ => Kind::Other,
    }
}

/// Whether the menu that an element opens has items.
pub fn has_items(tree: &Tree, opener: NodeId) -> bool {
    let is_item = |node: &std::sync::Arc<Node>| {
        matches!(node.role, Role::MenuItem | Role::MenuItemCheckBox | Role::MenuItemRadio)
    };
    tree.descendants(opener).any(|node| node.id != opener && (is_item(node) || node.role == Role::Menu))
}

/// What an element holds, as a step sets it; `None` if it holds nothing that a step can set.
pub fn held(kind: Kind, node: &Node) -> Option<String> {
    match kind {
        Kind::Switch => {
            Some(node.states.intersects(States::CHECKED | States::PRESSED | States::SELECTED).to_string())
        }
        Kind::Number => node.details.value.known().map(|value| value.current.to_string()),
        _ => None,
    }
}

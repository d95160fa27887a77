//! Reading single elements from an application, and nothing about where they are kept.

use super::object::{ObjectKey, RawReference};
use super::vocabulary::{abilities_from_interfaces, role_from_number, states_from_words};
use super::wire::{CallError, Wire};
use handeye_core::{Abilities, Node, Role, States};
use std::sync::Arc;

/// From how many children on a container is loaded only as far as it can be seen. A spreadsheet reports 2^31.
pub(super) const MAX_LISTED_CHILDREN: u32 = 1000;

/// What an application says about one element, without its children.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) role: Role,
    pub(super) native_role: Arc<str>,
    pub(super) name: Arc<str>,
    pub(super) description: Arc<str>,
    /// As sent, before any correction for the toolkit.
    pub(super) states: States,
    pub(super) abilities: Abilities,
    pub(super) child_count: u32,
}

impl Reading {
    /// Whether its children are fetched by place instead of being listed: too many, or made on demand.
    pub(super) fn has_virtual_children(&self) -> bool {
        self.child_count > MAX_LISTED_CHILDREN
    }
}

/// Cuts text from an application to what the mirror keeps, at a character boundary.
pub(super) fn bounded(text: &str) -> Arc<str> {
    if text.len() <= Node::MAX_NAME_BYTES {
        return Arc::from(text);
    }
    let mut end = Node::MAX_NAME_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Arc::from(&text[..end])
}

/// Roles that hold no number a user would know of, though LibreOffice and others offer one (always 0) for them.
fn holds_no_number(role: Role) -> bool {
    matches!(
        role,
        Role::Button
            | Role::ToggleButton
            | Role::CheckBox
            | Role::RadioButton
            | Role::Menu
            | Role::MenuBar
            | Role::MenuItem
            | Role::MenuItemCheckBox
            | Role::MenuItemRadio
            | Role::ListItem
            | Role::Text
            | Role::Tab
            | Role::ToolBar
            | Role::Group
            | Role::Generic
    )
}

/// The abilities behind a list of interfaces, without those that mean nothing for the role.
pub(super) fn abilities_of<S: AsRef<str>>(role: Role, interfaces: &[S]) -> Abilities {
    let abilities = abilities_from_interfaces(interfaces);
    // What a cell shows is its text; LibreOffice offers a number beside it, 0 for an empty one.
    let shown_as_text = role == Role::Cell && abilities.contains(Abilities::TEXT);
    if shown_as_text || holds_no_number(role) { abilities - Abilities::VALUE } else { abilities }
}

/// What may be new about an element that is known: all that changes in the life of one.
#[derive(Debug)]
pub(super) struct Glance {
    name: Arc<str>,
    description: Arc<str>,
    /// As sent, before any correction for the toolkit.
    states: States,
    child_count: u32,
}

impl Glance {
    /// The whole reading of `node`, with what was seen of it now.
    pub(super) fn of(self, node: &Node) -> Reading {
        Reading {
            role: node.role,
            native_role: Arc::clone(&node.native_role),
            name: self.name,
            description: self.description,
            states: self.states | (node.states & States::PROTECTED),
            abilities: node.abilities,
            child_count: self.child_count,
        }
    }
}

/// Reads what may be new about an element, in one burst.
pub(super) async fn glance(wire: &Wire, key: &ObjectKey) -> Result<Glance, CallError> {
    let (texts, states) =
        tokio::join!(read_texts(wire, key), wire.call::<_, Vec<u32>>(key, "Accessible", "GetState", &()));
    let Texts { name, description, child_count } = texts?;
    Ok(Glance { name, description, states: states_from_words(&states?), child_count })
}

/// Reads one element in one burst. The calls are independent, so they cost one round trip together.
pub(super) async fn read_object(wire: &Wire, key: &ObjectKey) -> Result<Reading, CallError> {
    let (role, texts, states, interfaces) = tokio::join!(
        wire.call::<_, u32>(key, "Accessible", "GetRole", &()),
        read_texts(wire, key),
        wire.call::<_, Vec<u32>>(key, "Accessible", "GetState", &()),
        wire.call::<_, Vec<String>>(key, "Accessible", "GetInterfaces", &()),
    );
    let (role, native_role, implied) = role_from_number(role?);
    let Texts { name, description, child_count } = texts?;
    Ok(Reading {
        role,
        native_role,
        name,
        description,
        states: states_from_words(&states?) | implied,
        abilities: abilities_of(role, &interfaces?),
        child_count,
    })
}

/// The properties of every element.
struct Texts {
    name: Arc<str>,
    description: Arc<str>,
    child_count: u32,
}

/// Reads the properties of an element: in one call where that is safe.
async fn read_texts(wire: &Wire, key: &ObjectKey) -> Result<Texts, CallError> {
    let (name, description, child_count) = if wire.reads_all_at_once(key) {
        let mut values = wire.properties(key, "Accessible").await?;
        let count: i32 = values.take("ChildCount")?;
        (values.take("Name"), values.take("Description"), u32::try_from(count).unwrap_or(0))
    } else {
        let (name, description, child_count) = tokio::join!(
            wire.property(key, "Accessible", "Name"),
            wire.property(key, "Accessible", "Description"),
            read_child_count(wire, key),
        );
        (name, description, child_count?)
    };
    Ok(Texts { name: bounded(&optional(name)?), description: bounded(&optional(description)?), child_count })
}

/// The number of children that an element says it has.
pub(super) async fn read_child_count(wire: &Wire, key: &ObjectKey) -> Result<u32, CallError> {
    let count: i32 = wire.property(key, "Accessible", "ChildCount").await?;
    Ok(u32::try_from(count).unwrap_or(0))
}

/// A property that a toolkit may lack without the element being gone. What ends the whole load stays an error.
fn optional(result: Result<String, CallError>) -> Result<String, CallError> {
    match result {
        Err(error) if error.is_fatal() => Err(error),
        result => Ok(result.unwrap_or_default()),
    }
}

/// The children of an element, by name. The caller has checked their number.
pub(super) async fn read_children(wire: &Wire, key: &ObjectKey) -> Result<Vec<ObjectKey>, CallError> {
    let raw: Vec<RawReference> = wire.call(key, "Accessible", "GetChildren", &()).await?;
    Ok(raw.iter().filter_map(|child| ObjectKey::from_raw(child, wire.name())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_between_characters() {
        let long = "é".repeat(Node::MAX_NAME_BYTES);
        let cut = bounded(&long);
        assert!(cut.len() <= Node::MAX_NAME_BYTES && long.starts_with(&*cut));
    }
}

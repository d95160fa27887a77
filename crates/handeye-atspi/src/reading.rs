//! Reading single elements from an application, and nothing about where they are kept.

use super::call_error::CallError;
use super::object::ObjectKey;
use super::read_call::{
    CHILD_COUNT, DESCRIPTION, GET_CHILDREN, GET_INTERFACES, GET_ROLE, GET_STATE, NAME, Property,
};
use super::vocabulary::{abilities_from_interfaces, role_from_number, states_from_words};
use super::wire::Wire;
use handeye_core::{Abilities, DetailKinds, Node, Role, States};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// How many elements one application may have in the mirror. What is beyond is not loaded, and is counted.
pub(super) const MAX_NODES: usize = 50_000;
/// From how many children on a container is loaded only as far as it can be seen.
pub(super) const MAX_LISTED_CHILDREN: u32 = Node::MAX_LISTED_CHILDREN;

/// Room for the note that text was cut: the words, and a number of any size.
const NOTE_BYTES: usize = 40;

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

/// Cuts text from an application to what the mirror keeps, and says so at its end.
pub(super) fn bounded(text: &str) -> Arc<str> {
    /// Most elements have no description, and many no name.
    static NOTHING: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from(""));
    if text.is_empty() {
        return Arc::clone(&NOTHING);
    }
    Arc::from(&*shortened(text, Node::MAX_NAME_BYTES))
}

/// `text`, or as much of it as fits into `max` bytes together with a note of how much was left out.
pub(super) fn shortened(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let mut kept = max.saturating_sub(NOTE_BYTES);
    while !text.is_char_boundary(kept) {
        kept -= 1;
    }
    Cow::Owned(format!("{}… ({} bytes more)", &text[..kept], text.len() - kept))
}

/// Which details of an element may not be true of it with this name and this role. What is called by its text has another text then, which
/// Chromium does not announce of cells.
pub(super) fn outdated_by(node: &Node, name: &str, native_role: &str) -> DetailKinds {
    if *node.native_role != *native_role {
        DetailKinds::TEXT | DetailKinds::VALUE | DetailKinds::ACTIONS
    } else if *node.name != *name {
        DetailKinds::TEXT
    } else {
        DetailKinds::empty()
    }
}

/// Whether an element that gains or loses these states is likely to be another thing now, or to be able to do something else.
pub(super) fn is_another_kind_with(changed: States) -> bool {
    changed.intersects(States::CHECKABLE | States::EDITABLE)
}

/// Gives an element another name.
pub(super) fn rename(node: &mut Node, name: Arc<str>) {
    node.details.forget(outdated_by(node, &name, &node.native_role));
    node.name = name;
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

/// The abilities of an element, without those that mean nothing for its role.
pub(super) fn abilities_of(role: Role, abilities: Abilities) -> Abilities {
    // What a cell shows is its text; LibreOffice offers a number beside it, 0 for an empty one.
    let shown_as_text = role == Role::Cell && abilities.contains(Abilities::TEXT);
    if shown_as_text || holds_no_number(role) { abilities - Abilities::VALUE } else { abilities }
}

/// Whether the children of an element of this role are but its own label and picture.
pub(super) fn holds_no_parts(role: Role) -> bool {
    matches!(
        role,
        Role::Button
            | Role::ToggleButton
            | Role::CheckBox
            | Role::RadioButton
            | Role::Switch
            | Role::Text
            | Role::Image
            | Role::Slider
            | Role::SpinButton
            | Role::ProgressBar
            | Role::LevelBar
            | Role::ScrollBar
            | Role::Separator
    )
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

/// Reads what may be new about an element, in one burst. With `described`, events announce another description.
pub(super) async fn glance(
    wire: &Wire,
    key: &ObjectKey,
    node: &Node,
    described: bool,
) -> Result<Glance, CallError> {
    let description = async {
        if described { Ok(Arc::clone(&node.description)) } else { read_text(wire, key, &DESCRIPTION).await }
    };
    // What is a label inside of a button is the button's name too, and a look finds out about the rest.
    let child_count = async {
        if holds_no_parts(node.role) { Ok(node.child_count) } else { read_child_count(wire, key).await }
    };
    let (name, description, states, child_count) =
        tokio::join!(read_text(wire, key, &NAME), description, wire.call(key, &GET_STATE, &()), child_count,);
    Ok(Glance {
        name: name?,
        description: description?,
        states: states_from_words(&states?),
        child_count: child_count?,
    })
}

/// Reads one element in one burst. The calls are independent, so they cost one round trip together.
pub(super) async fn read_object(wire: &Wire, key: &ObjectKey) -> Result<Reading, CallError> {
    let (sketch, rest) = tokio::join!(read_sketch(wire, key), read_rest(wire, key));
    Ok(sketch?.with(rest?))
}

/// What of an element is asked for first.
#[derive(Debug)]
pub(super) struct Sketch {
    role: Role,
    native_role: Arc<str>,
    name: Arc<str>,
    /// As sent, before any correction for the toolkit.
    states: States,
}

impl Sketch {
    /// Its role, and its states as sent.
    pub(super) fn shown_by(&self) -> (Role, States) {
        (self.role, self.states)
    }

    /// A reading without what was not asked for.
    pub(super) fn alone(self) -> Reading {
        let Self { role, native_role, name, states } = self;
        Reading {
            role,
            native_role,
            name,
            description: bounded(""),
            states,
            abilities: Abilities::empty(),
            child_count: 0,
        }
    }

    /// The whole reading, with the rest asked for in one burst.
    pub(super) async fn completed(self, wire: &Wire, key: &ObjectKey) -> Result<Reading, CallError> {
        Ok(self.with(read_rest(wire, key).await?))
    }

    fn with(self, rest: Rest) -> Reading {
        let Rest { description, interfaces, child_count } = rest;
        let abilities = abilities_of(self.role, abilities_from_interfaces(&interfaces));
        Reading { description, abilities, child_count, ..self.alone() }
    }
}

/// What of an element a sketch lacks.
struct Rest {
    description: Arc<str>,
    interfaces: Vec<String>,
    child_count: u32,
}

async fn read_rest(wire: &Wire, key: &ObjectKey) -> Result<Rest, CallError> {
    let (description, interfaces, child_count) = tokio::join!(
        read_text(wire, key, &DESCRIPTION),
        wire.call(key, &GET_INTERFACES, &()),
        read_child_count(wire, key),
    );
    Ok(Rest { description: description?, interfaces: interfaces?, child_count: child_count? })
}

/// Reads of an element what it takes to find it and to know whether it shows, in one burst.
pub(super) async fn read_sketch(wire: &Wire, key: &ObjectKey) -> Result<Sketch, CallError> {
    let (role, name, states) = tokio::join!(
        wire.call(key, &GET_ROLE, &()),
        read_text(wire, key, &NAME),
        wire.call(key, &GET_STATE, &()),
    );
    let (role, native_role, implied) = role_from_number(role?);
    Ok(Sketch { role, native_role, name: name?, states: states_from_words(&states?) | implied })
}

/// Whether an element is another thing now.
pub(super) async fn has_changed_role(wire: &Wire, key: &ObjectKey, node: &Node) -> Result<bool, CallError> {
    let (_, native_role, _) = role_from_number(wire.call(key, &GET_ROLE, &()).await?);
    Ok(native_role != node.native_role)
}

/// Reads an element of the same kind as `pattern`, in one burst: what distinguishes the two.
pub(super) async fn read_alike(
    wire: &Wire,
    key: &ObjectKey,
    pattern: &Reading,
) -> Result<Reading, CallError> {
    let (name, description, states) = tokio::join!(
        read_text(wire, key, &NAME),
        read_text(wire, key, &DESCRIPTION),
        wire.call(key, &GET_STATE, &()),
    );
    let implied = pattern.states & States::PROTECTED;
    let states = states_from_words(&states?) | implied;
    Ok(Reading { name: name?, description: description?, states, ..pattern.clone() })
}

/// The number of children that an element says it has.
pub(super) async fn read_child_count(wire: &Wire, key: &ObjectKey) -> Result<u32, CallError> {
    let count: i32 = wire.property(key, &CHILD_COUNT).await?;
    Ok(u32::try_from(count).unwrap_or(0))
}

/// A text that a toolkit may lack without the element being gone. What ends the whole load stays an error.
pub(super) async fn read_text(
    wire: &Wire,
    key: &ObjectKey,
    property: &Property<String>,
) -> Result<Arc<str>, CallError> {
    match wire.property(key, property).await {
        Err(error) if error.is_fatal() => Err(error),
        Err(CallError::TooLong(bytes)) => Ok(Arc::from(format!("… ({bytes} bytes more)"))),
        text => Ok(bounded(&text.unwrap_or_default())),
    }
}

/// The children of an element, by name. The caller has checked their number, unless it is an application or a window; an application that lists more than it counts
/// is believed as far as a list may be long. `None` where the list is too long to be read at all.
pub(super) async fn read_children(wire: &Wire, key: &ObjectKey) -> Result<Option<Vec<ObjectKey>>, CallError> {
    let raw = match wire.call(key, &GET_CHILDREN, &()).await {
        Ok(raw) => raw,
        Err(CallError::TooLong(bytes)) => {
            tracing::warn!(application = %wire.name(), path = %key.path, bytes, "a list of children that is too long is left out");
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let listed = raw.len();
    if listed > MAX_LISTED_CHILDREN as usize {
        tracing::warn!(application = %wire.name(), path = %key.path, listed, "more children than were counted: the rest is left out");
    }
    let kept = raw.iter().take(MAX_LISTED_CHILDREN as usize);
    Ok(Some(kept.filter_map(|child| ObjectKey::from_raw(child, wire.name())).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_between_characters_and_says_so() {
        let long = "é".repeat(Node::MAX_NAME_BYTES);
        let cut = bounded(&long);
        assert!(cut.len() <= Node::MAX_NAME_BYTES, "{}", cut.len());
        let (kept, note) = cut.split_once('…').expect("a note");
        assert!(long.starts_with(kept));
        assert_eq!(note, format!(" ({} bytes more)", long.len() - kept.len()));
        assert_eq!(&*bounded("Save"), "Save");
    }
}

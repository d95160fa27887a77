//! Reading elements from an application, one or many, and nothing about where they are kept.

use super::object::{ObjectKey, RawReference};
use super::vocabulary::{abilities_from_interfaces, role_from_number, states_from_words};
use super::wire::{CallError, Wire};
use handeye_core::{Abilities, Node, Role, States};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;
use zbus::zvariant::Type;

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
fn abilities_of<S: AsRef<str>>(role: Role, interfaces: &[S]) -> Abilities {
    let abilities = abilities_from_interfaces(interfaces);
    // What a cell shows is its text; LibreOffice offers a number beside it, 0 for an empty one.
    let shown_as_text = role == Role::Cell && abilities.contains(Abilities::TEXT);
    if shown_as_text || holds_no_number(role) { abilities - Abilities::VALUE } else { abilities }
}

/// Reads one element in one burst. The calls are independent, so they cost one round trip together.
pub(super) async fn read_object(wire: &Wire, key: &ObjectKey) -> Result<Reading, CallError> {
    let (role, name, description, states, interfaces, child_count) = tokio::join!(
        wire.call::<_, u32>(key, "Accessible", "GetRole", &()),
        wire.property::<String>(key, "Accessible", "Name"),
        wire.property::<String>(key, "Accessible", "Description"),
        wire.call::<_, Vec<u32>>(key, "Accessible", "GetState", &()),
        wire.call::<_, Vec<String>>(key, "Accessible", "GetInterfaces", &()),
        wire.property::<i32>(key, "Accessible", "ChildCount"),
    );
    let (role, native_role, implied) = role_from_number(role?);
    Ok(Reading {
        role,
        native_role,
        name: bounded(&optional(name)?),
        description: bounded(&optional(description)?),
        states: states_from_words(&states?) | implied,
        abilities: abilities_of(role, &interfaces?),
        child_count: u32::try_from(child_count?).unwrap_or(0),
    })
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

/// One element of a bulk load, with its place.
#[derive(Debug)]
pub(super) struct BulkItem {
    pub(super) reading: Reading,
    parent: Option<ObjectKey>,
    index: i32,
}

/// A whole application as one call brings it: everything but extents, values and actions. May be partial.
#[derive(Debug, Default)]
pub(super) struct Bulk {
    items: HashMap<ObjectKey, BulkItem>,
    children: HashMap<ObjectKey, Vec<(i32, ObjectKey)>>,
}

/// `a((so)(so)(so)iiassusau)`: object, application, parent, index, child count, interfaces, name, role, description, states.
#[derive(Deserialize, Type)]
struct RawCacheItem {
    object: RawReference,
    _application: RawReference,
    parent: RawReference,
    index: i32,
    child_count: i32,
    interfaces: Vec<String>,
    name: String,
    role: u32,
    description: String,
    states: Vec<u32>,
}

/// The layout of [`RawCacheItem`]. Qt sends an older one, and no items in it.
const CACHE_SIGNATURE: &str = "a((so)(so)(so)iiassusau)";

impl Bulk {
    /// Asks for everything the application knows. `None` when it does not offer that, or in a layout that nobody fills.
    pub(super) async fn load(wire: &Wire) -> Result<Option<Self>, CallError> {
        let cache = ObjectKey { bus: Arc::clone(wire.name()), path: Arc::from("/org/a11y/atspi/cache") };
        let reply = match wire.call_raw(&cache, "Cache", "GetItems").await {
            Ok(reply) => reply,
            Err(error) if error.is_fatal() => return Err(error),
            Err(_) => return Ok(None),
        };
        let body = reply.body();
        if *body.signature() != CACHE_SIGNATURE {
            return Ok(None);
        }
        let Ok(raw) = body.deserialize::<Vec<RawCacheItem>>() else { return Ok(None) };
        Ok(Some(Self::from_raw(raw, wire.name())))
    }

    fn from_raw(raw: Vec<RawCacheItem>, own: &Arc<str>) -> Self {
        let mut bulk = Self::default();
        for item in raw {
            let Some(key) = ObjectKey::from_raw(&item.object, own) else { continue };
            // The bridge does not count the children of what makes them on demand: leave the element out, so that it is asked.
            let Ok(child_count) = u32::try_from(item.child_count) else { continue };
            let parent = ObjectKey::from_raw(&item.parent, own);
            let (role, native_role, implied) = role_from_number(item.role);
            let reading = Reading {
                role,
                native_role,
                name: bounded(&item.name),
                description: bounded(&item.description),
                states: states_from_words(&item.states) | implied,
                abilities: abilities_of(role, &item.interfaces),
                child_count,
            };
            if let Some(parent) = &parent {
                bulk.children.entry(parent.clone()).or_default().push((item.index, key.clone()));
            }
            bulk.items.insert(key, BulkItem { reading, parent, index: item.index });
        }
        for children in bulk.children.values_mut() {
            children.sort_by_key(|(index, _)| *index);
        }
        bulk
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The element `key`, if it was in the load and agrees with it: GTK 4 counts no children for an application whose windows it lists.
    pub(super) fn get(&self, key: &ObjectKey) -> Option<&Reading> {
        let reading = &self.items.get(key)?.reading;
        let is_contradicted = reading.child_count == 0 && self.children.contains_key(key);
        (!is_contradicted).then_some(reading)
    }

    /// The children of `key`, if the load has all of them in a consistent order: as many as the element
    /// counts, at the places 0, 1, 2 and so on. Anything else has to be asked for.
    pub(super) fn children(&self, key: &ObjectKey) -> Option<Vec<ObjectKey>> {
        let expected = self.items.get(key)?.reading.child_count as usize;
        let listed = self.children.get(key).map_or(&[][..], Vec::as_slice);
        let complete = listed.len() == expected
            && listed.iter().enumerate().all(|(place, (index, child))| {
                usize::try_from(*index) == Ok(place)
                    && self
                        .items
                        .get(child)
                        .is_some_and(|item| item.parent.as_ref() == Some(key) && item.index == *index)
            });
        complete.then(|| listed.iter().map(|(_, child)| child.clone()).collect())
    }
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

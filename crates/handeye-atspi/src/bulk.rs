//! A whole application in one call, as far as its toolkit has it.

use super::call_error::{CALL_DEADLINE, CallError};
use super::object::{BorrowedReference, ByObject, ObjectKey, ObjectMap, RawCacheItem};
use super::read_call::GET_ITEMS;
use super::reading::{MAX_NODES, Reading, abilities_of, bounded};
use super::vocabulary::{role_from_number, states_from_words};
use super::wire::Wire;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How long the one call may take that replaces thousands.
const BULK_DEADLINE: Duration = CALL_DEADLINE.saturating_mul(2);

/// One element of a bulk load, with its place.
#[derive(Debug)]
struct Item {
    reading: Reading,
    /// Whether the number of its children is known: the bridge does not count those that are made on demand.
    counted: bool,
    parent: Option<ObjectKey>,
    index: i32,
}

/// The objects in a bulk load, each of which is named there as an element and once more by each of its children.
struct Keys<'a> {
    own: &'a Arc<str>,
    known: HashMap<(&'a str, &'a str), ObjectKey, ByObject>,
}

impl<'a> Keys<'a> {
    fn of(&mut self, raw: &'a BorrowedReference<'_>) -> Option<ObjectKey> {
        let name = (raw.bus, raw.path.as_str());
        if let Some(key) = self.known.get(&name) {
            return Some(key.clone());
        }
        let key = ObjectKey::from_borrowed(raw, self.own)?;
        self.known.insert(name, key.clone());
        Some(key)
    }
}

/// A whole application as one call brings it: everything but extents, values and actions. May be partial.
#[derive(Debug, Default)]
pub(super) struct Bulk {
    items: ObjectMap<Item>,
    children: ObjectMap<Vec<(i32, ObjectKey)>>,
}

impl Bulk {
    /// Asks for everything the application knows. `None` when it does not offer that, or in a layout that no toolkit fills.
    pub(super) async fn load(wire: &Wire) -> Result<Option<Self>, CallError> {
        let cache = ObjectKey { bus: Arc::clone(wire.name()), path: Arc::from("/org/a11y/atspi/cache") };
        match wire.answer_within(&cache, &GET_ITEMS, &(), BULK_DEADLINE).await {
            Ok(answer) => {
                // Qt sends an older layout, and no items in it.
                let items: Option<Vec<RawCacheItem<'_>>> = answer.decode();
                Ok(items.map(|items| Self::from_raw(&items, wire.name())))
            }
            Err(error) if error.is_fatal() => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn from_raw(raw: &[RawCacheItem<'_>], own: &Arc<str>) -> Self {
        let mut bulk = Self::default();
        if raw.len() > MAX_NODES {
            tracing::warn!(application = %own, items = raw.len(), "a bulk load of more elements than are kept: the rest is left out");
        }
        let mut keys = Keys {
            own,
            known: HashMap::with_capacity_and_hasher(raw.len().min(MAX_NODES), ByObject::default()),
        };
        for item in raw.iter().take(MAX_NODES) {
            // What an application says of another one's elements counts for nothing.
            let Some(key) = keys.of(&item.object).filter(|key| key.bus == *own) else {
                continue;
            };
            let parent = keys.of(&item.parent);
            let (role, native_role, implied) = role_from_number(item.role);
            let child_count = u32::try_from(item.child_count);
            let reading = Reading {
                role,
                native_role,
                name: bounded(item.name),
                description: bounded(item.description),
                states: states_from_words(&item.states) | implied,
                abilities: abilities_of(role, &item.interfaces),
                child_count: child_count.unwrap_or(0),
            };
            // Nothing is looked for below an element of another application.
            if let Some(parent) = parent.as_ref().filter(|parent| parent.bus == *own) {
                bulk.children.entry(parent.clone()).or_default().push((item.index, key.clone()));
            }
            bulk.items.insert(key, Item { reading, counted: child_count.is_ok(), parent, index: item.index });
        }
        for children in bulk.children.values_mut() {
            children.sort_by_key(|(index, _)| *index);
        }
        // GTK 4 counts no children for an application whose windows it lists.
        for parent in bulk.children.keys() {
            if let Some(item) = bulk.items.get_mut(parent).filter(|item| item.reading.child_count == 0) {
                item.counted = false;
            }
        }
        bulk
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Its elements, each with the parent that it reports.
    pub(super) fn parents(&self) -> impl Iterator<Item = (&ObjectKey, Option<&ObjectKey>)> {
        self.items.iter().map(|(key, item)| (key, item.parent.as_ref()))
    }

    /// The element `key`, if it was in the load with the number of its children.
    pub(super) fn get(&self, key: &ObjectKey) -> Option<&Reading> {
        self.items.get(key).filter(|item| item.counted).map(|item| &item.reading)
    }

    /// The element `key`, if it was in the load, with or without the number of its children.
    pub(super) fn find(&self, key: &ObjectKey) -> Option<&Reading> {
        self.items.get(key).map(|item| &item.reading)
    }

    /// The children of `key`, if the load has all of them in a consistent order: as many as the element
    /// counts, at the places 0, 1, 2 and so on. Anything else has to be asked for.
    pub(super) fn children(&self, key: &ObjectKey) -> Option<Vec<ObjectKey>> {
        let expected = self.get(key)?.child_count as usize;
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
    use zbus::zvariant::ObjectPath;

    fn reference(path: &str) -> BorrowedReference<'static> {
        BorrowedReference { bus: "", path: ObjectPath::try_from(format!("/{path}")).expect("a path") }
    }

    fn item<'a>(path: &'a str, parent: &str, index: i32, child_count: i32) -> RawCacheItem<'a> {
        RawCacheItem {
            object: reference(path),
            _application: reference("root"),
            parent: reference(parent),
            index,
            child_count,
            interfaces: Vec::new(),
            name: path,
            role: 39,
            description: "",
            states: vec![0, 0],
        }
    }

    fn key(path: &str) -> ObjectKey {
        ObjectKey { bus: Arc::from(":1.7"), path: Arc::from(format!("/{path}")) }
    }

    fn bulk(items: &[RawCacheItem<'_>]) -> Bulk {
        Bulk::from_raw(items, &Arc::from(":1.7"))
    }

    #[test]
    fn children_are_known_where_all_of_them_say_their_place() {
        let known = bulk(&[item("box", "root", 0, 2), item("b", "box", 1, 0), item("a", "box", 0, 0)]);
        assert_eq!(known.children(&key("box")), Some(vec![key("a"), key("b")]));
        assert_eq!(known.children(&key("a")), Some(Vec::new()));
        let one_is_missing = bulk(&[item("box", "root", 0, 2), item("b", "box", 1, 0)]);
        assert_eq!(one_is_missing.children(&key("box")), None);
        let one_is_on_demand =
            bulk(&[item("box", "root", 0, 2), item("a", "box", 0, 0), item("b", "box", -1, 0)]);
        assert_eq!(one_is_on_demand.children(&key("box")), None);
        assert!(one_is_on_demand.get(&key("b")).is_some());
    }

    #[test]
    fn nothing_is_kept_below_elements_of_others() {
        let mut child = item("a", "box", 0, 0);
        child.parent.bus = ":1.8";
        let known = bulk(&[item("box", "root", 0, 1), child]);
        assert!(known.find(&key("a")).is_some());
        assert!(known.children.keys().all(|parent| parent.bus == key("box").bus));
    }

    #[test]
    fn an_element_that_does_not_count_its_children_is_known_but_for_that() {
        let known = bulk(&[
            item("menu", "root", 0, -1),
            item("application", "", 0, 0),
            item("window", "application", 0, 0),
        ]);
        assert!(known.get(&key("menu")).is_none());
        assert_eq!(known.find(&key("menu")).map(|menu| &*menu.name), Some("menu"));
        assert_eq!(known.children(&key("menu")), None);
        assert!(known.get(&key("application")).is_none(), "it counts none and lists one");
        assert!(known.find(&key("application")).is_some());
    }
}

//! A whole application in one call, as far as its toolkit has it.

use super::cache_items::{CacheItem, CacheItems, ITEMS, Malformed};
use super::call_error::{CALL_DEADLINE, CallError};
use super::object::{ObjectKey, ObjectList, Reference};
use super::read_call::GET_ITEMS;
use super::reading::{MAX_NODES, Reading, abilities_of, bounded};
use super::vocabulary::role_from_number;
use super::wire::Wire;
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

impl Item {
    /// An element as it is reported, but for its parent, which may be reported after it.
    fn without_parent(raw: &CacheItem<'_>) -> Self {
        let (role, native_role, implied) = role_from_number(raw.role);
        let child_count = u32::try_from(raw.child_count);
        let reading = Reading {
            role,
            native_role,
            name: bounded(raw.name),
            description: bounded(raw.description),
            states: raw.states | implied,
            abilities: abilities_of(role, raw.abilities),
            child_count: child_count.unwrap_or(0),
        };
        Self { reading, counted: child_count.is_ok(), parent: None, index: raw.index }
    }
}

/// The claim of an element to be a child of another one: the slots of both in the load, and the index of the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    parent: usize,
    index: i32,
    child: usize,
}

/// A whole application as one call brings it: everything but extents, values and actions. May be partial.
#[derive(Debug, Default)]
pub(super) struct Bulk {
    items: ObjectList<Item>,
    /// Sorted: the children of an element are adjacent, in order.
    links: Vec<Link>,
}

impl Bulk {
    /// Asks for everything the application knows. `None` when it does not offer that, or in a layout that no toolkit fills; nothing where the
    /// answer is malformed, as it will be again.
    pub(super) async fn load(wire: &Wire) -> Result<Option<Self>, CallError> {
        let cache = ObjectKey { bus: Arc::clone(wire.name()), path: Arc::from("/org/a11y/atspi/cache") };
        match wire.answer_within(&cache, &GET_ITEMS, &(), BULK_DEADLINE).await {
            Ok(answer) => {
                // Qt sends an older layout, and no items in it.
                let Some(body) = answer.values(ITEMS) else { return Ok(None) };
                let loaded = CacheItems::of(body).and_then(|items| Self::of(items, wire.name()));
                Ok(Some(loaded.inspect_err(|Malformed| log_malformed(wire.name())).unwrap_or_default()))
            }
            Err(error) if error.is_fatal() => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn of<'a>(
        items: impl Iterator<Item = Result<CacheItem<'a>, Malformed>>,
        own: &'a Arc<str>,
    ) -> Result<Self, Malformed> {
        let mut bulk = Self::default();
        let mut parents: Vec<Option<Reference<'a>>> = Vec::new();
        for (reported, item) in items.enumerate() {
            let item = item?;
            if reported == MAX_NODES {
                tracing::warn!(application = %own, "a bulk load of more elements than are kept: the rest is left out");
                break;
            }
            // What an application says of another one's elements counts for nothing.
            let object = item.object.within(own).filter(|object| *object.bus == **own);
            let Some(key) = object.and_then(|object| ObjectKey::from_reference(object, own)) else {
                continue;
            };
            let (slot, _) = bulk.items.insert_full(key, Item::without_parent(&item));
            // Of an element that is reported twice, the last report counts.
            match parents.get_mut(slot) {
                Some(parent) => *parent = item.parent.within(own),
                None => parents.push(item.parent.within(own)),
            }
        }
        bulk.link(&parents, own);
        Ok(bulk)
    }

    /// Connects the elements with their parents, which are given by the slots of the elements.
    fn link(&mut self, parents: &[Option<Reference<'_>>], own: &Arc<str>) {
        for (child, reference) in parents.iter().enumerate() {
            let Some(reference) = reference else { continue };
            let parent = self.items.get_full(reference).map(|(slot, key, _)| (slot, key.clone()));
            let Some((_, item)) = self.items.get_index_mut(child) else { continue };
            // Nothing is looked for below an element of another application.
            if let Some((parent, _)) = parent {
                self.links.push(Link { parent, index: item.index, child });
            }
            item.parent = match parent {
                Some((_, key)) => Some(key),
                None => ObjectKey::from_reference(*reference, own),
            };
        }
        self.links.sort_unstable();
        // GTK 4 counts no children for an application whose windows it lists.
        for link in &self.links {
            let parent = self.items.get_index_mut(link.parent).map(|(_, item)| item);
            if let Some(parent) = parent.filter(|parent| parent.reading.child_count == 0) {
                parent.counted = false;
            }
        }
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
        let listed = self.links_of(self.items.get_index_of(key)?);
        let complete = listed.len() == expected
            && listed.iter().enumerate().all(|(place, link)| usize::try_from(link.index) == Ok(place));
        let child = |link: &Link| self.items.get_index(link.child).map(|(child, _)| child.clone());
        if complete { listed.iter().map(child).collect() } else { None }
    }

    /// The children of the element in this slot, as far as they report it.
    fn links_of(&self, parent: usize) -> &[Link] {
        let begin = self.links.partition_point(|link| link.parent < parent);
        let links = &self.links[begin..];
        &links[..links.partition_point(|link| link.parent == parent)]
    }
}

fn log_malformed(application: &str) {
    tracing::warn!(%application, "the answer to GetItems is malformed: elements are asked for one by one");
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::{Abilities, States};

    fn reference(path: &str) -> Reference<'_> {
        Reference { bus: "", path }
    }

    fn item<'a>(path: &'a str, parent: &'a str, index: i32, child_count: i32) -> CacheItem<'a> {
        CacheItem {
            object: reference(path),
            parent: reference(parent),
            index,
            child_count,
            abilities: Abilities::empty(),
            name: path,
            role: 39,
            description: "",
            states: States::empty(),
        }
    }

    fn key(path: &str) -> ObjectKey {
        ObjectKey { bus: Arc::from(":1.7"), path: Arc::from(path) }
    }

    fn bulk(items: &[CacheItem<'_>]) -> Bulk {
        Bulk::of(items.iter().copied().map(Ok), &Arc::from(":1.7")).expect("all of them are well-formed")
    }

    #[test]
    fn children_are_known_where_all_of_them_say_their_place() {
        let known = bulk(&[item("/box", "/root", 0, 2), item("/b", "/box", 1, 0), item("/a", "/box", 0, 0)]);
        assert_eq!(known.children(&key("/box")), Some(vec![key("/a"), key("/b")]));
        assert_eq!(known.children(&key("/a")), Some(Vec::new()));
        let one_is_missing = bulk(&[item("/box", "/root", 0, 2), item("/b", "/box", 1, 0)]);
        assert_eq!(one_is_missing.children(&key("/box")), None);
        let one_is_on_demand =
            bulk(&[item("/box", "/root", 0, 2), item("/a", "/box", 0, 0), item("/b", "/box", -1, 0)]);
        assert_eq!(one_is_on_demand.children(&key("/box")), None);
        assert!(one_is_on_demand.get(&key("/b")).is_some());
    }

    #[test]
    fn nothing_is_kept_below_elements_of_others() {
        let mut child = item("/a", "/box", 0, 0);
        child.parent.bus = ":1.8";
        let known = bulk(&[item("/box", "/root", 0, 1), child]);
        assert!(known.find(&key("/a")).is_some());
        assert_eq!(
            known
                .parents()
                .find(|(child, _)| **child == key("/a"))
                .and_then(|(_, parent)| parent)
                .map(|parent| &*parent.bus),
            Some(":1.8")
        );
        assert_eq!(known.children(&key("/box")), None, "it is not below the one with the same path");
    }

    #[test]
    fn an_element_that_does_not_count_its_children_is_known_but_for_that() {
        let known = bulk(&[
            item("/menu", "/root", 0, -1),
            item("/application", "/", 0, 0),
            item("/window", "/application", 0, 0),
        ]);
        assert!(known.get(&key("/menu")).is_none());
        assert_eq!(known.find(&key("/menu")).map(|menu| &*menu.name), Some("/menu"));
        assert_eq!(known.children(&key("/menu")), None);
        assert!(known.get(&key("/application")).is_none(), "it counts none and lists one");
        assert!(known.find(&key("/application")).is_some());
    }

    #[test]
    fn of_an_element_that_is_reported_twice_the_last_report_counts() {
        let of_another =
            CacheItem { object: Reference { bus: ":1.8", path: "/a" }, ..item("/a", "/box", 0, 0) };
        let known = bulk(&[
            item("/a", "/other", 0, 7),
            of_another,
            item("/", "/box", 0, 0),
            item("/box", "/root", 0, 1),
            item("/other", "/root", 1, 0),
            item("/a", "/box", 0, 0),
        ]);
        assert_eq!(known.len(), 3, "null objects and those of others are left out");
        assert_eq!(known.children(&key("/box")), Some(vec![key("/a")]));
        assert_eq!(known.children(&key("/other")), Some(Vec::new()));
        assert_eq!(known.get(&key("/a")).map(|a| a.child_count), Some(0));
        let twice = bulk(&[item("/box", "/root", 0, 2), item("/a", "/box", 0, 0), item("/a", "/box", 1, 0)]);
        assert_eq!(twice.children(&key("/box")), None, "it counts two");
        let lost = bulk(&[item("/box", "/root", 0, 1), item("/a", "/box", 0, 0), item("/a", "/", 0, 0)]);
        assert_eq!(lost.children(&key("/box")), None);
    }

    #[test]
    fn a_load_has_a_limit_and_a_malformed_one_nothing() {
        let paths: Vec<String> = (0..=MAX_NODES).map(|n| format!("/a{n}")).collect();
        let own = Arc::from(":1.7");
        let items = || paths.iter().map(|path| Ok(item(path, "/root", 0, 0)));
        assert_eq!(Bulk::of(items(), &own).expect("well-formed").len(), MAX_NODES);
        assert!(Bulk::of(items().take(3).chain([Err(Malformed)]), &own).is_err());
    }
}

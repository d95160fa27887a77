//! Names of objects on the accessibility bus.

use indexmap::{Equivalent, IndexMap};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use zbus::zvariant::{OwnedObjectPath, Type};

/// The path of the element that represents an application, and of the registry's list of applications.
pub(super) const ROOT_PATH: &str = "/org/a11y/atspi/accessible/root";
/// The path that means "no object".
const NULL_PATH: &str = "/org/a11y/atspi/null";

/// An object reference as AT-SPI sends it: `(so)`.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(super) struct RawReference {
    pub(super) bus: String,
    pub(super) path: OwnedObjectPath,
}

/// A borrowed object reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Reference<'a> {
    pub(super) bus: &'a str,
    pub(super) path: &'a str,
}

impl<'a> Reference<'a> {
    /// The reference with `own`, the application's bus name, where a toolkit sends an empty one. `None` for the null reference.
    pub(super) fn within(self, own: &'a str) -> Option<Self> {
        if self.path == NULL_PATH || self.path == "/" {
            return None;
        }
        Some(if self.bus.is_empty() { Self { bus: own, ..self } } else { self })
    }
}

/// Looks up an [`ObjectKey`] by a reference that went through [`within`](Reference::within). Both hash alike, so their fields have the same order.
impl Equivalent<ObjectKey> for Reference<'_> {
    fn equivalent(&self, key: &ObjectKey) -> bool {
        *self.path == *key.path && *self.bus == *key.bus
    }
}

/// Names one object: the bus name of its process and its path. Nearly always the process is the application's own;
/// embedded parts (plugs, web processes) have another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ObjectKey {
    pub(super) bus: Arc<str>,
    pub(super) path: Arc<str>,
}

/// How objects are hashed, of which there are tens of thousands: faster than the standard library does it, and with a secret of its own in each map, as
/// applications choose the names.
pub(super) type ByObject = foldhash::fast::RandomState;
/// What is known of objects.
pub(super) type ObjectMap<V> = HashMap<ObjectKey, V, ByObject>;
/// What is known of objects, each at a place of its own.
pub(super) type ObjectList<V> = IndexMap<ObjectKey, V, ByObject>;
/// Some objects.
pub(super) type ObjectSet = HashSet<ObjectKey, ByObject>;

impl ObjectKey {
    /// The object of a reference, or `None` for the null reference. `own` is the application's bus name: it is shared
    /// instead of copied, and stands in where a toolkit sends an empty one.
    pub(super) fn from_raw(raw: &RawReference, own: &Arc<str>) -> Option<Self> {
        Self::from_reference(Reference { bus: &raw.bus, path: raw.path.as_str() }, own)
    }

    /// The object of a reference that is borrowed, as [`from_raw`](Self::from_raw).
    pub(super) fn from_reference(reference: Reference<'_>, own: &Arc<str>) -> Option<Self> {
        let Reference { bus, path } = reference.within(own)?;
        let bus = if *bus == **own { Arc::clone(own) } else { Arc::from(bus) };
        Some(Self { bus, path: Arc::from(path) })
    }

    /// The element that represents the application `bus`.
    pub(super) fn root(bus: &Arc<str>) -> Self {
        Self { bus: Arc::clone(bus), path: Arc::from(ROOT_PATH) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_found_by_a_reference_to_it() {
        let own: Arc<str> = Arc::from(":1.7");
        let objects: ObjectList<i32> = (0..100)
            .map(|n| (ObjectKey { bus: Arc::clone(&own), path: format!("/{n}").into() }, n))
            .collect();
        for n in 0..100 {
            let path = format!("/{n}");
            let reference = Reference { bus: "", path: &path }.within(&own).expect("an object");
            assert_eq!(objects.get(&reference), Some(&n));
            assert_eq!(objects.get(&Reference { bus: ":1.8", ..reference }), None);
            assert_eq!(
                ObjectKey::from_reference(reference, &own).as_ref(),
                objects.get_index(n as usize).map(|found| found.0)
            );
        }
        for null in ["/", NULL_PATH] {
            assert_eq!(Reference { bus: ":1.7", path: null }.within(&own), None);
        }
    }
}

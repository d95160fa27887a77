//! Names of objects on the accessibility bus.

use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, Type};

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

/// An object reference in an answer from which it is borrowed.
#[derive(Deserialize, Type)]
pub(super) struct BorrowedReference<'a> {
    pub(super) bus: &'a str,
    #[serde(borrow)]
    pub(super) path: ObjectPath<'a>,
}

/// `((so)(so)(so)iiassusau)`: one element in a bulk load, borrowed from the answer: there may be tens of thousands.
#[derive(Deserialize, Type)]
pub(super) struct RawCacheItem<'a> {
    #[serde(borrow)]
    pub(super) object: BorrowedReference<'a>,
    pub(super) _application: BorrowedReference<'a>,
    pub(super) parent: BorrowedReference<'a>,
    pub(super) index: i32,
    pub(super) child_count: i32,
    pub(super) interfaces: Vec<&'a str>,
    pub(super) name: &'a str,
    pub(super) role: u32,
    pub(super) description: &'a str,
    pub(super) states: Vec<u32>,
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
/// Some objects.
pub(super) type ObjectSet = HashSet<ObjectKey, ByObject>;

impl ObjectKey {
    /// The object of a reference, or `None` for the null reference. `own` is the application's bus name: it is shared
    /// instead of copied, and stands in where a toolkit sends an empty one.
    pub(super) fn from_raw(raw: &RawReference, own: &Arc<str>) -> Option<Self> {
        Self::from_parts(&raw.bus, raw.path.as_str(), own)
    }

    /// The object of a reference that is borrowed, as [`from_raw`](Self::from_raw).
    pub(super) fn from_borrowed(raw: &BorrowedReference<'_>, own: &Arc<str>) -> Option<Self> {
        Self::from_parts(raw.bus, raw.path.as_str(), own)
    }

    fn from_parts(bus: &str, path: &str, own: &Arc<str>) -> Option<Self> {
        if path == NULL_PATH || path == "/" {
            return None;
        }
        let bus = if bus.is_empty() || *bus == **own { Arc::clone(own) } else { Arc::from(bus) };
        Some(Self { bus, path: Arc::from(path) })
    }

    /// The element that represents the application `bus`.
    pub(super) fn root(bus: &Arc<str>) -> Self {
        Self { bus: Arc::clone(bus), path: Arc::from(ROOT_PATH) }
    }
}

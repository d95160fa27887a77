//! Names of objects on the accessibility bus.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Type, Value};

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

impl TryFrom<OwnedValue> for RawReference {
    type Error = zbus::zvariant::Error;

    fn try_from(value: OwnedValue) -> Result<Self, Self::Error> {
        let Value::Structure(reference) = &*value else { return Err(Self::Error::IncorrectType) };
        let [Value::Str(bus), Value::ObjectPath(path)] = reference.fields() else {
            return Err(Self::Error::IncorrectType);
        };
        Ok(Self { bus: bus.to_string(), path: path.to_owned().into() })
    }
}

/// `((so)(so)(so)iiassusau)`: one element in a bulk load.
#[derive(Deserialize, Type)]
pub(super) struct RawCacheItem {
    pub(super) object: RawReference,
    pub(super) _application: RawReference,
    pub(super) parent: RawReference,
    pub(super) index: i32,
    pub(super) child_count: i32,
    pub(super) interfaces: Vec<String>,
    pub(super) name: String,
    pub(super) role: u32,
    pub(super) description: String,
    pub(super) states: Vec<u32>,
}

/// Names one object: the bus name of its process and its path. Nearly always the process is the application's own;
/// embedded parts (plugs, web processes) have another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ObjectKey {
    pub(super) bus: Arc<str>,
    pub(super) path: Arc<str>,
}

impl ObjectKey {
    /// The object of a reference, or `None` for the null reference. `own` is the application's bus name: it is shared
    /// instead of copied, and stands in where a toolkit sends an empty one.
    pub(super) fn from_raw(raw: &RawReference, own: &Arc<str>) -> Option<Self> {
        if raw.path.as_str() == NULL_PATH || raw.path.as_str() == "/" {
            return None;
        }
        let bus = if raw.bus.is_empty() || *raw.bus == **own {
            Arc::clone(own)
        } else {
            Arc::from(raw.bus.as_str())
        };
        Some(Self { bus, path: Arc::from(raw.path.as_str()) })
    }

    /// The element that represents the application `bus`.
    pub(super) fn root(bus: &Arc<str>) -> Self {
        Self { bus: Arc::clone(bus), path: Arc::from(ROOT_PATH) }
    }
}

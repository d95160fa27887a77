//! Elements of other processes inside of an application's tree: whose they are, and whether they belong there.
//!
//! An application can name any object on the bus as its child. An object of another process is accepted where that process descends
//! from the one that names it (a web view and the process of its page), or where the object itself says that it
//! is there (a plug in its socket). Nothing that the naming process reports counts as proof.

use super::bus::process_of;
use super::call_error::CallError;
use super::object::ObjectKey;
use super::process::Process;
use super::read_call::{GET_ATTRIBUTES, GET_CHILD_AT_INDEX, PARENT};
use super::reading::read_children;
use super::toolkit::Toolkit;
use super::wire::Wire;
use futures_util::future::join_all;
use handeye_core::{Owner, Rules, Subject};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most processes that are remembered. More would be an application that opens connections to no end.
const MAX_PROCESSES: usize = 256;
/// Most children of another process that one element can have. A socket has one.
const MAX_EMBEDDED: usize = 64;
/// How far up a process is followed to what started it.
const MAX_GENERATIONS: usize = 16;
/// Longest name of a process, in characters.
const MAX_NAME: usize = 40;

/// The processes whose elements were met in one application's tree, by their bus names, which are never used again.
#[derive(Debug)]
pub(super) struct Owners {
    /// Whose elements are not shown, whatever they are in.
    rules: Arc<dyn Rules>,
    met: Mutex<HashMap<Arc<str>, Arc<Owner>>>,
    /// What those elements are made with that were accepted.
    toolkits: Mutex<HashMap<Arc<str>, Toolkit>>,
}

/// The children of an element that belong there.
#[derive(Debug)]
pub(super) struct Admitted {
    pub(super) children: Vec<ObjectKey>,
    /// How many others were named.
    pub(super) strangers: u32,
}

impl Owners {
    /// None were met yet.
    pub(super) fn new(rules: Arc<dyn Rules>) -> Self {
        Self { rules, met: Mutex::default(), toolkits: Mutex::default() }
    }

    /// Of the objects that `parent` names as its children, those that are. Asks nothing where all are of its own process.
    pub(super) async fn admit(&self, wire: &Wire, parent: &ObjectKey, named: Vec<ObjectKey>) -> Admitted {
        if named.iter().all(|child| child.bus == parent.bus) {
            return Admitted { children: named, strangers: 0 };
        }
        let foreign: Vec<&ObjectKey> =
            named.iter().filter(|child| child.bus != parent.bus).take(MAX_EMBEDDED).collect();
        let proofs = join_all(foreign.iter().map(|child| self.belongs(wire, parent, child))).await;
        let proven: Vec<&ObjectKey> =
            foreign.into_iter().zip(proofs).filter(|(_, proven)| *proven).map(|(child, _)| child).collect();
        let total = named.len();
        let belongs = |child: &ObjectKey| child.bus == parent.bus || proven.contains(&child);
        let children: Vec<ObjectKey> = named.iter().filter(|child| belongs(child)).cloned().collect();
        let strangers = u32::try_from(total - children.len()).unwrap_or(u32::MAX);
        if strangers > 0 {
            tracing::debug!(path = %parent.path, bus = %parent.bus, strangers, "names elements of other processes as its own");
        }
        Admitted { children, strangers }
    }

    /// Whether `child`, of another process, is in `parent`.
    async fn belongs(&self, wire: &Wire, parent: &ObjectKey, child: &ObjectKey) -> bool {
        let (above, below) = tokio::join!(self.owner(wire, &parent.bus), self.owner(wire, &child.bus));
        if self.rules.standing(&Subject::from(&*below)).denied.is_some() {
            return false;
        }
        let (Some(above), Some(below)) = (above.pid(), below.pid()) else { return false };
        let proven = descends(below, above)
            || matches!(read_parent(wire, child).await, Ok(Some(reported)) if reported == *parent);
        if proven {
            self.note_toolkit(wire, child).await;
        }
        proven
    }

    /// Reads what an accepted element is made with, once for its process.
    async fn note_toolkit(&self, wire: &Wire, child: &ObjectKey) {
        if self.toolkits().contains_key(&child.bus) {
            return;
        }
        let Ok(attributes) = wire.call(child, &GET_ATTRIBUTES, &()).await else { return };
        let name = attributes.get("toolkit").map_or("", String::as_str);
        let mut toolkits = self.toolkits();
        if toolkits.len() >= MAX_PROCESSES {
            toolkits.clear();
        }
        toolkits.insert(Arc::clone(&child.bus), Toolkit::identify(name, "", "", None));
    }

    /// The toolkit of the accepted elements of the process behind a bus name, as far as one of them has shown it.
    pub(super) fn toolkit(&self, bus: &str) -> Toolkit {
        self.toolkits().get(bus).copied().unwrap_or(Toolkit::Other)
    }

    fn toolkits(&self) -> MutexGuard<'_, HashMap<Arc<str>, Toolkit>> {
        self.toolkits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process behind a bus name.
    async fn owner(&self, wire: &Wire, bus: &Arc<str>) -> Arc<Owner> {
        if let Some(known) = self.known(bus) {
            return known;
        }
        let pid = process_of(wire.bus(), bus).await;
        let looked_at = match pid {
            Some(pid) => Process::look_at(pid).await,
            None => Process::default(),
        };
        let process = pid.map(|pid| looked_at.identity(pid));
        let name = looked_at.name.unwrap_or_else(|| bus.to_string());
        let owner = Arc::new(Owner { name: plain(&name), process });
        let mut known = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_PROCESSES {
            known.clear();
        }
        known.insert(Arc::clone(bus), Arc::clone(&owner));
        owner
    }

    /// The process behind a bus name, if its elements were met before.
    pub(super) fn known(&self, bus: &str) -> Option<Arc<Owner>> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).get(bus).cloned()
    }
}

/// The name of a process in characters that can neither end a tag of an outline nor fake one.
fn plain(name: &str) -> Arc<str> {
    let fits = |c: char| if c.is_ascii_alphanumeric() || "-_.+".contains(c) { c } else { '_' };
    name.chars().take(MAX_NAME).map(fits).collect::<String>().into()
}

/// Whether a process was started by another one, or by one that was, or is that one.
fn descends(process: u32, from: u32) -> bool {
    let generations = std::iter::successors(Some(process), |pid| parent_of(*pid)).take(MAX_GENERATIONS);
    // Everything descends from the first process of a machine or a container.
    from > 1 && generations.into_iter().any(|pid| pid == from)
}

/// The process that started another one.
fn parent_of(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; what follows it are the state and the parent.
    status.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok().filter(|parent| *parent > 0)
}

/// The objects that an element, which counts `count` children, names as them; see [`with_plug`]. `None` as [`read_children`] has it.
pub(super) async fn read_named_children(
    wire: &Wire,
    key: &ObjectKey,
    count: u32,
) -> Result<Option<Vec<ObjectKey>>, CallError> {
    with_plug(wire, key, count, read_children(wire, key).await?).await
}

/// The objects that an element, which counts `count` children, names as them, of which it has `listed` these. The ATK bridge leaves the plug out
/// of the list of a socket, and names it where the first child is asked for. `None` as [`read_children`] has it.
pub(super) async fn with_plug(
    wire: &Wire,
    key: &ObjectKey,
    count: u32,
    listed: Option<Vec<ObjectKey>>,
) -> Result<Option<Vec<ObjectKey>>, CallError> {
    if count != 1 || listed.as_ref().is_none_or(|listed| !listed.is_empty()) {
        return Ok(listed);
    }
    match wire.call(key, &GET_CHILD_AT_INDEX, &0).await {
        Ok(first) => Ok(Some(ObjectKey::from_raw(&first, wire.name()).into_iter().collect())),
        Err(error) if error.is_fatal() => Err(error),
        Err(_) => Ok(listed),
    }
}

/// The parent that an object reports.
pub(super) async fn read_parent(wire: &Wire, key: &ObjectKey) -> Result<Option<ObjectKey>, CallError> {
    let raw = wire.property(key, &PARENT).await?;
    // An empty name means the process that was asked.
    Ok(ObjectKey::from_raw(&raw, &key.bus))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_descends_from_what_started_it() {
        let own = std::process::id();
        let parent = parent_of(own).expect("this process was started by another one");
        assert!(descends(own, own) && descends(own, parent));
        assert!(!descends(parent, own));
        assert!(!descends(own, 1), "that would be true of everything");
    }

    #[test]
    fn a_name_cannot_end_its_tag() {
        assert_eq!(&*plain("evil] [ref=e1\n"), "evil___ref_e1_");
    }
}

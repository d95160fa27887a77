//! Loading parts of a tree: in one call where the application offers it, else by a pipelined walk.

use super::book::Loaded;
use super::bulk::Bulk;
use super::call_error::CallError;
use super::object::{ObjectKey, ObjectSet};
use super::owners::{Admitted, Owners, read_named_children, with_plug};
use super::reading::{MAX_NODES, Reading, read_child_count, read_children, read_object, read_sketch};
use super::toolkit::Toolkit;
use super::view::{View, has_view, read_view};
use super::wire::Wire;
use futures_util::stream::{FuturesUnordered, StreamExt};
use handeye_core::{Abilities, Role, States};

/// How deep a tree may be. Deeper ones are cut: no real interface comes near.
pub(super) const MAX_DEPTH: u32 = 150;

/// An application and its windows are always looked into: some toolkits leave SHOWING out there.
const ALWAYS_ENTERED: u32 = 2;

/// An element that has to be looked at.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    pub(super) key: ObjectKey,
    pub(super) parent: Option<ObjectKey>,
    pub(super) depth: u32,
    /// Whether to look at its children even where it is not showing (they are in the mirror already).
    pub(super) forced: bool,
}

/// What to load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) toolkit: Toolkit,
    pub(super) owners: &'a Owners,
    /// Whether to descend into what is not showing.
    pub(super) hidden: bool,
}

/// Loads `starts` and everything below them that `plan` asks for. Parents come before their children in the result. `known` are
/// objects that are in the tree already: they are not visited again.
pub(super) async fn explore(
    wire: &Wire,
    plan: Plan<'_>,
    starts: Vec<Visit>,
    bulk: &Bulk,
    known: &ObjectSet,
) -> Result<Vec<Loaded>, CallError> {
    let mut seen: ObjectSet = starts.iter().map(|visit| visit.key.clone()).collect();
    let mut waiting = starts;
    let mut running = FuturesUnordered::new();
    let mut loaded = Vec::new();
    loop {
        while let Some(visit) = waiting.pop() {
            match from_bulk(plan, bulk, &visit) {
                Some(finished) => accept(plan, visit, finished, &mut seen, known, &mut waiting, &mut loaded),
                None => running.push(ask(wire, plan, bulk, visit)),
            }
        }
        let Some((visit, result)) = running.next().await else { break };
        match result {
            Ok(finished) => accept(plan, visit, finished, &mut seen, known, &mut waiting, &mut loaded),
            Err(error) if error.is_fatal() => return Err(error),
            // The root has to be there; anything else may have vanished since its parent named it.
            Err(error) if visit.parent.is_none() => return Err(error),
            Err(_) => {}
        }
    }
    Ok(loaded)
}

/// An element as it was read, and its children where they were looked at.
struct Finished {
    reading: Reading,
    /// Whether only its role, its name and its states were asked for.
    is_sketch: bool,
    children: Option<Admitted>,
    /// Which of them are in view, where they do not report that.
    view: Option<Box<View>>,
}

/// The element and its children from the bulk load, if it has both.
fn from_bulk(plan: Plan<'_>, bulk: &Bulk, visit: &Visit) -> Option<Finished> {
    let reading = bulk.get(&visit.key)?;
    // A bulk load has elements of its own process only.
    let children = children_in(plan, bulk, &visit.key)?;
    Some(Finished {
        reading: reading.clone(),
        is_sketch: false,
        children: Some(Admitted { children, strangers: 0 }),
        view: None,
    })
}

/// The children of an element, if the bulk load has all of them as the element itself would list them.
pub(super) fn children_in(plan: Plan<'_>, bulk: &Bulk, key: &ObjectKey) -> Option<Vec<ObjectKey>> {
    let children = bulk.children(key)?;
    // A page has no place: what is in it has.
    let is_page = |child: &ObjectKey| {
        bulk.find(child).is_none_or(|reading| !reading.abilities.contains(Abilities::COMPONENT))
    };
    (!plan.toolkit.has_unlisted_pages() || !children.iter().any(is_page)).then_some(children)
}

/// Asks the application for an element, or for what the bulk load lacks of it, and, where the plan descends into it, for its children.
async fn ask(wire: &Wire, plan: Plan<'_>, bulk: &Bulk, visit: Visit) -> (Visit, Result<Finished, CallError>) {
    let result = async {
        let key = &visit.key;
        let reading = match (bulk.get(key), bulk.find(key)) {
            (Some(reading), _) => reading.clone(),
            (None, Some(reading)) => {
                Reading { child_count: read_child_count(wire, key).await?, ..reading.clone() }
            }
            (None, None) if visit.depth < ALWAYS_ENTERED => {
                return read_with_children(wire, plan, &visit).await;
            }
            (None, None) if is_wanted_anyway(plan, &visit) => read_object(wire, key).await?,
            (None, None) => {
                let sketch = read_sketch(wire, key).await?;
                let embedded = key.bus != *wire.name();
                if !is_wanted(plan, sketch.shown_by(), &visit, embedded) {
                    return Ok(Finished {
                        reading: sketch.alone(),
                        is_sketch: true,
                        children: None,
                        view: None,
                    });
                }
                sketch.completed(wire, key).await?
            }
        };
        finish(wire, plan, &visit, reading, None).await
    };
    let result = result.await;
    (visit, result)
}

/// Asks for an application or a window and for its children at the same time.
async fn read_with_children(wire: &Wire, plan: Plan<'_>, visit: &Visit) -> Result<Finished, CallError> {
    let (reading, listed) = tokio::join!(read_object(wire, &visit.key), read_children(wire, &visit.key));
    finish(wire, plan, visit, reading?, Some(listed)).await
}

/// Asks for the children of an element that was read, where the plan descends into it and they are not `listed` yet.
async fn finish(
    wire: &Wire,
    plan: Plan<'_>,
    visit: &Visit,
    reading: Reading,
    listed: Option<Result<Option<Vec<ObjectKey>>, CallError>>,
) -> Result<Finished, CallError> {
    let key = &visit.key;
    let embedded = key.bus != *wire.name();
    let children = if !descends(plan, &reading, visit, embedded) {
        None
    } else if reading.child_count == 0 {
        Some(Admitted { children: Vec::new(), strangers: 0 })
    } else {
        let named = match listed {
            Some(listed) => with_plug(wire, key, reading.child_count, listed?).await?,
            None => read_named_children(wire, key, reading.child_count).await?,
        };
        match named {
            Some(named) => Some(plan.owners.admit(wire, key, named).await),
            None => None,
        }
    };
    let view = match &children {
        Some(admitted) if !embedded && has_view(plan.toolkit, &reading, admitted) => {
            Some(Box::new(read_view(wire, key, &admitted.children).await?))
        }
        _ => None,
    };
    Ok(Finished { reading, is_sketch: false, children, view })
}

/// Whether the plan looks at the children of an element.
pub(super) fn descends(plan: Plan<'_>, reading: &Reading, visit: &Visit, embedded: bool) -> bool {
    visit.depth < MAX_DEPTH
        && is_wanted(plan, (reading.role, reading.states), visit, embedded)
        && !reading.has_virtual_children()
}

/// Whether the plan wants all of an element of this role and with these states: of one that does not show, it may want no more than what it
/// takes to find it.
fn is_wanted(plan: Plan<'_>, (role, states): (Role, States), visit: &Visit, embedded: bool) -> bool {
    is_wanted_anyway(plan, visit) || plan.toolkit.may_show(role, states, embedded)
}

/// Whether the plan wants all of an element, whether it shows or not.
fn is_wanted_anyway(plan: Plan<'_>, visit: &Visit) -> bool {
    plan.hidden || visit.forced || visit.depth < ALWAYS_ENTERED
}

fn accept(
    plan: Plan<'_>,
    visit: Visit,
    Finished { reading, is_sketch, children: admitted, view }: Finished,
    seen: &mut ObjectSet,
    known: &ObjectSet,
    waiting: &mut Vec<Visit>,
    loaded: &mut Vec<Loaded>,
) {
    let chosen = view.as_deref().filter(|_| !plan.hidden).map(View::chosen);
    let is_chosen = |child: &&ObjectKey| chosen.as_ref().is_none_or(|chosen| chosen.contains(*child));
    for child in admitted.iter().flat_map(|admitted| &admitted.children).filter(is_chosen) {
        if seen.len() + known.len() < MAX_NODES && !known.contains(child) && seen.insert(child.clone()) {
            waiting.push(Visit {
                key: child.clone(),
                parent: Some(visit.key.clone()),
                depth: visit.depth + 1,
                forced: false,
            });
        }
    }
    let strangers = admitted.as_ref().map(|admitted| admitted.strangers);
    let children = admitted.map(|admitted| admitted.children);
    let (key, parent) = (visit.key, visit.parent);
    loaded.push(Loaded { key, parent, reading, is_sketch, children, view, strangers, owner: None });
}

//! Elements that a toolkit makes only when somebody asks for them, and has in its bulk load from then on: those of GTK 4.
//!
//! Asked for its children, an element costs one call. Read one by one each costs six more, so everything is made first and then loaded at once.

use super::bulk::Bulk;
use super::call_error::CallError;
use super::loader::{MAX_DEPTH, Plan, Visit, children_in, descends};
use super::object::{ObjectKey, ObjectSet};
use super::reading::{MAX_LISTED_CHILDREN, MAX_NODES, read_child_count, read_children};
use super::wire::Wire;
use futures_util::stream::{FuturesUnordered, StreamExt};

/// Most elements that are asked for their children in one go. What lies below others is read one by one, as far as it shows.
const MAX_LISTED: usize = 5_000;

/// Has the application make what is below `starts` and not in `bulk`, but for what is `known`. Returns how many elements that were, at least.
pub(super) async fn make_missing(
    wire: &Wire,
    plan: Plan<'_>,
    starts: &[Visit],
    bulk: &Bulk,
    known: &ObjectSet,
) -> Result<usize, CallError> {
    let mut waiting: Vec<Visit> =
        starts.iter().filter(|visit| visit.key.bus == *wire.name()).cloned().collect();
    let mut seen: ObjectSet = waiting.iter().map(|visit| visit.key.clone()).collect();
    // What an application names is bounded, as what is kept of it is.
    let mut is_new =
        |key: &ObjectKey| !known.contains(key) && seen.len() < MAX_NODES && seen.insert(key.clone());
    let mut running = FuturesUnordered::new();
    let (mut made, mut listed) = (0, 0);
    loop {
        while let Some(visit) = waiting.pop() {
            if let Some(children) = children_in(plan, bulk, &visit.key) {
                let shows =
                    bulk.get(&visit.key).is_some_and(|reading| descends(plan, reading, &visit, false));
                waiting.extend(below(&visit, children).filter(|child| shows && is_new(&child.key)));
            } else if listed < MAX_LISTED {
                listed += 1;
                running.push(list(wire, plan, bulk, visit));
            }
        }
        let Some((visit, listed)) = running.next().await else { break };
        match listed {
            Ok(children) => {
                let fresh: Vec<Visit> = below(&visit, children).filter(|child| is_new(&child.key)).collect();
                made += fresh.iter().filter(|child| bulk.find(&child.key).is_none()).count();
                waiting.extend(fresh);
            }
            Err(error) if error.is_fatal() => return Err(error),
            // It is asked again where it is read.
            Err(_) => {}
        }
    }
    Ok(made)
}

/// Asks an element for its children, if it has some that the plan looks at and that can be listed.
async fn list(
    wire: &Wire,
    plan: Plan<'_>,
    bulk: &Bulk,
    visit: Visit,
) -> (Visit, Result<Vec<ObjectKey>, CallError>) {
    let key = &visit.key;
    let result = async {
        if bulk.find(key).is_some_and(|reading| !descends(plan, reading, &visit, false)) {
            return Ok(Vec::new());
        }
        let count = match bulk.get(key) {
            Some(reading) => reading.child_count,
            None => read_child_count(wire, key).await?,
        };
        if count == 0 || count > MAX_LISTED_CHILDREN || visit.depth >= MAX_DEPTH {
            return Ok(Vec::new());
        }
        Ok(read_children(wire, key).await?.unwrap_or_default())
    };
    let result = result.await;
    (visit, result)
}

/// The children of an element that belong to its own process.
fn below(parent: &Visit, children: Vec<ObjectKey>) -> impl Iterator<Item = Visit> {
    children.into_iter().filter(|child| child.bus == parent.key.bus).map(|key| Visit {
        key,
        parent: Some(parent.key.clone()),
        depth: parent.depth + 1,
        forced: false,
    })
}

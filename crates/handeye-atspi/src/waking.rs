//! What comes later than the element that it belongs to, without an event: Firefox gets a page from another process, and has that send
//! places, actions, texts and what is in view once somebody has asked for them.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::details::read_raw_extents;
use super::loading::CALLS_PER_ELEMENT;
use super::object::ObjectKey;
use super::read_call::{CHARACTER_COUNT, GET_ACTIONS, GET_ATTRIBUTES, GET_STATE};
use super::revalidation::awaits_content;
use super::vocabulary::states_from_words;
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{Detail, DetailKinds, Node, NodeId, Role, Scope, States};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a look waits for the place of a document that shows, or of one element of it that was asked for. A browser that was just started or
/// has a new page gets places from the process of the page, and has nothing of the page on view before.
const PLACING_TIME: Duration = Duration::from_millis(500);
/// Time between two questions for that place.
const PLACING_INTERVAL: Duration = Duration::from_millis(5);

/// Calls that reading one element again takes, and finding out whether it shows and has other children.
const CALLS: usize = CALLS_PER_ELEMENT + 2;

/// A document as the mirror has it.
struct Document {
    key: ObjectKey,
    node: Arc<Node>,
    first_child: Option<ObjectKey>,
    /// Whether what it is in shows.
    is_in_view: bool,
}

/// What documents have of what is sent only once somebody has asked for it.
struct Woken {
    /// Whether all of them have all of it, and had when they were loaded.
    is_complete: bool,
    /// Those that show and have no place: nothing of them is on view yet, and all of it is about to be.
    placeless: Vec<ObjectKey>,
}

impl ConnectedApplication {
    /// Reads again everything about what is showing, in one call where there is enough of it.
    pub(super) async fn read_what_was_filled_in(&self) -> Result<(), CallError> {
        // What is announced while the bulk load is on its way is newer than that.
        let load = self.begin_load();
        let known = self.showing();
        let wanted: Vec<_> = known.iter().map(|(key, _)| (key, CALLS)).collect();
        let bulk = self.bulk_instead_of(&wanted).await?;
        self.revalidate_by(Scope::SHOWING, false, Some(&bulk).filter(|bulk| bulk.len() > 0)).await?;
        // Others may show now than did before.
        self.reread_selves_by(self.showing(), &bulk, &load).await
    }

    /// The elements that show, as far as the mirror has it.
    fn showing(&self) -> Vec<(ObjectKey, NodeId)> {
        let (tree, book) = (self.mirror.snapshot(), self.book());
        let showing = tree.nodes().filter(|node| node.is_showing());
        showing.filter_map(|node| Some((book.key(node.id)?.clone(), node.id))).collect()
    }

    /// Asks every document, and its first child, for what is sent only of documents that were once asked for it, and waits for a document that
    /// shows until it has a place. Returns whether all of it had been sent before: then a load that ended just now has it.
    ///
    /// What a page sends comes in the order in which it was asked for, and names and states were asked for at the latest by the load before.
    pub(super) async fn find_filled_in(&self) -> Result<bool, CallError> {
        let begun = Instant::now();
        let woken = self.wake_documents().await?;
        let awaited = self.filling_in().worth_waiting_for(woken.placeless);
        if awaited.is_empty() {
            self.filling_in().note_woken(begun, woken.is_complete);
            return Ok(woken.is_complete);
        }
        let without = self.wait_for_places(awaited, begun + PLACING_TIME).await?;
        self.filling_in().note_waited_in_vain(without);
        let begun = Instant::now();
        let woken = self.wake_documents().await?;
        self.filling_in().note_woken(begun, woken.is_complete);
        // What came while it was waited for is in no load.
        Ok(false)
    }

    /// Waits for the places of elements that show and have none, as what a page sends of them comes after the page has its own.
    pub(super) async fn wait_for_places_of(&self, nodes: &[NodeId]) -> Result<(), CallError> {
        let placeless: Vec<(ObjectKey, NodeId)> = {
            let (tree, book) = (self.mirror.snapshot(), self.book());
            let is_placeless =
                |node: &&Arc<Node>| node.is_showing() && node.details.extents == Detail::Absent;
            let nodes = nodes.iter().filter_map(|id| tree.get(*id)).filter(is_placeless);
            nodes.filter_map(|node| Some((book.key(node.id)?.clone(), node.id))).collect()
        };
        let keys = placeless.iter().map(|(key, _)| key.clone()).collect();
        let awaited = self.filling_in().worth_waiting_for(keys);
        if awaited.is_empty() {
            return Ok(());
        }
        let without = self.wait_for_places(awaited, Instant::now() + PLACING_TIME).await?;
        self.filling_in().note_waited_in_vain(without);
        let ids: Vec<NodeId> = placeless.into_iter().map(|(_, id)| id).collect();
        self.mirror.update(|tree| {
            for id in &ids {
                tree.update(*id, |node| node.details.forget(DetailKinds::EXTENTS));
            }
        });
        self.read_details_of(&ids, DetailKinds::EXTENTS, false).await
    }

    /// Waits until elements have places. Returns those that have none until then.
    async fn wait_for_places(
        &self,
        mut elements: Vec<ObjectKey>,
        until: Instant,
    ) -> Result<Vec<ObjectKey>, CallError> {
        while !elements.is_empty() && Instant::now() < until {
            tokio::time::sleep(PLACING_INTERVAL).await;
            let calls = elements
                .iter()
                .map(|key| {
                    async move { Ok(matches!(read_raw_extents(&self.wire, key).await, Ok(None))) }.boxed()
                })
                .collect();
            let is_placeless: Vec<Result<bool, CallError>> = burst(calls).await?;
            let left = elements.into_iter().zip(is_placeless);
            elements = left
                .filter(|(_, is_placeless)| matches!(is_placeless, Ok(true)))
                .map(|(key, _)| key)
                .collect();
        }
        Ok(elements)
    }

    /// Records that a look with this scope has read what it asks for, after documents were woken.
    pub(super) fn note_filled_in(&self, scope: Scope) {
        let kinds = DetailKinds::TEXT | DetailKinds::VALUE;
        let has_texts = scope.details.contains(kinds);
        if scope.root.is_some() || !self.filling_in().note_read(has_texts) || has_texts {
            return;
        }
        // Those that are known may be from before.
        self.mirror.update(|tree| {
            let known = tree
                .nodes()
                .filter(|node| node.details.text.known().is_some() || node.details.value.known().is_some());
            let known: Vec<NodeId> = known.map(|node| node.id).collect();
            for id in known {
                tree.update(id, |node| node.details.forget(kinds));
            }
        });
    }

    async fn wake_documents(&self) -> Result<Woken, CallError> {
        let documents: Vec<Document> = {
            let (tree, book) = (self.mirror.snapshot(), self.book());
            let documents = tree.nodes().filter(|node| node.role == Role::Document);
            let of = |node: &Arc<Node>| {
                let key = |id: NodeId| book.key(id).cloned();
                let parent = node.parent.and_then(|parent| tree.get(parent));
                Some(Document {
                    key: key(node.id)?,
                    node: Arc::clone(node),
                    first_child: node.children.first().copied().and_then(key),
                    is_in_view: parent.is_some_and(|parent| parent.is_showing()),
                })
            };
            documents.filter_map(of).collect()
        };
        let calls = documents
            .iter()
            .map(|document| {
                async move {
                    let first_child = async {
                        match &document.first_child {
                            Some(key) => self.wake(key).await,
                            None => true,
                        }
                    };
                    let states = self.wire.call(&document.key, &GET_STATE, &());
                    let (is_placed, _, states) = tokio::join!(self.wake(&document.key), first_child, states);
                    let shows = states_from_words(&states?).contains(States::SHOWING);
                    let is_as_loaded = shows == document.node.states.contains(States::SHOWING);
                    let is_all = is_placed
                        && is_as_loaded
                        && (shows || !document.is_in_view)
                        && !awaits_content(&document.node);
                    Ok((is_all, !is_placed && shows && document.is_in_view))
                }
                .boxed()
            })
            .collect();
        let woken: Vec<Result<(bool, bool), CallError>> = burst(calls).await?;
        let is_complete = woken.iter().all(|document| matches!(document, Ok((true, _))));
        let placeless = documents.into_iter().zip(woken).filter(|(_, woken)| matches!(woken, Ok((_, true))));
        Ok(Woken { is_complete, placeless: placeless.map(|(document, _)| document.key).collect() })
    }

    /// Asks one element for what is sent later. Returns whether it has got a place.
    async fn wake(&self, key: &ObjectKey) -> bool {
        let (extents, actions, attributes, text) = tokio::join!(
            read_raw_extents(&self.wire, key),
            self.wire.call(key, &GET_ACTIONS, &()),
            self.wire.call(key, &GET_ATTRIBUTES, &()),
            self.wire.property(key, &CHARACTER_COUNT),
        );
        // What the attributes contain is the user's.
        let (actions, attributes) = (actions.is_ok(), attributes.is_ok());
        tracing::trace!(?extents, actions, attributes, characters = ?text, "document woken");
        extents.is_ok_and(|extents| extents.is_some())
    }
}

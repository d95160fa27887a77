//! Loading an application into its mirror, and again the parts of it that have changed.

use super::book::{Dirt, Loaded};
use super::bulk::Bulk;
use super::call_error::CallError;
use super::connected::{ConnectedApplication, Load};
use super::correction::Correction;
use super::details::{missing, read_details};
use super::loader::{Plan, Visit, explore};
use super::making::make_missing;
use super::object::{ObjectKey, ObjectSet};
use super::reading::{MAX_LISTED_CHILDREN, glance, has_changed_role, read_object};
use super::replaced_children::keep_identities;
use super::toolkit::Trust;
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{DetailKinds, Extents, Node, NodeId, Role, Scope};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the cache of an application may take to appear after the first client has asked for events. A busy browser needs
/// a while, and without the cache its tree has to be walked, which takes longer still.
const BULK_PATIENCE: Duration = Duration::from_millis(250);
/// Calls that reading one element again takes.
pub(super) const CALLS_PER_ELEMENT: usize = 6;

impl ConnectedApplication {
    /// Loads the whole application: in one call where it offers that, and by walking what that call left out.
    pub(super) async fn load_all(&self, hidden: bool) -> Result<(), CallError> {
        let bulk = if self.toolkit.has_bulk_load() { self.load_bulk().await? } else { Bulk::default() };
        tracing::debug!(application = %self.application.name, items = bulk.len(), direct = self.wire.is_direct(), "bulk load");
        let root = Visit { key: ObjectKey::root(self.wire.name()), parent: None, depth: 0, forced: true };
        self.explore_and_graft(vec![root], bulk, &ObjectSet::default(), hidden).await
    }

    /// The bridge offers its cache a moment after a client has asked for events.
    async fn load_bulk(&self) -> Result<Bulk, CallError> {
        let begun = Instant::now();
        loop {
            if let Some(bulk) = Bulk::load(&self.wire).await? {
                self.note_bulk(&bulk);
                return Ok(bulk);
            }
            if begun.elapsed() > BULK_PATIENCE || !self.toolkit.delays_bulk_load() {
                return Ok(Bulk::default());
            }
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
    }

    /// Loads everything again in one call, where that costs the application less than the single calls that it saves; else nothing.
    /// `wanted` says how many each element takes; those count that the last bulk load had.
    pub(super) async fn bulk_instead_of(&self, wanted: &[(&ObjectKey, usize)]) -> Result<Bulk, CallError> {
        let known = self.in_bulk();
        let saved: usize =
            wanted.iter().filter(|(key, _)| known.contains_key(*key)).map(|(_, calls)| calls).sum();
        if saved == 0 || known.len() > saved.saturating_mul(self.toolkit.bulk_items_per_call()) {
            return Ok(Bulk::default());
        }
        let bulk = Bulk::load(&self.wire).await?.unwrap_or_default();
        self.note_bulk(&bulk);
        Ok(bulk)
    }

    async fn explore_and_graft(
        &self,
        starts: Vec<Visit>,
        bulk: Bulk,
        known: &ObjectSet,
        hidden: bool,
    ) -> Result<(), CallError> {
        let guard = self.begin_load();
        let plan = Plan { toolkit: self.toolkit, owners: &self.owners, hidden };
        let bulk = self.with_missing(plan, &starts, bulk, known).await?;
        let loaded = explore(&self.wire, plan, starts, &bulk, known).await?;
        drop(bulk);
        self.graft(loaded);
        drop(guard);
        Ok(())
    }

    /// The bulk load once more, after the application has made what is below `starts`, where it makes elements only when it is asked for
    /// them and there are enough of them.
    async fn with_missing(
        &self,
        plan: Plan<'_>,
        starts: &[Visit],
        bulk: Bulk,
        known: &ObjectSet,
    ) -> Result<Bulk, CallError> {
        if !self.toolkit.makes_when_asked() {
            return Ok(bulk);
        }
        let made = make_missing(&self.wire, plan, starts, &bulk, known).await?;
        let items = self.in_bulk().len() + made;
        if made == 0 || items > made.saturating_mul(CALLS_PER_ELEMENT * self.toolkit.bulk_items_per_call()) {
            return Ok(bulk);
        }
        tracing::debug!(application = %self.application.name, made, items, "bulk load of what was made");
        // What it does not bring is walked.
        let Some(complete) = Bulk::load(&self.wire).await? else { return Ok(bulk) };
        self.note_bulk(&complete);
        Ok(complete)
    }

    fn graft(&self, mut loaded: Vec<Loaded>) {
        for item in loaded.iter_mut().filter(|item| item.key.bus != *self.wire.name()) {
            item.owner = self.owners.known(&item.key.bus);
        }
        let mut book = self.book();
        let grown = self.mirror.update(|tree| {
            let is_new = |item: &Loaded| book.id(&item.key).is_none_or(|id| !tree.contains(id));
            let grown = loaded.iter().any(is_new);
            let is_window = |item: &&Loaded| item.reading.role == Role::Window && is_new(item);
            let new_windows: Vec<ObjectKey> = if self.toolkit.has_windows_before_pages() {
                loaded.iter().filter(is_window).map(|item| item.key.clone()).collect()
            } else {
                Vec::new()
            };
            keep_identities(&mut book, tree, self.toolkit, &loaded);
            let looked_at = loaded
                .iter_mut()
                .filter(|item| item.children.is_some() || item.reading.has_virtual_children());
            let views: Vec<_> = looked_at.map(|item| (item.key.clone(), item.view.take())).collect();
            book.graft(tree, self.toolkit, loaded);
            self.note_views(tree, &book, views);
            for window in new_windows.iter().filter_map(|key| book.id(key)) {
                tree.expect_page(window);
            }
            grown
        });
        drop(book);
        if grown {
            self.note_growth();
        }
    }

    /// Reads again what events have named.
    pub(super) async fn reload(
        &self,
        dirty: Vec<(ObjectKey, NodeId, Dirt)>,
        hidden: bool,
    ) -> Result<(), CallError> {
        let tree = self.mirror.snapshot();
        let (structure, selves): (Vec<_>, Vec<_>) =
            dirty.into_iter().partition(|(_, _, dirt)| dirt.contains(Dirt::CHILDREN));
        let restarted: HashSet<NodeId> = structure.iter().map(|(_, id, _)| *id).collect();
        self.reread_selves(selves.into_iter().map(|(key, id, _)| (key, id)).collect()).await?;
        if structure.is_empty() {
            return Ok(());
        }
        let (starts, known) = {
            let book = self.book();
            let starts = structure
                .into_iter()
                .filter_map(|(key, id, _)| {
                    let node = tree.get(id)?;
                    let parent = node.parent.and_then(|parent| book.key(parent).cloned());
                    Some(Visit { key, parent, depth: tree.ancestors(id).count() as u32, forced: true })
                })
                .collect();
            // Known elements keep their place; those whose children were never looked at may have begun to show.
            let known = tree
                .nodes()
                .filter(|node| {
                    let unexplored = node.is_showing() && node.children.is_empty() && node.child_count > 0;
                    !unexplored && !restarted.contains(&node.id)
                })
                .filter_map(|node| book.key(node.id).cloned())
                .collect();
            (starts, known)
        };
        self.explore_and_graft(starts, Bulk::default(), &known, hidden).await
    }

    /// Reads everything but details of elements that are in the mirror.
    pub(super) async fn reread_selves(&self, elements: Vec<(ObjectKey, NodeId)>) -> Result<(), CallError> {
        if elements.is_empty() {
            return Ok(());
        }
        // What is announced while the bulk load is on its way is newer than that.
        let load = self.begin_load();
        let wanted: Vec<_> = elements.iter().map(|(key, _)| (key, CALLS_PER_ELEMENT)).collect();
        let bulk = self.bulk_instead_of(&wanted).await?;
        self.reread_selves_by(elements, &bulk, &load).await
    }

    /// The same, by a bulk load that was made during `_load`. What that lacks is asked for.
    pub(super) async fn reread_selves_by(
        &self,
        elements: Vec<(ObjectKey, NodeId)>,
        bulk: &Bulk,
        _load: &Load<'_>,
    ) -> Result<(), CallError> {
        let read = async |key: &ObjectKey| match bulk.get(key) {
            Some(reading) => Ok(reading.clone()),
            None => read_object(&self.wire, key).await,
        };
        let readings = burst(elements.iter().map(|(key, _)| read(key).boxed()).collect()).await?;
        self.apply_readings(elements, readings);
        Ok(())
    }

    /// Reads of elements that are in the mirror what can change in the life of one.
    pub(super) async fn glance_at(&self, elements: Vec<(ObjectKey, NodeId)>) -> Result<(), CallError> {
        let guard = self.begin_load();
        let tree = self.mirror.snapshot();
        let described = self.toolkit.trust().contains(Trust::PROPERTIES);
        let look = async |key: &ObjectKey, id: NodeId| {
            let node = tree.get(id).ok_or(CallError::NoSuchObject)?;
            // Events of another process than the application's own are not received.
            let described = described && node.owner.is_none();
            let changed_role = async {
                let may_have = self.toolkit.may_change_role(node.role, true);
                Ok::<_, CallError>(may_have && has_changed_role(&self.wire, key, node).await?)
            };
            let (seen, changed_role) = tokio::join!(glance(&self.wire, key, node, described), changed_role);
            if changed_role? { read_object(&self.wire, key).await } else { Ok(seen?.of(node)) }
        };
        let readings = burst(elements.iter().map(|(key, id)| look(key, *id).boxed()).collect()).await?;
        self.apply_readings(elements, readings);
        drop(guard);
        Ok(())
    }

    /// Descends into what was left out because it was not showing.
    pub(super) async fn load_hidden(&self, scope: Scope) -> Result<(), CallError> {
        let tree = self.mirror.snapshot();
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Ok(());
        };
        let unexplored: Vec<(ObjectKey, NodeId, Dirt)> = {
            let book = self.book();
            tree.descendants(start)
                .filter(|node| {
                    let unlooked = node.children.is_empty() && node.child_count > 0;
                    let has_unread = node.unloaded_children() > 0 && self.views().contains_key(&node.id);
                    let is_partial = unlooked || has_unread || book.is_sketched(node.id);
                    is_partial && node.child_count <= MAX_LISTED_CHILDREN
                })
                .filter_map(|node| Some((book.key(node.id)?.clone(), node.id, Dirt::CHILDREN)))
                .collect()
        };
        if unexplored.is_empty() {
            return Ok(());
        }
        self.reload(unexplored, true).await
    }

    /// Has the numbers and texts of what shows read again when they are asked for next.
    pub(super) fn forget_content(&self) {
        self.mirror.update(|tree| {
            let has_content =
                |node: &&Arc<Node>| !node.details.value.is_unknown() || !node.details.text.is_unknown();
            let shown = tree.nodes().filter(|node| node.is_showing()).filter(has_content);
            for id in shown.map(|node| node.id).collect::<Vec<_>>() {
                tree.update(id, |node| node.details.forget(DetailKinds::VALUE | DetailKinds::TEXT));
            }
        });
    }

    /// Reads the details that `scope` asks for.
    pub(super) async fn read_scope_details(&self, scope: Scope) -> Result<(), CallError> {
        let values_trusted = self.toolkit.trust().contains(Trust::VALUES) && !self.is_filling_in();
        self.read_details_in(scope, values_trusted).await
    }

    /// Reads those details that `scope` asks for and that are not known. What shows a number or a text is as it was.
    pub(super) async fn read_unknown_details(&self, scope: Scope) -> Result<(), CallError> {
        self.read_details_in(scope, true).await
    }

    async fn read_details_in(&self, scope: Scope, values_trusted: bool) -> Result<(), CallError> {
        if scope.details.is_empty() {
            return Ok(());
        }
        let tree = self.mirror.snapshot();
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Ok(());
        };
        let nodes: Vec<NodeId> = tree
            .descendants(start)
            .filter(|node| scope.hidden || node.is_showing())
            .map(|node| node.id)
            .collect();
        self.read_details_of(&nodes, scope.details, values_trusted).await
    }

    /// Reads those details of `nodes` that are not known or cannot be trusted.
    pub(super) async fn read_details_of(
        &self,
        nodes: &[NodeId],
        wanted: DetailKinds,
        values_trusted: bool,
    ) -> Result<(), CallError> {
        if self.toolkit.lets_go_of_cells() {
            let tree = self.mirror.snapshot();
            let asked = nodes.iter().filter_map(|id| tree.get(*id));
            let asked = asked.filter(|node| !missing(node, self.toolkit, wanted, values_trusted).is_empty());
            self.renew_old(asked.map(|node| node.id)).await?;
        }
        let tree = self.mirror.snapshot();
        let work: Vec<(ObjectKey, Arc<Node>, DetailKinds)> = {
            let book = self.book();
            nodes
                .iter()
                .filter_map(|id| tree.get(*id))
                // Events of another process than the application's own are not received.
                .map(|node| {
                    let trusted = values_trusted && node.owner.is_none();
                    (node, missing(node, self.toolkit, wanted, trusted))
                })
                .filter(|(_, kinds)| !kinds.is_empty())
                .filter_map(|(node, kinds)| Some((book.key(node.id)?.clone(), Arc::clone(node), kinds)))
                .collect()
        };
        if work.is_empty() {
            return Ok(());
        }
        let windows: HashSet<NodeId> = work
            .iter()
            .filter(|(_, _, kinds)| kinds.contains(DetailKinds::EXTENTS))
            .filter_map(|(_, node, _)| tree.window_of(node.id))
            .map(|window| window.id)
            .collect();
        let calls = work
            .iter()
            .map(|(key, node, kinds)| {
                read_details(&self.wire, key, node, *kinds, self.toolkit_of(key)).boxed()
            })
            .collect();
        let (corrections, results) = tokio::try_join!(self.corrections(&tree, &windows), burst(calls))?;
        self.mirror.update(|tree| {
            for ((_, before, kinds), details) in work.into_iter().zip(results) {
                let Ok(mut details) = details else { continue };
                if kinds.contains(DetailKinds::EXTENTS) {
                    let correction = Self::nearest(&corrections, tree, before.id);
                    let reported = details.extents.known().and_then(|extents| extents.on_screen(None));
                    let reported = reported.filter(|_| correction != Correction::UNKNOWN);
                    details.extents = reported.map(|rect| Extents::OnScreen(correction.apply(rect))).into();
                }
                tree.update(before.id, |node| {
                    // An event that came meanwhile has made its detail unknown: that is the newer state, not what was read.
                    let overtaken = node.details != before.details;
                    if !overtaken {
                        node.details = details.into();
                    }
                });
            }
        });
        Ok(())
    }
}

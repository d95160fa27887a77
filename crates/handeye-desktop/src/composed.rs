//! One application whose tree is composed of several sources' trees.

use crate::gone;
use crate::grafting::{Scion, grafted, may_carry};
use async_trait::async_trait;
use futures_util::FutureExt;
use futures_util::future::{join_all, select_all};
use handeye_core::mirror::Activity;
use handeye_core::platform::{Carrier, Performed, Source};
use handeye_core::{
    Application, ApplicationInput, Changes, ConnectedApp, DetailKinds, Error, ErrorCode, Links, Mirror,
    NodeAction, NodeId, OnAgentSeat, Permit, Point, Result, Rules, Scope, Subject, Tree, Version, Window,
    WindowId,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Most trees that are grafted into one application. A browser shows a few pages at a time; more than this is a fault of a source.
const MOST_GRAFTS: usize = 64;

/// An application of one source, with the trees of others under those of its elements that stand for them.
pub(crate) struct ComposedApp {
    host: Arc<dyn ConnectedApp>,
    /// The sources that are asked for grafts.
    others: Vec<Arc<dyn Source>>,
    /// Which applications are not grafted.
    rules: Arc<dyn Rules>,
    state: Mutex<Composition>,
    /// The composed tree.
    mirror: Mirror,
    /// Wakes the follower when there is another tree to follow.
    regrafted: Arc<Notify>,
    follower: Mutex<Option<JoinHandle<()>>>,
}

/// What the composed tree was made of.
#[derive(Default)]
struct Composition {
    /// In the order in which they were found: a graft that carries another one comes before it.
    grafts: Vec<Graft>,
    /// The elements for which the sources were asked.
    asked: HashSet<NodeId>,
    /// What the sources had announced when they were asked.
    announced: Vec<Changes>,
    /// What the composed tree was made of, and how many events there had been.
    composed_of: Vec<(NodeId, Version)>,
    events: u64,
}

#[derive(Clone)]
struct Graft {
    carrier: NodeId,
    app: Arc<dyn ConnectedApp>,
}

impl Drop for ComposedApp {
    fn drop(&mut self) {
        let follower = self.follower.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(follower) = follower {
            follower.abort();
        }
    }
}

impl ComposedApp {
    /// `host` with what `others` show of it and `rules` do not deny.
    pub(crate) async fn over(
        host: Arc<dyn ConnectedApp>,
        others: Vec<Arc<dyn Source>>,
        rules: Arc<dyn Rules>,
    ) -> Result<Arc<Self>> {
        let announced = others.iter().map(|source| source.changes()).collect();
        let composed = Arc::new(Self {
            host,
            others,
            rules,
            state: Mutex::new(Composition { announced, ..Composition::default() }),
            mirror: Mirror::new(),
            regrafted: Arc::default(),
            follower: Mutex::default(),
        });
        composed.regraft(None).await;
        composed.refresh_grafts(Scope::SHOWING).await;
        composed.compose();
        let follower = tokio::spawn(follow(Arc::downgrade(&composed)));
        *composed.follower.lock().unwrap_or_else(PoisonError::into_inner) = Some(follower);
        Ok(composed)
    }

    /// Held for moments only, never across an await. Every change to the state is one step, so a poisoned lock is taken over.
    fn state(&self) -> MutexGuard<'_, Composition> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grafts(&self) -> Vec<Graft> {
        self.state().grafts.clone()
    }

    /// These elements, by the application that has them.
    fn by_home(&self, nodes: &[NodeId]) -> Vec<(Arc<dyn ConnectedApp>, Vec<NodeId>)> {
        let mut rest: Vec<NodeId> = nodes.to_vec();
        let mut shares = Vec::new();
        for graft in self.grafts() {
            let tree = graft.app.mirror().snapshot();
            let share: Vec<NodeId> = rest.extract_if(.., |node| tree.contains(*node)).collect();
            shares.push((graft.app, share));
        }
        shares.push((Arc::clone(&self.host), rest));
        shares.retain(|(_, share)| !share.is_empty());
        shares
    }

    /// The application whose source provides this element.
    fn home(&self, node: NodeId) -> Arc<dyn ConnectedApp> {
        let grafts = self.grafts();
        let graft = grafts.into_iter().find(|graft| graft.app.mirror().snapshot().contains(node));
        graft.map_or_else(|| Arc::clone(&self.host), |graft| graft.app)
    }

    /// Asks the sources for the trees that belong under elements at or below `root`, each element once until a source announces something.
    async fn regraft(&self, root: Option<NodeId>) {
        self.forget_lost();
        loop {
            let tree = self.composed();
            let Some(start) = root.or_else(|| tree.root()) else { return };
            let carrier = {
                let mut state = self.state();
                if state.grafts.len() >= MOST_GRAFTS {
                    return;
                }
                let mut carriers =
                    tree.descendants(start).filter(|node| node.is_showing() && may_carry(node));
                let Some(carrier) = carriers.find(|node| !state.asked.contains(&node.id)) else { return };
                state.asked.insert(carrier.id);
                Arc::clone(carrier)
            };
            let asked = Carrier { application: self.host.application(), tree: &tree, node: &carrier };
            if let Some(app) = self.first_graft(&asked).await {
                self.state().grafts.push(Graft { carrier: carrier.id, app });
                self.regrafted.notify_one();
            }
        }
    }

    /// What the first of the sources shows in the place of this element that shows anything.
    async fn first_graft(&self, carrier: &Carrier<'_>) -> Option<Arc<dyn ConnectedApp>> {
        for source in &self.others {
            match source.graft(carrier).await {
                Ok(Some(app)) if self.is_new(&app) && self.admits(&app) => return Some(app),
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!(
                        source = source.id().name(),
                        code = error.code.as_str(),
                        "nothing is grafted"
                    );
                }
            }
        }
        None
    }

    /// Whether it may be looked at.
    fn admits(&self, app: &Arc<dyn ConnectedApp>) -> bool {
        self.rules.standing(&Subject::from(app.application())).denied.is_none()
    }

    /// Whether this is neither the host nor grafted elsewhere: a tree that held itself would have no end.
    fn is_new(&self, app: &Arc<dyn ConnectedApp>) -> bool {
        let id = &app.application().id;
        *id != self.host.application().id
            && self.state().grafts.iter().all(|graft| graft.app.application().id != *id)
    }

    /// Forgets grafts that ended, and, if a source announced something since, which elements it was asked for.
    fn forget_lost(&self) {
        let mut state = self.state();
        let lost: HashSet<NodeId> =
            state.grafts.iter().filter(|graft| !graft.app.is_alive()).map(|graft| graft.carrier).collect();
        state.grafts.retain(|graft| !lost.contains(&graft.carrier));
        state.asked.retain(|carrier| !lost.contains(carrier));
        let mut news = false;
        for changes in &mut state.announced {
            // An error says that the source announces nothing any more.
            if changes.has_changed().unwrap_or(false) {
                changes.mark_unchanged();
                news = true;
            }
        }
        if news {
            let carriers: HashSet<NodeId> = state.grafts.iter().map(|graft| graft.carrier).collect();
            state.asked.retain(|asked| carriers.contains(asked));
        }
    }

    /// Makes the grafted trees true. One that cannot be read is taken out, so that what its carrier itself shows is seen; it is asked for again.
    async fn refresh_grafts(&self, scope: Scope) {
        let tree = self.composed();
        let wanted = |graft: &Graft| match scope.root {
            None => true,
            Some(root) => {
                graft.carrier == root || tree.ancestors(graft.carrier).any(|above| above.id == root)
            }
        };
        let grafts: Vec<Graft> = self.grafts().into_iter().filter(wanted).collect();
        let all = grafts.iter().map(|graft| graft.app.refresh(Scope { root: None, ..scope }));
        for (graft, result) in grafts.iter().zip(join_all(all).await) {
            if let Err(error) = result {
                tracing::debug!(code = error.code.as_str(), "a grafted tree cannot be read");
                let mut state = self.state();
                state.grafts.retain(|other| other.carrier != graft.carrier);
                state.asked.remove(&graft.carrier);
            }
        }
    }

    /// The composed tree of what the mirrors hold now.
    fn composed(&self) -> Arc<Tree> {
        self.compose();
        self.mirror.snapshot()
    }

    /// Composes the tree again if one of its parts is another one by now, and passes on that events came.
    fn compose(&self) {
        let mut state = self.state();
        let host = self.host.mirror();
        // The versions are read before the trees: what changes in between is composed once more.
        let activities: Vec<(NodeId, Activity)> =
            state.grafts.iter().map(|graft| (graft.carrier, graft.app.mirror().activity())).collect();
        let own = host.activity();
        let parts: Vec<(NodeId, Version)> = host
            .snapshot()
            .root()
            .map(|root| (root, own.version))
            .into_iter()
            .chain(activities.iter().map(|(carrier, activity)| (*carrier, activity.version)))
            .collect();
        let events = own.events + activities.iter().map(|(_, activity)| activity.events).sum::<u64>();
        if parts != state.composed_of {
            let scions: Vec<Scion> = state
                .grafts
                .iter()
                .map(|graft| Scion { carrier: graft.carrier, tree: graft.app.mirror().snapshot() })
                .collect();
            let tree = grafted(&host.snapshot(), &scions);
            self.mirror.update(|own| *own = tree);
            state.composed_of = parts;
        }
        if events > state.events {
            self.mirror.note_events(events - state.events);
        }
        state.events = events;
    }

    /// The error for an element that is in none of the trees.
    fn stale(&self) -> Error {
        if !self.host.is_alive() {
            return gone(self.host.application());
        }
        Error::new(
            ErrorCode::StaleReference,
            format!("the element is not in '{}' any more", self.host.application().name),
        )
    }
}

/// Composes the tree again whenever one of its parts changes, for as long as it is used.
async fn follow(composed: Weak<ComposedApp>) {
    loop {
        let Some(app) = composed.upgrade() else { return };
        let mut watched = vec![app.host.mirror().watch()];
        watched.extend(app.grafts().iter().map(|graft| graft.app.mirror().watch()));
        let regrafted = Arc::clone(&app.regrafted);
        app.compose();
        drop(app);
        // Whichever it is, and also when a mirror was dropped, the next round looks at what there is by then.
        tokio::select! {
            _changed = select_all(watched.iter_mut().map(|mirror| mirror.changed().boxed())) => {}
            () = regrafted.notified() => {}
        }
    }
}

#[async_trait]
impl ConnectedApp for ComposedApp {
    fn application(&self) -> &Application {
        self.host.application()
    }

    fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    fn is_alive(&self) -> bool {
        self.host.is_alive()
    }

    fn reports_all_changes(&self) -> bool {
        self.host.reports_all_changes() && self.grafts().iter().all(|graft| graft.app.reports_all_changes())
    }

    fn on_agent_seat(&self) -> OnAgentSeat {
        self.host.on_agent_seat()
    }

    fn only_shows(&self, node: NodeId, action: &NodeAction) -> bool {
        self.home(node).only_shows(node, action)
    }

    fn is_part_of_click(&self, node: NodeId, action: &NodeAction) -> bool {
        self.home(node).is_part_of_click(node, action)
    }

    async fn refresh(&self, scope: Scope) -> Result<Arc<Tree>> {
        if let Some(root) = scope.root {
            let home = self.home(root);
            if !Arc::ptr_eq(&home, &self.host) {
                home.refresh(scope).await?;
                return Ok(self.composed());
            }
        }
        self.host.refresh(scope).await?;
        self.regraft(scope.root).await;
        self.refresh_grafts(scope).await;
        Ok(self.composed())
    }

    async fn reread(&self, nodes: &[NodeId], details: DetailKinds) -> Result<Arc<Tree>> {
        let shares = self.by_home(nodes);
        for result in join_all(shares.iter().map(|(app, share)| app.reread(share, details))).await {
            result?;
        }
        Ok(self.composed())
    }

    async fn window_of(&self, node: NodeId) -> Result<Option<Window>> {
        // The window is the one of the host that shows the carrier, wherever the element came from.
        let mut node = node;
        for graft in self.grafts().iter().rev() {
            if graft.app.mirror().snapshot().contains(node) {
                node = graft.carrier;
            }
        }
        self.host.window_of(node).await
    }

    async fn attributes(&self, node: NodeId) -> Result<BTreeMap<String, String>> {
        self.home(node).attributes(node).await
    }

    async fn links(&self, nodes: &[NodeId]) -> Result<HashMap<NodeId, Links>> {
        let mut links = HashMap::new();
        let shares = self.by_home(nodes);
        for result in join_all(shares.iter().map(|(app, share)| app.links(share))).await {
            links.extend(result?);
        }
        Ok(links)
    }

    async fn element_at(&self, point: Point, within: Option<WindowId>) -> Result<Option<NodeId>> {
        let Some(mut hit) = self.host.element_at(point, within).await? else { return Ok(None) };
        let below = self.host.mirror().snapshot();
        for graft in self.grafts() {
            // What the carrier shows itself is not seen while another tree is shown there.
            if hit == graft.carrier || below.ancestors(hit).any(|above| above.id == graft.carrier) {
                hit = graft.app.element_at(point, within).await?.unwrap_or(graft.carrier);
            }
        }
        Ok(Some(hit))
    }

    async fn selected_in(&self, container: NodeId) -> Result<Option<NodeId>> {
        self.home(container).selected_in(container).await
    }

    async fn read_text(&self, node: NodeId, start: u32, max_chars: u32) -> Result<String> {
        self.home(node).read_text(node, start, max_chars).await
    }

    async fn perform(&self, permit: &Permit, node: NodeId, action: &NodeAction) -> Result<Performed> {
        if !self.composed().contains(node) {
            return Err(self.stale());
        }
        self.home(node).perform(permit, node, action).await
    }

    fn input(&self, node: NodeId) -> Option<Arc<dyn ApplicationInput>> {
        self.home(node).input(node)
    }
}

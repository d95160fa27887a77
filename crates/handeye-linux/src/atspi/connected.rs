//! A connected application: its mirror, kept true by events and by reading again what they do not tell.

use super::book::{Book, Dirt, Loaded, derive_showing_below, shows};
use super::details::{forget, missing, read_details, read_raw_extents};
use super::events::{Event, EventKind};
use super::loader::{Plan, Visit, explore};
use super::object::ObjectKey;
use super::reading::{Bulk, MAX_LISTED_CHILDREN, read_children, read_object};
use super::toolkit::{Correction, Toolkit};
use super::virtual_children::VisiblePlaces;
use super::vocabulary::{state_from_name, states_from_words};
use super::wire::{CallError, Wire, burst};
use futures_util::FutureExt;
use handeye_core::{
    Abilities, Application, DetailKinds, Error, ErrorCode, Mirror, Node, NodeId, Result, Scope, Screen,
    States, Tree, Window,
};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long one refresh may take altogether. Single calls have shorter deadlines of their own.
const REFRESH_DEADLINE: Duration = Duration::from_secs(10);
/// How often a refresh starts over because events came while it read. After that the rest waits for the next one.
const MAX_ROUNDS: usize = 4;
/// How long the cache of an application may take to appear after the first client has asked for events.
const BULK_PATIENCE: Duration = Duration::from_millis(30);

/// A connected application. Shared by its users and by the task that delivers events.
pub struct ConnectedApplication {
    pub(super) application: Application,
    pub(super) toolkit: Toolkit,
    pub(super) wire: Wire,
    screen: Arc<dyn Screen>,
    pub(super) mirror: Mirror,
    book: Mutex<Book>,
    /// One load at a time; others wait for it and often need none of their own after it.
    loading: tokio::sync::Mutex<Option<Finished>>,
    alive: AtomicBool,
}

/// The last refresh that ended well.
#[derive(Debug, Clone, Copy)]
struct Finished {
    started: Instant,
    scope: Scope,
}

/// Ends a load in the book on every way out, a dropped future included.
struct LoadGuard<'a>(&'a Mutex<Book>);

impl Drop for LoadGuard<'_> {
    fn drop(&mut self) {
        lock(self.0).end_load();
    }
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ConnectedApplication {
    /// A connection that has loaded nothing yet.
    pub(super) fn new(
        application: Application,
        toolkit: Toolkit,
        wire: Wire,
        screen: Arc<dyn Screen>,
    ) -> Self {
        Self {
            application,
            toolkit,
            wire,
            screen,
            mirror: Mirror::new(),
            book: Mutex::default(),
            loading: tokio::sync::Mutex::default(),
            alive: AtomicBool::new(true),
        }
    }

    /// Whether the application is still there, as far as the bus has told.
    pub(super) fn alive(&self) -> bool {
        self.alive.load(Ordering::Relaxed)
    }

    /// Records that the application has left the bus.
    pub(super) fn mark_gone(&self) {
        self.alive.store(false, Ordering::Relaxed);
        self.mirror.note_events(1);
    }

    /// The error for a failed call.
    pub(super) fn error(&self, error: CallError) -> Error {
        if matches!(error, CallError::Gone) {
            self.mark_gone();
        }
        error.about(&self.application.name)
    }

    /// The object behind an element of the mirror.
    pub(super) fn key(&self, id: NodeId) -> Result<ObjectKey> {
        let known = self.mirror.snapshot().contains(id).then(|| lock(&self.book).key(id).cloned()).flatten();
        known.ok_or_else(|| self.error(CallError::NoSuchObject))
    }

    /// The element of an object, if it is in the mirror.
    pub(super) fn id(&self, key: &ObjectKey) -> Option<NodeId> {
        lock(&self.book).id(key).filter(|id| self.mirror.snapshot().contains(*id))
    }

    /// Number of calls sent to the application so far.
    pub fn calls(&self) -> u64 {
        self.wire.calls()
    }

    /// Applies one event to the mirror. Never waits and never asks the application anything.
    pub(super) fn apply(&self, event: &Event) {
        let mut book = lock(&self.book);
        let tree = self.mirror.snapshot();
        let id = book.id(&event.source).filter(|id| tree.contains(*id));
        drop(tree);
        // What a load reads meanwhile may be older than this event: have it read again.
        let is_loading = book.is_loading();
        match &event.kind {
            EventKind::Children | EventKind::Windows => book.mark(&event.source, Dirt::CHILDREN),
            EventKind::Role | EventKind::Description | EventKind::Name(None) => {
                book.mark(&event.source, Dirt::SELF)
            }
            EventKind::Selection => {
                let tree = self.mirror.snapshot();
                for child in id.into_iter().flat_map(|id| tree.children(id)) {
                    if let Some(key) = book.key(child.id).cloned() {
                        book.mark(&key, Dirt::SELF);
                    }
                }
            }
            EventKind::State { .. }
            | EventKind::Activation(_)
            | EventKind::Minimized(_)
            | EventKind::Name(Some(_))
                if is_loading =>
            {
                book.mark(&event.source, Dirt::SELF);
            }
            _ => {}
        }
        if let Some(id) = id {
            self.patch(&mut book, id, event);
        }
        drop(book);
        self.mirror.note_events(1);
    }

    /// Changes the element that an event is about, as far as the event itself says how.
    fn patch(&self, book: &mut Book, id: NodeId, event: &Event) {
        match &event.kind {
            EventKind::State { name, set } => {
                if let Some(state) = state_from_name(name) {
                    self.patch_state(book, id, &event.source, state, *set);
                }
            }
            EventKind::Activation(active) => {
                self.patch_state(book, id, &event.source, States::ACTIVE, *active)
            }
            EventKind::Minimized(minimized) => {
                self.patch_state(book, id, &event.source, States::ICONIFIED, *minimized)
            }
            EventKind::Name(Some(name)) => {
                self.mirror.update(|tree| {
                    tree.update(id, |node| {
                        node.name = self.toolkit.normalise_name(node.role, Arc::clone(name))
                    });
                });
            }
            EventKind::Text | EventKind::Value => {
                let kinds = DetailKinds::TEXT | DetailKinds::VALUE;
                self.mirror.update(|tree| tree.update(id, |node| forget(&mut node.details, kinds)));
            }
            EventKind::Children | EventKind::Windows | EventKind::Selection | EventKind::Name(None) => {}
            EventKind::Role | EventKind::Description => {}
        }
    }

    fn patch_state(&self, book: &mut Book, id: NodeId, source: &ObjectKey, state: States, set: bool) {
        let tree = self.mirror.snapshot();
        let Some(node) = tree.get(id) else { return };
        if state == States::DEFUNCT {
            if let Some(parent) = node.parent.and_then(|parent| book.key(parent).cloned()) {
                book.mark(&parent, Dirt::CHILDREN);
            }
            return;
        }
        if set && state.intersects(States::SHOWING | States::VISIBLE) && node.unloaded_children() > 0 {
            book.mark(source, Dirt::CHILDREN);
        }
        if set && state == States::FOCUSED {
            // Not every toolkit says who lost the focus.
            for other in tree.nodes().filter(|other| other.id != id && other.states.contains(States::FOCUSED))
            {
                if let Some(key) = book.key(other.id).cloned() {
                    book.mark(&key, Dirt::SELF);
                }
            }
        }
        if node.states.contains(state) == set && !self.toolkit.derives_showing() {
            return;
        }
        drop(tree);
        self.mirror.update(|tree| {
            tree.update(id, |node| node.states.set(state, set));
            if self.toolkit.derives_showing() && state.intersects(States::VISIBLE | States::SHOWING) {
                let parent_showing = shows(tree, tree.get(id).and_then(|node| node.parent));
                tree.update(id, |node| {
                    node.states = self.toolkit.normalise_states(node.states, parent_showing)
                });
                derive_showing_below(tree, self.toolkit, id);
            }
        });
    }

    /// Makes the mirror true for `scope`; see [`ConnectedApp::refresh`](handeye_core::ConnectedApp::refresh).
    pub(super) async fn refresh_scope(&self, scope: Scope) -> Result<Arc<Tree>> {
        let asked = Instant::now();
        let work = async {
            let mut last = self.loading.lock().await;
            // Somebody else's refresh that began after we asked has done our work too.
            if last.is_some_and(|last| last.started >= asked && last.scope == scope) {
                return Ok(());
            }
            let started = Instant::now();
            self.load_what_changed(scope).await?;
            self.read_scope_details(scope).await?;
            *last = Some(Finished { started, scope });
            Ok(())
        };
        match tokio::time::timeout(REFRESH_DEADLINE, work).await {
            Ok(Ok(())) => Ok(self.mirror.snapshot()),
            Ok(Err(error)) => Err(self.error(error)),
            Err(_) => Err(self.error(CallError::NotResponding)),
        }
    }

    async fn load_what_changed(&self, scope: Scope) -> Result<(), CallError> {
        if self.mirror.snapshot().is_empty() {
            self.load_all(scope.hidden).await?;
        } else if !self.toolkit.trust().structure || !self.toolkit.trust().properties {
            self.revalidate(scope).await?;
        }
        for _ in 0..MAX_ROUNDS {
            let (dirty, everything) = lock(&self.book).take_dirty(&self.mirror.snapshot());
            if everything {
                self.revalidate(Scope { root: None, ..scope }).await?;
            }
            if dirty.is_empty() {
                break;
            }
            self.reload(dirty, scope.hidden).await?;
        }
        if scope.hidden {
            self.load_hidden(scope).await?;
        }
        self.load_visible_parts(scope).await
    }

    /// Loads the whole application: in one call where it offers that, and by walking what that call left out.
    async fn load_all(&self, hidden: bool) -> Result<(), CallError> {
        let bulk = if self.toolkit.has_bulk_load() { self.load_bulk().await? } else { Bulk::default() };
        tracing::debug!(application = %self.application.name, items = bulk.len(), direct = self.wire.is_direct(), "bulk load");
        let root = Visit { key: ObjectKey::root(self.wire.name()), parent: None, depth: 0, forced: true };
        self.explore_and_graft(vec![root], &bulk, &HashSet::new(), hidden).await
    }

    /// The bridge offers its cache a moment after somebody has asked for events.
    async fn load_bulk(&self) -> Result<Bulk, CallError> {
        let begun = Instant::now();
        loop {
            if let Some(bulk) = Bulk::load(&self.wire).await? {
                return Ok(bulk);
            }
            if begun.elapsed() > BULK_PATIENCE {
                return Ok(Bulk::default());
            }
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
    }

    async fn explore_and_graft(
        &self,
        starts: Vec<Visit>,
        bulk: &Bulk,
        known: &HashSet<ObjectKey>,
        hidden: bool,
    ) -> Result<(), CallError> {
        lock(&self.book).begin_load();
        let guard = LoadGuard(&self.book);
        let plan = Plan { toolkit: self.toolkit, hidden };
        let loaded = explore(&self.wire, plan, starts, bulk, known).await?;
        self.graft(loaded);
        drop(guard);
        Ok(())
    }

    fn graft(&self, loaded: Vec<Loaded>) {
        let mut book = lock(&self.book);
        self.mirror.update(|tree| book.graft(tree, self.toolkit, loaded));
    }

    /// Reads again what events have named.
    async fn reload(&self, dirty: Vec<(ObjectKey, NodeId, Dirt)>, hidden: bool) -> Result<(), CallError> {
        let tree = self.mirror.snapshot();
        let (structure, selves): (Vec<_>, Vec<_>) =
            dirty.into_iter().partition(|(_, _, dirt)| dirt.contains(Dirt::CHILDREN));
        let restarted: HashSet<NodeId> = structure.iter().map(|(_, id, _)| *id).collect();
        self.reread_selves(selves.into_iter().map(|(key, id, _)| (key, id)).collect()).await?;
        if structure.is_empty() {
            return Ok(());
        }
        let (starts, known) = {
            let book = lock(&self.book);
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
                    !restarted.contains(&node.id)
                        && !(node.is_showing() && node.children.is_empty() && node.child_count > 0)
                })
                .filter_map(|node| book.key(node.id).cloned())
                .collect();
            (starts, known)
        };
        self.explore_and_graft(starts, &Bulk::default(), &known, hidden).await
    }

    /// Reads role, name, states and number of children of elements that are in the mirror.
    async fn reread_selves(&self, elements: Vec<(ObjectKey, NodeId)>) -> Result<(), CallError> {
        if elements.is_empty() {
            return Ok(());
        }
        lock(&self.book).begin_load();
        let guard = LoadGuard(&self.book);
        let calls = elements.iter().map(|(key, _)| read_object(&self.wire, key).boxed()).collect();
        let readings = burst(calls).await?;
        let mut book = lock(&self.book);
        let tree = self.mirror.snapshot();
        self.mirror.update(|mirrored| {
            for ((key, id), reading) in elements.into_iter().zip(readings) {
                let Some(old) = tree.get(id) else { continue };
                match reading {
                    Ok(reading) => {
                        let became_visible = !old.is_showing() && reading.states.contains(States::SHOWING);
                        if reading.child_count != old.child_count
                            || (became_visible && old.unloaded_children() > 0)
                        {
                            book.mark(&key, Dirt::CHILDREN);
                        }
                        Book::apply_reading(mirrored, self.toolkit, id, reading);
                    }
                    Err(_) => {
                        if let Some(parent) = old.parent.and_then(|parent| book.key(parent).cloned()) {
                            book.mark(&parent, Dirt::CHILDREN);
                        }
                    }
                }
            }
        });
        drop(book);
        drop(guard);
        Ok(())
    }

    /// Reads again, in one burst, everything that could have changed unseen in `scope`: names, states and children of what is showing, and
    /// the states of its hidden siblings.
    async fn revalidate(&self, scope: Scope) -> Result<(), CallError> {
        let tree = self.mirror.snapshot();
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Ok(());
        };
        let candidates: Vec<(ObjectKey, Arc<Node>)> = {
            let book = lock(&self.book);
            tree.descendants(start)
                .filter(|node| scope.hidden || node.is_showing() || shows(&tree, node.parent))
                .filter_map(|node| Some((book.key(node.id)?.clone(), Arc::clone(node))))
                .collect()
        };
        lock(&self.book).begin_load();
        let guard = LoadGuard(&self.book);
        let calls = candidates.iter().map(|(key, node)| self.check(key, node).boxed()).collect();
        let checks = burst(calls).await?;
        let mut book = lock(&self.book);
        self.mirror.update(|mirrored| {
            for ((key, node), check) in candidates.into_iter().zip(checks) {
                match check {
                    Ok(check) => {
                        let parent_showing = shows(mirrored, node.parent);
                        let kept = node.states & States::PROTECTED;
                        let states = self.toolkit.normalise_states(check.states, parent_showing) | kept;
                        let began_to_show = states.contains(States::SHOWING)
                            && node.children.is_empty()
                            && node.child_count > 0;
                        if check.children_differ || began_to_show {
                            book.mark(&key, Dirt::CHILDREN);
                        }
                        if states != node.states || check.name.as_ref().is_some_and(|name| *name != node.name)
                        {
                            mirrored.update(node.id, |node| {
                                node.states = states;
                                if let Some(name) = check.name {
                                    node.name = name;
                                }
                            });
                        }
                    }
                    Err(_) => {
                        if let Some(parent) = node.parent.and_then(|parent| book.key(parent).cloned()) {
                            book.mark(&parent, Dirt::CHILDREN);
                        }
                    }
                }
            }
        });
        drop(book);
        drop(guard);
        Ok(())
    }

    /// What can have changed about one element, in the fewest calls.
    async fn check(&self, key: &ObjectKey, node: &Node) -> Result<Check, CallError> {
        let states = async { self.wire.call::<_, Vec<u32>>(key, "Accessible", "GetState", &()).await };
        let name = async {
            match self.wire.property::<String>(key, "Accessible", "Name").await {
                Err(error) if error.is_fatal() => Err(error),
                name => Ok(name
                    .ok()
                    .map(|name| self.toolkit.normalise_name(node.role, super::reading::bounded(&name)))),
            }
        };
        let children = async {
            if node.children.is_empty() || node.child_count > MAX_LISTED_CHILDREN {
                let count = self.wire.property::<i32>(key, "Accessible", "ChildCount").await?;
                return Ok::<_, CallError>(u32::try_from(count).unwrap_or(0) != node.child_count);
            }
            let children = read_children(&self.wire, key).await?;
            let book = lock(&self.book);
            Ok(children.len() != node.children.len()
                || children.iter().zip(&node.children).any(|(child, known)| book.key(*known) != Some(child)))
        };
        let (states, name, children_differ) = futures_util::future::join3(states, name, children).await;
        Ok(Check { states: states_from_words(&states?), name: name?, children_differ: children_differ? })
    }

    /// Descends into what was left out because it was not showing.
    async fn load_hidden(&self, scope: Scope) -> Result<(), CallError> {
        let tree = self.mirror.snapshot();
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Ok(());
        };
        let unexplored: Vec<(ObjectKey, NodeId, Dirt)> = {
            let book = lock(&self.book);
            tree.descendants(start)
                .filter(|node| {
                    node.children.is_empty()
                        && node.child_count > 0
                        && node.child_count <= MAX_LISTED_CHILDREN
                })
                .filter_map(|node| Some((book.key(node.id)?.clone(), node.id, Dirt::CHILDREN)))
                .collect()
        };
        if unexplored.is_empty() {
            return Ok(());
        }
        self.reload(unexplored, true).await
    }

    async fn load_visible_parts(&self, scope: Scope) -> Result<(), CallError> {
        let tree = self.mirror.snapshot();
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Ok(());
        };
        let containers: Vec<Arc<Node>> = tree
            .descendants(start)
            .filter(|node| node.child_count > MAX_LISTED_CHILDREN && node.is_showing())
            .take(8)
            .cloned()
            .collect();
        for container in containers {
            self.load_visible_children(&container).await?;
        }
        Ok(())
    }

    async fn load_visible_children(&self, container: &Node) -> Result<(), CallError> {
        let Some(key) = lock(&self.book).key(container.id).cloned() else { return Ok(()) };
        let places = VisiblePlaces::probe(&self.wire, &key, container).await?;
        if lock(&self.book).has_places(&self.mirror.snapshot(), container.id, places.indexes()) {
            return Ok(());
        }
        let visible = places.objects(&self.wire, &key).await?;
        let readings =
            burst(visible.iter().map(|(_, child)| read_object(&self.wire, child).boxed()).collect()).await?;
        let mut book = lock(&self.book);
        self.mirror.update(|tree| book.graft_virtual(tree, self.toolkit, container.id, visible, readings));
        Ok(())
    }

    async fn read_scope_details(&self, scope: Scope) -> Result<(), CallError> {
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
        self.read_details_of(&nodes, scope.details, self.toolkit.trust().values).await
    }

    /// Reads those details of `nodes` that are not known or cannot be trusted.
    async fn read_details_of(
        &self,
        nodes: &[NodeId],
        wanted: DetailKinds,
        values_trusted: bool,
    ) -> Result<(), CallError> {
        let tree = self.mirror.snapshot();
        let work: Vec<(ObjectKey, Arc<Node>, DetailKinds)> = {
            let book = lock(&self.book);
            nodes
                .iter()
                .filter_map(|id| tree.get(*id))
                .map(|node| (node, missing(node, wanted, values_trusted)))
                .filter(|(_, kinds)| !kinds.is_empty())
                .filter_map(|(node, kinds)| Some((book.key(node.id)?.clone(), Arc::clone(node), kinds)))
                .collect()
        };
        if work.is_empty() {
            return Ok(());
        }
        let needs_extents = work.iter().any(|(_, _, kinds)| kinds.contains(DetailKinds::EXTENTS));
        let corrections = if needs_extents { self.corrections(&tree).await? } else { HashMap::new() };
        let calls = work
            .iter()
            .map(|(key, node, kinds)| {
                let correction = Self::nearest(&corrections, &tree, node.id);
                read_details(&self.wire, key, node, *kinds, self.toolkit, correction).boxed()
            })
            .collect();
        let results = burst(calls).await?;
        self.mirror.update(|tree| {
            for ((_, before, _), details) in work.into_iter().zip(results) {
                let Ok(details) = details else { continue };
                tree.update(before.id, |node| {
                    // An event that came meanwhile has made its detail unknown: that is the news, not what was read.
                    let overtaken = node.details != before.details;
                    if !overtaken {
                        node.details = details;
                    }
                });
            }
        });
        Ok(())
    }

    /// Reads elements anew; see [`ConnectedApp::reread`](handeye_core::ConnectedApp::reread).
    pub(super) async fn reread_nodes(&self, nodes: &[NodeId], details: DetailKinds) -> Result<Arc<Tree>> {
        let work = async {
            let elements: Vec<(ObjectKey, NodeId)> = {
                let book = lock(&self.book);
                nodes.iter().filter_map(|id| Some((book.key(*id)?.clone(), *id))).collect()
            };
            self.reread_selves(elements).await?;
            let (dirty, _) = lock(&self.book).take_dirty(&self.mirror.snapshot());
            if !dirty.is_empty() {
                self.reload(dirty, false).await?;
            }
            self.read_details_of(nodes, details, false).await
        };
        match tokio::time::timeout(REFRESH_DEADLINE, work).await {
            Ok(Ok(())) => Ok(self.mirror.snapshot()),
            Ok(Err(error)) => Err(self.error(error)),
            Err(_) => Err(self.error(CallError::NotResponding)),
        }
    }

    /// The windows of the display server that belong to this application. Empty where there is no display.
    async fn own_windows(&self) -> Vec<Window> {
        let Ok(windows) = self.screen.windows().await else { return Vec::new() };
        windows
            .into_iter()
            .filter(|window| window.pid.is_some() && window.pid == self.application.pid)
            .collect()
    }

    /// The display server's window for a window of the tree: the same title, else the nearest size.
    fn match_window<'a>(
        node: &Node,
        reported: Option<handeye_core::Rect>,
        windows: &'a [Window],
    ) -> Option<&'a Window> {
        let titled: Vec<&Window> = windows.iter().filter(|window| *window.title == *node.name).collect();
        let candidates = if titled.is_empty() { windows.iter().collect() } else { titled };
        let difference = |window: &Window| {
            reported.map_or(0, |reported| {
                let size = window.content.width.abs_diff(reported.width)
                    + window.content.height.abs_diff(reported.height);
                let place =
                    window.content.x.abs_diff(reported.x) / 8 + window.content.y.abs_diff(reported.y) / 8;
                u64::from(size) + u64::from(place)
            })
        };
        candidates.into_iter().min_by_key(|window| difference(window))
    }

    /// The window of the display server that shows the window element `node`.
    pub(super) async fn window_for(&self, node: &Node) -> Result<Option<Window>, CallError> {
        let windows = self.own_windows().await;
        let Some(key) = lock(&self.book).key(node.id).cloned() else { return Ok(None) };
        let reported = if windows.len() > 1 { read_raw_extents(&self.wire, &key).await? } else { None };
        Ok(Self::match_window(node, reported, &windows).cloned())
    }

    /// How extents have to be moved: for each window, and for parts of it that have an origin of their own.
    async fn corrections(&self, tree: &Tree) -> Result<HashMap<NodeId, Correction>, CallError> {
        let windows = self.own_windows().await;
        let mut corrections = HashMap::new();
        for node in
            tree.windows().filter(|node| node.is_showing() && node.abilities.contains(Abilities::COMPONENT))
        {
            let Some(reported) = self.raw_extents(node.id).await? else { continue };
            let Some(window) = Self::match_window(node, Some(reported), &windows) else { continue };
            let correction = Correction::for_window(self.toolkit, window.content, reported);
            corrections.insert(node.id, correction);
            if self.toolkit == Toolkit::LibreOffice {
                self.correct_root_panes(tree, node.id, correction, &mut corrections).await?;
            }
        }
        Ok(corrections)
    }

    /// LibreOffice places what it draws itself as if there were no menu bar above it: the pane that holds it lies elsewhere
    /// than the GTK widget around the pane, which is right.
    async fn correct_root_panes(
        &self,
        tree: &Tree,
        window: NodeId,
        correction: Correction,
        corrections: &mut HashMap<NodeId, Correction>,
    ) -> Result<(), CallError> {
        for pane in tree.descendants(window).filter(|node| &*node.native_role == "root pane").take(16) {
            let Some(around) = pane.parent else { continue };
            if let (Some(inner), Some(outer)) =
                (self.raw_extents(pane.id).await?, self.raw_extents(around).await?)
            {
                corrections.insert(pane.id, correction.shifted(outer.x - inner.x, outer.y - inner.y));
            }
        }
        Ok(())
    }

    async fn raw_extents(&self, id: NodeId) -> Result<Option<handeye_core::Rect>, CallError> {
        let key = lock(&self.book).key(id).cloned();
        match key {
            Some(key) => read_raw_extents(&self.wire, &key).await,
            None => Ok(None),
        }
    }

    /// The correction that holds for `node`: that of its nearest ancestor which has one.
    fn nearest(corrections: &HashMap<NodeId, Correction>, tree: &Tree, node: NodeId) -> Correction {
        corrections
            .get(&node)
            .or_else(|| tree.ancestors(node).find_map(|ancestor| corrections.get(&ancestor.id)))
            .copied()
            .unwrap_or(Correction::NONE)
    }

    /// The correction for the window that holds `node`.
    pub(super) async fn correction_for(&self, tree: &Tree, node: NodeId) -> Result<Correction, CallError> {
        Ok(Self::nearest(&self.corrections(tree).await?, tree, node))
    }

    /// The error for an element that cannot do what was asked.
    pub(super) fn cannot(node: &Node, what: &str) -> Error {
        Error::new(ErrorCode::NotSupported, format!("{} \"{}\" {what}", node.role, node.label()))
    }
}

/// What can have changed unseen about an element.
struct Check {
    states: States,
    name: Option<Arc<str>>,
    children_differ: bool,
}

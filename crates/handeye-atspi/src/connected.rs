//! A connected application: its mirror, kept true by events and by reading again what they do not announce.

use super::arrangement::Arrangement;
use super::book::Book;
use super::bulk::Bulk;
use super::call_error::CallError;
use super::correction::Correction;
use super::filling_in::FillingIn;
use super::object::{ObjectKey, ObjectMap};
use super::owners::Owners;
use super::rooms::Rooms;
use super::toolkit::Toolkit;
use super::true_read::{Begun, Stillness};
use super::view::Views;
use super::wire::Wire;
use handeye_core::{Application, Error, ErrorCode, Mirror, Node, NodeId, Result, Rules, Scope, Screen};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A connected application. Shared by its users and by the task that delivers events.
pub struct ConnectedApplication {
    pub(super) application: Application,
    pub(super) toolkit: Toolkit,
    pub(super) wire: Wire,
    pub(super) screen: Arc<dyn Screen>,
    pub(super) mirror: Mirror,
    pub(super) owners: Owners,
    book: Mutex<Book>,
    /// One load at a time; others wait for it and often need none of their own after it.
    pub(super) loading: tokio::sync::Mutex<Option<Finished>>,
    /// What elements may still lack that have come.
    filling_in: Mutex<FillingIn>,
    /// When the whole application had been loaded, and by which read, until that was made use of.
    loaded: Mutex<Option<(Instant, Begun)>>,
    /// What the last bulk load had, each with the parent that it reported.
    in_bulk: Mutex<Arc<ObjectMap<Option<ObjectKey>>>>,
    /// Whether containers show one of several pages, where that is known.
    stacks: Mutex<HashMap<NodeId, bool>>,
    /// Which elements take up room.
    rooms: Mutex<Rooms>,
    /// What of long lists is in view.
    views: Mutex<Views>,
    /// What showed in containers when they were put in order.
    arranged: Mutex<HashMap<NodeId, Arrangement>>,
    /// Corrections of windows whose corrections last.
    pub(super) corrections: Mutex<HashMap<NodeId, Correction>>,
    pub(super) stillness: Stillness,
    alive: AtomicBool,
    /// Wakes when somebody asks for a look.
    pub(super) looks: watch::Sender<()>,
    /// Itself, for what goes on when nobody waits.
    pub(super) me: Weak<Self>,
}

/// The last refresh that ended well.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finished {
    pub(super) started: Instant,
    pub(super) scope: Scope,
}

/// A load on its way. Ends it in the book on every way out, a dropped future included.
pub(super) struct Load<'a>(&'a ConnectedApplication);

impl Drop for Load<'_> {
    fn drop(&mut self) {
        self.0.book().end_load();
    }
}

impl ConnectedApplication {
    /// A connection that has loaded nothing yet; `me` is where it will be.
    pub(super) fn new(
        me: &Weak<Self>,
        application: Application,
        toolkit: Toolkit,
        wire: Wire,
        screen: Arc<dyn Screen>,
        rules: Arc<dyn Rules>,
        stillness: Stillness,
    ) -> Self {
        Self {
            application,
            toolkit,
            wire,
            screen,
            mirror: Mirror::new(),
            owners: Owners::new(rules),
            book: Mutex::default(),
            loading: tokio::sync::Mutex::default(),
            filling_in: Mutex::default(),
            loaded: Mutex::default(),
            in_bulk: Mutex::default(),
            stacks: Mutex::default(),
            rooms: Mutex::default(),
            views: Mutex::default(),
            arranged: Mutex::default(),
            corrections: Mutex::default(),
            stillness,
            alive: AtomicBool::new(true),
            looks: watch::Sender::new(()),
            me: Weak::clone(me),
        }
    }

    /// What an object is made with: the application's own, or what another process shows there.
    pub(super) fn toolkit_of(&self, key: &ObjectKey) -> Toolkit {
        if key.bus == *self.wire.name() { self.toolkit } else { self.owners.toolkit(&key.bus) }
    }

    /// Which element is which object. Held for moments only, never across an await.
    pub(super) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What elements may still lack that have come. Held for moments only, never across an await.
    pub(super) fn filling_in(&self) -> MutexGuard<'_, FillingIn> {
        self.filling_in.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that elements have come.
    pub(super) fn note_growth(&self) {
        if self.toolkit.fills_in_later() {
            self.filling_in().note_growth(Instant::now());
        }
    }

    /// Whether elements may still lack what their application fills in later.
    pub(super) fn is_filling_in(&self) -> bool {
        self.filling_in().is_pending()
    }

    /// Records that the whole application was loaded, by the read that began so.
    pub(super) fn note_loaded(&self, begun: Begun) {
        *self.loaded.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), begun));
    }

    /// The read that has loaded the whole application, if that ended less than `freshness` ago.
    pub(super) fn fresh_load(&self, freshness: Duration) -> Option<Begun> {
        let loaded = *self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.filter(|(ended, _)| ended.elapsed() < freshness).map(|(_, begun)| begun)
    }

    /// The same. Given once: connecting loads, and the look for which one connected comes right after it.
    pub(super) fn take_load(&self, freshness: Duration) -> Option<Begun> {
        let fresh = self.fresh_load(freshness);
        *self.loaded.lock().unwrap_or_else(PoisonError::into_inner) = None;
        fresh
    }

    /// Records what a bulk load had.
    pub(super) fn note_bulk(&self, bulk: &Bulk) {
        let parents = Arc::new(bulk.parents().map(|(key, parent)| (key.clone(), parent.cloned())).collect());
        *self.in_bulk.lock().unwrap_or_else(PoisonError::into_inner) = parents;
    }

    /// What the last bulk load had, each with its parent: what the next one will have, as far as it is still there.
    pub(super) fn in_bulk(&self) -> Arc<ObjectMap<Option<ObjectKey>>> {
        Arc::clone(&self.in_bulk.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What showed in containers when they were put in order. Held for moments only, never across an await.
    pub(super) fn arranged(&self) -> MutexGuard<'_, HashMap<NodeId, Arrangement>> {
        self.arranged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether containers show one of several pages, where that is known. Held for moments only, never across an await.
    pub(super) fn stacks(&self) -> MutexGuard<'_, HashMap<NodeId, bool>> {
        self.stacks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which elements take up room, as far as that is known. Held for moments only, never across an await.
    pub(super) fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What of long lists is in view, where the toolkit reports that all of it shows. Held for moments only, never across an await.
    pub(super) fn views(&self) -> MutexGuard<'_, Views> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a load: until the result is dropped, what events say is read again even where they say it all.
    pub(super) fn begin_load(&self) -> Load<'_> {
        self.book().begin_load();
        Load(self)
    }

    /// Whether the application is still there, as far as the bus has announced.
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
        let known = self.mirror.snapshot().contains(id).then(|| self.book().key(id).cloned()).flatten();
        known.ok_or_else(|| self.error(CallError::NoSuchObject))
    }

    /// The element of an object, if it is in the mirror.
    pub(super) fn id(&self, key: &ObjectKey) -> Option<NodeId> {
        self.book().id(key).filter(|id| self.mirror.snapshot().contains(*id))
    }

    /// Number of calls sent to the application so far.
    pub fn calls(&self) -> u64 {
        self.wire.calls()
    }

    /// The error for an element that cannot do what was asked.
    pub(super) fn cannot(node: &Node, what: &str) -> Error {
        Error::new(ErrorCode::NotSupported, format!("{} \"{}\" {what}", node.role, node.label()))
    }
}

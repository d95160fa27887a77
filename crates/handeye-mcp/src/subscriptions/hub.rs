//! The hub: which resources are watched, and which clients are notified of each.

use super::outbox::{Change, Outbox, Topic};
use super::sink::Sink;
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use handeye_core::{Error, ErrorCode, Result, SecurityMode};
use handeye_resources::watch::Watcher;
use handeye_resources::{Address, Resources};
use rmcp::model::InitializeRequestParams;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// Most resources that one client subscribes to.
pub(super) const MOST_OF_A_CLIENT: usize = 256;
/// Most resources that are watched.
const MOST_WATCHED: usize = 1_024;
/// Most clients.
const MOST_CLIENTS: usize = 256;
/// How often it is checked whether a client without pending notifications is still there: its session does not say when it ends.
const CHECK: Duration = Duration::from_secs(1);

/// A client of the hub.
pub(super) type ClientId = u64;

/// By what a client is known again.
#[derive(Clone)]
pub(super) enum Who {
    /// What it declared in the handshake, which its session keeps in one place for as long as it lasts.
    Session(Arc<InitializeRequestParams>),
    /// One request that listens; nothing else is known of it.
    Listener,
}

/// Waits for a content to change.
#[async_trait]
pub(super) trait Watch: Send {
    /// Waits until it is another one.
    async fn changed(&mut self);
}

#[async_trait]
impl Watch for Watcher {
    async fn changed(&mut self) {
        Watcher::changed(self).await;
    }
}

/// Begins to watch a resource; the flag says whether its application may still come.
type Begin = Box<dyn Fn(Address, bool) -> BoxFuture<'static, Result<Box<dyn Watch>>> + Send + Sync>;

/// Which clients are notified of what.
pub(crate) struct Hub {
    me: Weak<Self>,
    begin: Begin,
    modes: watch::Receiver<SecurityMode>,
    state: Mutex<Subscriptions>,
}

/// The clients, what they subscribe to, and what is watched for them.
#[derive(Default)]
struct Subscriptions {
    last_client: ClientId,
    clients: HashMap<ClientId, Client>,
    watched: HashMap<Address, Watched>,
    /// Announces that there are other tools, since the first client came.
    mode_watch: Option<AbortOnDropHandle<()>>,
}

struct Client {
    who: Who,
    outbox: Arc<Outbox>,
    topics: BTreeSet<Topic>,
    /// What it subscribes to, as it wrote it.
    uris: BTreeMap<String, Address>,
    _delivery: AbortOnDropHandle<()>,
}

/// A resource that is watched. The one whose changes make another list of resources has a follower without a URI.
struct Watched {
    followers: BTreeSet<ClientId>,
    _watch: AbortOnDropHandle<()>,
}

impl Hub {
    /// A hub for these resources, and for lists that depend on the mode.
    pub(crate) fn new(resources: Resources, modes: watch::Receiver<SecurityMode>) -> Arc<Self> {
        let begin: Begin = Box::new(move |address, may_come| {
            let resources = resources.clone();
            Box::pin(async move {
                let watcher = resources.watch(&address, may_come).await?;
                Ok(Box::new(watcher) as Box<dyn Watch>)
            })
        });
        Self::with(begin, modes)
    }

    fn with(begin: Begin, modes: watch::Receiver<SecurityMode>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self { me: me.clone(), begin, modes, state: Mutex::default() })
    }

    /// How many subscriptions there are, over all clients: those of one caller, as each has a hub.
    pub(crate) fn subscriptions(&self) -> usize {
        self.state().clients.values().map(|client| client.uris.len()).sum()
    }

    /// The client that is known by this.
    pub(super) fn known(&self, who: &Who) -> Option<ClientId> {
        let Who::Session(session) = who else { return None };
        self.state().clients.iter().find_map(|(id, client)| match &client.who {
            Who::Session(known) if Arc::ptr_eq(known, session) => Some(*id),
            _ => None,
        })
    }

    /// Takes up a client, or knows it again.
    pub(super) fn welcome(&self, who: Who, sink: Arc<dyn Sink>) -> Result<ClientId> {
        if let Some(known) = self.known(&who) {
            return Ok(known);
        }
        let mut state = self.state();
        let (me, modes) = (self.me.clone(), self.modes.clone());
        state.mode_watch.get_or_insert_with(|| AbortOnDropHandle::new(tokio::spawn(follow_modes(me, modes))));
        if state.clients.len() >= MOST_CLIENTS {
            return Err(too_many(&format!("{MOST_CLIENTS} clients subscribe already")));
        }
        state.last_client += 1;
        let id = state.last_client;
        let outbox = Arc::new(Outbox::default());
        let delivery = tokio::spawn(deliver(self.me.clone(), id, sink, Arc::clone(&outbox)));
        let client = Client {
            who,
            outbox,
            topics: BTreeSet::new(),
            uris: BTreeMap::new(),
            _delivery: AbortOnDropHandle::new(delivery),
        };
        state.clients.insert(id, client);
        Ok(id)
    }

    /// Forgets a client, and what is watched for no other client.
    pub(super) fn dismiss(&self, id: ClientId) {
        let mut state = self.state();
        let gone = state.clients.remove(&id);
        let ended = state.let_go(id, |_| true);
        drop(state);
        // Ended without the lock: what is dropped here may wait for it.
        drop((gone, ended));
    }

    /// Has a client notified when a resource changes, and returns once it is watched.
    pub(super) async fn subscribe(
        &self,
        id: ClientId,
        uri: &str,
        address: Address,
        may_come: bool,
    ) -> Result<()> {
        let address = address.canonical();
        {
            let mut state = self.state();
            let client = state.clients.get_mut(&id).ok_or_else(has_left)?;
            if client.uris.contains_key(uri) {
                return Ok(());
            }
            if client.uris.len() >= MOST_OF_A_CLIENT {
                return Err(too_many(&format!("this client has {MOST_OF_A_CLIENT} subscriptions")));
            }
            client.uris.insert(uri.to_owned(), address.clone());
        }
        let watched = self.watch(id, &address, may_come).await;
        if watched.is_err() {
            self.unsubscribe(id, uri);
        }
        watched
    }

    /// Ends a subscription.
    pub(super) fn unsubscribe(&self, id: ClientId, uri: &str) {
        let mut state = self.state();
        let Some(client) = state.clients.get_mut(&id) else { return };
        let Some(address) = client.uris.remove(uri) else { return };
        client.outbox.forget(uri);
        let still_wanted = client.wants(&address);
        let ended = if still_wanted { Vec::new() } else { state.let_go(id, |known| *known == address) };
        drop(state);
        drop(ended);
    }

    /// Has a client notified when a list changes.
    pub(super) async fn follow(&self, id: ClientId, topic: Topic) -> Result<()> {
        let is_new = self.state().clients.get_mut(&id).ok_or_else(has_left)?.topics.insert(topic);
        if is_new && Topic::OF_APPLICATIONS.contains(&topic) {
            self.watch(id, &Address::Apps, true).await
        } else {
            Ok(())
        }
    }

    /// Has a resource watched, for this client too.
    async fn watch(&self, id: ClientId, address: &Address, may_come: bool) -> Result<()> {
        if self.state().join(id, address)? {
            return Ok(());
        }
        let watch = (self.begin)(address.clone(), may_come).await?;
        let mut state = self.state();
        if state.join(id, address)? {
            // Another task has begun meanwhile.
            return Ok(());
        }
        if !state.clients.contains_key(&id) {
            return Err(has_left());
        }
        let watching = tokio::spawn(keep_watching(self.me.clone(), address.clone(), watch));
        let watched = Watched { followers: BTreeSet::from([id]), _watch: AbortOnDropHandle::new(watching) };
        state.watched.insert(address.clone(), watched);
        Ok(())
    }

    /// Notifies all subscribers that a resource has changed.
    fn announce(&self, address: &Address) {
        let state = self.state();
        let Some(watched) = state.watched.get(address) else { return };
        for client in watched.followers.iter().filter_map(|id| state.clients.get(id)) {
            client.note(address);
        }
    }

    /// Notifies the clients that follow a list that it is another one: of all lists, as each has only what its tools have.
    fn announce_lists(&self) {
        for client in self.state().clients.values() {
            client.topics.iter().for_each(|topic| client.outbox.put(Change::List(*topic)));
        }
    }

    /// A poisoned lock is taken over: every change under it is complete or not begun.
    fn state(&self) -> MutexGuard<'_, Subscriptions> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscriptions {
    /// Adds a follower to a resource that is watched already; `false` if it is not.
    fn join(&mut self, id: ClientId, address: &Address) -> Result<bool> {
        if let Some(watched) = self.watched.get_mut(address) {
            watched.followers.insert(id);
            return Ok(true);
        }
        if self.watched.len() >= MOST_WATCHED {
            return Err(too_many(&format!("{MOST_WATCHED} resources are watched already")));
        }
        Ok(false)
    }

    /// Takes a follower from the resources that are `meant`, and takes out those that no client follows any more.
    fn let_go(&mut self, id: ClientId, meant: impl Fn(&Address) -> bool) -> Vec<Watched> {
        let left: Vec<Address> = self
            .watched
            .iter_mut()
            .filter(|(address, _)| meant(address))
            .filter_map(|(address, watched)| {
                watched.followers.remove(&id);
                watched.followers.is_empty().then(|| address.clone())
            })
            .collect();
        left.iter().filter_map(|address| self.watched.remove(address)).collect()
    }
}

impl Client {
    fn wants(&self, address: &Address) -> bool {
        self.uris.values().any(|known| known == address)
            || (*address == Address::Apps
                && Topic::OF_APPLICATIONS.iter().any(|topic| self.topics.contains(topic)))
    }

    /// Adds a change of a resource to the outboxes of its subscribers.
    fn note(&self, address: &Address) {
        if *address == Address::Apps {
            let followed = Topic::OF_APPLICATIONS.into_iter().filter(|topic| self.topics.contains(topic));
            followed.for_each(|topic| self.outbox.put(Change::List(topic)));
        }
        for (uri, _) in self.uris.iter().filter(|(_, known)| *known == address) {
            self.outbox.put(Change::Resource(uri.clone()));
        }
    }
}

/// Sends one client its notifications, for as long as it is there. A client that does not read waits for itself alone.
async fn deliver(hub: Weak<Hub>, id: ClientId, sink: Arc<dyn Sink>, outbox: Arc<Outbox>) {
    loop {
        let Ok(change) = timeout(CHECK, outbox.next()).await else {
            if sink.is_closed() {
                break;
            }
            continue;
        };
        if sink.notify(change).await.is_err() {
            break;
        }
    }
    if let Some(hub) = hub.upgrade() {
        hub.dismiss(id);
    }
}

/// Announces that there are other tools whenever the mode becomes another one.
async fn follow_modes(hub: Weak<Hub>, mut modes: watch::Receiver<SecurityMode>) {
    while modes.changed().await.is_ok() {
        let Some(hub) = hub.upgrade() else { return };
        hub.announce_lists();
    }
}

/// Announces the changes of one resource until it is dropped.
async fn keep_watching(hub: Weak<Hub>, address: Address, mut watch: Box<dyn Watch>) {
    loop {
        watch.changed().await;
        let Some(hub) = hub.upgrade() else { return };
        hub.announce(&address);
    }
}

fn has_left() -> Error {
    Error::new(ErrorCode::Cancelled, "the client has disconnected")
}

fn too_many(why: &str) -> Error {
    Error::new(ErrorCode::TooLarge, format!("no more subscriptions: {why}"))
        .with_next("Unsubscribe from what is not needed any more.")
}

#[cfg(test)]
mod tests;

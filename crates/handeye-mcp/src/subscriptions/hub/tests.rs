//! Who is notified of what.

use super::super::sink::Gone;
use super::*;
use handeye_resources::View;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::watch;
use tokio::time::sleep;

/// Contents that change when the test says so.
#[derive(Default)]
struct World {
    news: watch::Sender<u64>,
    begun: AtomicUsize,
    running: AtomicUsize,
}

struct Fake(watch::Receiver<u64>, Arc<World>);

impl Drop for Fake {
    fn drop(&mut self) {
        self.1.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Watch for Fake {
    async fn changed(&mut self) {
        self.0.changed().await.expect("the test goes on");
    }
}

fn hub(world: &Arc<World>) -> Arc<Hub> {
    hub_with_modes(world, &watch::Sender::new(SecurityMode::Normal))
}

fn hub_with_modes(world: &Arc<World>, modes: &watch::Sender<SecurityMode>) -> Arc<Hub> {
    let world = Arc::clone(world);
    let begin: Begin = Box::new(move |address, may_come| {
        let world = Arc::clone(&world);
        Box::pin(async move {
            tokio::task::yield_now().await;
            if address.application() == Some("nobody") && !may_come {
                return Err(Error::new(ErrorCode::AppNotFound, "nobody"));
            }
            world.begun.fetch_add(1, Ordering::SeqCst);
            world.running.fetch_add(1, Ordering::SeqCst);
            Ok(Box::new(Fake(world.news.subscribe(), Arc::clone(&world))) as Box<dyn Watch>)
        })
    });
    Hub::with(begin, modes.subscribe())
}

/// A client that records what it receives.
#[derive(Default)]
struct Ear {
    heard: Mutex<Vec<Change>>,
    is_deaf: AtomicBool,
    is_gone: AtomicBool,
}

impl Ear {
    fn heard(&self) -> Vec<Change> {
        std::mem::take(&mut self.heard.lock().expect("a lock"))
    }
}

#[async_trait]
impl Sink for Ear {
    async fn notify(&self, change: Change) -> Result<(), Gone> {
        if self.is_gone.load(Ordering::SeqCst) {
            return Err(Gone);
        }
        if self.is_deaf.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        self.heard.lock().expect("a lock").push(change);
        Ok(())
    }

    fn is_closed(&self) -> bool {
        self.is_gone.load(Ordering::SeqCst)
    }
}

const SOON: Duration = Duration::from_millis(10);

fn state_of(name: &str) -> (String, Address) {
    let address = Address::of(name, View::State);
    (address.to_string(), address)
}

async fn subscribed(hub: &Arc<Hub>, name: &str) -> (ClientId, Arc<Ear>) {
    let ear = Arc::new(Ear::default());
    let client = hub.welcome(Who::Listener, ear.clone()).expect("welcome");
    let (uri, address) = state_of(name);
    hub.subscribe(client, &uri, address, false).await.expect("subscribed");
    (client, ear)
}

async fn change(world: &World) {
    world.news.send_modify(|count| *count += 1);
    sleep(SOON).await;
}

#[tokio::test(start_paused = true)]
async fn a_resource_is_watched_once_for_all_and_no_longer_than_wanted() {
    let world = Arc::new(World::default());
    let hub = hub(&world);
    let (one, first) = subscribed(&hub, "Editor").await;
    let (two, second) = subscribed(&hub, "editor").await;
    assert_eq!(world.begun.load(Ordering::SeqCst), 1);
    change(&world).await;
    assert_eq!(first.heard(), [Change::Resource("handeye://app/Editor/state".into())]);
    assert_eq!(second.heard(), [Change::Resource("handeye://app/editor/state".into())], "as it wrote it");
    hub.unsubscribe(one, "handeye://app/Editor/state");
    change(&world).await;
    assert_eq!((first.heard().len(), second.heard().len()), (0, 1));
    hub.dismiss(two);
    sleep(SOON).await;
    assert_eq!(world.running.load(Ordering::SeqCst), 0);
    assert!(hub.state().watched.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_holds_up_nobody_and_gathers_nothing() {
    let world = Arc::new(World::default());
    let hub = hub(&world);
    let (_, deaf) = subscribed(&hub, "Editor").await;
    let (_, other) = subscribed(&hub, "Editor").await;
    deaf.is_deaf.store(true, Ordering::SeqCst);
    for _ in 0..1_000 {
        change(&world).await;
    }
    assert_eq!(other.heard().len(), 1_000);
    let waiting: usize =
        hub.state().clients.values().map(|client| client.outbox.clone()).map(|outbox| outbox.len()).sum();
    assert!(waiting <= 1, "{waiting}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_left_is_forgotten() {
    let world = Arc::new(World::default());
    let hub = hub(&world);
    let (_, gone) = subscribed(&hub, "Editor").await;
    let (_, quiet) = subscribed(&hub, "Browser").await;
    gone.is_gone.store(true, Ordering::SeqCst);
    change(&world).await;
    assert_eq!(hub.state().clients.len(), 1);
    quiet.is_gone.store(true, Ordering::SeqCst);
    sleep(CHECK * 2).await;
    assert!(hub.state().clients.is_empty());
    assert_eq!(world.running.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_there_is_refused_or_awaited() {
    let world = Arc::new(World::default());
    let hub = hub(&world);
    let client = hub.welcome(Who::Listener, Arc::new(Ear::default())).expect("welcome");
    let (uri, address) = state_of("nobody");
    let error = hub.subscribe(client, &uri, address.clone(), false).await.expect_err("refused");
    assert_eq!(error.code, ErrorCode::AppNotFound);
    hub.subscribe(client, &uri, address, true).await.expect("awaited");
    hub.unsubscribe(client, "handeye://app/never/state");
}

#[tokio::test(start_paused = true)]
async fn there_is_an_end_to_subscriptions_and_to_clients() {
    let world = Arc::new(World::default());
    let hub = hub(&world);
    let client = hub.welcome(Who::Listener, Arc::new(Ear::default())).expect("welcome");
    for number in 0..MOST_OF_A_CLIENT {
        let (uri, address) = state_of(&number.to_string());
        hub.subscribe(client, &uri, address, false).await.expect("subscribed");
    }
    let (uri, address) = state_of("one more");
    let error = hub.subscribe(client, &uri, address, false).await.expect_err("too many");
    assert_eq!(error.code, ErrorCode::TooLarge);
    for _ in 1..MOST_CLIENTS {
        hub.welcome(Who::Listener, Arc::new(Ear::default())).expect("welcome");
    }
    assert!(hub.welcome(Who::Listener, Arc::new(Ear::default())).is_err());
}

#[tokio::test(start_paused = true)]
async fn lists_change_with_the_applications() {
    let world = Arc::new(World::default());
    let hub = hub(&world);
    let ear = Arc::new(Ear::default());
    let client = hub.welcome(Who::Listener, ear.clone()).expect("welcome");
    for topic in [Topic::Tools, Topic::Resources, Topic::Resources] {
        hub.follow(client, topic).await.expect("followed");
    }
    change(&world).await;
    assert_eq!(ear.heard(), [Change::List(Topic::Resources)]);
    hub.subscribe(client, "handeye://apps", Address::Apps, false).await.expect("subscribed");
    assert_eq!(world.begun.load(Ordering::SeqCst), 1);
    change(&world).await;
    assert_eq!(ear.heard().len(), 2);
    hub.unsubscribe(client, "handeye://apps");
    change(&world).await;
    assert_eq!(ear.heard(), [Change::List(Topic::Resources)]);
    hub.follow(client, Topic::Prompts).await.expect("followed");
    assert_eq!(world.begun.load(Ordering::SeqCst), 1);
    change(&world).await;
    assert_eq!(ear.heard(), [Change::List(Topic::Prompts), Change::List(Topic::Resources)]);
}

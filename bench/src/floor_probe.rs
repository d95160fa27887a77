//! The floor of a tree: the calls that reading one takes, with as many on their way as handeye has, and nothing else.
//! No mirror, no order, no checks: answers are received and dropped.

use crate::Result;
use futures_util::stream::{self, StreamExt};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use zbus::connection::Builder;
use zbus::zvariant::OwnedObjectPath;
use zbus::{Connection, Message};

const ROOT: &str = "/org/a11y/atspi/accessible/root";
/// Calls that are on their way at a time.
pub const IN_FLIGHT: usize = 64;
const SINGLE_ROUNDS: usize = 200;
const BULK_ROUNDS: usize = 5;
/// A spreadsheet has 2^31 children; nothing that is measured here comes near this.
const MOST_CHILDREN: i32 = 1000;
const SHOWING_BIT: u32 = 1 << 25;
const VISIBLE_BIT: u32 = 1 << 30;

/// Calls as the tree needs them.
#[derive(Clone, Copy)]
enum Call {
    Method(&'static str, &'static str),
    Property(&'static str, &'static str),
    Extents,
    Text,
}

/// What is asked about every element where one call cannot bring it all.
const BASICS: [Call; 7] = [
    Call::Method("Accessible", "GetRole"),
    Call::Property("Accessible", "Name"),
    Call::Property("Accessible", "Description"),
    Call::Method("Accessible", "GetState"),
    Call::Method("Accessible", "GetInterfaces"),
    Call::Property("Accessible", "ChildCount"),
    Call::Method("Accessible", "GetChildren"),
];

/// A connection to one application.
#[derive(Clone)]
pub struct Link {
    connection: Connection,
    /// `None` on a connection that leads to the application itself.
    destination: Option<Arc<str>>,
}

impl Link {
    /// The way through the bus to the application of this name there.
    pub fn new(bus: Connection, application: &str) -> Self {
        Self { connection: bus, destination: Some(Arc::from(application)) }
    }

    /// Sends a call and waits for its answer.
    pub async fn send<B>(&self, path: &str, interface: &str, method: &str, body: &B) -> zbus::Result<Message>
    where
        B: serde::Serialize + zbus::zvariant::DynamicType,
    {
        self.connection.call_method(self.destination.as_deref(), path, Some(interface), method, body).await
    }

    async fn call(&self, path: &str, call: Call) -> zbus::Result<Message> {
        let long = |interface| format!("org.a11y.atspi.{interface}");
        match call {
            Call::Method(interface, method) => self.send(path, &long(interface), method, &()).await,
            Call::Property(interface, name) => {
                self.send(path, "org.freedesktop.DBus.Properties", "Get", &(long(interface), name)).await
            }
            Call::Extents => self.send(path, &long("Component"), "GetExtents", &0_u32).await,
            Call::Text => self.send(path, &long("Text"), "GetText", &(0_i32, 100_i32)).await,
        }
    }

    async fn bulk(&self) -> zbus::Result<Message> {
        self.send("/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems", &()).await
    }
}

/// One element in view and what it can be asked.
struct Element {
    path: String,
    interfaces: Vec<String>,
}

impl Element {
    /// The calls for the details of one element.
    fn details(&self) -> Vec<Call> {
        let has = |name: &str| self.interfaces.iter().any(|known| known.ends_with(name));
        let mut calls = Vec::new();
        if has(".Component") {
            calls.push(Call::Extents);
        }
        if has(".Action") {
            calls.push(Call::Method("Action", "GetActions"));
        }
        if has(".Value") {
            calls.extend(
                ["CurrentValue", "MinimumValue", "MaximumValue", "MinimumIncrement"]
                    .map(|name| Call::Property("Value", name)),
            );
        }
        if has(".Text") {
            calls.extend([Call::Property("Text", "CharacterCount"), Call::Text]);
        }
        calls
    }
}

/// A connection to the accessibility bus.
pub async fn bus() -> Result<Connection> {
    let session = Connection::session().await?;
    let address: String = session
        .call_method(Some("org.a11y.Bus"), "/org/a11y/bus", Some("org.a11y.Bus"), "GetAddress", &())
        .await?
        .body()
        .deserialize()?;
    Ok(Builder::address(address.as_str())?.build().await?)
}

/// The process behind a connection.
async fn process(bus: &Connection, owner: &str) -> Result<u32> {
    let asked = "GetConnectionUnixProcessID";
    let service = "org.freedesktop.DBus";
    let reply = bus.call_method(Some(service), "/org/freedesktop/DBus", Some(service), asked, &owner).await?;
    Ok(reply.body().deserialize()?)
}

/// The application of this name, or of this process.
async fn application(bus: &Connection, name: &str) -> Result<Link> {
    let registry = Link::new(bus.clone(), "org.a11y.atspi.Registry");
    let listed: Vec<(String, OwnedObjectPath)> =
        registry.call(ROOT, Call::Method("Accessible", "GetChildren")).await?.body().deserialize()?;
    let wanted: Option<u32> = name.parse().ok();
    for (owner, _) in listed {
        if let Some(wanted) = wanted {
            // One that has ended meanwhile has no process.
            if process(bus, &owner).await.is_ok_and(|found| found == wanted) {
                return Ok(Link::new(bus.clone(), &owner));
            }
            continue;
        }
        let link = Link::new(bus.clone(), &owner);
        let Ok(reply) = link.call(ROOT, Call::Property("Accessible", "Name")).await else { continue };
        let value: zbus::zvariant::OwnedValue = reply.body().deserialize()?;
        if String::try_from(value).is_ok_and(|found| found == name) {
            return Ok(link);
        }
    }
    Err(format!("no application {name}").into())
}

/// A connection to the application itself, where it offers one.
pub async fn direct(link: &Link) -> Option<Link> {
    let reply = link.send(ROOT, "org.a11y.atspi.Application", "GetApplicationBusAddress", &()).await.ok()?;
    let address: String = reply.body().deserialize().ok()?;
    let connect = async { Builder::address(address.as_str())?.p2p().build().await };
    let connection = tokio::time::timeout(Duration::from_secs(1), connect).await.ok()?.ok()?;
    Some(Link { connection, destination: None })
}

/// Everything in view, found level by level before anything is timed.
async fn elements(link: &Link) -> Vec<Element> {
    let mut seen = HashSet::from([ROOT.to_owned()]);
    let mut level = vec![ROOT.to_owned()];
    let mut found = Vec::new();
    let mut depth = 0;
    while !level.is_empty() {
        let looked: Vec<(Element, Vec<String>)> = stream::iter(level)
            .map(|path| async move {
                let interfaces = link.call(&path, Call::Method("Accessible", "GetInterfaces")).await.ok()?;
                let interfaces = interfaces.body().deserialize().ok()?;
                let states: Vec<u32> = link
                    .call(&path, Call::Method("Accessible", "GetState"))
                    .await
                    .ok()?
                    .body()
                    .deserialize()
                    .ok()?;
                let count = link.call(&path, Call::Property("Accessible", "ChildCount")).await.ok()?;
                let count: zbus::zvariant::OwnedValue = count.body().deserialize().ok()?;
                let count = i32::try_from(count).ok()?;
                // GTK 4 never says SHOWING, only VISIBLE.
                let in_view = states.first().is_some_and(|word| word & (SHOWING_BIT | VISIBLE_BIT) != 0);
                let mut children = Vec::new();
                if (in_view || depth < 2) && (1..MOST_CHILDREN).contains(&count) {
                    let reply = link.call(&path, Call::Method("Accessible", "GetChildren")).await.ok()?;
                    let listed: Vec<(String, OwnedObjectPath)> = reply.body().deserialize().ok()?;
                    children.extend(listed.into_iter().map(|(_, child)| child.to_string()));
                }
                Some((Element { path, interfaces }, children))
            })
            .buffer_unordered(IN_FLIGHT)
            .filter_map(|found| async { found })
            .collect()
            .await;
        level = Vec::new();
        for (element, children) in looked {
            found.push(element);
            level.extend(children.into_iter().filter(|child| seen.insert(child.clone())));
        }
        depth += 1;
    }
    found
}

/// `count` calls to `elements`, as handeye asks them: details where one call brings the rest, else everything.
fn plan(elements: &[Element], bulk: bool, count: usize) -> Vec<(&str, Call)> {
    let all: Vec<(&str, Call)> = elements
        .iter()
        .flat_map(|element| {
            let basics: &[Call] = if bulk { &[] } else { &BASICS };
            basics.iter().copied().chain(element.details()).map(|call| (element.path.as_str(), call))
        })
        .collect();
    all.iter().copied().cycle().take(if all.is_empty() { 0 } else { count }).collect()
}

async fn burst(link: &Link, bulk: bool, calls: &[(&str, Call)]) -> f64 {
    let begun = Instant::now();
    if bulk && link.bulk().await.is_err() {
        return f64::NAN;
    }
    stream::iter(calls)
        .map(|(path, call)| link.call(path, *call))
        .buffer_unordered(IN_FLIGHT)
        // An element that has just gone answers with an error, which takes as long.
        .for_each(|_| async {})
        .await;
    begun.elapsed().as_secs_f64() * 1000.0
}

/// Sends `count` calls, through the bus and, where the application offers that, directly.
pub fn run(name: &str, count: usize) -> Result<()> {
    runtime()?.block_on(async {
        let bus = bus().await?;
        let link = application(&bus, name).await?;
        let elements = elements(&link).await;
        let bulk = has_bulk(&link).await;
        let calls = plan(&elements, bulk, count.saturating_sub(usize::from(bulk)));
        let mut fields = Map::new();
        fields.insert("bus_ms".into(), json!(burst(&link, bulk, &calls).await));
        if let Some(direct) = direct(&link).await {
            fields.insert("direct_ms".into(), json!(burst(&direct, bulk, &calls).await));
        }
        println!("{}", Value::Object(fields));
        Ok(())
    })
}

/// Whether `GetItems` brings anything. Qt answers with nothing.
async fn has_bulk(link: &Link) -> bool {
    match link.bulk().await {
        Ok(reply) => reply.body().len() > 64,
        Err(_) => false,
    }
}

/// One call at a time: a small one and `GetItems`, through the bus and directly.
pub fn single_calls(name: &str) -> Result<()> {
    runtime()?.block_on(async {
        let bus = bus().await?;
        let link = application(&bus, name).await?;
        let mut fields = Map::new();
        for (way, link) in [("bus", Some(link.clone())), ("direct", direct(&link).await)] {
            let Some(link) = link else { continue };
            fields.insert(format!("{way}_call_ms"), json!(median_call(&link).await?));
            if has_bulk(&link).await {
                let mut times = Vec::new();
                for _ in 0..BULK_ROUNDS {
                    times.push(burst(&link, true, &[]).await);
                }
                times.sort_by(f64::total_cmp);
                fields.insert(format!("{way}_items_ms"), json!(times[BULK_ROUNDS / 2]));
            }
        }
        println!("{}", Value::Object(fields));
        Ok(())
    })
}

async fn median_call(link: &Link) -> Result<f64> {
    let mut times = Vec::with_capacity(SINGLE_ROUNDS);
    for _ in 0..SINGLE_ROUNDS {
        let begun = Instant::now();
        link.call(ROOT, Call::Method("Accessible", "GetRole")).await?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[SINGLE_ROUNDS / 2])
}

/// Two threads, as many as the machine of the benchmarks has.
pub fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

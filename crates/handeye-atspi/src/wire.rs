//! Calls to one process on the accessibility bus: pipelined, bounded, each with a deadline.

use super::action_line::ActionLines;
use super::call_error::{CALL_DEADLINE, CallError};
use super::call_line::Answer;
use super::channel::Channel;
use super::direct::DirectAddress;
use super::line_keeper::LineKeeper;
use super::message::{Call, two_texts};
use super::object::ObjectKey;
use super::read_call::{GET_ITEMS, GET_STATE, Method, Property};
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use zbus::Connection;
use zbus::zvariant::serialized::Context;
use zbus::zvariant::{DynamicType, Endian, Type, to_bytes};

/// A call that takes this long is worth a line in the log.
const SLOW: Duration = Duration::from_millis(300);
/// Longest answer that is looked at, in bytes: names, texts, a list of children.
const MAX_ANSWER: usize = 4 << 20;
/// Longest answer with a whole application in it, in bytes: some hundred for each element that is kept.
const MAX_BULK: usize = 32 << 20;
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
/// For how long a process that did not answer, and shows but a part of the application, is not asked again.
const SILENCE: Duration = Duration::from_secs(2);
/// How many calls are on their way to one process at a time. More brings nothing; fewer costs throughput.
const IN_FLIGHT: usize = 64;

/// A connection to one process: through the bus daemon, or directly where the application offers that.
#[derive(Clone)]
pub(super) struct Wire(Arc<Inner>);

struct Inner {
    bus: Channel,
    direct: Option<Channel>,
    /// Bus name of the process to which `direct` leads.
    name: Arc<str>,
    slots: Semaphore,
    calls: AtomicU64,
    actions: ActionLines,
    /// The processes of parts that did not answer, and until when they are not asked again.
    silent: Mutex<HashMap<Arc<str>, Instant>>,
}

impl Wire {
    /// Calls to the process `name` through `bus`.
    pub(super) fn over_bus(bus: Channel, name: Arc<str>) -> Self {
        Self::new(bus, None, None, name)
    }

    /// Calls through `direct` for objects of the process `name`, which accepts connections at `address`, those for actions kept open by
    /// `keeper`, and through `bus` for others.
    pub(super) fn over_direct(
        bus: Channel,
        direct: Channel,
        address: DirectAddress,
        name: Arc<str>,
        keeper: Arc<dyn LineKeeper>,
    ) -> Self {
        Self::new(bus, Some(direct), Some((address, keeper)), name)
    }

    fn new(
        bus: Channel,
        direct: Option<Channel>,
        own: Option<(DirectAddress, Arc<dyn LineKeeper>)>,
        name: Arc<str>,
    ) -> Self {
        Self(Arc::new(Inner {
            actions: ActionLines::new(bus.connection.clone(), Arc::clone(&name), own),
            bus,
            direct,
            name,
            slots: Semaphore::new(IN_FLIGHT),
            calls: AtomicU64::new(0),
            silent: Mutex::default(),
        }))
    }

    /// Bus name of the process.
    pub(super) fn name(&self) -> &Arc<str> {
        &self.0.name
    }

    /// The bus on which the process is.
    pub(super) fn bus(&self) -> &Connection {
        &self.0.bus.connection
    }

    /// Number of calls sent so far. Deterministic for a given tree, so that tests can hold it down.
    pub(super) fn calls(&self) -> u64 {
        self.0.calls.load(Ordering::Relaxed)
    }

    /// Whether calls go directly to the process.
    pub(super) fn is_direct(&self) -> bool {
        self.0.direct.is_some()
    }

    /// `member` is what the log calls it: the method, or the property that it reads.
    async fn send(
        &self,
        object: &ObjectKey,
        (interface, method, member): (&str, &str, &str),
        (signature, arguments): (&str, &[u8]),
        deadline: Duration,
    ) -> Result<Answer, CallError> {
        let inner = &*self.0;
        // Waiting for a slot is not a sign of a hung application: a large load queues thousands of calls. Those that hold
        // the slots have deadlines, so this wait ends too.
        let _slot = inner.slots.acquire().await.map_err(|_| CallError::Gone)?;
        if self.is_silent(&object.bus) {
            return Err(CallError::PartNotResponding);
        }
        inner.calls.fetch_add(1, Ordering::Relaxed);
        tracing::trace!(application = %inner.name, path = %object.path, member, "call");
        let (channel, destination) = match &inner.direct {
            Some(direct) if object.bus == inner.name => (direct, None),
            _ => (&inner.bus, Some(&*object.bus)),
        };
        let call = Call { destination, path: &object.path, interface, member: method, signature };
        let most = if member == GET_ITEMS.member() { MAX_BULK } else { MAX_ANSWER };
        let exchange = channel.calls.ask_on_line(&call, arguments, most);
        let asked = Instant::now();
        let answer = tokio::time::timeout(deadline, exchange).await.unwrap_or(Err(CallError::NotResponding));
        let took = asked.elapsed();
        if took >= SLOW {
            let millis = took.as_millis();
            if matches!(answer, Err(CallError::NotResponding)) {
                tracing::info!(application = %inner.name, path = %object.path, member, millis, "call without an answer");
            } else {
                tracing::debug!(application = %inner.name, path = %object.path, member, millis, "slow call");
            }
        }
        answer.map_err(|error| self.of_part(&object.bus, error))
    }

    /// What an error means for the application where `bus` is another process's, which shows but a part of it: the rest goes on.
    fn of_part(&self, bus: &Arc<str>, error: CallError) -> CallError {
        if *bus == self.0.name {
            return error;
        }
        match error {
            CallError::Gone => CallError::NoSuchObject,
            CallError::NotResponding => {
                let now = Instant::now();
                let mut silent = self.silent();
                silent.retain(|_, until| *until > now);
                silent.insert(Arc::clone(bus), now + SILENCE);
                CallError::PartNotResponding
            }
            error => error,
        }
    }

    /// Whether a process has just left a call unanswered, and shows but a part of the application.
    fn is_silent(&self, bus: &Arc<str>) -> bool {
        *bus != self.0.name && self.silent().get(bus).is_some_and(|until| *until > Instant::now())
    }

    fn silent(&self) -> MutexGuard<'_, HashMap<Arc<str>, Instant>> {
        self.0.silent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a method that reads, and decodes its answer.
    pub(super) async fn call<A, R>(
        &self,
        object: &ObjectKey,
        method: &Method<A, R>,
        arguments: &A,
    ) -> Result<R, CallError>
    where
        A: serde::Serialize + DynamicType + Sync,
        R: DeserializeOwned + Type,
    {
        self.call_within(object, method, arguments, CALL_DEADLINE).await
    }

    /// As [`call`](Self::call), with a deadline of its own.
    pub(super) async fn call_within<A, R>(
        &self,
        object: &ObjectKey,
        method: &Method<A, R>,
        arguments: &A,
        deadline: Duration,
    ) -> Result<R, CallError>
    where
        A: serde::Serialize + DynamicType + Sync,
        R: DeserializeOwned + Type,
    {
        let answer = self.answer_within(object, method, arguments, deadline).await?;
        answer.decode().ok_or_else(|| unexpected(method.member()))
    }

    /// As [`call_within`](Self::call_within), for an answer from which most is borrowed: not decoded yet.
    pub(super) async fn answer_within<A, R>(
        &self,
        object: &ObjectKey,
        method: &Method<A, R>,
        arguments: &A,
        deadline: Duration,
    ) -> Result<Answer, CallError>
    where
        A: serde::Serialize + DynamicType + Sync,
    {
        let member = method.member();
        let signature = arguments.signature().to_string_no_parens();
        let arguments = to_bytes(Context::new_dbus(Endian::Little, 0), arguments)
            .map_err(|error| CallError::Rejected(format!("{member} cannot be asked: {error}")))?;
        let call = (method.interface(), member, member);
        self.send(object, call, (&signature, &arguments), deadline).await
    }

    /// Reads one property. There is no way to read several at once: that ends applications.
    pub(super) async fn property<R>(&self, object: &ObjectKey, property: &Property<R>) -> Result<R, CallError>
    where
        R: DeserializeOwned + Type,
    {
        let name = property.name();
        let arguments = two_texts(property.interface(), name);
        let answer = self.send(object, (PROPERTIES, "Get", name), ("ss", &arguments), CALL_DEADLINE).await?;
        answer.decode_variant().ok_or_else(|| unexpected(name))
    }

    /// Asks for an action, on a connection of its own. `None` when it is still at work after the time that an answer takes: it
    /// may have opened a dialog. `interface` is the whole name.
    pub(super) async fn act<B, R>(
        &self,
        object: &ObjectKey,
        interface: &'static str,
        method: &'static str,
        body: B,
        in_dialog: bool,
    ) -> Result<Option<R>, CallError>
    where
        B: serde::Serialize + DynamicType + Send + Sync + 'static,
        R: DeserializeOwned + Type,
    {
        if object.bus != self.0.name {
            // A part that hangs would answer nothing, and do it when it goes on.
            self.call(object, &GET_STATE, &()).await?;
        }
        self.0.calls.fetch_add(1, Ordering::Relaxed);
        let reply = self.0.actions.ask(object, interface, method, body, in_dialog).await;
        let Some(reply) = reply.map_err(|error| self.of_part(&object.bus, error))? else {
            return Ok(None);
        };
        let body = reply.body();
        body.deserialize().map(Some).map_err(|_| unexpected(method))
    }
}

/// The error for an answer to `member` that is of another type.
fn unexpected(member: &str) -> CallError {
    CallError::Rejected(format!("the answer to {member} has another type than AT-SPI defines"))
}

/// Runs all futures at once (the wire bounds how many are on their way) and gives their results in order; stops at the first fatal error.
pub(super) async fn burst<T: Send>(
    calls: Vec<BoxFuture<'_, Result<T, CallError>>>,
) -> Result<Vec<Result<T, CallError>>, CallError> {
    use futures_util::stream::{FuturesUnordered, StreamExt};
    let count = calls.len();
    let mut running: FuturesUnordered<_> =
        calls.into_iter().enumerate().map(|(index, call)| async move { (index, call.await) }).collect();
    let mut results: Vec<Option<Result<T, CallError>>> =
        std::iter::repeat_with(|| None).take(count).collect();
    while let Some((index, result)) = running.next().await {
        match result {
            Err(error) if error.is_fatal() => return Err(error),
            result => results[index] = Some(result),
        }
    }
    Ok(results.into_iter().map(|result| result.unwrap_or(Err(CallError::NoSuchObject))).collect())
}

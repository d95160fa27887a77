//! Calls to one process on the accessibility bus: pipelined, bounded, each with a deadline.

use super::action_line::ActionLines;
use super::object::ObjectKey;
use futures_util::future::BoxFuture;
use handeye_core::{Error, ErrorCode, Result};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;
use zbus::zvariant::{DynamicType, OwnedValue, Type};
use zbus::{Connection, Message};

/// How long one call may take before the application counts as not responding.
pub(super) const CALL_DEADLINE: Duration = Duration::from_millis(1500);
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
/// How many calls are on their way to one process at a time. More brings nothing; fewer costs throughput.
const IN_FLIGHT: usize = 64;

/// A call that failed, by what the caller can do about it.
#[derive(Debug)]
pub(super) enum CallError {
    /// The object or the interface does not exist (any more).
    NoSuchObject,
    /// The application said no, or answered with something that is not an answer.
    Rejected(String),
    /// The application did not answer in time.
    NotResponding,
    /// The application or the bus is gone.
    Gone,
}

impl CallError {
    /// The error for a caller who asked about `application`.
    pub(super) fn about(self, application: &str) -> Error {
        match self {
            Self::NoSuchObject => Error::new(ErrorCode::StaleReference, format!("the element no longer exists in {application}")),
            Self::Rejected(why) => Error::new(ErrorCode::ActionFailed, format!("{application} rejected the call: {why}")),
            Self::NotResponding => Error::new(
                ErrorCode::AppNotResponding,
                format!("{application} did not answer within {} ms", CALL_DEADLINE.as_millis()),
            )
            .with_next("Wait and try again; if it stays so, the application hangs or is stopped. Other applications are not affected."),
            Self::Gone => Error::new(ErrorCode::AppGone, format!("{application} has ended or left the accessibility bus"))
                .with_next("Start it again, or call ax_list_apps to see what runs."),
        }
    }

    /// Whether no further call to this process has any sense.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self, Self::NotResponding | Self::Gone)
    }
}

impl From<zbus::Error> for CallError {
    fn from(error: zbus::Error) -> Self {
        match &error {
            zbus::Error::MethodError(name, text, _) => match name.as_str() {
                "org.freedesktop.DBus.Error.UnknownObject"
                | "org.freedesktop.DBus.Error.UnknownMethod"
                | "org.freedesktop.DBus.Error.UnknownInterface"
                | "org.freedesktop.DBus.Error.UnknownProperty" => Self::NoSuchObject,
                "org.freedesktop.DBus.Error.NoReply"
                | "org.freedesktop.DBus.Error.Disconnected"
                | "org.freedesktop.DBus.Error.ServiceUnknown"
                | "org.freedesktop.DBus.Error.NameHasNoOwner" => Self::Gone,
                _ => Self::Rejected(text.clone().unwrap_or_else(|| name.to_string())),
            },
            zbus::Error::InputOutput(_) => Self::Gone,
            _ => Self::Rejected(error.to_string()),
        }
    }
}

/// How many properties one call may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Properties {
    /// One: `GetAll` crashes Qt 5.15 and 6.4.
    OneByOne,
    /// All of an interface, which costs no more than one where a toolkit is known to answer.
    AllAtOnce,
}

/// A connection to one process: through the bus daemon, or directly where the application offers that.
#[derive(Clone)]
pub(super) struct Wire(Arc<Inner>);

struct Inner {
    bus: Connection,
    direct: Option<Connection>,
    /// Bus name of the process to which `direct` leads.
    name: Arc<str>,
    properties: Properties,
    slots: Semaphore,
    calls: AtomicU64,
    actions: ActionLines,
}

impl Wire {
    /// Calls to the process `name` through `bus`.
    pub(super) fn over_bus(bus: Connection, name: Arc<str>, properties: Properties) -> Self {
        Self::new(bus, None, None, name, properties)
    }

    /// Calls through `direct` for objects of the process `name`, which accepts connections at `address`, and through `bus` for others.
    pub(super) fn over_direct(
        bus: Connection,
        direct: Connection,
        address: Arc<str>,
        name: Arc<str>,
        properties: Properties,
    ) -> Self {
        Self::new(bus, Some(direct), Some(address), name, properties)
    }

    fn new(
        bus: Connection,
        direct: Option<Connection>,
        address: Option<Arc<str>>,
        name: Arc<str>,
        properties: Properties,
    ) -> Self {
        Self(Arc::new(Inner {
            actions: ActionLines::new(bus.clone(), Arc::clone(&name), address),
            bus,
            direct,
            name,
            properties,
            slots: Semaphore::new(IN_FLIGHT),
            calls: AtomicU64::new(0),
        }))
    }

    /// Bus name of the process.
    pub(super) fn name(&self) -> &Arc<str> {
        &self.0.name
    }

    /// Number of calls sent so far. Deterministic for a given tree, so that tests can hold it down.
    pub(super) fn calls(&self) -> u64 {
        self.0.calls.load(Ordering::Relaxed)
    }

    /// Whether calls go directly to the process.
    pub(super) fn is_direct(&self) -> bool {
        self.0.direct.is_some()
    }

    /// Whether one call may read all properties of an interface of `object`. What is embedded from another process has another toolkit.
    pub(super) fn reads_all_at_once(&self, object: &ObjectKey) -> bool {
        self.0.properties == Properties::AllAtOnce && object.bus == self.0.name
    }

    /// `member` is what the log calls it: the method, or the property that it reads.
    async fn send<B>(
        &self,
        object: &ObjectKey,
        (interface, method, member): (&str, &str, &str),
        body: &B,
        deadline: Duration,
    ) -> Result<Message, CallError>
    where
        B: serde::Serialize + DynamicType + Sync,
    {
        let inner = &*self.0;
        // Waiting for a slot is no sign of a hung application: a large load queues thousands of calls. Those that hold
        // the slots have deadlines, so this wait ends too.
        let _slot = inner.slots.acquire().await.map_err(|_| CallError::Gone)?;
        let exchange = async {
            inner.calls.fetch_add(1, Ordering::Relaxed);
            tracing::trace!(application = %inner.name, path = %object.path, member, "call");
            let reply = match &inner.direct {
                Some(direct) if object.bus == inner.name => {
                    direct.call_method(None::<&str>, &*object.path, Some(interface), method, body).await
                }
                _ => {
                    inner
                        .bus
                        .call_method(Some(&*object.bus), &*object.path, Some(interface), method, body)
                        .await
                }
            };
            reply.map_err(CallError::from)
        };
        tokio::time::timeout(deadline, exchange).await.unwrap_or(Err(CallError::NotResponding))
    }

    /// Calls a method and reads its answer as `R`. `interface` is without the `org.a11y.atspi.` prefix.
    pub(super) async fn call<B, R>(
        &self,
        object: &ObjectKey,
        interface: &str,
        method: &str,
        body: &B,
    ) -> Result<R, CallError>
    where
        B: serde::Serialize + DynamicType + Sync,
        R: DeserializeOwned + Type,
    {
        self.call_within(object, interface, method, body, CALL_DEADLINE).await
    }

    /// As [`call`](Self::call), with a deadline of its own.
    pub(super) async fn call_within<B, R>(
        &self,
        object: &ObjectKey,
        interface: &str,
        method: &str,
        body: &B,
        deadline: Duration,
    ) -> Result<R, CallError>
    where
        B: serde::Serialize + DynamicType + Sync,
        R: DeserializeOwned + Type,
    {
        let interface = format!("org.a11y.atspi.{interface}");
        let reply = self.send(object, (&interface, method, method), body, deadline).await?;
        reply
            .body()
            .deserialize::<R>()
            .map_err(|error| CallError::Rejected(format!("{method} answered something else: {error}")))
    }

    /// Calls a method and hands back the undecoded answer, for those whose layout differs between toolkits.
    pub(super) async fn call_raw_within(
        &self,
        object: &ObjectKey,
        interface: &str,
        method: &str,
        deadline: Duration,
    ) -> Result<Message, CallError> {
        let interface = format!("org.a11y.atspi.{interface}");
        self.send(object, (&interface, method, method), &(), deadline).await
    }

    /// Reads one property.
    pub(super) async fn property<R>(
        &self,
        object: &ObjectKey,
        interface: &str,
        name: &str,
    ) -> Result<R, CallError>
    where
        R: TryFrom<OwnedValue>,
    {
        let interface = format!("org.a11y.atspi.{interface}");
        let reply =
            self.send(object, (PROPERTIES, "Get", name), &(interface.as_str(), name), CALL_DEADLINE).await?;
        let value: OwnedValue = reply
            .body()
            .deserialize()
            .map_err(|error| CallError::Rejected(format!("{name} is no property value: {error}")))?;
        R::try_from(value).map_err(|_| CallError::Rejected(format!("{name} has an unexpected type")))
    }

    /// Reads all properties of an interface. Only where it [may](Self::reads_all_at_once).
    pub(super) async fn properties(
        &self,
        object: &ObjectKey,
        interface: &str,
    ) -> Result<PropertyValues, CallError> {
        let interface = format!("org.a11y.atspi.{interface}");
        let reply =
            self.send(object, (PROPERTIES, "GetAll", "GetAll"), &interface.as_str(), CALL_DEADLINE).await?;
        let values = reply.body().deserialize();
        values
            .map(PropertyValues)
            .map_err(|error| CallError::Rejected(format!("GetAll answered something else: {error}")))
    }

    /// Keeps connections with a dialog behind them open beyond the end of this process.
    pub(super) fn leave_actions_open(&self, application: u32) {
        self.0.actions.leave_open(application);
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
        self.0.calls.fetch_add(1, Ordering::Relaxed);
        let Some(reply) = self.0.actions.ask(object, interface, method, body, in_dialog).await? else {
            return Ok(None);
        };
        let answer = reply.body().deserialize::<R>();
        answer
            .map(Some)
            .map_err(|error| CallError::Rejected(format!("{method} answered something else: {error}")))
    }
}

/// The properties of one interface.
#[derive(Debug)]
pub(super) struct PropertyValues(HashMap<String, OwnedValue>);

impl PropertyValues {
    /// One of them. Elements lack some.
    pub(super) fn take<R: TryFrom<OwnedValue>>(&mut self, name: &str) -> Result<R, CallError> {
        let value = self.0.remove(name).ok_or(CallError::NoSuchObject)?;
        R::try_from(value).map_err(|_| CallError::Rejected(format!("{name} has an unexpected type")))
    }
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

//! The accessibility bus: where it is, how to reach it, and the switch that makes toolkits use it.

use super::channel::Channel;
use super::introduced::Introduced;
use handeye_core::{Error, ErrorCode, Result};
use std::future::Future;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream as StdUnixStream};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use zbus::address::transport::{Transport, UnixSocket};
use zbus::{Address, Connection};

/// The bus daemon.
pub(super) const BUS: &str = "org.freedesktop.DBus";
const BUS_PATH: &str = "/org/freedesktop/DBus";
/// What starts the accessibility bus, and its interface.
const LAUNCHER: &str = "org.a11y.Bus";
/// The registry, which lists the applications.
pub(super) const REGISTRY: &str = "org.a11y.atspi.Registry";
/// How long finding and reaching the bus may take.
const CONNECT_DEADLINE: Duration = Duration::from_secs(2);
/// Events wait here while their reader is busy. A full queue slows the bus daemon's delivery, it loses nothing.
const QUEUED_EVENTS: usize = 4096;

/// Two connections to the accessibility bus: one for calls, one for events, so that
/// a flood of events never delays the answer to a call.
#[derive(Clone)]
pub(super) struct A11yBus {
    pub(super) calls: Channel,
    pub(super) events: Connection,
    /// What is known of the programs that are connected to it.
    pub(super) introduced: Arc<Introduced>,
}

/// The error for a bus that cannot be reached; `why` completes the sentence.
pub(super) fn unavailable(why: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::AccessibilityUnavailable, format!("the accessibility bus cannot be reached: {why}"))
        .with_next("Run `handeye doctor` to see what is missing, or work in a desktop of its own: `handeye desktop run -- COMMAND` or `handeye mcp serve --desktop private`.")
}

/// Waits for `work` no longer than the deadline for connecting.
async fn within_deadline<T>(work: impl Future<Output = zbus::Result<T>>) -> Result<T> {
    match tokio::time::timeout(CONNECT_DEADLINE, work).await {
        Ok(result) => result.map_err(unavailable),
        Err(_) => Err(unavailable(format!("no answer within {} s", CONNECT_DEADLINE.as_secs()))),
    }
}

/// Connects to the session bus of this process.
///
/// # Errors
/// [`ErrorCode::AccessibilityUnavailable`] if it is not named, or does not let this process in within two seconds.
pub async fn session_bus() -> Result<Connection> {
    if is_named() || std::env::var_os("XDG_RUNTIME_DIR").is_some() {
        within_deadline(Connection::session()).await
    } else {
        Err(unavailable("there is no session bus (DBUS_SESSION_BUS_ADDRESS is not set)"))
    }
}

/// The address of the accessibility bus, where the environment names it.
fn named_address() -> Option<String> {
    std::env::var("AT_SPI_BUS_ADDRESS").ok().filter(|address| !address.is_empty())
}

/// Whether the environment names a session bus.
fn is_named() -> bool {
    std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
}

/// Whether toolkits are asked to expose their trees (`org.a11y.Status.IsEnabled`).
pub(super) async fn is_switched_on(session: &Connection) -> Result<bool> {
    let reply = within_deadline(session.call_method(
        Some(LAUNCHER),
        "/org/a11y/bus",
        Some("org.freedesktop.DBus.Properties"),
        "Get",
        &("org.a11y.Status", "IsEnabled"),
    ))
    .await?;
    let value: zbus::zvariant::OwnedValue = reply.body().deserialize().map_err(unavailable)?;
    bool::try_from(value).map_err(unavailable)
}

impl A11yBus {
    /// Finds the accessibility bus through the session bus, which starts it where it does not run, and connects to it twice. `not_found` is
    /// the error where no session bus is named and none can be reached.
    pub(super) async fn connect(not_found: Option<&Error>) -> Result<Self> {
        match named_address() {
            Some(address) => Self::open(&address).await,
            None => Self::open(&Self::address(&Self::session(not_found).await?).await?).await,
        }
    }

    /// The same, where the launcher of the bus runs already; `None` where it would have to be started.
    pub(super) async fn connect_if_running(not_found: Option<&Error>) -> Result<Option<Self>> {
        if let Some(address) = named_address() {
            return Self::open(&address).await.map(Some);
        }
        let session = Self::session(not_found).await?;
        let runs = session.call_method(Some(BUS), BUS_PATH, Some(BUS), "NameHasOwner", &LAUNCHER);
        let runs: bool = within_deadline(runs).await?.body().deserialize().map_err(unavailable)?;
        if runs { Self::open(&Self::address(&session).await?).await.map(Some) } else { Ok(None) }
    }

    /// Whether both connections stand.
    pub(super) fn is_connected(&self) -> bool {
        !self.calls.connection.is_closed() && !self.events.is_closed()
    }

    async fn open(address: &str) -> Result<Self> {
        let open = |queue: usize| within_deadline(connect_to(address, queue));
        let (calls, events) = tokio::try_join!(open(64), open(QUEUED_EVENTS))?;
        Ok(Self { calls, events: events.connection, introduced: Arc::default() })
    }

    async fn session(not_found: Option<&Error>) -> Result<Connection> {
        let not_found = not_found.filter(|_| !is_named());
        session_bus().await.map_err(|error| not_found.cloned().unwrap_or(error))
    }

    async fn address(session: &Connection) -> Result<String> {
        let reply = within_deadline(session.call_method(
            Some(LAUNCHER),
            "/org/a11y/bus",
            Some(LAUNCHER),
            "GetAddress",
            &(),
        ))
        .await?;
        let address: String = reply.body().deserialize().map_err(unavailable)?;
        if address.is_empty() {
            return Err(unavailable("the launcher is running but has no bus"));
        }
        // Any program of the session can take the launcher's name: what it says must not start a program or reach the network.
        if !address.starts_with("unix:") || address.contains(';') {
            return Err(unavailable("the launcher names a bus that is not on a local socket"));
        }
        Ok(address)
    }

    /// The process that owns a bus name.
    pub(super) async fn process_of(&self, name: &str) -> Option<u32> {
        process_of(&self.calls.connection, name).await
    }

    /// The connection that owns a bus name.
    pub(super) async fn owner_of(&self, name: &str) -> Option<String> {
        self.ask_about("GetNameOwner", name).await
    }

    async fn ask_about<R>(&self, method: &str, name: &str) -> Option<R>
    where
        R: serde::de::DeserializeOwned + zbus::zvariant::Type,
    {
        let call = self.calls.connection.call_method(Some(BUS), BUS_PATH, Some(BUS), method, &name);
        let reply = tokio::time::timeout(CONNECT_DEADLINE, call).await.ok()?.ok()?;
        reply.body().deserialize().ok()
    }
}

/// A connection to the bus at this address, on which that many messages may wait to be read.
async fn connect_to(address: &str, queue: usize) -> zbus::Result<Channel> {
    let address = Address::from_str(address)?;
    let path = match address.transport() {
        Transport::Unix(unix) => match unix.path() {
            UnixSocket::File(path) => Some(SocketAddr::from_pathname(path)?),
            UnixSocket::Abstract(name) => Some(SocketAddr::from_abstract_name(name.as_bytes())?),
            _ => None,
        },
        _ => None,
    };
    let path = path.ok_or_else(|| zbus::Error::Address("the bus is not on a local socket".into()))?;
    let channel = Channel::to_bus(connected(path).await?, queue).await?;
    // An address may outlive its bus, and its socket serve another one.
    if address.guid().is_some_and(|guid| *guid != **channel.connection.server_guid()) {
        return Err(zbus::Error::Handshake("the bus at this address is another one than it names".into()));
    }
    Ok(channel)
}

/// A stream to the socket at this path. Waits on another thread where as many as fit wait to be accepted already.
async fn connected(path: SocketAddr) -> zbus::Result<UnixStream> {
    let connect = tokio::task::spawn_blocking(move || {
        let stream = StdUnixStream::connect_addr(&path)?;
        stream.set_nonblocking(true)?;
        io::Result::Ok(stream)
    });
    Ok(UnixStream::from_std(connect.await.map_err(io::Error::other)??)?)
}

/// The process that owns a name on the bus that `connection` leads to.
pub(super) async fn process_of(connection: &Connection, name: &str) -> Option<u32> {
    let call = connection.call_method(Some(BUS), BUS_PATH, Some(BUS), "GetConnectionUnixProcessID", &name);
    let reply = tokio::time::timeout(CONNECT_DEADLINE, call).await.ok()?.ok()?;
    reply.body().deserialize().ok()
}

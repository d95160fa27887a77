//! The session bus, the accessibility bus, and the switch that programs look at when they start.
//!
//! Properties are asked for one by one: asking for all of them, or introspecting, kills some applications.

use super::{Finding, discovered};
use crate::discovery;
use zbus::Connection;
use zbus::connection::Builder;
use zbus::zvariant::OwnedValue;

const LAUNCHER: &str = "org.a11y.Bus";
const LAUNCHER_PATH: &str = "/org/a11y/bus";
const REGISTRY: &str = "org.a11y.atspi.Registry";
const REGISTRY_PATH: &str = "/org/a11y/atspi/registry";

/// What to do when a session has no bus.
const SESSION_ADVICE: &str = "Run handeye inside of the desktop session (DBUS_SESSION_BUS_ADDRESS names its bus), or use a \
     private desktop: handeye desktop run -- COMMAND";
const INSTALL_ADVICE: &str =
    "Install the accessibility services (Debian package at-spi2-core) and log in again.";

pub(super) async fn session() -> Finding {
    match Connection::session().await {
        Ok(bus) => {
            let name = bus.unique_name().map(ToString::to_string).unwrap_or_default();
            let sources = discovered(&["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]);
            Finding::ok(format!("connected as {name}{sources}"))
        }
        Err(error) => {
            let is_named = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some();
            let problem = discovery::bus_problem().filter(|_| !is_named).map(Finding::from);
            let detail = format!("cannot be reached: {error}");
            problem.unwrap_or_else(|| Finding::fail(detail, SESSION_ADVICE))
        }
    }
}

pub(super) async fn accessibility() -> Finding {
    match ping_registry().await {
        Ok(()) => Finding::ok("the registry answers"),
        Err(error) => Finding::fail(format!("does not answer: {error}"), INSTALL_ADVICE),
    }
}

/// `advice` is how it is turned on.
pub(super) async fn switch(advice: &str) -> Finding {
    match is_enabled().await {
        Ok(true) => Finding::ok("on"),
        Ok(false) => {
            Finding::warn("off: Firefox, Chromium and Qt 6 applications start without a tree", advice)
        }
        Err(error) => Finding::fail(format!("cannot be read: {error}"), INSTALL_ADVICE),
    }
}

async fn ping_registry() -> zbus::Result<()> {
    let session = Connection::session().await?;
    let reply = session.call_method(Some(LAUNCHER), LAUNCHER_PATH, Some(LAUNCHER), "GetAddress", &()).await?;
    let address: String = reply.body().deserialize()?;
    let bus = Builder::address(address.as_str())?.build().await?;
    bus.call_method(Some(REGISTRY), REGISTRY_PATH, Some("org.freedesktop.DBus.Peer"), "Ping", &()).await?;
    Ok(())
}

async fn is_enabled() -> zbus::Result<bool> {
    let session = Connection::session().await?;
    let properties = Some("org.freedesktop.DBus.Properties");
    let which = ("org.a11y.Status", "IsEnabled");
    let reply = session.call_method(Some(LAUNCHER), LAUNCHER_PATH, properties, "Get", &which).await?;
    let value: OwnedValue = reply.body().deserialize()?;
    Ok(bool::try_from(value)?)
}

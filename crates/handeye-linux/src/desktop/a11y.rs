//! The accessibility bus of the private desktop, and its switch.

use handeye_core::{Error, ErrorCode, Result};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;
use zbus::zvariant::Value;

/// The accessibility bus has no announcement to wait for, only a name that comes to have an owner.
const POLL: Duration = Duration::from_millis(3);
const BUS: &str = "org.freedesktop.DBus";

/// Waits for the accessibility bus, turns accessibility on for the programs that ask for it when they start, and sets
/// the variables that the session bus gives to what it starts on demand, if there are any. Returns the address of the bus. The caller sets the deadline.
pub(super) async fn switch_on(
    session_bus: &str,
    variables: Option<&BTreeMap<String, String>>,
) -> Result<String> {
    set_up(session_bus, variables).await.map_err(|error| {
        Error::new(
            ErrorCode::AccessibilityUnavailable,
            format!("the private desktop's accessibility bus cannot be used: {error}"),
        )
    })
}

async fn set_up(session_bus: &str, variables: Option<&BTreeMap<String, String>>) -> zbus::Result<String> {
    let bus = zbus::connection::Builder::address(session_bus)?.build().await?;
    if let Some(variables) = variables {
        let activation: HashMap<&str, &str> =
            variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let method = "UpdateActivationEnvironment";
        bus.call_method(Some(BUS), "/org/freedesktop/DBus", Some(BUS), method, &activation).await?;
    }
    while !has_owner(&bus, "org.a11y.Bus").await? {
        tokio::time::sleep(POLL).await;
    }
    let (service, path) = (Some("org.a11y.Bus"), "/org/a11y/bus");
    let properties = Some("org.freedesktop.DBus.Properties");
    let address = bus.call_method(service, path, service, "GetAddress", &()).await?.body().deserialize()?;
    bus.call_method(service, path, properties, "Set", &("org.a11y.Status", "IsEnabled", Value::from(true)))
        .await?;
    Ok(address)
}

/// Has a session bus read its configuration again. The caller sets the deadline.
pub(super) async fn reload_configuration(session_bus: &str) -> Result<()> {
    let reload = async {
        let bus = zbus::connection::Builder::address(session_bus)?.build().await?;
        bus.call_method(Some(BUS), "/org/freedesktop/DBus", Some(BUS), "ReloadConfig", &()).await
    };
    let reloaded: zbus::Result<_> = reload.await;
    reloaded.map(|_| ()).map_err(|error| {
        Error::internal(format!("the private desktop's session bus keeps its configuration: {error}"))
    })
}

async fn has_owner(bus: &zbus::Connection, name: &str) -> zbus::Result<bool> {
    let reply = bus.call_method(Some(BUS), "/org/freedesktop/DBus", Some(BUS), "NameHasOwner", &name).await?;
    reply.body().deserialize()
}

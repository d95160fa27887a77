//! The sessions that the login manager (logind) knows, from the system bus.

use super::display::local_number;
use std::path::Path;
use std::time::Duration;
use zbus::Connection;
use zbus::zvariant::{OwnedObjectPath, OwnedValue};

const MANAGER: &str = "org.freedesktop.login1";
/// How long the login manager may take in all.
const DEADLINE: Duration = Duration::from_millis(500);
/// Sessions that are asked about.
const MAX_SESSIONS: usize = 64;
const SYSTEM_BUS: &str = "/run/dbus/system_bus_socket";

/// A graphical session on an X display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) id: String,
    pub(super) user: u32,
    pub(super) display: u32,
}

/// The sessions of all users that have an X display. Empty where there is no login manager, or it is late.
pub(super) fn sessions() -> Vec<Login> {
    if std::env::var_os("DBUS_SYSTEM_BUS_ADDRESS").is_none() && !Path::new(SYSTEM_BUS).exists() {
        return Vec::new();
    }
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return Vec::new();
    };
    let asked = runtime.block_on(async { tokio::time::timeout(DEADLINE, ask()).await });
    runtime.shutdown_background();
    match asked {
        Ok(Ok(sessions)) => sessions,
        Ok(Err(error)) => {
            tracing::debug!(%error, "the login manager reports nothing");
            Vec::new()
        }
        Err(_) => Vec::new(),
    }
}

async fn ask() -> zbus::Result<Vec<Login>> {
    let bus = Connection::system().await?;
    let manager = Some("org.freedesktop.login1.Manager");
    let reply =
        bus.call_method(Some(MANAGER), "/org/freedesktop/login1", manager, "ListSessions", &()).await?;
    let listed: Vec<(String, u32, String, String, OwnedObjectPath)> = reply.body().deserialize()?;
    let mut sessions = Vec::new();
    for (id, user, _, _, path) in listed.into_iter().take(MAX_SESSIONS) {
        let properties = Some("org.freedesktop.DBus.Properties");
        let which = &("org.freedesktop.login1.Session", "Display");
        // A session may end in between.
        let Ok(reply) = bus.call_method(Some(MANAGER), &path, properties, "Get", which).await else {
            continue;
        };
        let value: OwnedValue = reply.body().deserialize()?;
        if let Some(display) = <&str>::try_from(&value).ok().and_then(local_number) {
            sessions.push(Login { id, user, display });
        }
    }
    Ok(sessions)
}

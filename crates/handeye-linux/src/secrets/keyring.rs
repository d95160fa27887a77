//! A secret in the keyring of the desktop session, by the Secret Service (freedesktop.org, version 0.2).
//!
//! The keyring is not unlocked here: that is up to the user. The value passes the session bus, which belongs to the user alone.

use super::unread;
use crate::desktop::SurroundingSandbox;
use handeye_core::{Error, Result, SecretPlace};
use std::collections::HashMap;
use zbus::Connection;
use zbus::connection::Builder;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

const SERVICE: &str = "org.freedesktop.secrets";
const PATH: &str = "/org/freedesktop/secrets";

/// A secret as the service sends it: its session, parameters, value and type.
type Sent = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);

/// The item that was stored under this service and account, or user name.
///
/// # Errors
/// If there is no keyring, no such item, more than one, or the item is locked.
pub(super) async fn read(service: &str, account: &str) -> Result<String> {
    let place = SecretPlace::Keyring { service: service.to_owned(), account: account.to_owned() };
    let fault = |why: &str| unread(&place, why);
    let failed = |error: zbus::Error| fault(&reason(&error));
    if SurroundingSandbox::of_this_process().is_some() {
        return Err(fault(
            "a program in the sandbox of an isolated desktop could be that keyring: name a file or a variable",
        ));
    }
    let bus = Builder::session().map_err(failed)?.build().await.map_err(failed)?;
    let mut found = (Vec::new(), Vec::new());
    for name in ["account", "username", "user"] {
        found = search(&bus, &[("service", service), (name, account)]).await.map_err(failed)?;
        if !found.0.is_empty() || !found.1.is_empty() {
            break;
        }
    }
    let item = match (&found.0[..], &found.1[..]) {
        ([item], []) => item,
        ([], []) => return Err(fault("the keyring has no such item")),
        ([], _) => return Err(fault("the keyring is locked: unlock it and call again")),
        _ => return Err(fault("the keyring has several such items")),
    };
    let session: (OwnedValue, OwnedObjectPath) =
        call(&bus, PATH, "Service", "OpenSession", &("plain", Value::from(""))).await.map_err(failed)?;
    let sent: Sent = call(&bus, item.as_str(), "Item", "GetSecret", &session.1).await.map_err(failed)?;
    String::from_utf8(sent.2).map_err(|_| -> Error { fault("it is not UTF-8") })
}

/// The items with these attributes: those that are unlocked, and those that are locked.
async fn search(
    bus: &Connection,
    attributes: &[(&str, &str)],
) -> zbus::Result<(Vec<OwnedObjectPath>, Vec<OwnedObjectPath>)> {
    let attributes: HashMap<&str, &str> = attributes.iter().copied().collect();
    call(bus, PATH, "Service", "SearchItems", &attributes).await
}

async fn call<B, R>(bus: &Connection, path: &str, interface: &str, method: &str, body: &B) -> zbus::Result<R>
where
    B: serde::Serialize + zbus::zvariant::DynamicType + Sync,
    R: serde::de::DeserializeOwned + zbus::zvariant::Type,
{
    let interface = format!("org.freedesktop.Secret.{interface}");
    let reply = bus.call_method(Some(SERVICE), path, Some(interface.as_str()), method, body).await?;
    reply.body().deserialize()
}

/// Why the service did not answer. Its own words may quote attributes, never the value.
fn reason(error: &zbus::Error) -> String {
    match error {
        zbus::Error::MethodError(name, ..) if name.ends_with("ServiceUnknown") => {
            "no keyring runs in this session".to_owned()
        }
        zbus::Error::MethodError(name, ..) => format!("the keyring answered {name}"),
        other => format!("the keyring cannot be reached: {other}"),
    }
}

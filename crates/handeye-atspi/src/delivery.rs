//! Delivers what the accessibility bus sends without being asked: events of applications, and that applications come and go.

use super::bus::{BUS, REGISTRY};
use super::connected::ConnectedApplication;
use super::events::decode;
use futures_util::StreamExt;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::watch;
use zbus::names::UniqueName;
use zbus::{Message, MessageStream};

/// Applications by their bus name.
pub(super) type Listeners = Arc<Mutex<HashMap<String, Weak<ConnectedApplication>>>>;

/// Delivers events to the applications that they are about, until the bus closes. `registry` is the connection that owns the
/// registry's name at first.
pub(super) async fn deliver(
    mut messages: MessageStream,
    listeners: Listeners,
    arrivals: watch::Sender<u64>,
    mut registry: String,
) {
    while let Some(message) = messages.next().await {
        match message {
            Ok(message) => dispatch(&message, &listeners, &arrivals, &mut registry),
            Err(error) => {
                tracing::debug!(%error, "the accessibility bus closed");
                break;
            }
        }
    }
    for application in listeners
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .drain()
        .filter_map(|(_, known)| known.upgrade())
    {
        application.mark_gone();
    }
    arrivals.send_modify(|heard| *heard += 1);
}

fn dispatch(message: &Message, listeners: &Listeners, arrivals: &watch::Sender<u64>, registry: &mut String) {
    let header = message.header();
    let find = |name: &str| {
        listeners.lock().unwrap_or_else(PoisonError::into_inner).get(name).and_then(Weak::upgrade)
    };
    let sender = header.sender().map(UniqueName::as_str);
    // Any program can send anything to us by name: what a message states about others counts only if its sender may state it.
    if sender == Some(BUS) {
        if header.member().is_some_and(|member| member == "NameOwnerChanged")
            && let Ok((name, _, new_owner)) = message.body().deserialize::<(String, String, String)>()
        {
            if name == REGISTRY {
                *registry = new_owner;
                return;
            }
            if !new_owner.is_empty() {
                return;
            }
            if let Some(application) = find(&name) {
                application.mark_gone();
            }
            listeners.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
            arrivals.send_modify(|heard| *heard += 1);
        }
        return;
    }
    let Some(application) = sender.and_then(find) else {
        // Of those without a connection, only the registry counts: its children are the applications.
        if sender == Some(registry) && header.member().is_some_and(|member| member == "ChildrenChanged") {
            arrivals.send_modify(|heard| *heard += 1);
        }
        return;
    };
    if let Some(event) = decode(message) {
        // A name may be what the user typed, so only the kind is logged.
        tracing::trace!(application = %application.application.name, path = %event.source.path, kind = event.kind.as_str(), "event");
        application.apply(&event);
    }
}

//! What hangs on a connection to the accessibility bus, and ends with it.

use super::bus::A11yBus;
use super::connected::ConnectedApplication;
use super::delivery::Listeners;
use super::events::Subscriptions;
use std::collections::HashMap;
use std::sync::Arc;

/// Everything that hangs on one accessibility bus.
pub(super) struct BusSession {
    pub(super) bus: A11yBus,
    pub(super) subscriptions: Arc<Subscriptions>,
    pub(super) listeners: Listeners,
    pub(super) connected: HashMap<Arc<str>, Arc<ConnectedApplication>>,
    /// Held while an application is being connected.
    pub(super) turns: HashMap<Arc<str>, Arc<tokio::sync::Mutex<()>>>,
    pub(super) delivery: tokio::task::JoinHandle<()>,
}

impl Drop for BusSession {
    fn drop(&mut self) {
        self.delivery.abort();
        for application in self.connected.values() {
            application.mark_gone();
        }
    }
}

impl BusSession {
    /// Whether calls get through, and events are delivered.
    pub(super) fn is_connected(&self) -> bool {
        !self.delivery.is_finished() && self.bus.is_connected()
    }

    /// Takes out the applications that have left, and names them.
    pub(super) fn forget_departed(&mut self) -> Vec<Arc<str>> {
        let departed = self.connected.extract_if(|_, known| !known.alive());
        let departed: Vec<Arc<str>> = departed.map(|(name, _)| name).collect();
        self.turns.retain(|name, _| !departed.contains(name));
        departed
    }
}

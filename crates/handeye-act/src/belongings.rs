//! What belongs to one caller of a desktop.

use crate::journal::Journal;
use crate::meant::Meant;
use crate::own_seat::OwnSeat;
use handeye_core::{Application, ConnectedApp};
use handeye_tree::references::References;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What belongs to one caller of a desktop: the references that it was given, what it did, and what its names mean. Everything here is
/// bounded: names come from clients.
#[derive(Default)]
pub struct Belongings {
    /// The references that it was given, over all applications.
    pub references: References,
    /// What its queries meant.
    pub meant: Meant,
    /// What it did.
    pub journal: Journal,
    /// Its pointer and keyboard.
    pub(super) seat: OwnSeat,
    names: Mutex<Names>,
}

/// What names mean to a caller.
#[derive(Default)]
struct Names {
    /// Connections by the names under which they were asked for (lower case).
    asked: HashMap<String, Arc<dyn ConnectedApp>>,
    /// Connections by the names that the caller gave them (lower case).
    aliases: HashMap<String, Arc<dyn ConnectedApp>>,
}

impl Belongings {
    /// Most names of each kind that are remembered.
    const MOST: usize = 256;

    /// Those of another caller, who has nothing yet. No number of the one is ever a number of the other.
    #[must_use]
    pub fn of_another_caller(&self) -> Self {
        Self { references: self.references.of_another_caller(), ..Self::default() }
    }

    /// The living connection that has the alias `name`, or was asked for under it before.
    pub fn connection(&self, name: &str) -> Option<Arc<dyn ConnectedApp>> {
        self.aliased(name).or_else(|| living(&mut self.names().asked, name))
    }

    /// The living connection that has the alias `name`. What runs under that name by now must not be hidden by it.
    pub fn aliased(&self, name: &str) -> Option<Arc<dyn ConnectedApp>> {
        living(&mut self.names().aliases, name)
    }

    /// Gives a connection an alias for as long as the application lives. Returns the application that has that alias already, if
    /// it is another one; it keeps it.
    pub fn keep_alias(&self, alias: &str, connection: &Arc<dyn ConnectedApp>) -> Option<Application> {
        let mut names = self.names();
        if let Some(other) = living(&mut names.aliases, alias)
            && !other.application().is_same(connection.application())
        {
            return Some(other.application().clone());
        }
        keep(&mut names.aliases, alias, connection);
        None
    }

    /// Keeps a connection under a name by which it was asked for, for as long as the application lives.
    pub fn keep_connection(&self, name: &str, connection: &Arc<dyn ConnectedApp>) {
        // Where too many are kept, they are found again by their names.
        keep(&mut self.names().asked, name, connection);
    }

    /// Whether the caller has a living connection to this application.
    pub fn is_connected(&self, application: &Application) -> bool {
        self.names().asked.values().any(|connection| is_to(connection, application))
    }

    /// The names of the applications to which the caller has a living connection, in order.
    pub fn connected_applications(&self) -> Vec<String> {
        let names = self.names();
        let living = names.asked.values().filter(|connection| connection.is_alive());
        let names: BTreeSet<String> =
            living.map(|connection| connection.application().name.clone()).collect();
        names.into_iter().collect()
    }

    /// A poisoned lock is taken over: every change is one call that cannot leave it half done.
    fn names(&self) -> MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn keep(
    connections: &mut HashMap<String, Arc<dyn ConnectedApp>>,
    name: &str,
    connection: &Arc<dyn ConnectedApp>,
) {
    if connections.len() >= Belongings::MOST {
        connections.retain(|_, connection| connection.is_alive());
    }
    if connections.len() >= Belongings::MOST {
        connections.clear();
    }
    connections.insert(name.to_lowercase(), Arc::clone(connection));
}

/// The connection of that name, unless its application has ended.
fn living(
    connections: &mut HashMap<String, Arc<dyn ConnectedApp>>,
    name: &str,
) -> Option<Arc<dyn ConnectedApp>> {
    let key = name.to_lowercase();
    let connection = connections.get(&key)?;
    if connection.is_alive() {
        return Some(Arc::clone(connection));
    }
    connections.remove(&key);
    None
}

/// Whether a connection stands and leads to this application.
pub(crate) fn is_to(connection: &Arc<dyn ConnectedApp>, application: &Application) -> bool {
    connection.is_alive()
        && connection.application().id == application.id
        && connection.application().is_same(application)
}

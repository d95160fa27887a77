//! The clients of the server that a connection knows, and since when.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// The clients of the server, by what the ids of all their resources have in common.
#[derive(Debug, Default)]
pub(super) struct KnownClients(HashMap<u32, Known>);

#[derive(Debug, Clone, Copy)]
struct Known {
    since: Instant,
    is_mute: bool,
}

impl KnownClients {
    /// Notes that these are connected, and no others.
    pub(super) fn note(&mut self, connected: &HashSet<u32>) {
        let since = Instant::now();
        self.0.retain(|client, _| connected.contains(client));
        for client in connected {
            self.0.entry(*client).or_insert(Known { since, is_mute: false });
        }
    }

    pub(super) fn contains(&self, client: u32) -> bool {
        self.0.contains_key(&client)
    }

    /// Those that became known less than `age` ago.
    pub(super) fn younger_than(&self, age: Duration) -> impl Iterator<Item = u32> {
        self.0.iter().filter(move |(_, known)| known.since.elapsed() < age).map(|(client, _)| *client)
    }

    /// Notes that a client has not answered. It counts as mute once that comes when it has been known for `age`.
    pub(super) fn note_silence(&mut self, client: u32, age: Duration) {
        if let Some(known) = self.0.get_mut(&client) {
            known.is_mute = known.since.elapsed() >= age;
        }
    }

    /// Whether it never answers, as far as is known.
    pub(super) fn is_mute(&self, client: u32) -> bool {
        self.0.get(&client).is_some_and(|known| known.is_mute)
    }
}

#[cfg(test)]
mod tests {
    use super::KnownClients;
    use std::collections::HashSet;
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn a_client_that_leaves_is_forgotten_with_its_silence() {
        let mut clients = KnownClients::default();
        clients.note(&HashSet::from([1, 2]));
        clients.note_silence(1, Duration::ZERO);
        assert!(clients.is_mute(1) && !clients.is_mute(2));
        clients.note(&HashSet::from([2]));
        assert!(!clients.contains(1) && clients.contains(2));
        clients.note(&HashSet::from([1, 2]));
        assert!(!clients.is_mute(1), "its number is another client's by now");
    }

    #[test]
    fn silence_counts_for_a_client_that_is_known_for_long_enough() {
        let mut clients = KnownClients::default();
        clients.note(&HashSet::from([1]));
        clients.note_silence(1, LONG);
        assert!(!clients.is_mute(1));
        assert_eq!(clients.younger_than(LONG).collect::<Vec<_>>(), [1]);
        assert_eq!(clients.younger_than(Duration::ZERO).count(), 0);
    }
}

//! What a caller's queries meant, so that the element is recognized after it changed.

use handeye_core::{ApplicationId, NodeId};
use handeye_locator::Fingerprint;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Most queries that are remembered; the one that was used least recently is forgotten first.
const MOST: usize = 128;

/// The element that a query meant when it was last used.
#[derive(Debug, Clone)]
pub(crate) struct Meaning {
    app: ApplicationId,
    query: Box<str>,
    /// The element.
    pub(crate) node: NodeId,
    /// What it was.
    pub(crate) print: Fingerprint,
    /// Ids up to this one were issued while it was there.
    pub(crate) alive_until: u64,
}

/// What the queries of one caller meant. Bounded.
#[derive(Debug, Default)]
pub struct Meant {
    /// The one that was used least recently comes first.
    queries: Mutex<VecDeque<Meaning>>,
}

impl Meant {
    /// Remembers that a query means an element.
    pub(crate) fn keep(&self, app: ApplicationId, query: &str, node: NodeId, print: Fingerprint) {
        let alive_until = NodeId::mint().get();
        let mut queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        queries.retain(|known| known.app != app || *known.query != *query);
        if queries.len() == MOST {
            queries.pop_front();
        }
        queries.push_back(Meaning { app, query: query.into(), node, print, alive_until });
    }

    /// What a query meant in an application.
    pub(crate) fn get(&self, app: &ApplicationId, query: &str) -> Option<Meaning> {
        let queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        queries.iter().find(|known| known.app == *app && *known.query == *query).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::SourceId;
    use handeye_core::testing::{named, tree};
    use handeye_locator::Survey;

    #[test]
    fn the_oldest_are_forgotten() {
        let tree = tree("window \"W\"\n  button \"Save\"");
        let save = named(&tree, "Save");
        let print = Survey::new(&tree).fingerprint(save).expect("it is there");
        let app = ApplicationId::new(SourceId::new("memory"), ":1.7");
        let meant = Meant::default();
        for number in 0..=MOST {
            meant.keep(app.clone(), &number.to_string(), save, print.clone());
            meant.keep(app.clone(), "1", save, print.clone());
        }
        assert!(meant.get(&app, "0").is_none() && meant.get(&app, "1").is_some());
        assert!(meant.get(&ApplicationId::new(SourceId::new("memory"), ":1.8"), "1").is_none());
        assert!(meant.queries.lock().expect("not poisoned").len() <= MOST);
    }
}

//! Whether the content of a resource has become another one: a number for what it says, without what changes by itself.

use super::address::Address;
use rustc_hash::FxHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// A number for a content. Equal contents have equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    /// That of anything that can be hashed.
    pub(super) fn of(content: &(impl Hash + ?Sized)) -> Self {
        let mut hasher = FxHasher::default();
        content.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// What was read last of each resource: a change between a read and the subscription after it is reported too.
#[derive(Default)]
pub(super) struct Reads(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    by_address: HashMap<Address, Fingerprint>,
    /// The one that was read first comes first.
    order: VecDeque<Address>,
}

impl Reads {
    /// How many resources are remembered.
    const KEPT: usize = 256;

    pub(super) fn note(&self, address: Address, fingerprint: Fingerprint) {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.by_address.insert(address.clone(), fingerprint).is_none() {
            remembered.order.push_back(address);
            if remembered.order.len() > Self::KEPT
                && let Some(oldest) = remembered.order.pop_front()
            {
                remembered.by_address.remove(&oldest);
            }
        }
    }

    /// That of the last read of a resource, if it was read.
    pub(super) fn last(&self, address: &Address) -> Option<Fingerprint> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).by_address.get(address).copied()
    }
}

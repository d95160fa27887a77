//! The certificate that clients are shown: one at a time, exchanged without a pause.

use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::sync::{Arc, PoisonError, RwLock};

/// The certificate of now, with its key.
#[derive(Debug)]
pub(super) struct Identity(RwLock<Arc<CertifiedKey>>);

impl Identity {
    pub(super) fn new(key: CertifiedKey) -> Self {
        Self(RwLock::new(Arc::new(key)))
    }

    /// Shows this one from the next handshake on.
    pub(super) fn exchange(&self, key: CertifiedKey) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(key);
    }

    /// A poisoned lock is taken over: it is exchanged in one step.
    fn current(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ResolvesServerCert for Identity {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

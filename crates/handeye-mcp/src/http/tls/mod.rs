//! TLS by the server itself, with a certificate of the user's that is read again when its files change.

mod files;
mod identity;
mod renewal;

pub use files::TlsFiles;
use handeye_core::{Error, Result};
use identity::Identity;
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::AbortOnDropHandle;

/// What a connection has to speak after its handshake.
const HTTP: &[u8] = b"http/1.1";

/// What encrypts connections. The certificate is renewed for as long as this lives.
pub(super) struct Tls {
    acceptor: TlsAcceptor,
    _renewal: AbortOnDropHandle<()>,
}

impl Tls {
    /// Reads the files, and watches them from now on.
    ///
    /// # Errors
    /// Files that cannot be used, each with the reason.
    pub(super) async fn begin(files: TlsFiles) -> Result<Self> {
        let (seen, identity) = tokio::task::spawn_blocking({
            let files = files.clone();
            move || files.read()
        })
        .await
        .map_err(Error::internal)??;
        let identity = Arc::new(Identity::new(identity));
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(Error::internal)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&identity) as _);
        config.alpn_protocols = vec![HTTP.to_vec()];
        let renewal = AbortOnDropHandle::new(tokio::spawn(renewal::renew(files, seen, identity)));
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), _renewal: renewal })
    }

    /// What shakes hands.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }
}

/// Not the certificate, whose key is beside it.
impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

//! Reads a certificate again when its files have changed.

use super::files::{Seen, TlsFiles};
use super::identity::Identity;
use handeye_core::{Error, Result};
use rustls::sign::CertifiedKey;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;

/// How often it is looked whether the files have changed. They are read when two looks saw the same: who renews a certificate writes
/// two files, one after the other.
const LOOK: Duration = Duration::from_secs(2);

/// Has `identity` be what is in the files, for ever. What cannot be used changes nothing, and is reported once.
pub(super) async fn renew(files: TlsFiles, mut known: Seen, identity: Arc<Identity>) {
    let mut before = known.clone();
    let mut reported = known.clone();
    loop {
        tokio::time::sleep(LOOK).await;
        let looked = files.clone();
        let Ok(now) = spawn_blocking(move || looked.state()).await else { continue };
        let is_settled = now == before;
        before = now.clone();
        if now == known || !is_settled {
            continue;
        }
        match read(&files).await {
            Ok((seen, key)) => {
                identity.exchange(key);
                known = seen;
                tracing::info!(file = %files.certificate.display(), "the certificate was renewed");
            }
            // It is tried again, as what is wrong may be somewhere else.
            Err(_again) if now == reported => {}
            Err(fault) => {
                reported = now;
                tracing::warn!(%fault, "the certificate cannot be renewed; the one before is used on");
            }
        }
    }
}

async fn read(files: &TlsFiles) -> Result<(Seen, CertifiedKey)> {
    let files = files.clone();
    spawn_blocking(move || files.read()).await.map_err(Error::internal)?
}

//! Where secrets are kept that are typed by name: files of the user, the environment, the keyring of the session.

mod file;
mod keyring;

use async_trait::async_trait;
use handeye_core::{Error, ErrorCode, Result, SecretPlace, SecretText, Secrets};
use std::time::Duration;
use tokio::time::timeout;

/// How long reading one may take: a keyring asks nobody.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest secret, in bytes.
const LONGEST: usize = 64 * 1024;

/// The secrets of the user whom this process belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OwnSecrets;

#[async_trait]
impl Secrets for OwnSecrets {
    async fn read(&self, place: &SecretPlace) -> Result<SecretText> {
        let reading = async {
            match place {
                SecretPlace::File(path) => {
                    let path = path.clone();
                    let read = tokio::task::spawn_blocking(move || file::read(&path)).await;
                    read.map_err(|_| Error::internal("the secret was not read"))?
                }
                SecretPlace::Variable(name) => std::env::var(name).map_err(|_| {
                    unread(place, "it is not set in the environment of handeye, or is not text")
                }),
                SecretPlace::Keyring { service, account } => keyring::read(service, account).await,
            }
        };
        let value =
            timeout(PATIENCE, reading).await.map_err(|_late| unread(place, "it was not there in time"))??;
        if value.is_empty() || value.len() > LONGEST {
            return Err(unread(place, "it is empty, or longer than 64 KiB"));
        }
        Ok(SecretText::new(value))
    }
}

/// The error of a secret that cannot be had.
fn unread(place: &SecretPlace, why: &str) -> Error {
    Error::new(ErrorCode::Io, format!("the secret in {place} cannot be used: {why}. Nothing was typed"))
}

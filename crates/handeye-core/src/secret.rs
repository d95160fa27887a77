//! Secrets that are typed by name: where one is kept, its value, and the port that gets the one from the other.

use crate::{Error, ErrorCode, Result};
use async_trait::async_trait;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The value of a secret. It cannot be written to a log or an answer by mistake: only [`expose`](Self::expose) shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(Arc<str>);

impl SecretText {
    /// This value.
    pub fn new(value: impl Into<Arc<str>>) -> Self {
        Self(value.into())
    }

    /// The value, for whatever types it or looks for it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText")
    }
}

/// Where a secret is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretPlace {
    /// The first line of a file; a path that begins with `~/` is below the home of the user.
    File(PathBuf),
    /// A variable of the environment of this process.
    Variable(String),
    /// An item of the keyring of the desktop session, by what it was stored under.
    Keyring {
        /// The attribute `service`.
        service: String,
        /// The attribute `account` or `username`.
        account: String,
    },
}

impl fmt::Display for SecretPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::Keyring { service, account } => write!(f, "keyring item {service}/{account}"),
        }
    }
}

/// Gets secrets from where they are kept.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The value that is kept there, without the end of its line.
    ///
    /// # Errors
    /// Why there is none, or why it is not safe where it is. Never the value or a part of it.
    async fn read(&self, place: &SecretPlace) -> Result<SecretText>;
}

/// A platform that keeps none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSecrets;

#[async_trait]
impl Secrets for NoSecrets {
    async fn read(&self, place: &SecretPlace) -> Result<SecretText> {
        Err(Error::new(ErrorCode::NotSupported, format!("secrets cannot be read here ({place})")))
    }
}

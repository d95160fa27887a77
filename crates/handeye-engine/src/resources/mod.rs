//! Resources: what can be read of the desktop by a URI, and what tells when that has changed.
//!
//! [`address`] says which resource a URI means, [`catalog`] which ones there are, [`read`] makes their content, [`watch`] wakes
//! when the content has become another one. Nothing here knows a protocol: a face puts it into the protocol's shape.

pub mod address;
mod app_snapshot;
mod apps;
pub mod catalog;
mod clipboard;
mod comparing;
mod equals;
mod event_log;
mod events;
mod fingerprint;
pub(crate) mod kept;
mod looking;
mod pace;
mod patterns;
mod pulse;
pub mod read;
mod screenshot;
mod state;
mod status;
mod tree;
pub mod watch;

#[cfg(test)]
mod tests;

pub use address::{Address, View};
pub use read::{READ, ReadResource};

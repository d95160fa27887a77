//! What can be read of the desktop by a URI and watched for changes, and the names that complete one.
//!
//! [`address`] says which resource a URI means, [`catalog`] which ones there are, [`wanted`] and [`Resources`] make their content, [`watch`] wakes
//! when the content has become another one, [`suggestions`] completes names. Nothing here knows a protocol: a face puts it into the protocol's
//! shape.

pub mod address;
mod app_content;
mod app_snapshot;
mod apps;
pub mod catalog;
mod clipboard;
mod comparing;
mod event_log;
mod events;
mod fingerprint;
mod kept;
mod looking;
mod notified;
mod pace;
mod pulse;
mod read;
mod recording;
mod resources;
mod screenshot;
mod state;
mod status;
pub mod suggestions;
mod tree;
pub mod watch;

#[cfg(test)]
mod tests;

pub use address::{Address, View};
pub use read::wanted;
pub use resources::Resources;

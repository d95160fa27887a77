//! The engine: a platform and what handeye remembers about it.

use handeye_core::Platform;

/// A platform and what handeye remembers about it. Shared by all calls.
pub struct Engine {
    /// The desktop session that it works on.
    pub platform: Platform,
}

//! How an application in memory behaves.

use handeye_core::Tree;
use std::sync::Arc;
use std::time::Duration;

/// What an element does when it is made to do something.
#[derive(Clone)]
pub enum Reaction {
    /// Says yes and does nothing.
    Lie,
    /// Says no.
    Reject,
    /// Changes the application's tree after that time; the answer comes at once.
    Change(Duration, Arc<dyn Fn(&mut Tree) + Send + Sync>),
    /// Changes the application's tree and never answers, as an application that waits inside of its own dialog.
    ChangeAndHang(Arc<dyn Fn(&mut Tree) + Send + Sync>),
}

/// How an application behaves towards its mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manners {
    /// Every change is announced by an event.
    Complete,
    /// No change is announced; only a refresh sees it.
    Silent,
}

//! Whose a task is.

/// Who may ask for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The client of this session, and no other.
    Session(u64),
    /// Anyone who knows its id: since 2026-07-28 a server knows no clients.
    Bearer,
}

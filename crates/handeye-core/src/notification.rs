//! Notifications that applications send to the desktop.

/// A notification that the desktop has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Its place in the order in which they were seen, from 1.
    pub number: u64,
    /// The number that the desktop gave it. One with the same number replaces it.
    pub id: u32,
    /// The process that sent it, then the one that started that, and so on: what the system itself reports. Empty where the process had ended.
    pub processes: Vec<u32>,
    /// The application for which a service of the desktop sent it, by the name of its desktop file: a sandboxed application sends nothing itself.
    pub on_behalf_of: Option<String>,
    /// Its heading.
    pub title: String,
    /// Its text; some applications write markup into it.
    pub body: String,
}

/// Most notifications that are remembered.
pub const KEPT_NOTIFICATIONS: usize = 64;

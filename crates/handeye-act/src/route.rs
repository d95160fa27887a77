//! By which way an action goes.

/// By which way an action reaches its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// A request to the application, which leaves pointer, keyboard and focus alone.
    Accessibility,
    /// Input into the application alone, which nobody else sees.
    Application,
    /// The user's pointer and keyboard.
    Seat,
}

impl Route {
    /// Its name in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accessibility => "accessibility",
            Self::Application => "application",
            Self::Seat => "seat",
        }
    }
}

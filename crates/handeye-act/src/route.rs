//! By which way an action goes.

use handeye_core::Means;

/// Whose pointer and keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeatOf {
    /// The user's: what is done with it moves the pointer and takes the focus.
    User,
    /// The caller's own, beside it: the user's pointer, focus and windows stay as they are.
    Agent,
}

impl SeatOf {
    /// What such a seat has to be able to do where the user's needs all of `means`: an agent's brings no window forward.
    pub(super) fn needs(self, means: &[Means]) -> impl Iterator<Item = Means> {
        means.iter().copied().filter(move |means| self == Self::User || *means != Means::Activation)
    }
}

/// By which way an action reaches its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// A request to the application, which leaves pointer, keyboard and focus alone.
    Accessibility,
    /// Input into the application alone, which nobody else sees.
    Application,
    /// Pointer and keyboard.
    Seat(SeatOf),
}

impl Route {
    /// Its name in the audit log and in an effect.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accessibility => "accessibility",
            Self::Application => "application",
            Self::Seat(SeatOf::User) => "seat",
            Self::Seat(SeatOf::Agent) => "agent_seat",
        }
    }

    /// The seat that it needs.
    pub const fn seat(self) -> Option<SeatOf> {
        match self {
            Self::Accessibility | Self::Application => None,
            Self::Seat(of) => Some(of),
        }
    }
}

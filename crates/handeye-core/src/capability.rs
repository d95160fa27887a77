//! What a port can do and knows here, what it cannot, and why. Refusals read the reason from there.

use crate::{Advice, Error, ErrorCode, Result};
use std::borrow::Cow;

/// Whether a port can do something, or knows something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// It can.
    Yes,
    /// It cannot.
    No(Missing),
}

/// Why a port cannot do something, and what helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Why, as the end of a sentence: `Wayland does not report to clients where their windows are`.
    pub reason: Cow<'static, str>,
    /// What to do instead, or to get it.
    pub next: Option<Advice>,
}

impl Support {
    /// It cannot, for this reason.
    pub fn no(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::No(Missing { reason: reason.into(), next: None })
    }

    /// The same, with what to do instead, or to get it. Nothing where it can.
    #[must_use]
    pub fn with_next(self, next: impl Into<Advice>) -> Self {
        match self {
            Self::Yes => Self::Yes,
            Self::No(missing) => Self::No(Missing { next: Some(next.into()), ..missing }),
        }
    }

    /// Whether it can.
    pub const fn is_there(&self) -> bool {
        matches!(self, Self::Yes)
    }

    /// Fails where it cannot. `what` is what is not done or known then: `no key can be pressed`.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`] with the reason.
    pub fn require(&self, what: &str) -> Result<()> {
        match self {
            Self::Yes => Ok(()),
            Self::No(missing) => Err(missing.refusal(what)),
        }
    }
}

impl Missing {
    /// The refusal of what needs it. `what` is what is not done or known.
    pub fn refusal(&self, what: &str) -> Error {
        let error = Error::new(ErrorCode::Refused, format!("{what}: {}", self.reason));
        match &self.next {
            Some(next) => error.with_next(next.clone()),
            None => error,
        }
    }
}

/// What an accessibility service can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessibilityCapabilities {
    /// Reading trees, and making elements do something. Without it, applications are known by their windows alone.
    pub trees: Support,
}

impl AccessibilityCapabilities {
    /// Those of a service that can do everything.
    pub const ALL: Self = Self { trees: Support::Yes };
}

/// What a screen can do and knows of windows. Which windows there are is known in any case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenCapabilities {
    /// Pictures: [`Screen::capture`](crate::Screen::capture).
    pub captures: Support,
    /// What windows are called: [`Window::title`](crate::Window::title). Without it, no window can be named by its title.
    pub titles: Support,
    /// Where windows are: [`Window::place`](crate::Window::place). Without it, no point of the screen belongs to a window.
    pub places: Support,
    /// Which window lies over which: [`Window::stacking`](crate::Window::stacking).
    pub stacking: Support,
}

impl ScreenCapabilities {
    /// Those of a screen that knows everything.
    pub const ALL: Self =
        Self { captures: Support::Yes, titles: Support::Yes, places: Support::Yes, stacking: Support::Yes };
}

/// What a clipboard can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClipboardCapabilities {
    /// Reading what was copied.
    pub reading: Support,
    /// Copying something.
    pub writing: Support,
}

impl ClipboardCapabilities {
    /// Those of a clipboard that can do everything.
    pub const ALL: Self = Self { reading: Support::Yes, writing: Support::Yes };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_reason_and_what_helps() {
        assert_eq!(Support::Yes.with_next("Nothing.").require("no key can be pressed"), Ok(()));
        let blind = Support::no("there is no keyboard");
        let error = blind.clone().require("no key can be pressed").expect_err("it cannot");
        assert_eq!((error.code, error.next), (ErrorCode::Refused, None));
        assert_eq!(error.message, "no key can be pressed: there is no keyboard");
        let error = blind.with_next("Plug one in.").require("no key can be pressed").expect_err("it cannot");
        assert_eq!(error.next.as_deref(), Some("Plug one in."));
    }
}

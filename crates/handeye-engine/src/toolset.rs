//! Toolsets: groups of operations that a server offers or leaves out together.

use std::fmt;

/// A group of operations. The categories are those of the `AXTerminator` design (section 4.10); what came from other
/// systems has one of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Toolset {
    /// Which applications there are.
    Connect,
    /// Elements and trees.
    Find,
    /// What acts on an application.
    Action,
    /// Pixels, values, windows, waiting.
    Observe,
    /// The tools of Peekaboo and mcp-screenshot-mac.
    Pictures,
    /// What the client's own model thinks.
    Planning,
    /// What is found by sight.
    Vision,
    /// Several calls as one.
    Compose,
    /// Whether an application is as it should be.
    Assert,
    /// The clipboard, the session, what was done and how to take it back.
    Context,
    /// Scripts.
    Script,
}

impl Toolset {
    /// Every toolset.
    pub const ALL: &[Self] = &[
        Self::Connect,
        Self::Find,
        Self::Action,
        Self::Observe,
        Self::Pictures,
        Self::Planning,
        Self::Vision,
        Self::Compose,
        Self::Assert,
        Self::Context,
        Self::Script,
    ];

    /// Its name in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Find => "find",
            Self::Action => "action",
            Self::Observe => "observe",
            Self::Pictures => "pictures",
            Self::Planning => "planning",
            Self::Vision => "vision",
            Self::Compose => "compose",
            Self::Assert => "assert",
            Self::Context => "context",
            Self::Script => "script",
        }
    }

    /// Whether a server offers it when nobody says otherwise.
    pub const fn is_default(self) -> bool {
        match self {
            Self::Connect | Self::Find | Self::Action | Self::Observe | Self::Pictures => true,
            Self::Planning | Self::Vision | Self::Compose | Self::Assert | Self::Context | Self::Script => {
                false
            }
        }
    }
}

impl fmt::Display for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

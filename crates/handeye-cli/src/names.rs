//! The names that an answer mentions.

/// Whether what an answer names (`e12`, `s7`, `t3`) can be used by the next command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// The daemon keeps them.
    Kept,
    /// They end with this process, so they are not shown.
    Lost,
}

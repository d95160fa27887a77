//! What comes of a recording.

use handeye_flow::Flow;

/// Why a recording ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It was stopped.
    Stopped,
    /// Its time was over.
    Time,
    /// It has as many steps as a workflow can have.
    Full,
    /// The display ended, or the sign that shows the recording was taken off it.
    Lost,
}

/// What was recorded.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The steps.
    pub flow: Flow,
    /// What was not recorded, each in a sentence.
    pub notes: Vec<String>,
    /// Why it ended.
    pub why: Why,
}

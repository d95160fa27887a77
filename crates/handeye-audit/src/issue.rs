//! One issue.

use crate::rule::Rule;
use handeye_core::{Extents, NodeId};

/// Something that fails a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// The rule.
    pub rule: &'static Rule,
    /// The element.
    pub node: NodeId,
    /// The element for people: `button "Save"`. Screen text, on one line.
    pub element: String,
    /// Its reference, where the caller has issued one.
    pub reference: Option<String>,
    /// Where it is, as far as that is known.
    pub bounds: Option<Extents>,
    /// What is wrong.
    pub description: String,
    /// What to do about it.
    pub suggestion: String,
}

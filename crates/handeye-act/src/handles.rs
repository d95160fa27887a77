//! How the answer to a call names elements: by references where a later call can use them.

use crate::meant::Meant;
use handeye_core::{ApplicationId, Tree};
use handeye_tree::references::{Minter, References};

/// The references of a desktop, and whether the answer to a call may show them.
#[derive(Debug, Clone, Copy)]
pub struct Handles<'a> {
    /// All that were issued.
    pub references: &'a References,
    /// What the queries of the caller meant.
    pub meant: &'a Meant,
    /// Whether a later call can use one. Not where the process ends with its answer; then none is shown.
    pub kept: bool,
}

impl<'a> Handles<'a> {
    /// What gives references to the elements of a tree; `None` where they are not shown.
    pub fn minter<'t>(&self, app: &'t ApplicationId, tree: &'t Tree) -> Option<Minter<'t>>
    where
        'a: 't,
    {
        self.kept.then(|| self.references.minter(app, tree))
    }
}

//! An element of an outline, for a program.

use super::fold::Item;
use crate::escape::cut_beyond;
use crate::line::{MAX_NAME_CHARS, MAX_VALUE_CHARS, shown_value, tags, text_beyond};
use handeye_core::Text;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Deeper lines are not indented any further: a hostile tree must not cost a screen of spaces a line.
pub(super) const MAX_INDENT: u32 = 24;

/// An element of an outline: what its line says, each part by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Levels above it, [`MAX_INDENT`] at most: what nests them must not nest without end.
    pub depth: u32,
    /// As ARIA calls it.
    pub role: Cow<'static, str>,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its reference, if it has one that can be used.
    pub reference: Option<String>,
    /// The process that it belongs to, if that is not its application's.
    pub owner: Option<String>,
    /// The states that a person would notice.
    pub states: Vec<Cow<'static, str>>,
    /// What it holds, if that says more than its name does.
    pub value: Option<String>,
    /// What is not shown of it, and the calls that show it.
    pub notes: Vec<Text>,
}

impl Element {
    pub(super) fn of(item: &Item<'_>, reference: Option<&str>, compact: bool) -> Self {
        let node = item.node;
        let name = item.name().trim();
        let value = || Some(cut_beyond(&shown_value(node)?, MAX_VALUE_CHARS, text_beyond(node)));
        let owner = || Some(node.owner.as_ref().filter(|_| item.marks.owner)?.to_string());
        let states = || tags(node, item.marks.focused).map(Cow::Borrowed).collect();
        Self {
            depth: item.depth.min(MAX_INDENT),
            role: node.role.aria().into(),
            name: (!name.is_empty()).then(|| cut_beyond(name, MAX_NAME_CHARS, 0)),
            reference: reference.map(str::to_owned),
            owner: if compact { None } else { owner() },
            states: if compact { Vec::new() } else { states() },
            value: if compact { None } else { value() },
            notes: Vec::new(),
        }
    }
}

//! Marks: the references of what can be acted on, drawn on a picture of it.

use handeye_core::Rect;
use schemars::JsonSchema;
use serde::Serialize;

/// One mark on a picture, and its line in the list beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mark {
    /// For example `e12`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// ARIA role of the element.
    pub role: String,
    /// Name of the element; may be empty.
    pub name: String,
    /// The element on the screen, in screen pixels.
    #[serde(skip)]
    pub area: Rect,
}

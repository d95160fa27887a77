//! A captured picture.

use crate::Rect;

/// Pixels captured from the screen: 8-bit RGB, rows from the top, no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    /// The part of the screen that it shows, in screen pixels. Its size is the size of the picture.
    pub area: Rect,
    /// `area.width * area.height * 3` bytes: red, green, blue.
    pub rgb: Vec<u8>,
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame").field("area", &self.area).field("bytes", &self.rgb.len()).finish()
    }
}

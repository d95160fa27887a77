//! What surrounds the content of a window: the shadow that its application draws, and the server's border.

use super::x_session::numbers_of;
use handeye_core::Rect;
use x11rb::protocol::xproto::{GetGeometryReply, GetPropertyReply};

/// The margins around a window in which its application draws a shadow (`_GTK_FRAME_EXTENTS`), in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Shadow {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) top: u32,
    pub(super) bottom: u32,
}

impl Shadow {
    /// How many items the property has.
    pub(super) const ITEMS: u32 = 4;

    /// What the property says; no shadow where it is missing or makes no sense.
    pub(super) fn from_property(reply: Option<&GetPropertyReply>) -> Self {
        match reply.map(numbers_of).as_deref() {
            Some(&[left, right, top, bottom]) => Self { left, right, top, bottom },
            _ => Self::default(),
        }
    }

    /// `area` without its margins; the whole of it where nothing would be left.
    pub(super) fn cut_from(self, area: Rect) -> Rect {
        let width = area.width.checked_sub(self.left.saturating_add(self.right)).filter(|width| *width > 0);
        let height =
            area.height.checked_sub(self.top.saturating_add(self.bottom)).filter(|height| *height > 0);
        match (width, height) {
            (Some(width), Some(height)) => Rect::new(
                area.x.saturating_add_unsigned(self.left),
                area.y.saturating_add_unsigned(self.top),
                width,
                height,
            ),
            _ => area,
        }
    }
}

/// A window's rectangle with its border, in its parent.
pub(super) fn with_border(geometry: &GetGeometryReply) -> Rect {
    let borders = 2 * u32::from(geometry.border_width);
    let (width, height) = (u32::from(geometry.width), u32::from(geometry.height));
    Rect::new(geometry.x.into(), geometry.y.into(), width + borders, height + borders)
}

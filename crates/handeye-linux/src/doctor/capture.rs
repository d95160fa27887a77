//! Whether pixels can be read: takes a small picture, in the way that the operations do.

use super::Finding;
use handeye_core::Rect;
use handeye_core::platform::{CaptureTarget, Screen};

/// Large enough to go the way of a real picture, small enough to cost nothing.
const SIDE: u32 = 64;

pub(super) async fn probe(screen: &dyn Screen) -> Finding {
    let corner = Rect::new(0, 0, SIDE, SIDE);
    match screen.capture(CaptureTarget::Region(corner)).await {
        Ok(frame) => Finding::ok(format!("read {}x{} pixels", frame.size().width, frame.size().height)),
        Err(error) => error.into(),
    }
}

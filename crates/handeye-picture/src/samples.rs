//! Pictures that tests encode.

use handeye_core::{Frame, Rect};
use proptest::prelude::*;

pub(super) use handeye_png::samples::{KINDS, Kind};

/// Any of them.
pub(super) fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(KINDS.as_slice())
}

/// A picture, the same for the same arguments.
pub(super) fn frame(kind: Kind, width: u32, height: u32) -> Frame {
    Frame::new(Rect::new(0, 0, width, height), handeye_png::samples::rgb(kind, width, height))
}

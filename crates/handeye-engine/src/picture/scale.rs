//! Scaling pictures down to what their reader takes.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{PixelType, Resizer};
use handeye_core::{Error, Frame, Rect, Result, Size};

/// The largest picture that a reader takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the longer side.
    pub longest_side: u32,
    /// Pixels altogether.
    pub pixels: u64,
}

impl Limits {
    /// What models with eyes take without scaling it down themselves (viewpoint-screenshots, decision 5).
    pub const INLINE: Self = Self { longest_side: 1568, pixels: 1_150_000 };

    /// The size of a picture of `size` within the limits, its proportions kept, never larger than it was.
    pub fn fitted(self, size: Size) -> Size {
        let (width, height) = (f64::from(size.width), f64::from(size.height));
        let side = f64::from(self.longest_side) / width.max(height);
        let area = (self.pixels as f64 / (width * height)).sqrt();
        let factor = side.min(area);
        if !factor.is_finite() || factor >= 1.0 {
            return size;
        }
        let scaled = |length: f64| ((length * factor).floor() as u32).max(1);
        Size::new(scaled(width), scaled(height))
    }
}

/// The frame within `limits`; its area becomes `0, 0` and the new size. `None` if it fits as it is.
pub fn fit(frame: &Frame, limits: Limits) -> Result<Option<Frame>> {
    let fault =
        |error: &dyn std::fmt::Display| Error::internal(format!("the picture could not be scaled: {error}"));
    let (width, height) = (frame.area.width, frame.area.height);
    let size = limits.fitted(Size::new(width, height));
    if size == Size::new(width, height) {
        return Ok(None);
    }
    let source = ImageRef::new(width, height, &frame.rgb, PixelType::U8x3).map_err(|error| fault(&error))?;
    let mut target = Image::new(size.width, size.height, PixelType::U8x3);
    Resizer::new().resize(&source, &mut target, None).map_err(|error| fault(&error))?;
    Ok(Some(Frame { area: Rect::new(0, 0, size.width, size.height), rgb: target.into_vec() }))
}

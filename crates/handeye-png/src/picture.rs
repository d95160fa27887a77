//! What can be encoded.

/// Most pixels of a side of a PNG: 2,147,483,647.
pub const MAX_SIDE: u32 = i32::MAX as u32;
/// Bytes of a pixel.
pub(crate) const PIXEL: usize = 3;

/// Why some bytes are not a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no pixel in it.
    #[error("a picture of {width}×{height} pixels has none")]
    Empty {
        /// Pixels of a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// A side has more than [`MAX_SIDE`] pixels.
    #[error("{0} pixels are too many for a side of a PNG, which has at most {MAX_SIDE}")]
    SideTooLong(u32),
    /// There are more or fewer bytes than the sides ask for.
    #[error("the pixels have {found} bytes, and the sides ask for {expected}")]
    WrongLength {
        /// Three bytes for each pixel.
        expected: u64,
        /// How many bytes there are.
        found: usize,
    },
}

/// A picture in memory: 8-bit RGB, rows from the top down, pixels from the left, nothing between them.
#[derive(Clone, Copy)]
pub struct Picture<'a> {
    width: u32,
    height: u32,
    rgb: &'a [u8],
}

impl<'a> Picture<'a> {
    /// A picture of these sides, in pixels, of `width * height * 3` bytes: red, green and blue of each pixel.
    ///
    /// # Errors
    /// [`Error`], if a side has no or too many pixels, or `rgb` has another length.
    pub fn new(width: u32, height: u32, rgb: &'a [u8]) -> Result<Self, Error> {
        if width == 0 || height == 0 {
            return Err(Error::Empty { width, height });
        }
        if let Some(long) = [width, height].into_iter().find(|side| *side > MAX_SIDE) {
            return Err(Error::SideTooLong(long));
        }
        // Two sides of 31 bits and a factor of 3 fit into 64 bits.
        let expected = u64::from(width) * u64::from(height) * PIXEL as u64;
        if rgb.len() as u64 != expected {
            return Err(Error::WrongLength { expected, found: rgb.len() });
        }
        Ok(Self { width, height, rgb })
    }

    /// Pixels of a row.
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// All bytes of all pixels.
    pub const fn rgb(&self) -> &'a [u8] {
        self.rgb
    }

    /// Bytes of a row.
    pub(crate) const fn row(&self) -> usize {
        // A row is a part of a slice, so its length fits.
        self.width as usize * PIXEL
    }
}

impl std::fmt::Debug for Picture<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the pixels, which are many.
        formatter
            .debug_struct("Picture")
            .field("width", &self.width)
            .field("height", &self.height)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_picture_is_an_error_with_its_numbers() {
        let error =
            |width, height, bytes| Picture::new(width, height, &vec![0; bytes]).expect_err("no picture");
        assert_eq!(error(0, 4, 0), Error::Empty { width: 0, height: 4 });
        assert_eq!(error(4, 0, 0), Error::Empty { width: 4, height: 0 });
        assert_eq!(error(MAX_SIDE + 1, 1, 3), Error::SideTooLong(0x8000_0000));
        assert_eq!(error(1, u32::MAX, 3), Error::SideTooLong(u32::MAX));
        assert_eq!(error(4, 4, 5), Error::WrongLength { expected: 48, found: 5 });
        // The largest product does not wrap round to a small one.
        let expected = 13_835_058_042_397_261_827;
        assert_eq!(error(MAX_SIDE, MAX_SIDE, 3), Error::WrongLength { expected, found: 3 });
        assert_eq!(error(4, 4, 5).to_string(), "the pixels have 5 bytes, and the sides ask for 48");
    }

    #[test]
    fn a_picture_shows_no_pixels_in_a_log() {
        let picture = Picture::new(1, 1, &[1, 2, 3]).expect("a picture");
        assert_eq!(format!("{picture:?}"), "Picture { width: 1, height: 1, .. }");
        assert_eq!((picture.width(), picture.height(), picture.rgb()), (1, 1, &[1, 2, 3][..]));
    }
}

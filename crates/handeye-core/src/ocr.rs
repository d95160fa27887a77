//! The trait that a reader of text in pictures fulfils: which words a picture shows, and where.

use crate::{Error, ErrorCode, InPicture, Rect, Result, Size};
use async_trait::async_trait;
use std::fmt;

/// A picture in grey: 8 bits a pixel, rows from the top, no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct GreyPicture {
    /// Its size in pixels.
    pub size: Size,
    /// `size.width * size.height` bytes, 0 is black.
    pub pixels: Vec<u8>,
}

/// Without the pixels: no log may hold what is on a screen.
impl fmt::Debug for GreyPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grey {}x{}", self.size.width, self.size.height)
    }
}

/// A word in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// What it says, never empty, without white space.
    pub text: String,
    /// Where it is.
    pub area: Rect<InPicture>,
    /// How sure the reader is, from 0 to 1.
    pub confidence: f64,
}

/// Words that stand in a row, from left to right. Never empty.
#[derive(Debug, Clone, PartialEq)]
pub struct TextLine(pub Vec<Word>);

/// Reads the text in pictures on this machine.
#[async_trait]
pub trait Ocr: Send + Sync {
    /// Its name, for example `tesseract`.
    fn name(&self) -> &'static str;

    /// Reads a picture. Dropping the future ends the work.
    ///
    /// # Errors
    /// [`ErrorCode::MissingDependency`] with the package to install if the reader, or a language of it, is not there;
    /// [`ErrorCode::Timeout`] if it took too long.
    async fn read(&self, picture: GreyPicture) -> Result<Vec<TextLine>>;
}

/// Reads nothing: where no reader is wired.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOcr;

#[async_trait]
impl Ocr for NoOcr {
    fn name(&self) -> &'static str {
        "none"
    }

    async fn read(&self, _picture: GreyPicture) -> Result<Vec<TextLine>> {
        Err(Error::new(ErrorCode::MissingDependency, "nothing reads text in pictures here"))
    }
}

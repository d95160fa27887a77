//! Pictures that are encoded after one another, each with what it needs of the one before.

use super::jpeg::{self, Spelling};
use super::{Format, png};
use handeye_core::vision::EncodedPicture;
use handeye_core::{Frame, Result};
use handeye_png::Strips;
use std::sync::Arc;

/// The part of the rows, as a divisor, up to which the format of the picture before is kept without looking whether the other one is smaller.
const FEW: usize = 4;

/// In which formats a picture may be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formats {
    /// In this one.
    Only(Format),
    /// JPEG, or PNG where that is not larger. After a picture from which little differs, the format of that one.
    Smallest,
}

/// An encoded picture, after which another one of nearly the same pixels is encoded faster.
#[derive(Debug)]
pub struct Successive {
    /// The file.
    pub picture: Arc<EncodedPicture>,
    parts: Parts,
    /// Bytes of the file when both formats were compared last.
    compared: usize,
}

/// What a picture of the same format takes over.
#[derive(Debug)]
enum Parts {
    Png(Strips),
    /// `None` where that would take too much memory.
    Jpeg(Option<Spelling>),
}

impl Successive {
    /// Encodes a frame. Where it differs from that of an `earlier` picture in nothing but what was [redrawn](Frame::redrawn), the rest is taken
    /// over. Takes milliseconds: call it away from the threads that serve calls.
    ///
    /// # Errors
    /// If the pixels do not make up a picture.
    pub fn encode(frame: &Frame, formats: Formats, earlier: Option<&Self>) -> Result<Self> {
        match formats {
            Formats::Only(Format::Jpeg) => Self::jpeg(frame, earlier),
            Formats::Only(Format::Png) => Self::png(frame, earlier),
            Formats::Smallest => match earlier.filter(|_| has_few_rows_redrawn(frame)) {
                Some(earlier) => Self::in_format_of(earlier, frame),
                None => Self::smallest(frame, earlier),
            },
        }
    }

    fn jpeg(frame: &Frame, earlier: Option<&Self>) -> Result<Self> {
        let spelling = earlier.and_then(|earlier| match &earlier.parts {
            Parts::Jpeg(spelling) => spelling.as_ref(),
            Parts::Png(_) => None,
        });
        let (picture, spelling) = jpeg::encode_after(frame, spelling)?;
        Ok(Self::new(picture, Parts::Jpeg(spelling)))
    }

    fn new(picture: EncodedPicture, parts: Parts) -> Self {
        Self { compared: picture.bytes.len(), picture: Arc::new(picture), parts }
    }

    fn png(frame: &Frame, earlier: Option<&Self>) -> Result<Self> {
        Self::png_within(frame, earlier, usize::MAX)?.ok_or_else(png::without_limit)
    }

    fn png_within(frame: &Frame, earlier: Option<&Self>, most: usize) -> Result<Option<Self>> {
        let earlier = earlier.and_then(|earlier| match &earlier.parts {
            Parts::Png(strips) => Some((&*earlier.picture, strips)),
            Parts::Jpeg(_) => None,
        });
        let encoded = png::encode_after(frame, earlier, most)?;
        Ok(encoded.map(|(picture, strips)| Self::new(picture, Parts::Png(strips))))
    }

    fn smallest(frame: &Frame, earlier: Option<&Self>) -> Result<Self> {
        Self::smaller(Self::jpeg(frame, earlier)?, frame)
    }

    /// In the format of the earlier one, unless the file has become larger or smaller by a quarter since both were compared: then the other one may
    /// be the smaller.
    fn in_format_of(earlier: &Self, frame: &Frame) -> Result<Self> {
        let next = match earlier.parts {
            Parts::Png(_) => Self::png(frame, Some(earlier))?,
            Parts::Jpeg(_) => Self::jpeg(frame, Some(earlier))?,
        };
        if next.picture.bytes.len().abs_diff(earlier.compared) > earlier.compared / 4 {
            return Self::smaller(next, frame);
        }
        Ok(Self { compared: earlier.compared, ..next })
    }

    /// This one, or the frame in the other format if that is smaller.
    fn smaller(one: Self, frame: &Frame) -> Result<Self> {
        let size = one.picture.bytes.len();
        let other = match one.parts {
            Parts::Png(_) => Some(Self::jpeg(frame, None)?).filter(|jpeg| jpeg.picture.bytes.len() < size),
            Parts::Jpeg(_) => Self::png_within(frame, None, size)?,
        };
        Ok(other.unwrap_or(one))
    }
}

fn has_few_rows_redrawn(frame: &Frame) -> bool {
    frame.redrawn().is_some_and(|redrawn| {
        let rows: usize = redrawn.rows.iter().map(ExactSizeIterator::len).sum();
        rows <= frame.size().height as usize / FEW
    })
}

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::super::samples::{self, Kind};
    use super::*;
    use handeye_core::{Redrawn, Stamp};

    fn smallest(frame: &Frame, earlier: Option<&Successive>) -> Successive {
        Successive::encode(frame, Formats::Smallest, earlier).expect("encoded")
    }

    #[test]
    fn the_smaller_of_both_formats_is_chosen() {
        for (kind, mime_type) in
            [(Kind::Flat, "image/png"), (Kind::Photograph, "image/jpeg"), (Kind::Noise, "image/jpeg")]
        {
            for (width, height) in [(40, 30), (700, 500)] {
                let frame = samples::frame(kind, width, height);
                let smallest = smallest(&frame, None).picture;
                let both = [Format::Png, Format::Jpeg].map(|format| encode(&frame, format).expect("encoded"));
                assert_eq!(
                    smallest.bytes.len(),
                    both.iter().map(|picture| picture.bytes.len()).min().unwrap_or(0)
                );
                if width > 40 {
                    assert_eq!(smallest.mime_type, mime_type, "{kind:?}");
                }
            }
        }
    }

    /// The picture with these rows of another one.
    fn redrawn(frame: &Frame, other: &Frame, rows: std::ops::Range<u32>) -> Frame {
        let row = frame.size().width as usize * 3;
        let part = rows.start as usize * row..rows.end as usize * row;
        let mut next = frame.clone();
        next.rgb_mut()[part.clone()].copy_from_slice(&other.rgb()[part]);
        next.redrawn_in(Some(Redrawn { since: Stamp::new(1), rows: vec![rows] }))
    }

    #[test]
    fn little_that_is_redrawn_keeps_the_format_and_the_file_shows_it() {
        let (flat, photograph) =
            (samples::frame(Kind::Flat, 1400, 1000), samples::frame(Kind::Photograph, 1400, 1000));
        let first = smallest(&flat, None);
        assert_eq!(first.picture.mime_type, "image/png");
        let next = redrawn(&flat, &photograph, 500..502);
        let file = smallest(&next, Some(&first)).picture;
        assert!(file.bytes == encode(&next, Format::Png).expect("encoded").bytes);
        let first = smallest(&photograph, None);
        let next = redrawn(&photograph, &flat, 500..502);
        let file = smallest(&next, Some(&first)).picture;
        assert!(file.bytes == encode(&next, Format::Jpeg).expect("encoded").bytes);
    }

    #[test]
    fn a_picture_that_becomes_another_one_little_by_little_changes_its_format() {
        let (flat, photograph) =
            (samples::frame(Kind::Flat, 1400, 1000), samples::frame(Kind::Photograph, 1400, 1000));
        for (from, to, format) in [(&flat, &photograph, Format::Jpeg), (&photograph, &flat, Format::Png)] {
            let (mut frame, mut last) = (from.clone(), smallest(from, None));
            for first in (0..1000).step_by(100) {
                frame = redrawn(&frame, to, first..first + 100);
                last = smallest(&frame, Some(&last));
            }
            assert_eq!(last.picture.mime_type, format.mime_type());
            assert!(last.picture.bytes == encode(to, format).expect("encoded").bytes);
        }
    }
}

//! What was encoded last for a caller, so that a picture of the same pixels is not encoded again.

use handeye_core::vision::EncodedPicture;
use handeye_core::{Extents, Frame, Result, Size, Stamp};
use handeye_picture::Format;
use std::sync::{Arc, Mutex, PoisonError};

/// Most bytes that are kept, of all forms of the last picture together.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Which pixels a picture has: those of this part of a screen, or of a window there, as it was after what the stamp stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pixels {
    shows: Extents,
    size: Size,
    stamp: Stamp,
}

impl Pixels {
    /// Those of a picture; `None` where another one with the same pixels could not be recognized.
    pub(crate) fn of(frame: &Frame) -> Option<Self> {
        Some(Self { shows: frame.shows()?, size: frame.size(), stamp: frame.stamp()? })
    }
}

/// As what a picture was encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// At its full size.
    Whole(Format),
    /// As large as an answer takes it: as PNG, or as the smaller of both formats.
    Inline { png_only: bool },
}

/// An encoded picture and its size.
pub(super) type Encoded = (Size, EncodedPicture);

/// What was encoded last. Empty until then.
#[derive(Debug, Default)]
pub(crate) struct Made(Mutex<Option<Last>>);

#[derive(Debug)]
struct Last {
    pixels: Pixels,
    forms: Vec<(Form, Arc<Encoded>)>,
}

impl Made {
    /// A picture in a form: the one that was made of the same pixels, or else what `make` returns. Pixels that are not known are never the same.
    pub(super) fn get_or(
        &self,
        pixels: Option<Pixels>,
        form: Form,
        make: impl FnOnce() -> Result<Encoded>,
    ) -> Result<Arc<Encoded>> {
        let Some(pixels) = pixels else { return make().map(Arc::new) };
        if let Some(made) = self.find(pixels, form) {
            return Ok(made);
        }
        // Not under the lock: it takes milliseconds.
        let encoded = Arc::new(make()?);
        self.keep(pixels, form, &encoded);
        Ok(encoded)
    }

    fn find(&self, pixels: Pixels, form: Form) -> Option<Arc<Encoded>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let forms = &last.as_ref().filter(|last| last.pixels == pixels)?.forms;
        forms.iter().find(|(known, _)| *known == form).map(|(_, made)| Arc::clone(made))
    }

    fn keep(&self, pixels: Pixels, form: Form, encoded: &Arc<Encoded>) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|last| last.pixels != pixels) {
            *last = Some(Last { pixels, forms: Vec::new() });
        }
        let Some(last) = last.as_mut() else { return };
        let kept: usize = last.forms.iter().map(|(_, kept)| kept.1.bytes.len()).sum();
        if kept + encoded.1.bytes.len() <= MOST_BYTES && last.forms.iter().all(|(known, _)| *known != form) {
            last.forms.push((form, Arc::clone(encoded)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::Rect;
    use std::cell::Cell;

    const PNG: Form = Form::Whole(Format::Png);

    fn pixels(x: i32, stamp: u64) -> Option<Pixels> {
        Pixels::of(&Frame::new(Rect::new(x, 0, 1, 1), vec![0; 3]).taken_after(Some(Stamp::new(stamp))))
    }

    fn picture(bytes: usize) -> Encoded {
        (Size::new(1, 1), EncodedPicture { mime_type: "image/png", bytes: vec![0; bytes] })
    }

    #[test]
    fn the_same_pixels_are_encoded_once_in_each_form() {
        let (made, times) = (Made::default(), Cell::new(0));
        let get = |pixels, form| {
            let encode = || {
                times.set(times.get() + 1);
                Ok(picture(7))
            };
            assert_eq!(made.get_or(pixels, form, encode).expect("made").1.bytes.len(), 7);
            times.get()
        };
        let inline = Form::Inline { png_only: false };
        assert_eq!([get(pixels(0, 1), PNG), get(pixels(0, 1), PNG)], [1, 1]);
        assert_eq!([get(pixels(0, 1), inline), get(pixels(0, 1), inline), get(pixels(0, 1), PNG)], [2, 2, 2]);
        assert_eq!([get(pixels(1, 1), PNG), get(pixels(1, 2), PNG)], [3, 4], "another part, another moment");
        assert_eq!([get(None, PNG), get(None, PNG)], [5, 6], "nobody knows");
        assert_eq!(get(pixels(1, 2), PNG), 6, "what is not known replaces nothing");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let made = Made::default();
        let half = MOST_BYTES / 2;
        for form in [PNG, Form::Whole(Format::Jpeg), Form::Inline { png_only: true }] {
            made.get_or(pixels(0, 1), form, || Ok(picture(half))).expect("made");
        }
        assert!(made.find(pixels(0, 1).expect("known"), Form::Whole(Format::Jpeg)).is_some());
        assert!(made.find(pixels(0, 1).expect("known"), Form::Inline { png_only: true }).is_none());
    }

    #[test]
    fn pixels_that_were_drawn_in_are_those_of_no_moment() {
        let frame = Frame::new(Rect::new(0, 0, 1, 1), vec![0; 3]).taken_after(Some(Stamp::new(1)));
        let mut masked = frame.clone();
        masked.mask(Rect::<handeye_core::OnScreen>::new(0, 0, 1, 1).into());
        let mut drawn = frame.clone();
        drawn.rgb_mut().fill(1);
        assert_eq!([&frame, &masked, &drawn].map(|frame| Pixels::of(frame).is_some()), [true, false, false]);
    }
}

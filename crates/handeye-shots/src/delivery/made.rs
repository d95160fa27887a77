//! What was encoded last for a caller, so that a picture of the same pixels is not encoded again.

use handeye_core::vision::EncodedPicture;
use handeye_core::{Error, Extents, Frame, Result, Size, Stamp};
use handeye_picture::{self as picture, Format, Formats, Limits, Successive};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

    /// Those of the picture before, from which it is known what differs.
    fn before(frame: &Frame) -> Option<Self> {
        Some(Self { shows: frame.shows()?, size: frame.size(), stamp: frame.redrawn()?.since })
    }
}

/// As what a picture was encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// At its full size.
    Whole(Format),
    /// As large as an answer takes it.
    Inline(Formats),
}

/// An encoded picture and its size.
pub(super) type Encoded = (Size, Arc<EncodedPicture>);

/// What was made last. Empty until then.
#[derive(Debug, Default)]
pub(crate) struct Made(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    last: Option<Last>,
    /// For the next picture at its full size.
    whole: Option<Before<Successive>>,
    /// For the next one that is scaled for an answer.
    scaled: Option<Before<Scaled>>,
}

/// The encoded forms of the last picture.
#[derive(Debug)]
struct Last {
    pixels: Pixels,
    forms: Vec<(Form, Encoded)>,
}

/// What a picture was made of, and in which form, for the next one.
#[derive(Debug)]
struct Before<T> {
    pixels: Pixels,
    form: Form,
    made: T,
}

/// A picture that was scaled, and its file.
#[derive(Debug)]
struct Scaled {
    frame: Frame,
    encoded: Successive,
}

impl Made {
    /// A picture at its full size.
    pub(super) fn whole(&self, frame: &Frame, format: Format) -> Result<Encoded> {
        let form = Form::Whole(format);
        self.get_or(frame, form, || {
            let before = take(&mut self.kept().whole, frame, form);
            let encoded = Successive::encode(frame, Formats::Only(format), before.as_ref())?;
            let file = Arc::clone(&encoded.picture);
            if file.bytes.len() <= MOST_BYTES {
                self.kept().whole = Before::new(frame, form, encoded);
            }
            Ok((frame.size(), file))
        })
    }

    /// A picture as large as an answer takes it; `None` if it is so as it is.
    pub(super) fn inline(&self, frame: &Frame, formats: Formats) -> Result<Option<Encoded>> {
        if Limits::INLINE.fitted(frame.size()) == frame.size() {
            return Ok(None);
        }
        let form = Form::Inline(formats);
        let made = self.get_or(frame, form, || {
            let before = take(&mut self.kept().scaled, frame, form);
            let (before, encoded) = before.map(|before| (before.frame, before.encoded)).unzip();
            let scaled = picture::fit_after(frame, Limits::INLINE, before)?;
            let scaled =
                scaled.ok_or_else(|| Error::internal("a picture that is too large was not scaled"))?;
            let encoded = Successive::encode(&scaled, formats, encoded.as_ref())?;
            let made = (scaled.size(), Arc::clone(&encoded.picture));
            self.kept().scaled = Before::new(frame, form, Scaled { frame: scaled, encoded });
            Ok(made)
        });
        made.map(Some)
    }

    /// A picture in a form: the one that was made of the same pixels, or else what `make` returns. Pixels that are not known are never the same.
    pub(super) fn get_or(
        &self,
        frame: &Frame,
        form: Form,
        make: impl FnOnce() -> Result<Encoded>,
    ) -> Result<Encoded> {
        let Some(pixels) = Pixels::of(frame) else { return make() };
        if let Some(made) = self.find(pixels, form) {
            return Ok(made);
        }
        // Not under the lock: it takes milliseconds.
        let encoded = make()?;
        self.kept().keep(pixels, form, &encoded);
        Ok(encoded)
    }

    fn find(&self, pixels: Pixels, form: Form) -> Option<Encoded> {
        let kept = self.kept();
        let forms = &kept.last.as_ref().filter(|last| last.pixels == pixels)?.forms;
        forms.iter().find(|(known, _)| *known == form).map(|(_, made)| made.clone())
    }

    /// Held for moments only, never while a picture is made.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn keep(&mut self, pixels: Pixels, form: Form, encoded: &Encoded) {
        if self.last.as_ref().is_none_or(|last| last.pixels != pixels) {
            self.last = Some(Last { pixels, forms: Vec::new() });
        }
        let Some(last) = self.last.as_mut() else { return };
        let kept: usize = last.forms.iter().map(|(_, kept)| kept.1.bytes.len()).sum();
        if kept + encoded.1.bytes.len() <= MOST_BYTES && last.forms.iter().all(|(known, _)| *known != form) {
            last.forms.push((form, encoded.clone()));
        }
    }
}

impl<T> Before<T> {
    /// `None` where no later picture could be recognized as the next one.
    fn new(frame: &Frame, form: Form, made: T) -> Option<Self> {
        Some(Self { pixels: Pixels::of(frame)?, form, made })
    }
}

/// What was kept, if it was made in the same form of the picture from which it is known where `frame` differs.
fn take<T>(kept: &mut Option<Before<T>>, frame: &Frame, form: Form) -> Option<T> {
    let before = Pixels::before(frame);
    kept.take_if(|kept| Some(kept.pixels) == before && kept.form == form).map(|kept| kept.made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::{Rect, Redrawn};
    use std::cell::Cell;

    const PNG: Form = Form::Whole(Format::Png);

    fn frame(x: i32, stamp: Option<u64>) -> Frame {
        Frame::new(Rect::new(x, 0, 1, 1), vec![0; 3]).taken_after(stamp.map(Stamp::new))
    }

    fn picture(bytes: usize) -> Encoded {
        (Size::new(1, 1), Arc::new(EncodedPicture { mime_type: "image/png", bytes: vec![0; bytes] }))
    }

    #[test]
    fn the_same_pixels_are_encoded_once_in_each_form() {
        let (made, times) = (Made::default(), Cell::new(0));
        let get = |frame: &Frame, form| {
            let encode = || {
                times.set(times.get() + 1);
                Ok(picture(7))
            };
            assert_eq!(made.get_or(frame, form, encode).expect("made").1.bytes.len(), 7);
            times.get()
        };
        let inline = Form::Inline(Formats::Smallest);
        let (one, other) = (frame(0, Some(1)), frame(1, Some(1)));
        assert_eq!([get(&one, PNG), get(&one, PNG)], [1, 1]);
        assert_eq!([get(&one, inline), get(&one, inline), get(&one, PNG)], [2, 2, 2]);
        assert_eq!([get(&other, PNG), get(&frame(1, Some(2)), PNG)], [3, 4], "another part, another moment");
        assert_eq!([get(&frame(1, None), PNG), get(&frame(1, None), PNG)], [5, 6], "nobody knows");
        assert_eq!(get(&frame(1, Some(2)), PNG), 6, "what is not known replaces nothing");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let made = Made::default();
        let frame = frame(0, Some(1));
        let forms = [PNG, Form::Whole(Format::Jpeg), Form::Inline(Formats::Only(Format::Png))];
        for form in forms {
            made.get_or(&frame, form, || Ok(picture(MOST_BYTES / 2))).expect("made");
        }
        let pixels = Pixels::of(&frame).expect("known");
        assert_eq!(forms.map(|form| made.find(pixels, form).is_some()), [true, true, false]);
    }

    #[test]
    fn the_next_picture_is_the_same_as_if_it_was_the_first() {
        [Format::Png, Format::Jpeg].into_iter().for_each(next_pictures);
    }

    fn next_pictures(format: Format) {
        let place = Rect::new(0, 0, 1700, 1000);
        let mut rgb: Vec<u8> =
            (0..1700 * 1000).flat_map(|at: u32| [(at / 40) as u8, (at % 1700 / 60) as u8, 9]).collect();
        let made = Made::default();
        let first = Frame::new(place, rgb.clone()).taken_after(Some(Stamp::new(1)));
        let forms = [Formats::Smallest, Formats::Only(Format::Png)];
        made.whole(&first, format).expect("made");
        made.inline(&first, Formats::Smallest).expect("made");
        for turn in 1..4_u64 {
            rgb[1700 * 3 * 300 * turn as usize..][..600].fill(255);
            let rows = std::iter::once(300 * turn as u32..300 * turn as u32 + 1).collect();
            let redrawn = Some(Redrawn { since: Stamp::new(turn), rows });
            let next =
                Frame::new(place, rgb.clone()).taken_after(Some(Stamp::new(turn + 1))).redrawn_in(redrawn);
            let alone = Made::default();
            let whole = |made: &Made| made.whole(&next, format).expect("made").1;
            assert!(whole(&made).bytes == whole(&alone).bytes, "turn {turn}");
            for formats in forms {
                let inline = |made: &Made| made.inline(&next, formats).expect("made").expect("scaled");
                let (one, other) = (inline(&made), inline(&alone));
                assert_eq!((one.0, one.1.mime_type), (other.0, other.1.mime_type), "turn {turn}");
            }
        }
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

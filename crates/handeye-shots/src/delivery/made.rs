//! What was encoded last for a caller, so that a picture of the same pixels is not encoded again, and one of nearly the same only where it differs.

use handeye_core::vision::EncodedPicture;
use handeye_core::{Error, Extents, Frame, Result, Size, Stamp};
use handeye_picture::{self as picture, Formats, Limits, Successive};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most bytes of files that are kept, of all forms of the last picture together; also of one in each form for the next picture.
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
    Whole(Formats),
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
    /// Of each form, what the next picture may take over.
    before: Vec<Before>,
}

/// The encoded forms of the last picture.
#[derive(Debug)]
struct Last {
    pixels: Pixels,
    forms: Vec<(Form, Encoded)>,
}

/// A picture that was encoded in a form.
#[derive(Debug)]
struct Before {
    pixels: Pixels,
    form: Form,
    /// Where it was scaled for that.
    scaled: Option<Frame>,
    encoded: Successive,
}

impl Made {
    /// A picture at its full size.
    pub(super) fn whole(&self, frame: &Frame, formats: Formats) -> Result<Encoded> {
        self.get_or(frame, Form::Whole(formats), |before| {
            let encoded = Successive::encode(frame, formats, before.map(|before| before.encoded).as_ref())?;
            Ok((None, encoded))
        })
    }

    /// A picture as large as an answer takes it; `None` if it is so as it is.
    pub(super) fn inline(&self, frame: &Frame, formats: Formats) -> Result<Option<Encoded>> {
        if Limits::INLINE.fitted(frame.size()) == frame.size() {
            return Ok(None);
        }
        let made = self.get_or(frame, Form::Inline(formats), |before| {
            let (before, encoded) = before.map(|before| (before.scaled, before.encoded)).unzip();
            let scaled = picture::fit_after(frame, Limits::INLINE, before.flatten())?;
            let scaled =
                scaled.ok_or_else(|| Error::internal("a picture that is too large was not scaled"))?;
            let encoded = Successive::encode(&scaled, formats, encoded.as_ref())?;
            Ok((Some(scaled), encoded))
        });
        made.map(Some)
    }

    /// A picture in a form: the one that was made of the same pixels, or else what `make` returns, scaled or not, after the one before if that is
    /// known. Pixels of an unknown moment are never the same, and leave what is kept as it is.
    fn get_or(
        &self,
        frame: &Frame,
        form: Form,
        make: impl FnOnce(Option<Before>) -> Result<(Option<Frame>, Successive)>,
    ) -> Result<Encoded> {
        let size = |scaled: &Option<Frame>| scaled.as_ref().unwrap_or(frame).size();
        let Some(pixels) = Pixels::of(frame) else {
            return make(None).map(|(scaled, encoded)| (size(&scaled), encoded.picture));
        };
        if let Some(made) = self.find(pixels, form) {
            return Ok(made);
        }
        let before = Pixels::before(frame).and_then(|before| self.kept().take(before, form));
        // Not under the lock: it takes milliseconds.
        let (scaled, encoded) = make(before)?;
        let file = (size(&scaled), Arc::clone(&encoded.picture));
        self.kept().keep(&file, Before { pixels, form, scaled, encoded });
        Ok(file)
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
    /// What was made of these pixels in this form.
    fn take(&mut self, pixels: Pixels, form: Form) -> Option<Before> {
        let position = self.before.iter().position(|before| (before.pixels, before.form) == (pixels, form));
        position.map(|position| self.before.swap_remove(position))
    }

    fn keep(&mut self, made: &Encoded, before: Before) {
        let Before { pixels, form, .. } = before;
        if self.last.as_ref().is_none_or(|last| last.pixels != pixels) {
            self.last = Some(Last { pixels, forms: Vec::new() });
        }
        if made.1.bytes.len() > MOST_BYTES {
            return;
        }
        self.before.retain(|before| before.form != form);
        self.before.push(before);
        let Some(last) = self.last.as_mut() else { return };
        let kept: usize = last.forms.iter().map(|(_, kept)| kept.1.bytes.len()).sum();
        if kept + made.1.bytes.len() <= MOST_BYTES && last.forms.iter().all(|(known, _)| *known != form) {
            last.forms.push((form, made.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::{Rect, Redrawn};
    use handeye_picture::Format;

    const PNG: Formats = Formats::Only(Format::Png);
    const JPEG: Formats = Formats::Only(Format::Jpeg);
    const PLACE: Rect = Rect::new(0, 0, 1700, 1000);
    /// Bytes of a row.
    const ROW: usize = 1700 * 3;

    fn small(x: i32, stamp: Option<u64>) -> Frame {
        Frame::new(Rect::new(x, 0, 1, 1), vec![0; 3]).taken_after(stamp.map(Stamp::new))
    }

    /// The same file, and not only an equal one.
    fn is_the_same(one: &Encoded, other: &Encoded) -> bool {
        Arc::ptr_eq(&one.1, &other.1)
    }

    #[test]
    fn the_same_pixels_are_encoded_once_in_each_form() {
        let made = Made::default();
        let get = |frame: &Frame, formats| made.whole(frame, formats).expect("made");
        let (one, other) = (small(0, Some(1)), small(1, Some(1)));
        let (first, jpeg) = (get(&one, PNG), get(&one, JPEG));
        assert!(is_the_same(&get(&one, PNG), &first) && is_the_same(&get(&one, JPEG), &jpeg));
        assert!(!is_the_same(&get(&other, PNG), &first), "another part");
        let next = get(&small(1, Some(2)), PNG);
        assert!(is_the_same(&get(&small(1, Some(2)), PNG), &next));
        assert!(!is_the_same(&get(&small(1, None), PNG), &get(&small(1, None), PNG)), "nobody knows");
        assert!(is_the_same(&get(&small(1, Some(2)), PNG), &next), "what is not known replaces nothing");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let made = Made::default();
        let noise: Vec<u8> = (0..1300 * 900 * 3_u32)
            .map(|at| {
                let mixed = at.wrapping_mul(2_654_435_761);
                ((mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d) >> 24) as u8
            })
            .collect();
        let frame = Frame::new(Rect::new(0, 0, 1300, 900), noise).taken_after(Some(Stamp::new(1)));
        let sizes = [PNG, JPEG, Formats::Smallest]
            .map(|formats| made.whole(&frame, formats).expect("made").1.bytes.len());
        let kept = made.kept();
        let forms = &kept.last.as_ref().expect("a picture").forms;
        assert!(forms.iter().map(|(_, made)| made.1.bytes.len()).sum::<usize>() <= MOST_BYTES, "{sizes:?}");
        assert!(sizes.iter().sum::<usize>() > MOST_BYTES, "{sizes:?}");
        assert!(kept.before.iter().all(|before| before.encoded.picture.bytes.len() <= MOST_BYTES));
        assert_eq!(kept.before.len(), 3, "one of each form");
    }

    /// A picture, and then one after the other with some pixels of a row changed in each.
    fn pictures() -> Vec<Frame> {
        let mut rgb: Vec<u8> =
            (0..1700 * 1000).flat_map(|at: u32| [(at / 40) as u8, (at % 1700 / 60) as u8, 9]).collect();
        let mut frames = vec![Frame::new(PLACE, rgb.clone()).taken_after(Some(Stamp::new(1)))];
        for turn in 1..4 {
            rgb[300 * turn * ROW..][..600].fill(255);
            let since = Stamp::new(turn as u64);
            let redrawn = Redrawn { since, rows: Vec::new() };
            let rows = std::iter::once(300 * turn as u32..300 * turn as u32 + 1);
            let frame = Frame::new(PLACE, rgb.clone()).taken_after(Some(Stamp::new(turn as u64 + 1)));
            frames.push(frame.redrawn_in(Some(redrawn.and(rows))));
        }
        frames
    }

    #[test]
    fn the_next_picture_is_the_same_as_if_it_was_the_first() {
        let made = Made::default();
        for (turn, frame) in pictures().iter().enumerate() {
            for formats in [PNG, JPEG, Formats::Smallest] {
                let [next, alone] =
                    [&made, &Made::default()].map(|made| made.whole(frame, formats).expect("made"));
                assert!(next.1.bytes == alone.1.bytes, "turn {turn}, {formats:?}");
                let [next, alone] = [&made, &Made::default()]
                    .map(|made| made.inline(frame, formats).expect("made").expect("scaled"));
                assert_eq!(
                    (next.0, next.1.mime_type),
                    (alone.0, alone.1.mime_type),
                    "turn {turn}, {formats:?}"
                );
                assert!(next.1.bytes == alone.1.bytes, "turn {turn}, {formats:?}");
            }
        }
    }

    #[test]
    fn only_what_was_drawn_is_made_again() {
        let formats = [PNG, JPEG, Formats::Smallest];
        let (frames, made) = (pictures(), Made::default());
        for formats in formats {
            made.whole(&frames[0], formats).expect("made");
            made.inline(&frames[0], formats).expect("made");
        }
        // Changed where nothing says so: what is taken over does not show it.
        let mut wrong = frames[1].rgb().to_vec();
        wrong[900 * ROW..901 * ROW].fill(77);
        let wrong =
            Frame::new(PLACE, wrong).taken_after(frames[1].stamp()).redrawn_in(frames[1].redrawn().cloned());
        for formats in formats {
            let [next, right] = [(&made, &wrong), (&Made::default(), &frames[1])];
            let whole = |(made, frame): (&Made, &Frame)| made.whole(frame, formats).expect("made").1;
            assert!(whole(next).bytes == whole(right).bytes, "{formats:?}");
            let inline = |(made, frame): (&Made, &Frame)| {
                made.inline(frame, formats).expect("made").expect("scaled").1
            };
            assert!(inline(next).bytes == inline(right).bytes, "{formats:?}");
        }
    }

    #[test]
    fn nothing_is_taken_over_by_a_masked_picture_or_after_another_one() {
        let (frames, made) = (pictures(), Made::default());
        made.whole(&frames[0], PNG).expect("made");
        let mut masked = frames[1].clone();
        masked.mask(Rect::<handeye_core::OnScreen>::new(0, 900, 1700, 50).into());
        let alone = |frame: &Frame| Made::default().whole(frame, PNG).expect("made").1;
        assert!(made.whole(&masked, PNG).expect("made").1.bytes == alone(&masked).bytes, "the mask is in it");
        // It is after the second one.
        assert!(made.whole(&frames[2], PNG).expect("made").1.bytes == alone(&frames[2]).bytes);
    }

    #[test]
    fn pixels_that_were_drawn_in_are_those_of_no_moment() {
        let frame = small(0, Some(1));
        let mut masked = frame.clone();
        masked.mask(Rect::<handeye_core::OnScreen>::new(0, 0, 1, 1).into());
        let mut drawn = frame.clone();
        drawn.rgb_mut().fill(1);
        assert_eq!([&frame, &masked, &drawn].map(|frame| Pixels::of(frame).is_some()), [true, false, false]);
    }
}

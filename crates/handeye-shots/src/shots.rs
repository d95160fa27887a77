//! Pictures that were delivered: what each of them shows, so that a point of a picture finds its place on the screen.

use crate::delivery::{Made, Pixels};
use handeye_core::{
    Error, ErrorCode, InPicture, Invocation, Numbers, Point, Rect, Result, Size, Window, WindowId, frame,
    screen_text, text,
};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// How many pictures are remembered; the oldest are forgotten beyond that.
const MAX_SHOTS: usize = 1_000;
/// How many windows are remembered with a picture.
const MAX_WINDOWS: usize = 256;
/// How much of a window's title is remembered, in characters.
const MAX_TITLE: usize = 80;

/// The short name of a picture, shown as `s7`. A number is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShotId(u64);

impl fmt::Display for ShotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

/// What a picture is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The screen or a part of it, with all the windows there.
    Screen,
    /// One window, wherever it is and whatever covers it.
    Window(WindowId),
}

/// A window as it was when a picture was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The display server's number for it.
    pub id: WindowId,
    /// Where it was, with its decoration, in screen pixels; `None` where that is not known.
    pub frame: Option<Rect>,
    /// The process that owns it, where that is known.
    pub pid: Option<u32>,
    /// Its title, cut after 80 characters.
    pub title: Box<str>,
}

impl Seen {
    /// The windows that are remembered with a picture, given and returned from the topmost down.
    pub fn all(shown: &[Window]) -> Arc<[Self]> {
        let seen = |window: &Window| Self {
            id: window.id,
            frame: window.frame(),
            pid: window.pid,
            title: window.title.chars().take(MAX_TITLE).collect(),
        };
        shown.iter().filter(|window| !window.minimized).take(MAX_WINDOWS).map(seen).collect()
    }
}

/// A picture that was delivered.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// What it is of.
    pub subject: Subject,
    /// The part of the screen that it showed, in screen pixels; `None` where that is not known.
    pub area: Option<Rect>,
    /// The size in which it was delivered, in pixels of the picture.
    pub size: Size,
    /// Screen pixels for one logical pixel, where it was taken.
    pub scale: f64,
    /// The windows that were drawn at that moment, from the topmost down, menus and other popups among them.
    pub windows: Arc<[Seen]>,
    /// Its file at full size, absolute, if it was saved.
    pub file: Option<Arc<Path>>,
}

impl Shot {
    /// The point of the screen in the middle of what a pixel of the picture showed; `None` outside of the picture, or where
    /// its place is not known.
    pub fn on_screen(&self, pixel: Point<InPicture>) -> Option<Point> {
        frame::shown_at(self.area?, self.size, pixel)
    }

    /// The window that the picture shows at a point of the screen; `None` where it shows the bare desktop.
    pub fn window_at(&self, point: Point) -> Option<&Seen> {
        match self.subject {
            Subject::Screen => {
                self.windows.iter().find(|window| window.frame.is_some_and(|frame| frame.contains(point)))
            }
            Subject::Window(id) => self.windows.iter().find(|window| window.id == id),
        }
    }
}

/// Every picture that one caller was given.
#[derive(Debug, Default)]
pub struct Shots {
    numbers: Numbers,
    inner: Mutex<Inner>,
    made: Arc<Made>,
}

#[derive(Debug, Default)]
struct Inner {
    /// The highest number that was forgotten; the oldest goes first.
    forgotten: u64,
    shots: BTreeMap<u64, Shot>,
    /// The last one, and its pixels.
    last: Option<(ShotId, Pixels)>,
}

impl Shots {
    /// Those of another caller, who has none yet. No number of the one is ever a number of the other.
    #[must_use]
    pub fn of_another_caller(&self) -> Self {
        Self { numbers: self.numbers.clone(), ..Self::default() }
    }

    /// Gives a picture its name.
    pub fn remember(&self, shot: Shot) -> ShotId {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.numbers.next();
        inner.shots.insert(number, shot);
        if inner.shots.len() > MAX_SHOTS
            && let Some((oldest, _)) = inner.shots.pop_first()
        {
            inner.forgotten = oldest;
        }
        ShotId(number)
    }

    /// What was encoded last.
    pub(crate) fn made(&self) -> Arc<Made> {
        Arc::clone(&self.made)
    }

    /// The picture before the one of this name, if both have these pixels; `None` for pixels that are not known.
    pub(crate) fn same_as(&self, id: ShotId, pixels: Option<Pixels>) -> Option<ShotId> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let last = std::mem::replace(&mut inner.last, pixels.map(|pixels| (id, pixels)));
        last.filter(|(_, known)| pixels == Some(*known)).map(|(same, _)| same)
    }

    /// The picture of that name.
    pub fn lookup(&self, name: &str) -> Result<Shot> {
        let number = name.trim().strip_prefix('s').and_then(|number| number.parse::<u64>().ok());
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        number.and_then(|number| inner.shots.get(&number)).cloned().ok_or_else(|| {
            let shown = screen_text::line(name, 20);
            let why = match number {
                None => "a picture's id looks like s7",
                Some(number) if number > self.numbers.last() => "no picture with that id was taken",
                Some(number) if number > inner.forgotten => {
                    "it was taken for another caller, or too long ago and is no longer kept"
                }
                Some(_) => "it was taken too long ago and is no longer kept",
            };
            Error::new(ErrorCode::UnknownScreenshot, format!("no picture '{shown}': {why}")).with_next(text![
                "Take a new one with ",
                Invocation::of("ax_screenshot"),
                " and use the id that it returns."
            ])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shot(area: Rect, size: Size) -> Shot {
        Shot {
            subject: Subject::Screen,
            area: Some(area),
            size,
            scale: 1.0,
            windows: Arc::default(),
            file: None,
        }
    }

    prop_compose! {
        fn any_shot()(x in -9_000..9_000, y in -9_000..9_000, w in 1_u32..9_000, h in 1_u32..9_000,
                      width in 1_u32..9_000, height in 1_u32..9_000) -> Shot {
            shot(Rect::new(x, y, w, h), Size::new(width, height))
        }
    }

    proptest! {
        #[test]
        fn every_pixel_of_a_picture_lies_in_its_area_and_order_is_kept(
            shot in any_shot(), x in 0.0..1.0_f64, y in 0.0..1.0_f64,
        ) {
            let pixel = |share: f64, length: u32| ((f64::from(length) * share) as i32).min(length as i32 - 1);
            let (x, y) = (pixel(x, shot.size.width), pixel(y, shot.size.height));
            let point = shot.on_screen(Point::new(x, y)).expect("inside");
            prop_assert!(shot.area.expect("placed").contains(point));
            if let Some(next) = shot.on_screen(Point::new(x + 1, y)) {
                prop_assert!(next.x >= point.x && next.y == point.y);
            }
            if let Some(next) = shot.on_screen(Point::new(x, y + 1)) {
                prop_assert!(next.y >= point.y && next.x == point.x);
            }
        }

        #[test]
        fn what_is_drawn_at_a_pixel_of_the_screen_is_found_there(shot in any_shot(), share in 0.0..1.0_f64) {
            let area = shot.area.expect("placed");
            let drawn = ((f64::from(area.width) * share) as u32).min(area.width - 1);
            let seen = u64::from(drawn) * u64::from(shot.size.width) / u64::from(area.width);
            let back = shot.on_screen(Point::new(seen as i32, 0)).expect("inside");
            let resolution = area.width.div_ceil(shot.size.width);
            prop_assert!((area.x + drawn as i32).abs_diff(back.x) <= resolution);
        }

        #[test]
        fn a_picture_at_full_size_is_exact(area in any_shot(), share in 0.0..1.0_f64) {
            let area = area.area.expect("placed");
            let shot = shot(area, Size::new(area.width, area.height));
            let (x, y) = ((f64::from(area.width) * share) as i32, (f64::from(area.height) * share) as i32);
            let (x, y) = (x.min(area.width as i32 - 1), y.min(area.height as i32 - 1));
            prop_assert_eq!(shot.on_screen(Point::new(x, y)), Some(Point::new(area.x + x, area.y + y)));
        }
    }

    #[test]
    fn a_point_outside_of_the_picture_is_nowhere() {
        let shot = shot(Rect::new(-1920, 0, 1920, 1080), Size::new(960, 540));
        assert_eq!(shot.on_screen(Point::new(0, 0)), Some(Point::new(-1919, 1)));
        assert_eq!(shot.on_screen(Point::new(959, 539)), Some(Point::new(-1, 1079)));
        for (x, y) in [(-1, 0), (0, -1), (960, 0), (0, 540), (i32::MIN, i32::MAX)] {
            assert_eq!(shot.on_screen(Point::new(x, y)), None, "{x}, {y}");
        }
    }

    #[test]
    fn pictures_are_forgotten_one_by_one_and_never_mistaken() {
        let shots = Shots::default();
        let first = shots.remember(shot(Rect::new(0, 0, 1, 1), Size::new(1, 1)));
        for width in 1..=MAX_SHOTS as u32 {
            shots.remember(shot(Rect::new(0, 0, width, 1), Size::new(width, 1)));
        }
        let why = |name: &str| shots.lookup(name).expect_err("unknown").message;
        assert!(why(&first.to_string()).contains("no longer kept"));
        assert!(why("s999999").contains("no picture with that id"));
        assert!(why("e7").contains("looks like s7"));
        assert_eq!(shots.lookup(" s2 ").expect("kept").area.map(|area| area.width), Some(1));
    }
}

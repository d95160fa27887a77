//! Pictures that were given out: what each of them shows, so that a point of a picture finds its place on the screen.

use handeye_core::{Error, ErrorCode, Rect, Result, Size, WindowId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// How many pictures are remembered; the oldest are forgotten beyond that.
const MAX_SHOTS: usize = 1_000;
/// How many windows are remembered with a picture.
pub const MAX_WINDOWS: usize = 256;

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

/// A picture that was given out.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// What it is of.
    pub subject: Subject,
    /// The part of the screen that it showed, in screen pixels.
    pub area: Rect,
    /// The size in which it was delivered, in pixels of the picture.
    pub size: Size,
    /// Screen pixels for one logical pixel, where it was taken.
    pub scale: f64,
    /// The windows at that moment with their frames on the screen, from the topmost down, without minimized ones.
    pub windows: Arc<[(WindowId, Rect)]>,
}

/// Every picture that was given out. Shared by all calls.
#[derive(Debug, Default)]
pub struct Shots {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    given: u64,
    shots: BTreeMap<u64, Shot>,
}

impl Shots {
    /// Gives a picture its name.
    pub fn remember(&self, shot: Shot) -> ShotId {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.given += 1;
        let number = inner.given;
        inner.shots.insert(number, shot);
        if inner.shots.len() > MAX_SHOTS {
            inner.shots.pop_first();
        }
        ShotId(number)
    }

    /// The picture of that name.
    pub fn lookup(&self, name: &str) -> Result<Shot> {
        let number = name.trim().strip_prefix('s').and_then(|number| number.parse::<u64>().ok());
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        number.and_then(|number| inner.shots.get(&number)).cloned().ok_or_else(|| {
            let shown: String = name.chars().take(20).collect();
            let why = match number {
                None => "a picture's id looks like s7",
                Some(number) if number > inner.given => "no picture of that id was taken",
                Some(_) => "it was taken so long ago that it is forgotten",
            };
            Error::new(ErrorCode::UnknownScreenshot, format!("no picture '{shown}': {why}"))
                .with_next("Take a new one with ax_screenshot and use the id that it answers.")
        })
    }
}

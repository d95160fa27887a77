//! A point of a picture, found on the screen as it is now, or refused: never guessed.

use crate::on_screen::{check_on_screen, topmost_at, unplaced};
use crate::shots::{Seen, Shot, Shots, Subject};
use handeye_core::{
    Error, ErrorCode, InPicture, Invocation, Point, Rect, Result, Screen, Window, WindowId, text,
};
use handeye_tree::describe::quote;

/// A point as a caller names it: in a picture that was delivered, or on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedPoint<'a> {
    /// A point of the screen.
    OnScreen(Point),
    /// A pixel of the picture of that id.
    InPicture(&'a str, Point<InPicture>),
}

impl<'a> NamedPoint<'a> {
    /// The point `x`, `y` of the picture `screenshot`, or else of the screen.
    pub const fn new(x: i32, y: i32, screenshot: Option<&'a str>) -> Self {
        match screenshot {
            Some(picture) => Self::InPicture(picture, Point::new(x, y)),
            None => Self::OnScreen(Point::new(x, y)),
        }
    }
}

/// A point of a picture, and what it showed, as that is on the screen now.
#[derive(Debug, Clone)]
pub struct Spot {
    /// The name of the picture.
    name: String,
    /// The point in pixels of the picture.
    pixel: Point<InPicture>,
    shot: Shot,
    /// Where that is on the screen now.
    pub point: Point,
    /// The window that the picture showed there, as it is now; `None` for the bare desktop.
    pub window: Option<Window>,
    /// How far that window has moved since.
    moved: (i32, i32),
}

impl Spot {
    /// Finds what the picture `name` showed at its pixel `pixel`. Another window may cover it now.
    ///
    /// A window that has moved since is followed. One that has another size, is gone or is not shown is an error
    /// [`ErrorCode::StaleScreenshot`]: what is at that point of it now is not known.
    pub async fn find(
        shots: &Shots,
        screen: &dyn Screen,
        name: &str,
        pixel: Point<InPicture>,
    ) -> Result<Self> {
        let shot = shots.lookup(name)?;
        Self::look(screen, name.trim().to_owned(), pixel, shot).await
    }

    async fn look(screen: &dyn Screen, name: String, pixel: Point<InPicture>, shot: Shot) -> Result<Self> {
        if shot.area.is_none() && shot.contains(pixel) {
            return Err(nowhere(screen, &name, pixel).await);
        }
        let point = shot.on_screen(pixel).ok_or_else(|| outside(&name, &shot, pixel))?;
        let shown = screen.shown().await?;
        let Some(seen) = shot.window_at(point).cloned() else {
            if let Subject::Window(_) = shot.subject {
                return Err(stale(&name, "its window was closed while the picture was taken", anew()));
            }
            if let Some(window) = topmost_at(screen, &shown, point).await? {
                let why = format!("it shows the bare desktop there, where now {} is", titled(&window.title));
                return Err(stale(&name, &why, anew()));
            }
            return Ok(Self { name, pixel, shot, point, window: None, moved: (0, 0) });
        };
        let Some(window) = shown.into_iter().find(|window| window.id == seen.id) else {
            return Err(Self::lost(screen, &name, &shot, &seen).await?);
        };
        let (Some(then), Some(now)) = (seen.frame, window.frame()) else {
            return Err(nowhere(screen, &name, pixel).await);
        };
        if shot.subject != Subject::Screen
            && shot.area.is_some_and(|area| then.intersection(&area) != Some(area))
        {
            let why =
                format!("{} moved or changed its size while the picture was taken", titled(&seen.title));
            return Err(stale(&name, &why, shot.retake(&seen)));
        }
        if (then.width, then.height) != (now.width, now.height) {
            let why = format!(
                "{} had {}x{} pixels and has {}x{} now",
                titled(&window.title),
                then.width,
                then.height,
                now.width,
                now.height
            );
            return Err(stale(&name, &why, shot.retake(&seen)));
        }
        let moved = (now.x.saturating_sub(then.x), now.y.saturating_sub(then.y));
        let point = point.translated(moved.0, moved.1);
        Ok(Self { name, pixel, shot, point, window: Some(window), moved })
    }

    /// Why a window that the picture shows is not shown now.
    async fn lost(screen: &dyn Screen, name: &str, shot: &Shot, seen: &Seen) -> Result<Error> {
        let listed = screen.windows().await?;
        let title = titled(&seen.title);
        Ok(match listed.iter().find(|window| window.id == seen.id) {
            Some(window) if window.minimized => {
                stale(name, &format!("{title} is minimized"), shot.retake(seen))
            }
            Some(_) => stale(name, &format!("{title} is hidden or on another desktop"), shot.retake(seen)),
            None => stale(name, &format!("{title} is gone"), anew()),
        })
    }

    /// The same spot as it is now, once it is sure that the pointer would reach what the picture showed.
    pub async fn uncovered(self, screen: &dyn Screen) -> Result<Self> {
        let spot = Self::look(screen, self.name, self.pixel, self.shot).await?;
        check_on_screen(screen, spot.point).await?;
        let shown = screen.shown().await?;
        let top = topmost_at(screen, &shown, spot.point).await?;
        if top.map(|top| top.id) == spot.window.as_ref().map(|window| window.id) {
            return Ok(spot);
        }
        let over = top.map_or_else(|| "the bare desktop".to_owned(), |top| titled(&top.title));
        let at = spot.point;
        Err(stale(
            &spot.name,
            &format!("{over} covers that point now, ({}, {}) of the screen", at.x, at.y),
            anew(),
        )
        .with_found(spot.window.iter().map(|window| format!("it shows {} there", titled(&window.title)))))
    }

    /// The window that the picture is of, if it is of one that is still there.
    pub fn own_window(&self) -> Option<WindowId> {
        match (self.shot.subject, &self.window) {
            (Subject::Window(id), Some(_)) => Some(id),
            _ => None,
        }
    }

    /// Where it is, for the sentence that reports what was done: `(300, 200), that is (12, 40) of s7; followed: …`.
    pub fn place(&self) -> String {
        let mut place = format!(
            "({}, {}), that is ({}, {}) of {}",
            self.point.x, self.point.y, self.pixel.x, self.pixel.y, self.name
        );
        if self.moved != (0, 0) {
            place.push_str(&format!(
                "; followed: the window moved by ({}, {}) since",
                self.moved.0, self.moved.1
            ));
        }
        place
    }
}

impl Shot {
    /// Whether it has this pixel.
    fn contains(&self, pixel: Point<InPicture>) -> bool {
        Rect::new(0, 0, self.size.width, self.size.height).contains(pixel)
    }

    /// The call that takes such a picture again.
    fn retake(&self, seen: &Seen) -> Invocation {
        let call = anew();
        match self.subject {
            Subject::Window(_) => call.with_some("app", seen.pid.map(|pid| pid.to_string())),
            Subject::Screen => call,
        }
    }
}

/// The refusal of a point in a picture whose place on the screen is unknown.
async fn nowhere(screen: &dyn Screen, name: &str, pixel: Point<InPicture>) -> Error {
    unplaced(screen, &format!("({}, {}) of {name} has no known place on the screen", pixel.x, pixel.y)).await
}

fn outside(name: &str, shot: &Shot, pixel: Point<InPicture>) -> Error {
    let (width, height) = (shot.size.width, shot.size.height);
    Error::new(
        ErrorCode::InvalidParameter,
        format!("({}, {}) is outside of {name}, which has {width}x{height} pixels", pixel.x, pixel.y),
    )
    .with_next(format!(
        "x is 0 to {}, y 0 to {} in that picture; without screenshot they are pixels of the screen.",
        width - 1,
        height - 1
    ))
}

/// The call that takes a picture of the screen.
fn anew() -> Invocation {
    Invocation::of("ax_screenshot")
}

fn stale(name: &str, why: &str, retake: Invocation) -> Error {
    Error::new(ErrorCode::StaleScreenshot, format!("{name} cannot be trusted at that point: {why}"))
        .with_next(text![retake, " takes a new one: use its id and its pixels."])
}

fn titled(title: &str) -> String {
    let title = quote(title);
    if title.trim().is_empty() {
        "a window without a title".to_owned()
    } else {
        format!("window \"{title}\"")
    }
}

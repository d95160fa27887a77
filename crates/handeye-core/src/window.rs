//! Windows and monitors as the display server knows them.

use crate::{InWindow, Point, Rect};

/// Identifies a window. Nothing but the screen that issued it may read anything into the number (on X11 it is the XID of the client
/// window; a screen whose windows have no numbers counts them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WindowId(u64);

impl WindowId {
    /// For a screen: the window that it calls `number`.
    pub const fn issued(number: u64) -> Self {
        Self(number)
    }

    /// For the screen that issued it, and for people and programs that name the window by it: the number.
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// A top-level window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The display server's number for it.
    pub id: WindowId,
    /// Its title; empty if it has none, or where titles are not known, see [`ScreenCapabilities::titles`](crate::ScreenCapabilities::titles).
    pub title: String,
    /// Class or application id, for example `Mousepad`.
    pub class: Option<String>,
    /// Process that owns it, where that is known.
    pub pid: Option<u32>,
    /// Where it is on the screen; `None` where that is not known, see [`ScreenCapabilities::places`](crate::ScreenCapabilities::places).
    pub place: Option<Place>,
    /// Place in the stack: 0 is on top. `None` where that is not known.
    pub stacking: Option<usize>,
    /// Whether it is minimized (and so has no pixels).
    pub minimized: bool,
    /// Whether it receives the user's keyboard, as far as that is known.
    pub active: bool,
    /// Whether it is a dialog that its application wants answered first.
    pub modal: bool,
    /// Whether it is a dialog, menu or other transient of another window.
    pub transient_for: Option<WindowId>,
}

/// Where a window is, in screen pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The application's own area, without the window manager's decoration and without a shadow that the application
    /// draws itself.
    pub content: Rect,
    /// The whole window with its decoration and without a shadow.
    pub frame: Rect,
}

impl Place {
    /// That of a window without decoration.
    pub const fn bare(area: Rect) -> Self {
        Self { content: area, frame: area }
    }

    /// The same, moved.
    #[must_use]
    pub fn translated(&self, dx: i32, dy: i32) -> Self {
        Self { content: self.content.translated(dx, dy), frame: self.frame.translated(dx, dy) }
    }

    /// Where on the screen a part of the window is.
    pub fn on_screen(&self, part: Rect<InWindow>) -> Rect {
        let Rect { x, y, width, height, .. } = part;
        Rect::new(x, y, width, height).translated(self.content.x, self.content.y)
    }

    /// Where in the window a part of the screen is.
    pub fn in_window(&self, part: Rect) -> Rect<InWindow> {
        let Rect { x, y, width, height, .. } = part;
        Rect::new(x, y, width, height)
            .translated(self.content.x.saturating_neg(), self.content.y.saturating_neg())
    }
}

impl Window {
    /// The whole window with its decoration and without a shadow, in screen pixels; `None` where its place is not known.
    pub fn frame(&self) -> Option<Rect> {
        self.place.map(|place| place.frame)
    }

    /// The application's own area, in screen pixels; `None` where its place is not known.
    pub fn content(&self) -> Option<Rect> {
        self.place.map(|place| place.content)
    }
}

/// A monitor.
#[derive(Debug, Clone, PartialEq)]
pub struct Monitor {
    /// The display server's name for it.
    pub name: String,
    /// The part of the desktop that it shows, in screen pixels.
    pub area: Rect,
    /// Whether it is the primary one.
    pub primary: bool,
    /// Physical pixels for one logical pixel.
    pub scale: f64,
}

/// The state of a seat, as far as it is known. Background actions must leave that of the user's seat alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatState {
    /// The window that receives its keyboard.
    pub active_window: ActiveWindow,
    /// Where its pointer is; `None` where that is not known.
    pub pointer: Option<Point>,
}

/// The window that receives the keyboard of a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActiveWindow {
    /// This one.
    Window(WindowId),
    /// None does.
    Nobody,
    /// There may be one, but the seat does not know it, see [`SeatCapabilities::active_window`](crate::SeatCapabilities::active_window).
    Unknown,
}

impl ActiveWindow {
    /// The window, where there is one that is known.
    pub const fn window(self) -> Option<WindowId> {
        match self {
            Self::Window(window) => Some(window),
            Self::Nobody | Self::Unknown => None,
        }
    }
}

impl From<Option<WindowId>> for ActiveWindow {
    fn from(known: Option<WindowId>) -> Self {
        known.map_or(Self::Nobody, Self::Window)
    }
}

//! Windows and monitors as the display server knows them.

use crate::{Point, Rect};

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
    /// Its title; may be empty.
    pub title: String,
    /// Class or application id, for example `Mousepad`.
    pub class: Option<String>,
    /// Process that owns it, where that is known.
    pub pid: Option<u32>,
    /// The application's own area, without the window manager's decoration and without a shadow that the application
    /// draws itself, in screen pixels.
    pub content: Rect,
    /// The whole window with its decoration and without a shadow, in screen pixels.
    pub frame: Rect,
    /// Place in the stack: 0 is on top.
    pub stacking: usize,
    /// Whether it is minimized (and so has no pixels).
    pub minimized: bool,
    /// Whether it receives the keyboard.
    pub active: bool,
    /// Whether it is a dialog that its application wants answered first.
    pub modal: bool,
    /// Whether it is a dialog, menu or other transient of another window.
    pub transient_for: Option<WindowId>,
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

/// The state of the seat that background actions must leave alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatState {
    /// The active window.
    pub active_window: Option<WindowId>,
    /// Where the pointer is.
    pub pointer: Point,
    /// Windows from the topmost down.
    pub stacking: Vec<WindowId>,
}

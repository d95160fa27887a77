//! Windows and monitors as the display server knows them.

use crate::{Point, Rect};
use serde::{Deserialize, Serialize};

/// The display server's number for a window (on X11 the XID of the client window).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WindowId(pub u64);

/// A top-level window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The display server's number for it.
    pub id: WindowId,
    /// Its title; may be empty.
    pub title: String,
    /// Class or application id, for example `Mousepad`.
    pub class: Option<String>,
    /// Process that owns it, where that can be told.
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

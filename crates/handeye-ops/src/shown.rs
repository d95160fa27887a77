//! What the tools that capture windows of an application have in common: which windows those are, and in which order.

use handeye_act::naming::belongs;
use handeye_core::{Application, Monitor, Rect, Window};

/// A window and whether anything of it is on a monitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The window.
    pub(crate) window: Window,
    /// Whether it is mapped and at least partly on a monitor.
    pub(crate) on_screen: bool,
}

/// The windows of these applications: those on the screen from the topmost down, then the others. A window has the same
/// place in the list whether or not the others are wanted, so its number names it in both.
pub(crate) fn shown_first(
    windows: Vec<Window>,
    applications: &[Application],
    monitors: &[Monitor],
) -> Vec<Shown> {
    let mut shown: Vec<Shown> = windows
        .into_iter()
        .filter(|window| applications.iter().any(|application| belongs(window, application)))
        .map(|window| Shown { on_screen: is_on_screen(&window, monitors), window })
        .collect();
    shown.sort_by_key(|shown| (!shown.on_screen, shown.window.stacking));
    shown
}

/// Whether a window is mapped and, as far as its place is known, at least partly on a monitor.
pub(crate) fn is_on_screen(window: &Window, monitors: &[Monitor]) -> bool {
    let is_shown =
        |content: Rect| monitors.iter().any(|monitor| monitor.area.intersection(&content).is_some());
    !window.minimized && window.content().is_none_or(is_shown)
}

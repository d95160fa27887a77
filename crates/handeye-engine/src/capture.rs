//! What the tools that capture windows of an application have in common: which windows those are, and in which order.

use handeye_act::naming::belongs;
use handeye_core::{Application, Monitor, Rect, Window};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// How long a look-up with its captures may take (`PEEKABOO_CLI_TIMEOUT` of Peekaboo 1.0.0-beta.17).
pub const DEADLINE: Duration = Duration::from_secs(30);

/// How `image` and `list` are configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureSettings {
    /// How long a look-up with its captures may take.
    pub deadline: Duration,
    /// Where `image` saves pictures when a call names no path: a folder or a file. `None` for the folder for screenshots.
    pub save_path: Option<PathBuf>,
}

impl Default for CaptureSettings {
    fn default() -> Self {
        Self { deadline: DEADLINE, save_path: None }
    }
}

/// A window and whether anything of it is on a monitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The window.
    pub window: Window,
    /// Whether it is mapped and at least partly on a monitor.
    pub on_screen: bool,
}

/// The windows of these applications: those on the screen from the topmost down, then the others. A window has the same
/// place in the list whether or not the others are wanted, so its number names it in both.
pub fn shown_first(windows: Vec<Window>, applications: &[Application], monitors: &[Monitor]) -> Vec<Shown> {
    let mut shown: Vec<Shown> = windows
        .into_iter()
        .filter(|window| applications.iter().any(|application| belongs(window, application)))
        .map(|window| Shown { on_screen: is_on_screen(&window, monitors), window })
        .collect();
    shown.sort_by_key(|shown| (!shown.on_screen, shown.window.stacking));
    shown
}

/// Whether a window is mapped and at least partly on a monitor.
pub fn is_on_screen(window: &Window, monitors: &[Monitor]) -> bool {
    !window.minimized && monitors.iter().any(|monitor| monitor.area.intersection(&window.content).is_some())
}

/// The scale of the monitor that shows most of `area`; 1 where none does.
pub fn scale_of(monitors: &[Monitor], area: &Rect) -> f64 {
    let shown = |monitor: &Monitor| {
        monitor.area.intersection(area).map_or(0, |part| u64::from(part.width) * u64::from(part.height))
    };
    monitors
        .iter()
        .filter(|monitor| shown(monitor) > 0)
        .max_by_key(|monitor| shown(monitor))
        .map_or(1.0, |monitor| monitor.scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_that_of_the_monitor_that_shows_most() {
        let monitor = |x: i32, scale: f64| Monitor {
            name: String::new(),
            area: Rect::new(x, 0, 100, 100),
            primary: x == 0,
            scale,
        };
        let monitors = [monitor(0, 1.0), monitor(100, 2.0)];
        let shown = [Rect::new(20, 0, 60, 60), Rect::new(90, 0, 60, 60), Rect::new(0, 0, 200, 100)];
        let scales = shown.map(|area| scale_of(&monitors, &area).to_string());
        assert_eq!(scales[..2], ["1", "2"]);
        assert_eq!(scale_of(&[], &shown[0]).to_string(), "1");
    }
}

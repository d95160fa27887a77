//! Several monitors on the screen of a private desktop.
//!
//! The X server has one screen that is as large as all monitors together; `RandR` divides it. Coordinates of X begin at
//! 0, so a layout that reaches left of or above its origin is moved as a whole.

use handeye_core::{Error, Point, Rect, Result, Size};
use serde::{Deserialize, Serialize};

/// More monitors than there are on any desk; a longer list is a slip.
const MOST_MONITORS: usize = 16;
/// Millimetres of an inch, and the dots in it at scale 1.
const MILLIMETRES: f64 = 25.4;
const BASE_DPI: f64 = 96.0;

/// A monitor that a private desktop should have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MonitorOption {
    /// Its size, in pixels.
    pub size: Size,
    /// Where its top left corner is, in relation to the others; `None` is at the right of the monitor before it.
    pub position: Option<Point>,
    /// Physical pixels for one logical pixel, 0.5 to 4; `None` is the scale of the desktop.
    pub scale: Option<f64>,
}

/// A monitor as the supervisor sets it up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PlannedMonitor {
    pub(super) name: String,
    /// On the screen of the X server.
    pub(super) area: Rect,
    pub(super) scale: f64,
}

impl PlannedMonitor {
    /// Its width and height in millimetres, as a monitor of that scale would have them.
    pub(super) fn millimetres(&self) -> (u32, u32) {
        let length = |pixels: u32| (f64::from(pixels) * MILLIMETRES / (BASE_DPI * self.scale)).round() as u32;
        (length(self.area.width), length(self.area.height))
    }
}

/// Places the monitors; the first one will be the primary one. Returns the size of the screen with them.
pub(super) fn place(monitors: &[MonitorOption], scale: f64) -> Result<(Size, Vec<PlannedMonitor>)> {
    if monitors.len() > MOST_MONITORS {
        return Err(Error::invalid_parameter("monitor", format!("was given {} times", monitors.len()))
            .with_next(format!("A desktop has at most {MOST_MONITORS} monitors.")));
    }
    let mut planned: Vec<PlannedMonitor> = Vec::with_capacity(monitors.len());
    for (index, monitor) in monitors.iter().enumerate() {
        let beside =
            planned.last().map_or(Point::default(), |last| Point::new(last.area.right(), last.area.y));
        let Point { x, y, .. } = monitor.position.unwrap_or(beside);
        planned.push(PlannedMonitor {
            name: format!("monitor-{}", index + 1),
            area: Rect::new(x, y, monitor.size.width, monitor.size.height),
            scale: monitor.scale.unwrap_or(scale),
        });
    }
    let left = planned.iter().map(|monitor| monitor.area.x).min().unwrap_or_default();
    let top = planned.iter().map(|monitor| monitor.area.y).min().unwrap_or_default();
    for monitor in &mut planned {
        monitor.area = monitor.area.translated(left.saturating_neg(), top.saturating_neg());
    }
    let width = planned.iter().map(|monitor| monitor.area.right()).max().unwrap_or_default();
    let height = planned.iter().map(|monitor| monitor.area.bottom()).max().unwrap_or_default();
    Ok((Size { width: width.unsigned_abs(), height: height.unsigned_abs() }, planned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor(width: u32, height: u32, position: Option<(i32, i32)>) -> MonitorOption {
        let position = position.map(|(x, y)| Point::new(x, y));
        MonitorOption { size: Size { width, height }, position, scale: None }
    }

    #[test]
    fn monitors_stand_in_a_row_unless_they_are_placed() {
        let monitors = [monitor(800, 600, None), monitor(1024, 768, None), monitor(640, 480, Some((0, 600)))];
        let (size, placed) = place(&monitors, 1.5).expect("they fit");
        assert_eq!(size, Size { width: 1824, height: 1080 });
        let areas: Vec<Rect> = placed.iter().map(|monitor| monitor.area).collect();
        assert_eq!(
            areas,
            [Rect::new(0, 0, 800, 600), Rect::new(800, 0, 1024, 768), Rect::new(0, 600, 640, 480)]
        );
        assert_eq!(placed[1].name, "monitor-2");
        assert_eq!(placed[0].millimetres(), (141, 106));
    }

    #[test]
    fn what_lies_left_of_the_first_monitor_moves_them_all() {
        let monitors = [monitor(800, 600, None), monitor(640, 480, Some((-640, -100)))];
        let (size, placed) = place(&monitors, 1.0).expect("they fit");
        assert_eq!(size, Size { width: 1440, height: 700 });
        assert_eq!(placed[0].area, Rect::new(640, 100, 800, 600));
        assert_eq!(placed[1].area, Rect::new(0, 0, 640, 480));
    }
}

//! How large a screen is drawn.

use handeye_core::{Monitor, Rect};

/// The scale of what lies at `place`: that of the monitor that shows most of it; 1 where none does. Where the place is not known, the one that
/// all monitors have, or else 1.
pub fn scale_of(monitors: &[Monitor], place: Option<&Rect>) -> f64 {
    let Some(area) = place else {
        let first = monitors.first().map_or(1.0, |first| first.scale);
        let is_common = monitors.iter().all(|other| (other.scale - first).abs() < f64::EPSILON);
        return if is_common { first } else { 1.0 };
    };
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
        let scales = shown.map(|area| scale_of(&monitors, Some(&area)).to_string());
        assert_eq!(scales[..2], ["1", "2"]);
        assert_eq!(scale_of(&[], Some(&shown[0])).to_string(), "1");
        let unplaced = [&monitors[..], &monitors[1..], &[]].map(|all| scale_of(all, None).to_string());
        assert_eq!(unplaced, ["1", "2", "1"]);
    }
}

//! Where on the screen the extents are that a toolkit reports.

use super::toolkit::Toolkit;
use handeye_core::{Point, Rect};

/// Where a toolkit's extents have to be moved to, computed once for a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Correction {
    scale: f64,
    dx: f64,
    dy: f64,
}

impl Correction {
    /// Extents are right as they are.
    pub(super) const NONE: Self = Self { scale: 1.0, dx: 0.0, dy: 0.0 };
    /// Nobody knows where on the screen the extents are.
    pub(super) const UNKNOWN: Self = Self { scale: 0.0, ..Self::NONE };

    /// The correction for a window that the display server puts at `content` and whose own element
    /// reports `reported` (both with the same origin convention: the screen).
    pub(super) fn for_window(toolkit: Toolkit, content: Rect, reported: Rect) -> Self {
        if reported.is_empty() || content.is_empty() {
            return Self::NONE;
        }
        if toolkit == Toolkit::Qt {
            return Self::for_qt(content, reported);
        }
        let ratio = f64::from(content.width) / f64::from(reported.width);
        // Toolkits with whole-number scaling report logical numbers. Anything near 1 is a shadow or a frame, not a scale.
        let scale = if ratio >= 1.75 { ratio.round() } else { 1.0 };
        let down = f64::from(content.height) / f64::from(reported.height);
        if toolkit == Toolkit::Gtk3 && scale > 1.0 && (down - scale).abs() > 0.5 {
            // A context menu has no window of its own in the list, and was taken for the one that it belongs to.
            return Self::NONE;
        }
        match toolkit {
            Toolkit::Gtk4 => {
                let margin_x = (f64::from(content.width) - f64::from(reported.width) * scale) / 2.0;
                let margin_y = (f64::from(content.height) - f64::from(reported.height) * scale) / 2.0;
                Self {
                    scale,
                    dx: f64::from(content.x) + margin_x - f64::from(reported.x) * scale,
                    dy: f64::from(content.y) + margin_y - f64::from(reported.y) * scale,
                }
            }
            _ => Self { scale, dx: 0.0, dy: 0.0 },
        }
    }

    /// Qt scales by any factor (`QT_SCALE_FACTOR`), the inside of each monitor from that monitor's own corner on, so the corner of
    /// the window is what both sides agree on. Its window element has just the size of the window's content; where
    /// that is not so, it was taken for another window (a menu for the one that it belongs to).
    fn for_qt(content: Rect, reported: Rect) -> Self {
        let across = f64::from(content.width) / f64::from(reported.width);
        let down = f64::from(content.height) / f64::from(reported.height);
        // Desktops offer steps of 1/20 (5 %) or 1/16 (KDE).
        let scale = (across * 80.0).round() / 80.0;
        let rounding = 1.5 / f64::from(reported.width.min(reported.height));
        if scale <= 1.05 || (across - down).abs() > across * rounding {
            return Self::NONE;
        }
        let offset = |content: i32, reported: i32| f64::from(content) - f64::from(reported) * scale;
        Self { scale, dx: offset(content.x, reported.x), dy: offset(content.y, reported.y) }
    }

    /// Whether it depends on the size of a window only, and not on its place.
    pub(super) fn is_but_a_scale(self) -> bool {
        self.dx == 0.0 && self.dy == 0.0 && self != Self::UNKNOWN
    }

    /// The same correction for a part whose reported origin is off by `dx`, `dy` in the toolkit's own units.
    pub(super) fn shifted(self, dx: i32, dy: i32) -> Self {
        Self { dx: self.dx + f64::from(dx) * self.scale, dy: self.dy + f64::from(dy) * self.scale, ..self }
    }

    /// Extents as reported, moved to where they are on the screen in physical pixels.
    pub(super) fn apply(&self, rect: Rect) -> Rect {
        let scaled = |value: f64| (value * self.scale).round();
        Rect::new(
            (scaled(f64::from(rect.x)) + self.dx).round() as i32,
            (scaled(f64::from(rect.y)) + self.dy).round() as i32,
            scaled(f64::from(rect.width)) as u32,
            scaled(f64::from(rect.height)) as u32,
        )
    }

    /// A point on the screen in the toolkit's own coordinates: the inverse of [`apply`](Self::apply).
    pub(super) fn invert(&self, point: Point) -> Point {
        Point::new(
            ((f64::from(point.x) - self.dx) / self.scale).round() as i32,
            ((f64::from(point.y) - self.dy) / self.scale).round() as i32,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gtk4_extents_move_to_the_window_and_back() {
        let content = Rect::new(100, 50, 365, 496);
        let correction = Correction::for_window(Toolkit::Gtk4, content, Rect::new(0, 0, 355, 486));
        assert_eq!(correction.apply(Rect::new(0, 0, 355, 486)), Rect::new(105, 55, 355, 486));
        assert_eq!(correction.invert(Point::new(105, 55)), Point::new(0, 0));
    }

    #[test]
    fn doubled_windows_have_doubled_extents() {
        let correction = Correction::for_window(
            Toolkit::Gtk3,
            Rect::new(300, 100, 800, 600),
            Rect::new(150, 50, 400, 300),
        );
        assert_eq!(correction.apply(Rect::new(160, 60, 10, 10)), Rect::new(320, 120, 20, 20));
        // A context menu that was taken for its window.
        let menu = Correction::for_window(
            Toolkit::Gtk3,
            Rect::new(190, 209, 900, 620),
            Rect::new(338, 290, 151, 33),
        );
        assert_eq!(menu, Correction::NONE);
    }

    #[test]
    fn qt_is_scaled_by_any_factor_from_the_corner_of_its_window() {
        // A window of 600x413 logical pixels on a monitor that begins at 1280.
        let correction =
            Correction::for_window(Toolkit::Qt, Rect::new(1340, 60, 900, 620), Rect::new(1320, 40, 600, 413));
        assert_eq!(correction.apply(Rect::new(1330, 50, 10, 20)), Rect::new(1355, 75, 15, 30));
        assert_eq!(correction.invert(Point::new(1355, 75)), Point::new(1330, 50));
        // A menu that was taken for its window.
        let menu =
            Correction::for_window(Toolkit::Qt, Rect::new(100, 100, 900, 620), Rect::new(110, 130, 150, 60));
        assert_eq!(menu, Correction::NONE);
        assert!(menu.is_but_a_scale() && !Correction::UNKNOWN.is_but_a_scale(), "a place may become known");
        let plain = Rect::new(100, 100, 900, 620);
        assert_eq!(Correction::for_window(Toolkit::Qt, plain, plain), Correction::NONE);
    }
}

//! What to capture, and where its pixels are.

use super::fault::{Fault, Outcome};
use super::session::Session;
use super::{grab, monitors, window_capture};
use handeye_core::platform::CaptureTarget;
use handeye_core::{Error, Frame, Rect};

/// Captures pixels. The pointer is not in the picture.
pub(super) fn capture(session: &mut Session, target: CaptureTarget) -> Outcome<Frame> {
    match target {
        CaptureTarget::Desktop => {
            let desktop = monitors::desktop(session)?;
            part_of_desktop(session, desktop)
        }
        CaptureTarget::Region(region) => {
            let visible = clip_to_desktop(region, monitors::desktop(session)?)?;
            part_of_desktop(session, visible)
        }
        CaptureTarget::Window(window, _) => window_capture::capture(session, window),
    }
}

/// Captures a part of the desktop as it is seen.
pub(super) fn part_of_desktop(session: &mut Session, area: Rect) -> Outcome<Frame> {
    let (root, visual) = (session.root(), session.screen.root_visual);
    match grab::rgb(session, root, visual, area) {
        Ok(rgb) => Ok(Frame { area, rgb }),
        // The desktop shrank after it was asked for its size.
        Err(Fault::Rejected(_)) => {
            Err(grab::failed("the desktop was resized during the capture").with_next("Try again.").into())
        }
        Err(fault) => Err(fault),
    }
}

fn clip_to_desktop(region: Rect, desktop: Rect) -> Result<Rect, Error> {
    let Rect { x, y, width, height } = desktop;
    if region.is_empty() {
        let why = format!("{}x{} pixels is no area", region.width, region.height);
        return Err(Error::invalid_parameter("region", why)
            .with_next("Give a width and a height of at least 1 pixel."));
    }
    region.intersection(&desktop).ok_or_else(|| {
        let Rect { x: left, y: top, .. } = region;
        let why = format!(
            "the {}x{} pixels at {left},{top} lie outside of the desktop",
            region.width, region.height
        );
        Error::invalid_parameter("region", why)
            .with_found([format!("the desktop is {width}x{height} pixels at {x},{y}")])
            .with_next("Give a region that overlaps with the desktop.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::ErrorCode;

    const DESKTOP: Rect = Rect::new(0, 0, 640, 480);

    #[test]
    fn a_region_is_cut_to_the_desktop() {
        assert_eq!(clip_to_desktop(Rect::new(-10, 470, 30, 30), DESKTOP), Ok(Rect::new(0, 470, 20, 10)));
    }

    #[test]
    fn a_region_outside_or_of_no_size_is_refused_with_the_bounds() {
        let outside = clip_to_desktop(Rect::new(640, 0, 5, 5), DESKTOP).expect_err("outside");
        assert_eq!(outside.code, ErrorCode::InvalidParameter);
        assert!(outside.found[0].contains("640x480"));
        assert!(clip_to_desktop(Rect::new(0, 0, 0, 5), DESKTOP).is_err());
        assert!(clip_to_desktop(Rect::new(i32::MIN, i32::MIN, 1, 1), DESKTOP).is_err());
    }
}

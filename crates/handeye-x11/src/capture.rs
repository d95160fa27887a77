//! What to capture, and where its pixels are.

use super::fault::{Fault, Outcome};
use super::x_session::XSession;
use super::{grab, monitors, screen_pixels, window_capture};
use handeye_core::platform::CaptureTarget;
use handeye_core::{Error, Frame, Rect};

/// How often the desktop is captured when it is resized meanwhile.
const ATTEMPTS: usize = 2;

/// Captures pixels. The pointer is not in the picture.
pub(super) fn capture(session: &mut XSession, target: CaptureTarget) -> Outcome<Frame> {
    match target {
        CaptureTarget::Desktop => on_the_desktop(session, Ok),
        CaptureTarget::Region(region) => on_the_desktop(session, |desktop| clip_to_desktop(region, desktop)),
        CaptureTarget::Window(window, part) => window_capture::capture(session, window, part),
    }
}

/// Captures the part of the desktop that `choose` takes of it; once more if the desktop shrinks meanwhile.
fn on_the_desktop(session: &mut XSession, choose: impl Fn(Rect) -> Result<Rect, Error>) -> Outcome<Frame> {
    for _ in 0..ATTEMPTS {
        let area = choose(monitors::desktop(session)?)?;
        match screen_pixels::part_of_desktop(session, area) {
            Err(Fault::Rejected(error)) => tracing::debug!(?error, "the desktop changed during its capture"),
            outcome => return outcome.map(Frame::from),
        }
    }
    Err(grab::failed("the desktop was resized during the capture").with_next("Try again.").into())
}

fn clip_to_desktop(region: Rect, desktop: Rect) -> Result<Rect, Error> {
    let Rect { x, y, width, height, .. } = desktop;
    if region.is_empty() {
        let why = format!("{}x{} pixels is not an area", region.width, region.height);
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

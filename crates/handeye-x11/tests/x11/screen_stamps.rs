//! Pictures of the screen with the same stamp show the same, and without anything drawn they have the same.

use super::bed::Bed;
use super::painter::{Canvas, Painter};
use handeye_core::platform::{CaptureTarget, Screen as _, WindowPart};
use handeye_core::{Frame, Rect, WindowId};
use handeye_x11::X11Desktop;

const LOWER: Rect = Rect::new(100, 100, 200, 150);
const UPPER: Rect = Rect::new(150, 150, 200, 150);
const SPOT: Rect = Rect::new(20, 20, 30, 30);
const RED: u32 = 0x00ff_0000;
const BLUE: u32 = 0x0000_00ff;

/// Something that can change the screen.
type Change<'a> = &'a dyn Fn(&Painter);

struct Scene {
    bed: Bed,
    desktop: X11Desktop,
    painter: Painter,
    lower: WindowId,
    upper: WindowId,
}

/// Two windows, of which one covers the other in part. No window manager draws anything of its own.
fn scene() -> Scene {
    let bed = Bed::bare(&[]);
    let desktop = bed.desktop();
    let painter = Painter::new(&bed);
    let [lower, upper] =
        [(LOWER, RED), (UPPER, BLUE)].map(|(area, pixel)| painter.show(Canvas::new(area, pixel)));
    Scene { bed, desktop, painter, lower, upper }
}

impl Scene {
    async fn screen(&self) -> Frame {
        self.desktop.capture(CaptureTarget::Desktop).await.expect("captured")
    }

    /// Captures after each thing that can change the screen, and once more.
    async fn check(&self) {
        let steps: [(&str, Change<'_>); 7] = [
            ("another colour", &|painter| painter.fill(self.upper, SPOT, RED)),
            ("the first colour", &|painter| painter.fill(self.upper, SPOT, BLUE)),
            ("a part of the lower window", &|painter| painter.fill(self.lower, SPOT, BLUE)),
            ("the upper window moves", &|painter| painter.place(self.upper, UPPER.translated(7, 0))),
            ("the upper window is cut", &|painter| painter.shape(self.upper, &[Rect::new(0, 0, 50, 50)])),
            ("a window comes", &|painter| {
                painter.show(Canvas::new(SPOT, BLUE));
            }),
            ("a letter of one pixel", &|painter| painter.fill(self.lower, Rect::new(3, 3, 1, 1), 0)),
        ];
        for (step, change) in steps {
            let before = self.screen().await;
            assert_eq!(self.screen().await.stamp(), before.stamp(), "before: {step}");
            change(&self.painter);
            let after = self.screen().await;
            assert!(before.stamp().is_some() && after.stamp().is_some(), "{step}");
            assert_ne!(after, before, "{step}");
            assert_ne!(after.stamp(), before.stamp(), "{step}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changes_the_screen_changes_the_stamp() {
    scene().check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_holds_where_a_compositor_keeps_the_pixels_of_windows() {
    let scene = scene();
    let compositor = Painter::new(&scene.bed);
    compositor.redirect_all();
    scene.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_holds_after_a_covered_window_was_captured() {
    let scene = scene();
    let covered = CaptureTarget::Window(scene.lower, WindowPart::Whole);
    let frame = scene.desktop.capture(covered).await.expect("captured");
    assert_eq!(frame.stamp(), None, "it is not what the screen shows");
    scene.check().await;
    let uncovered = CaptureTarget::Window(scene.upper, WindowPart::Whole);
    assert_eq!(
        scene.desktop.capture(uncovered).await.expect("captured").stamp(),
        None,
        "its pixels are kept apart"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_shows_the_screen_has_the_stamp_of_the_screen() {
    let scene = scene();
    let screen = scene.screen().await;
    for target in [CaptureTarget::Region(SPOT), CaptureTarget::Window(scene.upper, WindowPart::Whole)] {
        let part = scene.desktop.capture(target).await.expect("captured");
        assert_eq!(part.stamp(), screen.stamp(), "{target:?}");
    }
    let cut = scene.screen().await.part(Rect::new(0, 0, 5, 5)).expect("inside");
    assert_eq!(cut.stamp(), screen.stamp());
    scene.painter.shape(scene.upper, &[Rect::new(0, 0, 50, 50)]);
    let shaped = scene.desktop.capture(CaptureTarget::Window(scene.upper, WindowPart::Whole)).await;
    assert_eq!(
        shaped.expect("captured").stamp(),
        None,
        "what is not of the window is blank, and not as on the screen"
    );
}

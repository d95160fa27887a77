//! Pictures of the screen with the same stamp show the same, and without anything drawn they have the same.

use super::bed::Bed;
use super::painter::{Canvas, Painter};
use handeye_core::platform::{CaptureTarget, Screen as _, WindowPart};
use handeye_core::{Frame, Rect, Stamp, WindowId};
use handeye_x11::X11Desktop;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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

    async fn both(&self, targets: [CaptureTarget; 2]) -> [Frame; 2] {
        let [first, second] = targets.map(|target| self.desktop.capture(target));
        [first.await.expect("captured"), second.await.expect("captured")]
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
            assert!(has_no_more_redrawn(&after, &before), "{step}: {after:?}");
            assert!(after == self.anew(CaptureTarget::Desktop).await, "{step}");
        }
    }

    /// What a session sees that has read nothing before.
    async fn anew(&self, target: CaptureTarget) -> Frame {
        self.bed.desktop().capture(target).await.expect("captured")
    }
}

/// Whether a picture says that it was redrawn since another one of as many pixels, and has the same pixels in all other rows.
fn has_no_more_redrawn(frame: &Frame, before: &Frame) -> bool {
    let row = frame.size().width as usize * 3;
    let rows = frame.rgb().chunks(row).zip(before.rgb().chunks(row)).zip(0_u32..);
    frame.redrawn().filter(|redrawn| Some(redrawn.since) == before.stamp()).is_some_and(|redrawn| {
        let is_redrawn = |row| redrawn.rows.iter().any(|rows| rows.contains(&row));
        rows.filter(|(_, row)| !is_redrawn(*row)).all(|((new, old), _)| new == old)
    })
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
    assert!(frame.stamp().is_some());
    assert_ne!(frame.stamp(), scene.screen().await.stamp(), "it is not what the screen shows");
    scene.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_is_kept_apart_has_a_stamp_of_its_own() {
    let scene = scene();
    let compositor = Painter::new(&scene.bed);
    compositor.redirect_all();
    let [lower, upper] =
        [scene.lower, scene.upper].map(|window| CaptureTarget::Window(window, WindowPart::Whole));
    let [lower_before, upper_before] = scene.both([lower, upper]).await;
    scene.painter.fill(scene.lower, SPOT, BLUE);
    let [lower_after, upper_after] = scene.both([lower, upper]).await;
    assert_ne!(lower_after, lower_before);
    assert_ne!(lower_after.stamp(), lower_before.stamp());
    assert!(upper_after.stamp().is_some() && lower_after.stamp().is_some());
    assert_eq!(upper_after.stamp(), upper_before.stamp(), "nothing was drawn in it");
    // What is drawn where another window covers it counts too.
    scene.painter.fill(scene.lower, Rect::new(100, 100, 5, 5), BLUE);
    let [lower_again, _] = scene.both([lower, upper]).await;
    assert!(lower_again.stamp().is_some());
    assert_ne!(lower_again.stamp(), lower_after.stamp());
    scene.painter.destroy(scene.upper);
    let [first, second] = scene.both([lower, lower]).await;
    assert_eq!(first.stamp(), second.stamp());
    assert!(first.stamp().is_some());
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

/// How many pictures are taken while something is drawn.
const RACES: usize = 400;
/// After how many times something is drawn there is a pause in which several pictures can be taken.
const PAUSE_EACH: u32 = 16;
const PAUSE: Duration = Duration::from_millis(20);

/// Takes pictures of `target` while the upper window is drawn in, and checks that those with the same stamp are the same.
async fn race(scene: &Scene, target: CaptureTarget) {
    let (upper, other) = (scene.upper, Painter::new(&scene.bed));
    let is_done = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&is_done);
    let drawing = std::thread::spawn(move || {
        for number in (1_u32..).take_while(|_| !ends.load(Ordering::Relaxed)) {
            let pixel = number.wrapping_mul(0x0001_0301) & 0x00ff_ffff;
            other.fill(upper, SPOT, pixel);
            let pause = Duration::from_micros(u64::from(pixel % 700));
            std::thread::sleep(if number % PAUSE_EACH == 0 { PAUSE } else { pause });
        }
    });
    let mut shown: HashMap<Stamp, Frame> = HashMap::new();
    let (mut same, mut differing) = (0, 0);
    let (mut redrawn, mut wrongly_redrawn) = (0, 0);
    for _ in 0..RACES {
        let frame = scene.desktop.capture(target).await.expect("captured");
        if let Some(before) = frame.redrawn().and_then(|redrawn| shown.get(&redrawn.since)) {
            redrawn += 1;
            wrongly_redrawn += u32::from(!has_no_more_redrawn(&frame, before));
        }
        match frame.stamp().map(|stamp| shown.entry(stamp)) {
            Some(Entry::Occupied(first)) if *first.get() == frame => same += 1,
            Some(Entry::Occupied(_)) => differing += 1,
            Some(Entry::Vacant(free)) => {
                free.insert(frame);
            }
            None => {}
        }
    }
    is_done.store(true, Ordering::Relaxed);
    drawing.join().expect("drawn");
    assert_eq!((differing, wrongly_redrawn), (0, 0), "of {RACES} pictures of {target:?}");
    let is_screen = !matches!(target, CaptureTarget::Window(..));
    assert_eq!(redrawn > RACES / 2, is_screen, "{redrawn} pictures of {target:?} were read in part");
    let last = scene.desktop.capture(target).await.expect("captured");
    assert!(
        last == scene.anew(target).await,
        "what was drawn while a picture was read is missing in {target:?}"
    );
    assert!(same > 0 && shown.len() > 1, "{same} pictures with one of {} stamps", shown.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_with_the_same_stamp_are_the_same_while_something_is_drawn() {
    race(&scene(), CaptureTarget::Region(SPOT.translated(UPPER.x, UPPER.y))).await;
    race(&scene(), CaptureTarget::Desktop).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_holds_while_something_is_drawn_in_a_window_that_is_kept_apart() {
    let scene = scene();
    let compositor = Painter::new(&scene.bed);
    compositor.redirect_all();
    race(&scene, CaptureTarget::Region(SPOT.translated(UPPER.x, UPPER.y))).await;
    race(&scene, CaptureTarget::Desktop).await;
    race(&scene, CaptureTarget::Window(scene.upper, WindowPart::Whole)).await;
}

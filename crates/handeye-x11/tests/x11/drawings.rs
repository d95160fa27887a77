//! What is noticed of what applications draw. The windows of the test are those of this process; another program covers them.

use super::bed::{Bed, PATIENCE, Recorder};
use super::painter::{Canvas, Painter};
use handeye_core::{DrawingWatch as _, Rect, WindowId};
use handeye_x11::X11Desktop;
use std::time::{Duration, Instant};

/// The window of the test, and where another program puts its own.
const AREA: Rect = Rect::new(100, 100, 200, 150);
const SPOT: Rect = Rect::new(20, 20, 30, 30);
const CARET: Rect = Rect::new(50, 50, 1, 18);

struct Scene {
    bed: Bed,
    desktop: X11Desktop,
    painter: Painter,
    window: WindowId,
    /// The other program.
    other: Recorder,
}

async fn scene() -> Scene {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    // The window manager is at work as soon as it shows a window.
    let other = bed.recorder(&desktop, "other", &["--text", "--at", "500,400", "--size", "200x150"]).await;
    let painter = Painter::new(&bed);
    let window = painter.show(Canvas::new(AREA, 0x00ff_0000));
    painter.place(window, AREA);
    let scene = Scene { bed, desktop, painter, window, other };
    scene.quiet().await;
    scene
}

impl Scene {
    async fn last(&self) -> Option<u64> {
        self.desktop.last_drawn(std::process::id()).await.expect("the server answers")
    }

    /// The number as soon as it is known and does not change any more: the window manager goes on drawing for a while.
    async fn quiet(&self) -> u64 {
        let until = Instant::now() + PATIENCE;
        let (mut last, mut same_since) = (self.last().await, Instant::now());
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let now = self.last().await;
            if now != last {
                (last, same_since) = (now, Instant::now());
            }
            if let Some(last) = last.filter(|_| same_since.elapsed() > Duration::from_millis(300)) {
                return last;
            }
            assert!(Instant::now() < until, "it never is quiet: {last:?}");
        }
    }

    /// Waits until it is known, or is not.
    async fn wait_until_known(&self, known: bool) {
        let until = Instant::now() + PATIENCE;
        while self.last().await.is_some() != known {
            assert!(Instant::now() < until, "expected that it is known: {known}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_drawn_in_a_window_of_a_process_is_noticed() {
    let scene = scene().await;
    let before = scene.quiet().await;
    scene.painter.draw(scene.window, SPOT);
    let after = scene.last().await.expect("all of it can be seen");
    assert_ne!(after, before);
    assert_eq!(scene.last().await, Some(after), "nothing was drawn since");
    scene.painter.draw(scene.window, SPOT);
    assert_ne!(scene.last().await, Some(after), "the same again is drawn too");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_draws_is_not_taken_for_its_own() {
    let scene = scene().await;
    let others = async || {
        let last = scene.desktop.last_drawn(scene.other.process.pid()).await;
        last.expect("the server answers").expect("all of it can be seen")
    };
    others().await;
    let (own, before) = (scene.quiet().await, others().await);
    scene.painter.draw(scene.window, SPOT);
    assert_eq!(others().await, before);
    assert_ne!(scene.last().await, Some(own));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_covered_window_nothing_is_known_unless_its_pixels_are_kept() {
    let scene = scene().await;
    let before = scene.quiet().await;
    let cover = scene.bed.recorder(&scene.desktop, "cover", &["--at", "150,150", "--size", "200x150"]).await;
    scene.wait_until_known(false).await;
    let compositor = Painter::new(&scene.bed);
    compositor.redirect_all();
    // Windows that are kept apart from now on are announced only when anything of the screen changes.
    scene.painter.place(scene.window, Rect::new(AREA.x + 10, AREA.y, AREA.width, AREA.height));
    let kept = scene.quiet().await;
    assert_ne!(kept, before, "it was covered in between");
    // All of this is under the other window.
    scene.painter.draw(scene.window, Rect::new(120, 120, 20, 20));
    assert_ne!(scene.last().await, Some(kept));
    drop(compositor);
    drop(cover);
    scene.painter.place(scene.window, AREA);
    scene.wait_until_known(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_minimized_window_nothing_is_known() {
    let scene = scene().await;
    let minimized = scene
        .bed
        .command("xdotool")
        .args(["windowminimize", &scene.window.number().to_string()])
        .status()
        .expect("xdotool runs");
    assert!(minimized.success());
    scene.wait_until_known(false).await;
    scene.painter.destroy(scene.window);
    assert_eq!(scene.last().await, None, "without a window nothing is known either");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caret_that_blinks_is_nothing_new() {
    let scene = scene().await;
    let before = scene.quiet().await;
    scene.painter.draw(scene.window, CARET);
    let shown = scene.last().await;
    assert_ne!(shown, Some(before), "it may be a letter");
    for _ in 0..3 {
        scene.painter.draw(scene.window, CARET);
        assert_eq!(scene.last().await, shown);
    }
    scene.painter.draw(scene.window, Rect::new(CARET.x + 6, CARET.y, CARET.width, CARET.height));
    let moved = scene.last().await;
    assert_ne!(moved, shown, "it is elsewhere");
    scene.painter.draw(scene.window, SPOT);
    assert_ne!(scene.last().await, moved);
}

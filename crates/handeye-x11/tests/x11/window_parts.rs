//! What belongs in the picture of a window, and what does not.

use super::bed::{Bed, PATIENCE, keeper};
use super::painter::{Canvas, Painter};
use super::windows_and_pixels::{BLUE, RED, area, colour, others, wait_for_colour};
use handeye_core::platform::{CaptureTarget, Screen, WindowPart};
use handeye_core::{ErrorCode, Frame, Point, Rect, Result, WindowId};
use handeye_x11::X11Desktop;
use rustix::process::Signal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

const BLACK: [u8; 3] = [0, 0, 0];
const RED_PIXEL: u32 = 0xff_0000;
const BLUE_PIXEL: u32 = 0xff;

async fn picture(desktop: &X11Desktop, window: WindowId, part: WindowPart) -> Frame {
    desktop.capture(CaptureTarget::Window(window, part)).await.expect("captured")
}

async fn refusal(desktop: &X11Desktop, window: WindowId) -> handeye_core::Error {
    desktop.capture(CaptureTarget::Window(window, WindowPart::Whole)).await.expect_err("it has no pixels")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_content_has_nothing_of_the_decoration() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let options = ["--color", "#ff0000", "--at", "100,100", "--size", "300x200"];
    let _app = bed.recorder(&desktop, "app", &options).await;
    let window = wait_for_colour(&bed, &desktop, "app", RED).await;
    assert!(window.frame().expect("placed").height > window.content().expect("placed").height, "{window:?}");

    let uncovered = picture(&desktop, window.id, WindowPart::Content).await;
    assert_eq!(
        (area(&uncovered), others(&uncovered, area(&uncovered), RED)),
        (window.content().expect("placed"), 0)
    );

    // A popup over it, and then its place partly beyond each edge of the desktop.
    let painter = Painter::new(&bed);
    painter.show(Canvas { popup: true, ..Canvas::new(Rect::new(150, 150, 100, 100), BLUE_PIXEL) });
    let covered = picture(&desktop, window.id, WindowPart::Content).await;
    assert!(covered == uncovered, "a covered window has another picture");

    for (x, y) in [("-150", "-80"), ("650", "500")] {
        bed.command("xdotool")
            .args(["windowmove", &window.id.number().to_string(), x, y])
            .status()
            .expect("runs");
        let until = Instant::now() + PATIENCE;
        let moved = loop {
            let now = bed.window(&desktop, "app").await;
            if now.content().expect("placed").x.signum() == x.parse::<i32>().expect("a number").signum()
                && now.content().expect("placed").x != window.content().expect("placed").x
            {
                break now;
            }
            assert!(Instant::now() < until, "it does not move: {now:?}");
        };
        let beyond = picture(&desktop, window.id, WindowPart::Content).await;
        assert_eq!(
            (area(&beyond), others(&beyond, area(&beyond), RED)),
            (moved.content().expect("placed"), 0)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_window_manager_both_parts_are_the_window_and_a_border_is_decoration() {
    let bed = Bed::bare(&[]);
    let (desktop, painter) = (bed.desktop(), Painter::new(&bed));
    let plain = painter.show(Canvas::new(Rect::new(10, 20, 30, 40), RED_PIXEL));
    let bordered = painter.show(Canvas { border: 3, ..Canvas::new(Rect::new(100, 20, 30, 40), RED_PIXEL) });
    for part in [WindowPart::Whole, WindowPart::Content] {
        let frame = picture(&desktop, plain, part).await;
        assert_eq!((area(&frame), others(&frame, area(&frame), RED)), (Rect::new(10, 20, 30, 40), 0));
    }
    let whole = picture(&desktop, bordered, WindowPart::Whole).await;
    assert_eq!((area(&whole), colour(&whole, Point::new(100, 20))), (Rect::new(100, 20, 36, 46), BLACK));
    let content = picture(&desktop, bordered, WindowPart::Content).await;
    assert_eq!((area(&content), others(&content, area(&content), RED)), (Rect::new(103, 23, 30, 40), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shadow_that_the_application_draws_is_in_neither_part() {
    let bed = Bed::bare(&[]);
    let (desktop, painter) = (bed.desktop(), Painter::new(&bed));
    let window = painter.show(Canvas::new(Rect::new(100, 100, 200, 150), RED_PIXEL));
    painter.set_shadow(window, [26, 27, 23, 29]);
    let visible = Rect::new(126, 123, 147, 98);
    let listed = desktop.windows().await.expect("listed");
    assert_eq!(
        (listed[0].content().expect("placed"), listed[0].frame().expect("placed")),
        (visible, visible)
    );
    for part in [WindowPart::Whole, WindowPart::Content] {
        assert_eq!(area(&picture(&desktop, window, part).await), visible);
    }
    // A shadow larger than the window is not a shadow.
    painter.set_shadow(window, [200, 0, 0, 0]);
    assert_eq!(area(&picture(&desktop, window, WindowPart::Content).await), Rect::new(100, 100, 200, 150));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_other_windows_is_in_the_holes_of_a_shaped_one() {
    let bed = Bed::bare(&[]);
    let (desktop, painter) = (bed.desktop(), Painter::new(&bed));
    painter.show(Canvas::new(Rect::new(0, 0, 400, 400), BLUE_PIXEL));
    let shaped = painter.show(Canvas::new(Rect::new(100, 100, 100, 100), RED_PIXEL));
    let own = Rect::new(0, 0, 100, 30);
    painter.shape(shaped, &[own, Rect::new(0, 60, 50, 40)]);
    let uncovered = picture(&desktop, shaped, WindowPart::Whole).await;
    painter.show(Canvas { popup: true, ..Canvas::new(Rect::new(120, 90, 50, 200), BLUE_PIXEL) });
    let covered = picture(&desktop, shaped, WindowPart::Whole).await;
    for frame in [&uncovered, &covered] {
        assert_eq!(others(frame, own.translated(100, 100), RED), 0);
        assert_eq!(others(frame, Rect::new(100, 160, 50, 40), RED), 0);
        assert_eq!(others(frame, Rect::new(100, 130, 100, 30), BLACK), 0);
        assert_eq!(others(frame, Rect::new(150, 160, 50, 40), BLACK), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_behind_a_transparent_window_is_not_in_its_picture() {
    let bed = Bed::bare(&[]);
    let (desktop, painter) = (bed.desktop(), Painter::new(&bed));
    let behind = painter.show(Canvas::new(Rect::new(0, 0, 300, 300), BLUE_PIXEL));
    let half = Canvas { depth: Some(32), ..Canvas::new(Rect::new(50, 50, 100, 100), 0x8040_2010) };
    let transparent = painter.show(half);
    for round in ["uncovered", "covered"] {
        let frame = picture(&desktop, transparent, WindowPart::Content).await;
        assert_eq!(others(&frame, half.area, [0x40, 0x20, 0x10]), 0, "{round}");
        painter.place(behind, Rect::new(0, 0, 120, 120));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_every_colour_depth_are_read() {
    for (depth, pixel, expected) in [
        ("16", 0x1234, [0x10, 0x45, 0xa5]),
        ("24", 0x0012_3456, [0x12, 0x34, 0x56]),
        ("30", 0x3ff0_0000, [0xff, 0, 0]),
    ] {
        let bed = Bed::bare(&["-screen", "0", &format!("640x480x{depth}")]);
        let (desktop, painter) = (bed.desktop(), Painter::new(&bed));
        let window = painter.show(Canvas::new(Rect::new(10, 10, 101, 51), pixel));
        for attempt in ["uncovered", "covered"] {
            let frame = picture(&desktop, window, WindowPart::Content).await;
            assert_eq!(others(&frame, area(&frame), expected), 0, "{attempt}, depth {depth}");
            painter.show(Canvas::new(Rect::new(0, 0, 60, 60), 0));
        }
        let screen = desktop.capture(CaptureTarget::Desktop).await.expect("captured");
        assert_eq!(colour(&screen, Point::new(80, 20)), expected, "depth {depth}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_composite_only_what_is_on_the_screen_can_be_captured() {
    let bed = Bed::bare(&["-extension", "Composite"]);
    let (desktop, painter) = (bed.desktop(), Painter::new(&bed));
    let window = painter.show(Canvas::new(Rect::new(10, 10, 50, 50), RED_PIXEL));
    let frame = picture(&desktop, window, WindowPart::Whole).await;
    assert_eq!(others(&frame, Rect::new(10, 10, 50, 50), RED), 0);
    painter.show(Canvas::new(Rect::new(40, 40, 50, 50), BLUE_PIXEL));
    let error = refusal(&desktop, window).await;
    assert_eq!(error.code, ErrorCode::CaptureFailed);
    assert!(error.next.as_deref().is_some_and(|next| next.contains("Composite")), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_reached_over_tcp_is_read_too() {
    let bed = Bed::bare(&["-listen", "tcp", "-ac"]);
    let painter = Painter::new(&bed);
    let window = painter.show(Canvas::new(Rect::new(10, 10, 300, 200), RED_PIXEL));
    painter.show(Canvas::new(Rect::new(40, 40, 500, 50), BLUE_PIXEL));
    let desktop = X11Desktop::new(Some(format!("127.0.0.1{}", bed.display)), keeper());
    let frame = picture(&desktop, window, WindowPart::Whole).await;
    assert_eq!(others(&frame, Rect::new(10, 10, 300, 200), RED), 0);
    let screen = desktop.capture(CaptureTarget::Desktop).await.expect("captured");
    assert_eq!((area(&screen), colour(&screen, Point::new(50, 50))), (Rect::new(0, 0, 800, 600), BLUE));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_covered_window_is_as_true_as_the_first_one() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let first = ["--color", "#ff0000", "--at", "50,50", "--size", "300x200"];
    let _first = bed.recorder(&desktop, "first", &first).await;
    let first = wait_for_colour(&bed, &desktop, "first", RED).await;
    let second = ["--color", "#ff0000", "--at", "400,300", "--size", "300x200"];
    let frozen = bed.recorder(&desktop, "second", &second).await;
    let second = wait_for_colour(&bed, &desktop, "second", RED).await;
    let painter = Painter::new(&bed);
    painter.show(Canvas { popup: true, ..Canvas::new(Rect::new(200, 100, 400, 350), BLUE_PIXEL) });

    let fresh = bed.desktop();
    frozen.process.signal(Signal::STOP);
    let frame = picture(&fresh, first.id, WindowPart::Content).await;
    assert_eq!(others(&frame, area(&frame), RED), 0);
    // By now the server keeps the pixels of the frozen one too, but half of them were never painted.
    let error = refusal(&fresh, second.id).await;
    assert_eq!(error.code, ErrorCode::CaptureFailed);
    frozen.process.signal(Signal::CONT);
    let frame = picture(&fresh, second.id, WindowPart::Content).await;
    assert_eq!(others(&frame, area(&frame), RED), 0);
    // What has been painted once is kept, however the application fares.
    frozen.process.signal(Signal::STOP);
    let frame = picture(&fresh, second.id, WindowPart::Content).await;
    frozen.process.signal(Signal::CONT);
    assert_eq!(others(&frame, area(&frame), RED), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_on_another_virtual_desktop_has_no_pixels() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let _app = bed.recorder(&desktop, "away", &["--color", "#ff0000"]).await;
    let window = wait_for_colour(&bed, &desktop, "away", RED).await;
    bed.command("wmctrl").args(["-r", "away", "-t", "1"]).status().expect("wmctrl runs");
    let until = Instant::now() + PATIENCE;
    let error = loop {
        match desktop.capture(CaptureTarget::Window(window.id, WindowPart::Content)).await {
            Err(error) => break error,
            Ok(_) => assert!(Instant::now() < until, "it stays"),
        }
    };
    assert_eq!(error.code, ErrorCode::WindowMinimized);
    assert!(error.message.contains("another virtual desktop"), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rolled_up_window_has_a_title_and_no_content() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let _app = bed.recorder(&desktop, "rolled", &["--color", "#ff0000"]).await;
    let window = wait_for_colour(&bed, &desktop, "rolled", RED).await;
    bed.command("wmctrl").args(["-r", "rolled", "-b", "add,shaded"]).status().expect("wmctrl runs");
    let until = Instant::now() + PATIENCE;
    while bed.window(&desktop, "rolled").await.frame().expect("placed").height
        >= window.content().expect("placed").height
    {
        assert!(Instant::now() < until, "it does not roll up");
    }
    let error =
        desktop.capture(CaptureTarget::Window(window.id, WindowPart::Content)).await.expect_err("no content");
    assert_eq!(error.code, ErrorCode::WindowMinimized);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_popup_is_on_the_screen_and_a_window_of_its_own() {
    let bed = Bed::managed();
    let (desktop, painter) = (bed.desktop(), Painter::new(&bed));
    let area = Rect::new(70, 80, 60, 90);
    let popup = painter.show(Canvas { popup: true, ..Canvas::new(area, RED_PIXEL) });
    let region = desktop.capture(CaptureTarget::Region(area)).await.expect("captured");
    assert_eq!(others(&region, area, RED), 0);
    assert!(desktop.windows().await.expect("listed").iter().all(|window| window.id != popup));
    let shown = desktop.shown().await.expect("listed");
    assert!(shown[0].id == popup && shown[0].content().expect("placed") == area, "{shown:?}");
    let alone = picture(&desktop, popup, WindowPart::Content).await;
    assert!(alone == region);
}

#[tokio::test(flavor = "multi_thread")]
async fn tiny_windows_are_captured_and_absurd_ones_refused() {
    let bed = Bed::bare(&[]);
    let (desktop, painter) = (bed.desktop(), Painter::new(&bed));
    let tiny = painter.show(Canvas::new(Rect::new(5, 5, 1, 1), RED_PIXEL));
    assert_eq!(picture(&desktop, tiny, WindowPart::Content).await.rgb(), RED);
    let huge = painter.show(Canvas::new(Rect::new(0, 0, 32_767, 32_767), BLUE_PIXEL));
    let error = refusal(&desktop, huge).await;
    assert_eq!(error.code, ErrorCode::CaptureFailed);
    assert!(error.message.contains("32767x32767"), "{error:?}");
    assert_eq!(refusal(&desktop, WindowId::issued(0)).await.code, ErrorCode::WindowNotFound);
}

/// Captures a window again and again while another thread changes it; every picture has to be of one moment.
#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_changes_all_the_time_gives_true_pictures_or_clear_errors() {
    let bed = Bed::bare(&[]);
    let desktop = bed.desktop();
    let painter = Painter::new(&bed);
    painter.show(Canvas { popup: true, ..Canvas::new(Rect::new(0, 0, 800, 600), BLUE_PIXEL) });
    let go_on = Arc::new(AtomicBool::new(true));
    let window = painter.show(Canvas::new(Rect::new(10, 10, 300, 200), RED_PIXEL));
    let changer = std::thread::spawn({
        let go_on = Arc::clone(&go_on);
        move || {
            for number in 0_u32.. {
                let (size, place) = (number % 97, i32::try_from(number % 50).expect("small"));
                painter.place(window, Rect::new(place, 2 * place, 200 + size, 150 + size));
                if !go_on.load(Ordering::Relaxed) {
                    return painter.destroy(window);
                }
                std::thread::sleep(std::time::Duration::from_millis(u64::from(number % 7)));
            }
        }
    });
    let (mut pictures, mut errors) = (0, 0);
    while pictures < 50 {
        let answer: Result<Frame> = desktop.capture(CaptureTarget::Window(window, WindowPart::Whole)).await;
        match answer {
            Ok(frame) => {
                assert_eq!(frame.rgb().len(), area(&frame).width as usize * area(&frame).height as usize * 3);
                assert_eq!(others(&frame, area(&frame), RED), 0, "pixels that are not the window's");
                pictures += 1;
            }
            Err(error) => {
                assert_eq!(error.code, ErrorCode::CaptureFailed, "{error:?}");
                errors += 1;
            }
        }
        assert!(errors < 500, "hardly ever a picture");
    }
    go_on.store(false, Ordering::Relaxed);
    changer.join().expect("it ends");
    assert_eq!(refusal(&desktop, window).await.code, ErrorCode::WindowNotFound);
}

//! Windows and pixels.

use super::bed::{Bed, PATIENCE, inside, keeper, permit, seat_and_stacking};
use handeye_core::platform::{CaptureTarget, Screen, WindowPart};
use handeye_core::{ErrorCode, Frame, Point, Rect, Seat, Window, WindowId};
use handeye_x11::X11Desktop;
use rustix::process::Signal;
use std::time::{Duration, Instant};

pub(super) const RED: [u8; 3] = [255, 0, 0];
pub(super) const BLUE: [u8; 3] = [0, 0, 255];

/// The part of the screen that a picture shows.
pub(super) fn area(frame: &Frame) -> Rect {
    frame.place().expect("pictures of X11 have a place")
}

/// The colour of a picture at a place of the screen.
pub(super) fn colour(frame: &Frame, at: Point) -> [u8; 3] {
    let Rect { x, y, width, .. } = area(frame);
    let (column, row) = (at.x - x, at.y - y);
    let start = (row as usize * width as usize + column as usize) * 3;
    [frame.rgb()[start], frame.rgb()[start + 1], frame.rgb()[start + 2]]
}

/// How many pixels of `area` (on the screen) have another colour than `expected`.
pub(super) fn others(frame: &Frame, area: Rect, expected: [u8; 3]) -> usize {
    let points = (area.y..area.bottom()).flat_map(|y| (area.x..area.right()).map(move |x| Point::new(x, y)));
    points.filter(|point| colour(frame, *point) != expected).count()
}

/// Waits until the window `title` shows `expected` all over, and returns where it stopped.
pub(super) async fn wait_for_colour(
    bed: &Bed,
    desktop: &X11Desktop,
    title: &str,
    expected: [u8; 3],
) -> Window {
    let until = Instant::now() + PATIENCE;
    loop {
        let window = bed.window(desktop, title).await;
        let frame = desktop.capture(CaptureTarget::Desktop).await.expect("the desktop is captured");
        let on_screen = area(&frame).intersection(&window.content().expect("placed"))
            == Some(window.content().expect("placed"));
        let managed = window.frame().expect("placed") != window.content().expect("placed");
        if managed && on_screen && others(&frame, inside(window.content().expect("placed")), expected) == 0 {
            return window;
        }
        assert!(Instant::now() < until, "the colour {expected:?} never came up in {window:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_covered_window_is_captured_as_if_it_were_not() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let lower = bed
        .recorder(&desktop, "lower", &["--color", "#ff0000", "--at", "100,100", "--size", "300x200"])
        .await;
    let window = wait_for_colour(&bed, &desktop, "lower", RED).await;
    let uncovered =
        bed.desktop().capture(CaptureTarget::Window(window.id, WindowPart::Whole)).await.expect("captured");
    assert_eq!(area(&uncovered), window.frame().expect("placed"));

    let _upper = bed
        .recorder(&desktop, "upper", &["--color", "#0000ff", "--at", "120,110", "--size", "300x200"])
        .await;
    let cover = wait_for_colour(&bed, &desktop, "upper", BLUE).await;
    assert!(
        cover.content().expect("placed").intersection(&window.content().expect("placed")).is_some(),
        "it does not cover the lower one"
    );

    // The first answer of a fresh connection must be right already, and so must the second one.
    let fresh = bed.desktop();
    for attempt in ["first", "second"] {
        let seat = seat_and_stacking(&desktop).await;
        let covered =
            fresh.capture(CaptureTarget::Window(window.id, WindowPart::Whole)).await.expect("captured");
        assert_eq!(area(&covered), window.frame().expect("placed"));
        assert_eq!(
            others(&covered, inside(window.content().expect("placed")), RED),
            0,
            "{attempt} capture of the covered window"
        );
        assert_eq!(seat_and_stacking(&desktop).await, seat, "the {attempt} capture changed the seat");
    }
    let on_screen =
        fresh.capture(CaptureTarget::Region(window.frame().expect("placed"))).await.expect("captured");
    assert!(
        others(&on_screen, inside(window.content().expect("placed")), RED) > 0,
        "a region shows what is seen"
    );

    // A stopped application cannot paint what was covered: no picture is better than a wrong one.
    lower.process.signal(Signal::STOP);
    drop(fresh);
    let answer = bed.desktop().capture(CaptureTarget::Window(window.id, WindowPart::Whole)).await;
    lower.process.signal(Signal::CONT);
    match answer {
        Ok(frame) => assert_eq!(
            others(&frame, inside(window.content().expect("placed")), RED),
            0,
            "pixels of another window"
        ),
        Err(error) => assert_eq!(error.code, ErrorCode::CaptureFailed),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_are_listed_with_their_facts_and_a_minimized_one_is_refused() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let recorder = bed.recorder(&desktop, "Zwölf 漢字", &["--at", "50,60", "--size", "200x150"]).await;
    let _second = bed.recorder(&desktop, "second", &["--at", "300,300", "--size", "200x150"]).await;
    let first = bed.window(&desktop, "Zwölf 漢字").await;
    assert_eq!(first.pid, Some(recorder.process.pid()));
    assert_eq!(first.class.as_deref(), Some("Gtk3_recorder.py"));
    assert_eq!((first.content().expect("placed").width, first.content().expect("placed").height), (200, 150));
    assert!(
        first.frame().expect("placed").height > first.content().expect("placed").height,
        "the title bar belongs to the frame: {first:?}"
    );
    assert!(
        first.frame().expect("placed").intersection(&first.content().expect("placed"))
            == Some(first.content().expect("placed"))
    );
    assert_eq!(first.transient_for, None);

    desktop.activate(&permit(), first.id).await.expect("it becomes active");
    let until = Instant::now() + PATIENCE;
    let windows = loop {
        let windows = desktop.windows().await.expect("listed");
        // The window manager announces the active window and the order of all of them one after the other.
        if windows[0].id == first.id {
            break windows;
        }
        assert!(Instant::now() < until, "the active window is on top: {windows:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert!(windows[0].active && !windows[1].active);
    assert_eq!(windows[1].stacking, Some(1));
    let outside = bed.command("xdotool").arg("getactivewindow").output().expect("xdotool runs");
    assert_eq!(String::from_utf8_lossy(&outside.stdout).trim(), first.id.number().to_string());

    bed.command("xdotool")
        .args(["windowminimize", &first.id.number().to_string()])
        .status()
        .expect("xdotool runs");
    let until = Instant::now() + PATIENCE;
    while !bed.window(&desktop, "Zwölf 漢字").await.minimized {
        assert!(Instant::now() < until, "it is never told to be minimized");
    }
    // The window manager says so first, and takes it off the screen a moment later.
    let refusal = loop {
        match desktop.capture(CaptureTarget::Window(first.id, WindowPart::Whole)).await {
            Err(refusal) => break refusal,
            Ok(_) => assert!(Instant::now() < until, "it keeps its pixels"),
        }
    };
    assert_eq!(refusal.code, ErrorCode::WindowMinimized);
    assert!(refusal.message.contains("minimized") && refusal.next.is_some(), "{refusal:?}");

    desktop.activate(&permit(), first.id).await.expect("it comes up again");
    assert!(!bed.window(&desktop, "Zwölf 漢字").await.minimized);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_is_partly_off_the_desktop_is_captured_whole() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let _app =
        bed.recorder(&desktop, "edge", &["--color", "#ff0000", "--at", "100,100", "--size", "300x200"]).await;
    let window = wait_for_colour(&bed, &desktop, "edge", RED).await;
    bed.command("xdotool")
        .args(["windowmove", &window.id.number().to_string(), "650", "450"])
        .status()
        .expect("xdotool runs");
    let until = Instant::now() + PATIENCE;
    let moved = loop {
        let moved = bed.window(&desktop, "edge").await;
        if moved.frame().expect("placed").right() > 800 && moved.frame().expect("placed").bottom() > 600 {
            break moved;
        }
        assert!(Instant::now() < until, "it does not move: {moved:?}");
    };
    let frame = desktop.capture(CaptureTarget::Window(window.id, WindowPart::Whole)).await.expect("captured");
    assert_eq!(area(&frame), moved.frame().expect("placed"));
    assert_eq!(others(&frame, inside(moved.content().expect("placed")), RED), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn regions_are_cut_to_the_desktop_and_those_outside_are_refused() {
    let bed = Bed::bare(&[]);
    let desktop = bed.desktop();
    bed.command("xsetroot").args(["-solid", "#123456"]).status().expect("xsetroot runs");
    let frame = desktop.capture(CaptureTarget::Region(Rect::new(790, -5, 30, 15))).await.expect("captured");
    assert_eq!(area(&frame), Rect::new(790, 0, 10, 10));
    assert_eq!(others(&frame, area(&frame), [0x12, 0x34, 0x56]), 0);
    let refusal = desktop.capture(CaptureTarget::Region(Rect::new(800, 0, 5, 5))).await.expect_err("outside");
    assert_eq!(refusal.code, ErrorCode::InvalidParameter);
    assert!(refusal.found[0].contains("800x600"), "{refusal:?}");
    let unknown = desktop
        .capture(CaptureTarget::Window(WindowId::issued(0x7ff_fff0), WindowPart::Whole))
        .await
        .expect_err("no such window");
    assert_eq!(unknown.code, ErrorCode::WindowNotFound);
    let impossible = desktop
        .capture(CaptureTarget::Window(WindowId::issued(u64::MAX), WindowPart::Whole))
        .await
        .expect_err("no such window");
    assert_eq!(impossible.code, ErrorCode::WindowNotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_read_pixels_gives_the_same_picture() {
    let fast = Bed::bare(&[]);
    let slow = Bed::bare(&["-extension", "MIT-SHM"]);
    for bed in [&fast, &slow] {
        bed.command("xsetroot")
            .args(["-mod", "5", "3", "-fg", "#fedcba", "-bg", "#010203"])
            .status()
            .expect("runs");
    }
    let region = CaptureTarget::Region(Rect::new(3, 5, 641, 333));
    let by_memory = fast.desktop().capture(region).await.expect("captured");
    let by_socket = slow.desktop().capture(region).await.expect("captured");
    assert!(by_memory == by_socket, "shared memory and socket differ");
    assert!(by_memory.rgb().contains(&0xdc), "the pattern is in the picture");
}

#[tokio::test(flavor = "multi_thread")]
async fn monitors_come_with_the_primary_one_first() {
    let bed = Bed::bare(&[]);
    let monitors = bed.desktop().monitors().await.expect("listed");
    assert_eq!(monitors[0].area, Rect::new(0, 0, 800, 600));
    assert!(monitors[0].primary);
    bed.command("xrandr")
        .args(["--setmonitor", "LEFT", "400/100x600/150+0+0", "screen"])
        .output()
        .expect("xrandr runs");
    bed.command("xrandr")
        .args(["--setmonitor", "*RIGHT", "400/100x600/150+400+0", "none"])
        .output()
        .expect("xrandr runs");
    let names: Vec<_> =
        bed.desktop().monitors().await.expect("listed").into_iter().map(|m| (m.name, m.area.x)).collect();
    assert_eq!(names, [("RIGHT".to_owned(), 400), ("LEFT".to_owned(), 0)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_x_server_that_goes_away_is_an_error_and_no_end() {
    let mut bed = Bed::restartable();
    let desktop = bed.desktop();
    desktop.monitors().await.expect("it works");
    bed.end_server();
    let begun = Instant::now();
    let error = desktop.capture(CaptureTarget::Desktop).await.expect_err("the server is gone");
    assert_eq!(error.code, ErrorCode::DisplayUnavailable);
    assert!(error.next.as_deref().is_some_and(|next| next.contains("handeye desktop run")), "{error:?}");
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    bed.restart_server();
    desktop.capture(CaptureTarget::Desktop).await.expect("it works again");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_x_server_that_hangs_costs_its_deadline_only() {
    let bed = Bed::bare(&[]);
    let desktop = bed.desktop();
    desktop.monitors().await.expect("it works");
    bed.server().signal(Signal::STOP);
    let fresh = bed.desktop();
    for hanging in [&desktop, &fresh] {
        let begun = Instant::now();
        let error = hanging.windows().await.expect_err("the server does not answer");
        assert_eq!(error.code, ErrorCode::DisplayUnavailable);
        assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    }
    bed.server().signal(Signal::CONT);
    desktop.windows().await.expect("it works again");
}

#[tokio::test]
async fn no_display_is_reported_as_such() {
    let error =
        X11Desktop::new(Some(":54321".into()), keeper()).windows().await.expect_err("nothing is there");
    assert_eq!(error.code, ErrorCode::DisplayUnavailable);
    assert!(error.message.contains(":54321"), "{error:?}");
}

#[tokio::test]
async fn a_display_whose_port_would_be_too_high_is_reported_as_such() {
    let error = X11Desktop::new(Some(":60000".into()), keeper()).windows().await.expect_err("there is none");
    assert_eq!(error.code, ErrorCode::DisplayUnavailable);
    assert!(error.message.contains(":60000") && error.message.contains("up to 59535"), "{error:?}");
}

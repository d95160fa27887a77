//! Points of pictures: what they mean when the windows are as they were, and when they are not.

use crate::bench::{Bench, FakeApp, monitor};
use handeye_call::call::Call;
use handeye_call::reader::Reader;
use handeye_core::platform::{CaptureTarget, Screen, WindowPart};
use handeye_core::{ErrorCode, Place, Point, Rect, Role, Size, States, Window, WindowId};
use handeye_shots::delivery::{Capture, Destination, Inline, Order};
use handeye_shots::{Seen, Shot, ShotId, Subject};
use serde_json::{Value, json};
use std::sync::{Arc, PoisonError};
use tokio_util::sync::CancellationToken;

/// The middle of the first element of an application's window, see [`crate::bench::insert`].
const FIRST: Point = Point::new(160, 119);

/// A picture of the screen as it is, remembered with any area and delivered size.
async fn picture(bench: &Bench, subject: Subject, area: Rect, size: Size) -> ShotId {
    let windows = Seen::all(&bench.desktop.shown().await.expect("a stack"));
    bench.engine.memory.shots.remember(Shot {
        subject,
        area: Some(area),
        size,
        scale: 1.0,
        windows,
        file: None,
    })
}

async fn screen(bench: &Bench) -> ShotId {
    picture(bench, Subject::Screen, Rect::new(0, 0, 1920, 1080), Size::new(1920, 1080)).await
}

async fn window(bench: &Bench, app: &FakeApp) -> ShotId {
    let window = own_window(app);
    let frame = window.frame().expect("placed");
    picture(bench, Subject::Window(window.id), frame, frame.size()).await
}

fn own_window(app: &FakeApp) -> Window {
    app.windows.lock().unwrap_or_else(PoisonError::into_inner)[0].clone()
}

fn change_window(app: &FakeApp, change: impl FnOnce(&mut Window)) {
    change(&mut app.windows.lock().unwrap_or_else(PoisonError::into_inner)[0]);
}

fn change_frame(window: &mut Window, change: impl FnOnce(&mut Rect)) {
    change(&mut window.place.as_mut().expect("placed").frame);
}

fn click(shot: ShotId, x: i32, y: i32, mode: &str) -> Value {
    json!({"screenshot": shot.to_string(), "x": x, "y": y, "mode": mode})
}

fn clicks(bench: &Bench) -> Vec<String> {
    bench.desktop.seat_log().into_iter().filter(|line| line.starts_with("click")).collect()
}

fn check_box() -> (Bench, Arc<FakeApp>, handeye_core::NodeId) {
    let (app, [wrap]) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap")]);
    (Bench::with([Arc::clone(&app)]), app, wrap)
}

#[tokio::test(start_paused = true)]
async fn a_pixel_of_a_scaled_and_cropped_picture_on_a_monitor_left_of_the_origin_is_clicked() {
    for (area, size) in [
        (Rect::new(-2560, -200, 4480, 1440), Size::new(1568, 504)),
        (Rect::new(-2500, 0, 640, 480), Size::new(640, 480)),
        (Rect::new(-2500, 0, 640, 480), Size::new(427, 320)),
        (Rect::new(-2560, 0, 2560, 1440), Size::new(5120, 2880)),
    ] {
        let (bench, app, wrap) = check_box();
        *bench.desktop.monitors.lock().expect("no panic") =
            vec![monitor(Rect::new(0, 0, 1920, 1080), 1.0), monitor(Rect::new(-2560, -200, 2560, 1440), 1.5)];
        app.move_by(-2400, 0);
        let shot = picture(&bench, Subject::Screen, area, size).await;
        let target = (FIRST.x - 2400, FIRST.y);
        let x = (target.0 - area.x) * size.width as i32 / area.width as i32;
        let y = (target.1 - area.y) * size.height as i32 / area.height as i32;
        bench.call("ax_click_at", click(shot, x, y, "background")).await.expect("clicked");
        assert!(app.node(wrap).expect("alive").states.contains(States::CHECKED), "{area:?} {size:?}");
        bench.call("ax_click_at", click(shot, x, y, "focus")).await.expect("clicked");
        let log = clicks(&bench);
        let place: Vec<i32> = log[0]
            .rsplit_once(' ')
            .map(|(_, place)| place.split(',').map(|part| part.parse().expect("a number")).collect())
            .expect("a place");
        let resolution = area.width.div_ceil(size.width);
        assert!(
            place[0].abs_diff(target.0) <= resolution && place[1].abs_diff(target.1) <= resolution,
            "{log:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_that_moved_is_followed_and_the_answer_says_so() {
    for of_window in [false, true] {
        let (bench, app, wrap) = check_box();
        let shot = if of_window { window(&bench, &app).await } else { screen(&bench).await };
        let (x, y) = if of_window { (FIRST.x - 100, FIRST.y - 100) } else { (FIRST.x, FIRST.y) };
        app.move_by(300, -40);
        let answer = bench.call("ax_click_at", click(shot, x, y, "background")).await.expect("clicked");
        assert!(answer.notes[0].contains("followed: the window moved by (300, -40)"), "{:?}", answer.notes);
        assert!(app.node(wrap).expect("alive").states.contains(States::CHECKED));
        let answer = bench.call("ax_click_at", click(shot, x, y, "focus")).await.expect("clicked");
        assert!(answer.text.contains("followed: the window moved by (300, -40)"), "{}", answer.text);
        assert_eq!(clicks(&bench), ["click Left x1 at 460,79"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_of_another_size_gone_or_minimized_is_refused_with_the_reason_and_the_call() {
    type Change = fn(&FakeApp);
    let changes: [(Change, &str); 3] = [
        (|app| change_window(app, |window| change_frame(window, |frame| frame.width += 1)), "401x300 now"),
        (|app| change_window(app, |window| window.minimized = true), "is minimized"),
        (|app| app.windows.lock().expect("no panic").clear(), "is gone"),
    ];
    for (change, why) in changes {
        for of_window in [false, true] {
            let (bench, app, _) = check_box();
            let shot = if of_window { window(&bench, &app).await } else { screen(&bench).await };
            let pid = app.pid();
            change(&app);
            for mode in ["background", "focus"] {
                let arguments = click(shot, if of_window { 60 } else { 160 }, 119, mode);
                let error = bench.fails("ax_click_at", arguments, ErrorCode::StaleScreenshot).await;
                assert!(error.message.contains(why) && error.message.contains("\"Editor\""), "{error}");
                let next = error.next.expect("the call that helps");
                assert!(next.contains("ax_screenshot"), "{next}");
                assert_eq!(
                    next.contains(&format!("app: \"{pid}\"")),
                    of_window && why != "is gone",
                    "{next}"
                );
            }
            assert!(bench.desktop.seat_log().is_empty() && app.performed() == 0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_covered_window_is_acted_on_in_the_background() {
    let (upper, [_]) = FakeApp::simple("Upper", 6, [(Role::CheckBox, "Above")]);
    let (lower, [below]) = FakeApp::simple("Lower", 7, [(Role::CheckBox, "Below")]);
    let bench = Bench::with([Arc::clone(&upper), Arc::clone(&lower)]);
    let shot = window(&bench, &lower).await;
    bench.call("ax_click_at", click(shot, 60, 19, "background")).await.expect("clicked");
    assert!(lower.node(below).expect("alive").states.contains(States::CHECKED));
    assert_eq!(upper.performed(), 0);
    assert!(bench.desktop.seat_log().is_empty(), "nobody was disturbed");
}

#[tokio::test(start_paused = true)]
async fn only_the_window_of_the_picture_is_acted_on_where_its_application_has_two() {
    let app = FakeApp::new("Editor", 7, crate::bench::Manners::Complete);
    let (one, two) = (app.open_window("One"), app.open_window("Two"));
    let first = app.add(one, Role::CheckBox, "First");
    let second = app.add(two, Role::CheckBox, "Second");
    let bench = Bench::with([Arc::clone(&app)]);
    // Both lie at one place, and an application knows of no stacking.
    let shot = window(&bench, &app).await;
    bench.call("ax_click_at", click(shot, 60, 19, "background")).await.expect("clicked");
    let checked = |id| app.node(id).expect("alive").states.contains(States::CHECKED);
    assert_eq!((checked(first), checked(second)), (true, false));
}

#[tokio::test(start_paused = true)]
async fn a_picture_of_a_window_brings_it_up_before_the_pointer_clicks() {
    let (upper, [_]) = FakeApp::simple("Upper", 6, [(Role::CheckBox, "Above")]);
    let (lower, [below]) = FakeApp::simple("Lower", 7, [(Role::CheckBox, "Below")]);
    let bench = Bench::with([upper, Arc::clone(&lower)]);
    let shot = window(&bench, &lower).await;
    bench.call("ax_click_at", click(shot, 60, 19, "focus")).await.expect("clicked");
    assert!(lower.node(below).expect("alive").states.contains(States::CHECKED));
    assert_eq!(bench.desktop.seat_log(), ["activate", "click Left x1 at 160,119"]);
}

#[tokio::test(start_paused = true)]
async fn the_pointer_never_clicks_what_the_picture_does_not_show() {
    let (upper, [_]) = FakeApp::simple("Upper", 6, [(Role::CheckBox, "Above")]);
    let (lower, [_]) = FakeApp::simple("Lower", 7, [(Role::CheckBox, "Below")]);
    upper.move_by(1000, 0);
    let bench = Bench::with([Arc::clone(&upper), Arc::clone(&lower)]);
    let (of_screen, of_window) = (screen(&bench).await, window(&bench, &lower).await);
    // Another window has come over the point.
    upper.move_by(-1000, 0);
    let over =
        bench.fails("ax_click_at", click(of_screen, 160, 119, "focus"), ErrorCode::StaleScreenshot).await;
    assert!(over.message.contains("window \"Upper\" covers"), "{over}");
    // A menu that no window manager knows of lies over the window even when that is active.
    let mut menu = own_window(&lower);
    menu.id = WindowId::issued(9_999);
    menu.title = String::new();
    bench.desktop.popups.lock().expect("no panic").push(menu);
    let over =
        bench.fails("ax_click_at", click(of_window, 60, 19, "focus"), ErrorCode::StaleScreenshot).await;
    assert!(over.message.contains("a window without a title covers"), "{over}");
    assert!(clicks(&bench).is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_bare_desktop_is_clicked_while_it_is_bare() {
    let (bench, app, _) = check_box();
    let shot = screen(&bench).await;
    let answer = bench.call("ax_click_at", click(shot, 1500, 900, "focus")).await.expect("clicked");
    assert!(answer.text.contains("the desktop"), "{}", answer.text);
    bench.fails("ax_click_at", click(shot, 1500, 900, "background"), ErrorCode::Refused).await;
    app.move_by(1300, 700);
    for mode in ["background", "focus"] {
        let error =
            bench.fails("ax_click_at", click(shot, 1500, 900, mode), ErrorCode::StaleScreenshot).await;
        assert!(
            error.message.contains("shows the bare desktop there, where now window \"Editor\" is"),
            "{error}"
        );
    }
    assert_eq!(clicks(&bench).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_menu_of_a_picture_is_clicked_while_it_is_open() {
    let (app, [menu]) = FakeApp::simple("Editor", 7, [(Role::Menu, "File")]);
    let quit = app.add(menu, Role::CheckBox, "Autosave");
    let place = Rect::new(600, 600, 100, 18);
    app.edit(quit, |node| {
        node.details.extents = handeye_core::Detail::Known(handeye_core::Extents::OnScreen(place));
    });
    let bench = Bench::with([Arc::clone(&app)]);
    let mut popup = own_window(&app);
    popup.id = WindowId::issued(9_999);
    popup.place = Some(Place::bare(Rect::new(590, 590, 120, 200)));
    bench.desktop.popups.lock().expect("no panic").push(popup);
    let shot = screen(&bench).await;
    bench.call("ax_click_at", click(shot, 610, 610, "background")).await.expect("clicked");
    assert!(app.node(quit).expect("alive").states.contains(States::CHECKED));
    bench.desktop.popups.lock().expect("no panic").clear();
    bench.fails("ax_click_at", click(shot, 610, 610, "background"), ErrorCode::StaleScreenshot).await;
}

#[tokio::test(start_paused = true)]
async fn a_point_outside_of_the_picture_and_an_unknown_picture_are_refused() {
    let (bench, app, _) = check_box();
    let shot = window(&bench, &app).await;
    for (x, y) in [(-1, 5), (400, 5), (5, 300)] {
        let error =
            bench.fails("ax_click_at", click(shot, x, y, "background"), ErrorCode::InvalidParameter).await;
        assert!(error.message.contains("400x300"), "{error}");
        assert!(error.next.is_some_and(|next| next.contains("0 to 399")));
    }
    for id in ["s99", "7", ""] {
        let arguments = json!({"screenshot": id, "x": 1, "y": 1});
        bench.fails("ax_click_at", arguments, ErrorCode::UnknownScreenshot).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_drag_goes_between_two_points_of_a_picture() {
    let (app, [_, _]) = FakeApp::simple("Editor", 7, [(Role::Slider, "Volume"), (Role::Button, "Go")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let (of_screen, of_window) = (screen(&bench).await, window(&bench, &app).await);
    app.move_by(10, 0);
    let drag = |shot: ShotId, from: i32, to: i32| json!({"app": "frontmost", "screenshot": shot.to_string(), "from_x": from, "from_y": 120, "to_x": to, "to_y": 130, "mode": "focus"});
    let answer = bench.call("ax_drag", drag(of_screen, 150, 180)).await.expect("dragged");
    assert!(answer.text.contains("(160, 120), that is (150, 120) of"), "{}", answer.text);
    assert_eq!(bench.desktop.seat_log(), ["drag 160,120 to 190,130 in 500"]);
    bench.call("ax_drag", drag(of_window, 50, 80)).await.expect("dragged");
    assert_eq!(bench.desktop.seat_log()[1..], ["activate", "drag 160,220 to 190,230 in 500"]);
    let mixed = json!({"app": "Editor", "screenshot": of_window.to_string(), "from_query": "Go", "to_x": 5, "to_y": 6,
        "mode": "focus"});
    bench.call("ax_drag", mixed).await.expect("dragged");
    assert_eq!(bench.desktop.seat_log()[3..], ["activate", "drag 170,139 to 115,106 in 500"]);
    let none = json!({"app": "Editor", "screenshot": of_window.to_string(), "from_query": "Go", "to_query": "Go",
        "mode": "focus"});
    bench.fails("ax_drag", none, ErrorCode::InvalidParameter).await;
}

#[tokio::test]
async fn the_picture_in_the_answer_and_the_full_size_file_have_an_id_each() {
    let (bench, app, wrap) = check_box();
    change_window(&app, |window| {
        change_frame(window, |frame| (frame.width, frame.height) = (3000, 2000));
    });
    let id = own_window(&app).id;
    let frame = bench.desktop.capture(CaptureTarget::Window(id, WindowPart::Whole)).await.expect("a picture");
    let folder = tempfile::tempdir().expect("a folder");
    let order = Order {
        destination: Destination::File(folder.path().join("full.png")),
        inline: Inline::Png,
        ..Order::configured()
    };
    let capture = Capture { frame, subject: Subject::Window(id), scale: 2.0 };
    let call = Call::new(Reader::MODEL, CancellationToken::new());
    let delivered = bench.engine.deliver(&call, capture, order).await.expect("delivered");
    assert!(delivered.size.width < 3000);
    let file = delivered.file_id.expect("of its own");
    let answer = bench.call("ax_click_at", click(file, 60, 19, "background")).await.expect("clicked");
    assert!(answer.notes[0].contains("(160, 119), that is (60, 19)"), "{:?}", answer.notes);
    let factor = f64::from(delivered.size.width) / 3000.0;
    let (x, y) = ((60.5 * factor) as i32, (19.5 * factor) as i32);
    bench.call("ax_click_at", click(delivered.id, x, y, "background")).await.expect("clicked");
    assert!(!app.node(wrap).expect("alive").states.contains(States::CHECKED), "clicked twice");
}

//! Keyboard and pointer, as a GTK application and the X server's own tools see them.

use super::bed::{Bed, PATIENCE, Process, Recorder, permit, seat_and_stacking};
use handeye_core::platform::{CaptureTarget, Screen, WindowPart};
use handeye_core::{Button, Chord, DragWay, ErrorCode, Point, Seat, Takes, Window};
use handeye_x11::X11Desktop;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ConnectionExt, InputFocus};

/// Letters of several scripts and both cases, signs, characters made of several code points, and emoji.
const PIECES: &str = "é漢字日本한국Привет😀€Ææßøŷ¿Ωω✓→ñÑçÇ“”…👩‍🚀🇩🇪e\u{301}ا\u{200f}ש½Ĳĳǅİıẞſ";

/// Starts the recorder and makes its window the active one, where its events can be distinguished from earlier ones.
async fn active_recorder(bed: &Bed, desktop: &X11Desktop, options: &[&str]) -> (Recorder, Window) {
    let recorder = bed.recorder(desktop, "recorder", options).await;
    let window = bed.window(desktop, "recorder").await;
    let until = Instant::now() + PATIENCE;
    // It takes the keyboard once it is placed.
    loop {
        desktop.activate(&permit(), window.id).await.expect("it becomes active");
        let window = bed.window(desktop, "recorder").await;
        if window.frame().expect("placed") != window.content().expect("placed")
            && window.content().expect("placed").x > 0
        {
            return (recorder, window);
        }
        assert!(Instant::now() < until, "the window manager never frames it: {window:?}");
    }
}

fn way(from: Point, to: Point, milliseconds: u64) -> DragWay {
    DragWay { from, to, duration: Duration::from_millis(milliseconds), takes: Takes::Own }
}

/// Waits until the text field holds `expected`.
async fn wait_for_text(recorder: &Recorder, expected: &str) {
    let until = Instant::now() + PATIENCE;
    while recorder.text() != expected {
        assert!(Instant::now() < until, "typed:    {expected}\nreceived: {}", recorder.text());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until the log holds what `wanted` looks for.
async fn wait_for_log<T>(recorder: &Recorder, wanted: impl Fn(&[Value]) -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        let entries = recorder.entries();
        if let Some(found) = wanted(&entries) {
            return found;
        }
        assert!(Instant::now() < until, "never came: {entries:#?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn of_kind<'a>(entries: &'a [Value], event: &str) -> Vec<&'a Value> {
    entries.iter().filter(|entry| entry["event"] == event).collect()
}

/// The server's keyboard mapping, as another client reads it.
fn mapping(bed: &Bed) -> String {
    let answer = bed.command("xmodmap").arg("-pke").output().expect("xmodmap runs");
    String::from_utf8(answer.stdout).expect("it writes text")
}

#[tokio::test(flavor = "multi_thread")]
async fn any_text_arrives_exactly_and_the_layout_is_left_as_it_was() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let (recorder, _) = active_recorder(&bed, &desktop, &["--text"]).await;
    let before = mapping(&bed);
    let scripts: String = PIECES.chars().cycle().take(200).collect();
    let plain =
        "The quick brown fox: \"jumps\" over {13} lazy dogs & 50% <more>~\n\tIndented\\line; it's #1!\n";
    let text = format!("{scripts}\n{plain}{scripts}");
    let begun = Instant::now();
    desktop.type_text(&permit(), &text, None).await.expect("typed");
    println!("{} characters typed in {:?}", text.chars().count(), begun.elapsed());
    wait_for_text(&recorder, &text).await;
    assert_eq!(mapping(&bed), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn characters_off_the_layout_change_it_once_a_batch() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let (recorder, _) = active_recorder(&bed, &desktop, &["--text"]).await;
    let spare = mapping(&bed).lines().filter(|line| line.split_whitespace().count() == 3).count();
    let text: String = ('\u{4e00}'..).take(2 * spare).collect();
    let (listener, _) = x11rb::connect(Some(&bed.display)).expect("connected");
    desktop.type_text(&permit(), &text, None).await.expect("typed");
    wait_for_text(&recorder, &text).await;
    // Its answer comes after all that the server had to send before.
    listener.get_input_focus().expect("sent").reply().expect("answered");
    let next_event = || listener.poll_for_event().expect("connected");
    let changes =
        std::iter::from_fn(next_event).filter(|event| matches!(event, Event::MappingNotify(_))).count();
    // Two batches and the keys given back, not one change for each key: window managers grab all keys again at each.
    assert!(changes < spare, "{changes} changes for two batches of {spare} keys");
}

#[tokio::test(flavor = "multi_thread")]
async fn locked_and_held_keys_do_not_change_the_text_and_are_left_as_they_were() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let (recorder, _) = active_recorder(&bed, &desktop, &["--text"]).await;
    let leds =
        || String::from_utf8(bed.command("xset").arg("q").output().expect("xset runs").stdout).expect("text");
    desktop.key(&permit(), &Chord::plain("caps_lock"), None).await.expect("pressed");
    assert!(leds().contains("Caps Lock:   on"), "{}", leds());
    bed.command("xdotool").args(["keydown", "Shift_L"]).status().expect("xdotool runs");
    desktop.type_text(&permit(), "aBc1é", None).await.expect("typed");
    wait_for_text(&recorder, "aBc1é").await;
    assert!(leds().contains("Caps Lock:   on"), "{}", leds());
    bed.command("xdotool").args(["type", "--clearmodifiers", ""]).status().expect("xdotool runs");
    bed.command("xdotool").args(["keyup", "Shift_L"]).status().expect("xdotool runs");
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_cannot_be_typed_is_refused_before_the_first_key() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let (recorder, _) = active_recorder(&bed, &desktop, &["--text"]).await;
    let control = desktop.type_text(&permit(), "before\u{7}after", None).await.expect_err("it has no key");
    assert_eq!(control.code, ErrorCode::InvalidParameter);
    let long = desktop.type_text(&permit(), &"x".repeat(10_001), None).await.expect_err("it is too long");
    assert_eq!(long.code, ErrorCode::TooLarge);
    assert!(long.next.is_some_and(|next| next.contains("ax_set_value")));
    desktop.type_text(&permit(), "end", None).await.expect("typed");
    wait_for_text(&recorder, "end").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_application_is_reported_and_the_layout_restored() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let (recorder, _) = active_recorder(&bed, &desktop, &["--text"]).await;
    let before = mapping(&bed);
    recorder.process.signal(Signal::STOP);
    let error = desktop.type_text(&permit(), "漢字", None).await.expect_err("nobody works off the keys");
    assert_eq!(error.code, ErrorCode::AppNotResponding);
    assert_eq!(mapping(&bed), before);
    // A caller that leaves does not leave keys behind either.
    recorder.process.signal(Signal::CONT);
    let long: String = ('\u{4e00}'..='\u{9fff}').take(2_000).collect();
    tokio::time::timeout(Duration::from_millis(400), desktop.type_text(&permit(), &long, None))
        .await
        .expect_err("it takes longer");
    desktop.key(&permit(), &Chord::plain("end"), None).await.expect("pressed");
    assert_eq!(mapping(&bed), before);
    assert!(recorder.text().chars().count() < 2_000, "it went on typing");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_application_that_gets_the_keys_is_waited_for_before_the_window_manager_knows_of_it() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let slow = bed.recorder(&desktop, "slow", &["--text"]).await;
    let window = bed.window(&desktop, "slow").await;
    let (_quick, _) = active_recorder(&bed, &desktop, &[]).await;
    // The quick one stays the active one for everybody who asks the window manager.
    let manager = bed.manager().expect("the bed has a window manager");
    manager.signal(Signal::STOP);
    let (user, _) = x11rb::connect(Some(&bed.display)).expect("connected");
    let number = u32::try_from(window.id.number()).expect("a window of X11");
    user.set_input_focus(InputFocus::PARENT, number, x11rb::CURRENT_TIME)
        .expect("sent")
        .check()
        .expect("focused");
    slow.process.signal(Signal::STOP);
    let error =
        desktop.type_text(&permit(), "漢字", Some(window.id)).await.expect_err("nobody works off the keys");
    assert_eq!(error.code, ErrorCode::AppNotResponding);
    slow.process.signal(Signal::CONT);
    manager.signal(Signal::CONT);
}

#[tokio::test(flavor = "multi_thread")]
async fn qt_is_heard_when_it_has_worked_off_its_keys() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let _calculator = Process::start(bed.command("kcalc").stderr(std::process::Stdio::null()));
    let window = bed.window(&desktop, "KCalc").await;
    desktop.activate(&permit(), window.id).await.expect("it becomes active");
    let before =
        desktop.capture(CaptureTarget::Window(window.id, WindowPart::Whole)).await.expect("captured");
    // Qt 5 answers to another address than other toolkits: an answer that is missed would be an error here.
    desktop.type_text(&permit(), "12é+30", None).await.expect("typed");
    let until = Instant::now() + PATIENCE;
    while desktop.capture(CaptureTarget::Window(window.id, WindowPart::Whole)).await.expect("captured").rgb()
        == before.rgb()
    {
        assert!(Instant::now() < until, "the calculator shows nothing of it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chords_reach_the_application() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let (recorder, _) = active_recorder(&bed, &desktop, &[]).await;
    let chords = [
        ("ctrl+S", "s", vec!["ctrl"]),
        ("ctrl+shift+s", "S", vec!["shift", "ctrl"]),
        ("alt+f10", "F10", vec!["alt"]),
        ("ctrl++", "plus", vec!["shift", "ctrl"]),
        ("page_down", "Page_Down", vec![]),
        ("é", "eacute", vec![]),
        ("ctrl+漢", "U+6F22", vec!["ctrl"]),
        ("return", "Return", vec![]),
        ("A", "A", vec!["shift"]),
        ("super+k", "k", vec!["super"]),
    ];
    for (chord, name, held) in chords {
        desktop.key(&permit(), &Chord::parse(chord).expect("valid"), None).await.expect("pressed");
        wait_for_log(&recorder, |entries| {
            let last = of_kind(entries, "key").last().copied()?.clone();
            (last["name"] == name && last["held"] == json!(held)).then_some(())
        })
        .await;
    }
    let unknown = desktop.key(&permit(), &Chord::plain("retrun"), None).await.expect_err("no such key");
    assert_eq!(unknown.code, ErrorCode::InvalidParameter);
    assert!(unknown.found.iter().any(|name| name == "return"), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clicks_drags_and_the_wheel_reach_the_application() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let (recorder, window) = active_recorder(&bed, &desktop, &[]).await;
    let middle = window.content().expect("placed").center();

    desktop.click(&permit(), middle, Button::Right, 1, None).await.expect("clicked");
    let press =
        wait_for_log(&recorder, |entries| of_kind(entries, "press").first().map(|&entry| entry.clone()))
            .await;
    assert_eq!(press, json!({"event": "press", "button": 3, "count": 1, "x": middle.x, "y": middle.y}));
    assert_eq!(desktop.state().await.expect("read").pointer, Some(middle));

    desktop.click(&permit(), middle, Button::Left, 2, None).await.expect("clicked");
    wait_for_log(&recorder, |entries| {
        of_kind(entries, "press")
            .iter()
            .any(|entry| entry["button"] == 1 && entry["count"] == 2)
            .then_some(())
    })
    .await;

    let end = Point::new(middle.x + 100, middle.y - 40);
    desktop.drag(&permit(), way(middle, end, 200), None).await.expect("dragged");
    let release = wait_for_log(&recorder, |entries| {
        of_kind(entries, "release").into_iter().find(|entry| entry["x"] == end.x).cloned()
    })
    .await;
    assert_eq!(release, json!({"event": "release", "button": 1, "x": end.x, "y": end.y}));
    assert!(of_kind(&recorder.entries(), "motion").len() >= 3, "it came without steps");

    desktop.wheel(&permit(), middle, -1, 3, None).await.expect("turned");
    wait_for_log(&recorder, |entries| {
        let turns: Vec<_> =
            of_kind(entries, "scroll").iter().map(|entry| entry["direction"].clone()).collect();
        (turns == ["down", "down", "down", "left"]).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drag_that_is_given_up_releases_the_button() {
    let bed = Bed::managed();
    let desktop = bed.desktop();
    let (recorder, window) = active_recorder(&bed, &desktop, &[]).await;
    let middle = window.content().expect("placed").center();
    let permit = permit();
    let drag = desktop.drag(&permit, way(middle, Point::new(middle.x + 90, middle.y), 5_000), None);
    tokio::time::timeout(Duration::from_millis(200), drag).await.expect_err("it takes longer");
    wait_for_log(&recorder, |entries| of_kind(entries, "release").first().map(|_| ())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_off_every_monitor_or_out_of_range_is_refused() {
    let bed = Bed::bare(&[]);
    let desktop = bed.desktop();
    let inside = Point::new(5, 5);
    let before = seat_and_stacking(&desktop).await;
    for outside in [Point::new(800, 5), Point::new(5, -1), Point::new(i32::MAX, i32::MIN)] {
        let refusals = [
            desktop.hover(&permit(), outside, None).await,
            desktop.click(&permit(), outside, Button::Left, 1, None).await,
            desktop.drag(&permit(), way(outside, inside, 10), None).await,
            desktop.drag(&permit(), way(inside, outside, 10), None).await,
            desktop.wheel(&permit(), outside, 0, 1, None).await,
        ];
        for refusal in refusals {
            let error = refusal.expect_err("no monitor shows it");
            assert_eq!(error.code, ErrorCode::InvalidParameter);
            assert!(error.found[0].contains("800x600"), "{error:?}");
        }
    }
    for refusal in [
        desktop.click(&permit(), inside, Button::Left, 0, None).await,
        desktop.drag(&permit(), way(inside, inside, u64::MAX), None).await,
        desktop.wheel(&permit(), inside, 0, i32::MIN, None).await,
    ] {
        assert_eq!(refusal.expect_err("out of range").code, ErrorCode::InvalidParameter);
    }
    assert_eq!(seat_and_stacking(&desktop).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_xtest_takes_no_input() {
    let bed = Bed::bare(&["-extension", "XTEST"]);
    let desktop = bed.desktop();
    let error =
        desktop.click(&permit(), Point::new(1, 1), Button::Left, 1, None).await.expect_err("it cannot");
    assert_eq!(error.code, ErrorCode::InputUnavailable);
    let error = desktop.type_text(&permit(), "x", None).await.expect_err("it cannot");
    assert_eq!(error.code, ErrorCode::InputUnavailable);
    desktop.monitors().await.expect("looking works");
}

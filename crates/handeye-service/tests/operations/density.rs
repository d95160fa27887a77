//! A screen that has two pixels for one unit, in each direction: places are in units, and what a caller sees of a picture is in its pixels.

use crate::bench::{Bench, FakeApp};
use crate::eyes::Reader;
use handeye_core::{Frame, Rect, Role};
use handeye_picture as picture;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Where the only button is on the screen. Its window is at (100, 100) and has 400x300 units.
const BUTTON: Rect = Rect::new(110, 110, 100, 18);

/// An application with a button, and what can be read on the screen.
fn bench(words: &[(&'static str, Rect)]) -> (Bench, Arc<FakeApp>) {
    let (app, _) = FakeApp::simple("Game", 7, [(Role::Button, "b7")]);
    let mut bench = Bench::with([Arc::clone(&app)]);
    bench.desktop.density.store(2, Ordering::SeqCst);
    bench.engine.ocr = Arc::new(Reader(words.to_vec()));
    (bench, app)
}

fn saved(fields: &Value) -> Frame {
    let file = std::fs::read(fields["path"].as_str().expect("a path")).expect("a file");
    picture::decode(&file).expect("a picture")
}

/// Whether the captured grey is what is at that pixel.
fn is_grey(frame: &Frame, x: usize, y: usize) -> bool {
    let at = (y * frame.size().width as usize + x) * 3;
    frame.rgb()[at..at + 3] == [127; 3]
}

#[tokio::test]
async fn a_picture_has_all_its_pixels_and_its_place_is_in_units() {
    let (bench, _) = bench(&[]);
    let shot = bench.call("ax_screenshot", json!({"app": "Game"})).await.expect("a picture");
    assert_eq!((&shot.fields["size"], &shot.fields["position"]), (&json!([800, 600]), &json!([100, 100])));
    let screen = bench.call("ax_screenshot", json!({})).await.expect("a picture");
    assert_eq!(screen.fields["size"], json!([128, 96]));
    let image = bench.call("image", json!({"app_target": "Game"})).await.expect("a picture");
    assert!(image.text.contains("\"Game\" 800x600 at (100, 100)"), "{}", image.text);
    assert!(!image.text.contains("shown at"), "it has its own size: {}", image.text);
}

#[tokio::test]
async fn a_part_of_a_window_is_cut_in_its_units() {
    let (bench, _) = bench(&[]);
    let region = json!({"app": "Game", "region": {"x": 390, "y": 10, "w": 50, "h": 20}});
    let part = bench.call("ax_screenshot", region).await.expect("a part of it");
    assert_eq!((&part.fields["size"], &part.fields["position"]), (&json!([20, 40]), &json!([490, 110])));
    assert_eq!(saved(&part.fields).rgb().len(), 20 * 40 * 3);
}

#[tokio::test]
async fn marks_are_drawn_around_the_pixels_of_the_element() {
    let (bench, _) = bench(&[]);
    let shot = json!({"app": "Game", "annotate": true});
    let shot = bench.call("ax_screenshot", shot).await.expect("a picture");
    assert!(shot.text.contains("Marks: 1."), "{}", shot.text);
    let frame = saved(&shot.fields);
    // Twenty pixels from the left and the top, two hundred by thirty-six.
    assert!((30..200).all(|x| !is_grey(&frame, x, 19) && !is_grey(&frame, x, 56)), "above and below");
    assert!((30..40).all(|y| is_grey(&frame, 120, y)), "its middle is free");
}

#[tokio::test]
async fn a_pixel_of_a_picture_is_clicked_where_it_shows() {
    let (bench, _) = bench(&[]);
    let shot = bench.call("ax_screenshot", json!({"app": "Game"})).await.expect("a picture");
    let click = json!({"screenshot": shot.fields["id"], "x": 440, "y": 310, "mode": "focus"});
    bench.call("ax_click_at", click).await.expect("clicked");
    let log = bench.desktop.seat_log();
    assert!(log.contains(&"click Left x1 at 320,255".to_owned()), "{log:?}");
}

#[tokio::test]
async fn what_is_seen_is_in_units_on_the_screen_and_in_pixels_in_the_picture() {
    let (bench, app) =
        bench(&[("Play", Rect::new(120, 112, 40, 10)), ("Launch", Rect::new(300, 250, 40, 10))]);
    let find = |description| bench.call("ax_find_visual", json!({"app": "Game", "description": description}));
    let found = find("Play").await.expect("found").fields;
    assert_eq!((&found["position"], &found["size"]), (&json!([120, 112]), &json!([40, 10])));
    let click = json!({"app": "Game", "query": found["element_ref"]});
    bench.call("ax_click", click).await.expect("clicked");
    assert_eq!((app.performed(), BUTTON.contains(Rect::new(120, 112, 40, 10).center())), (1, true));

    let found = find("Launch").await.expect("found").fields;
    assert_eq!(found["point"], json!([440, 310]), "in pixels of the picture");
    let (point, screenshot) = (&found["point"], &found["screenshot"]);
    let click = json!({"x": point[0], "y": point[1], "screenshot": screenshot, "mode": "focus"});
    bench.call("ax_click_at", click).await.expect("clicked");
    let log = bench.desktop.seat_log();
    assert!(log.contains(&"click Left x1 at 320,255".to_owned()), "{log:?}");
}

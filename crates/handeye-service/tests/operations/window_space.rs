//! Elements whose source knows where they are in their windows, and not where they are on the screen, as toolkits of Wayland and pages of a browser
//! report it. Only the place of a window leads from there to the screen.

use crate::bench::{Bench, FakeApp};
use crate::eyes::Reader;
use handeye_core::{ErrorCode, NodeId, Rect, Role};
use handeye_picture as picture;
use serde_json::json;
use std::sync::Arc;

/// Why the screen knows no places.
const REASON: &str = "this compositor keeps the places of windows to itself";

/// An application with a button and a check box, at (10, 10) and (10, 30) in its window, which is at (100, 100).
fn bench() -> (Bench, Arc<FakeApp>, [NodeId; 2]) {
    let (app, ids) = FakeApp::simple("Editor", 7, [(Role::Button, "Go"), (Role::CheckBox, "Wrap")]);
    let mut bench = Bench::with([Arc::clone(&app)]);
    // The reader is asked about pictures of the window, and says where on the screen its words would be.
    bench.engine.ocr = Arc::new(Reader(vec![("Launch", Rect::new(120, 132, 40, 10))]));
    (bench, app, ids)
}

fn unplaced() -> (Bench, Arc<FakeApp>, [NodeId; 2]) {
    let (bench, app, ids) = bench();
    bench.desktop.know_places_in_windows(REASON);
    (bench, app, ids)
}

#[tokio::test(start_paused = true)]
async fn an_element_is_on_the_screen_where_its_window_is() {
    let (bench, app, [go, _]) = bench();
    app.place_in_windows();
    let found = bench.call("ax_find", json!({"app": "Editor", "query": "Go"})).await.expect("found");
    assert_eq!((&found.fields["position"], &found.fields["size"]), (&json!([110, 110]), &json!([100, 18])));
    assert!(found.text.contains("100x18 at (110, 110)"), "{}", found.text);
    let click = json!({"app": "Editor", "query": "Go", "mode": "focus"});
    bench.call("ax_click", click).await.expect("clicked");
    let log = bench.desktop.seat_log();
    assert!(log.contains(&"click Left x1 at 160,119".to_owned()), "{log:?}");
    let shot = bench.call("ax_screenshot", json!({"annotate": true})).await.expect("a picture");
    assert!(shot.text.contains("Marks: 2."), "{}", shot.text);
    let shot = json!({"annotate": true, "region": {"x": 100, "y": 100, "w": 200, "h": 25}});
    let shot = bench.call("ax_screenshot", shot).await.expect("a picture");
    assert!(shot.text.contains("Marks: 1.") && shot.text.contains("button \"Go\""), "{}", shot.text);
    let at = json!({"x": 120, "y": 115});
    bench.call("ax_click_at", at).await.expect("clicked");
    assert_eq!(app.pressed().last(), Some(&go));
}

#[tokio::test(start_paused = true)]
async fn a_picture_of_the_window_is_marked_without_a_place() {
    let (bench, app, [_, wrap]) = unplaced();
    let shot = json!({"app": "Editor", "annotate": true});
    let shot = bench.call("ax_screenshot", shot).await.expect("a picture");
    assert!(shot.text.contains("Marks: 2."), "{}", shot.text);
    assert_eq!(shot.fields.get("position"), None);
    let file = std::fs::read(shot.fields["path"].as_str().expect("a path")).expect("a file");
    let frame = picture::decode(&file).expect("a picture");
    let grey = |x: usize, y: usize| frame.rgb()[(y * 400 + x) * 3..][..3] == [127; 3];
    assert!((20..100).all(|x| !grey(x, 9)) && (12..26).all(|y| grey(60, y)), "around the button");
    let image =
        bench.call("image", json!({"app_target": "Editor", "annotate": true})).await.expect("a picture");
    assert!(image.notes.iter().any(|note| note.contains("Marks: 2.")), "{:?}", image.notes);

    let part = json!({"app": "Editor", "annotate": true, "region": {"x": 0, "y": 29, "w": 400, "h": 40}});
    let part = bench.call("ax_screenshot", part).await.expect("a part of it");
    assert!(part.text.contains("Marks: 1.") && part.text.contains("checkbox \"Wrap\""), "{}", part.text);
    let line = part.text.lines().find(|line| line.contains("checkbox")).expect("its line");
    let reference = line.split(' ').next().expect("a reference");
    bench.call("ax_click", json!({"app": "7", "query": reference})).await.expect("clicked");
    assert_eq!(app.pressed(), [wrap]);
}

#[tokio::test(start_paused = true)]
async fn what_is_seen_in_a_picture_of_the_window_is_an_element_of_it() {
    let (bench, app, [_, wrap]) = unplaced();
    let find = json!({"app": "Editor", "description": "Launch"});
    let found = bench.call("ax_find_visual", find).await.expect("found");
    assert_eq!((found.fields.get("position"), &found.fields["size"]), (None, &json!([40, 10])));
    assert!(found.text.contains("40x10 at (20, 32) of its window"), "{}", found.text);
    let click = json!({"app": "Editor", "query": found.fields["element_ref"]});
    bench.call("ax_click", click).await.expect("clicked");
    assert_eq!(app.pressed(), [wrap]);
}

#[tokio::test(start_paused = true)]
async fn where_the_window_has_no_place_only_its_own_space_is_known() {
    let (bench, ..) = unplaced();
    let found = bench.call("ax_find", json!({"app": "Editor", "query": "Go"})).await.expect("found");
    assert_eq!((found.fields.get("position"), &found.fields["size"]), (None, &json!([100, 18])));
    assert!(found.text.contains("100x18 at (10, 10) of its window"), "{}", found.text);
    let attributes = json!({"app": "Editor", "query": "Go"});
    let attributes = bench.call("ax_get_attributes", attributes).await.expect("attributes");
    let attributes = &attributes.fields["attributes"];
    assert_eq!((attributes.get("position"), &attributes["position_in_window"]), (None, &json!("10, 10")));
    for (tool, arguments) in [
        ("ax_click", json!({"app": "Editor", "query": "Go", "mode": "focus"})),
        ("ax_scroll", json!({"app": "Editor", "query": "Go", "direction": "down", "mode": "focus"})),
        ("ax_click_at", json!({"x": 120, "y": 115})),
    ] {
        let error = bench.fails(tool, arguments, ErrorCode::Refused).await;
        assert!(error.message.ends_with(REASON) && error.next.is_some(), "{tool}: {error:?}");
    }
    assert!(bench.desktop.seat_log().is_empty(), "nothing is touched");
    let shot = bench.call("ax_screenshot", json!({"annotate": true})).await.expect("a picture");
    assert!(shot.text.contains("Nothing in it can be marked"), "of the screen: {}", shot.text);
}

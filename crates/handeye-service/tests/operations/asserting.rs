//! `ax_assert` and `ax_visual_diff` on a desktop in memory (axterminator, sections 4.7 and 22.3).

use crate::bench::{Bench, FakeApp};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_call::call::Call;
use handeye_call::outcome::{Answer, Verdict};
use handeye_call::reader::Reader;
use handeye_core::{ErrorCode, NodeId, Role, States};
use handeye_service::registry;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const FAILED: Verdict = Verdict::No(ErrorCode::AssertionFailed);

fn bench() -> (Bench, Arc<FakeApp>, [NodeId; 3]) {
    let elements = [(Role::Button, "Save"), (Role::TextBox, "Name"), (Role::Button, "Account")];
    let (app, ids) = FakeApp::simple("Editor", 7, elements);
    (Bench::with([Arc::clone(&app)]), app, ids)
}

#[expect(clippy::needless_pass_by_value, reason = "a literal reads best")]
fn assertion(query: &str, assertions: Value) -> Value {
    json!({"app": "Editor", "query": query, "assertions": assertions})
}

/// The properties that failed.
fn failed(answer: &Answer) -> Vec<&str> {
    let failures = answer.fields["failures"].as_array().expect("a list");
    failures.iter().filter_map(|failure| failure["property"].as_str()).collect()
}

#[tokio::test]
async fn each_property_passes_and_fails_with_its_actual_value() {
    let (bench, app, [save, name, _]) = bench();
    app.set_text(name, "Ada");
    app.edit(save, |node| node.states.remove(States::ENABLED));
    for (query, property, right, wrong, actual) in [
        ("Save", "exists", json!(true), json!(false), json!(true)),
        ("Save", "enabled", json!(false), json!(true), json!(false)),
        ("Save", "focused", json!(false), json!(true), json!(false)),
        ("Save", "visible", json!(true), json!(false), json!(true)),
        ("Save", "title", json!("Save"), json!("save"), json!("Save")),
        ("Save", "role", json!("AXButton"), json!("textbox"), json!("button")),
        ("Name", "value", json!("Ada"), json!("Ad"), json!("Ada")),
        ("Name", "contains_text", json!("Ad"), json!("Eve"), json!("Name | Ada")),
    ] {
        let passed =
            bench.call("ax_assert", assertion(query, json!({property: right}))).await.expect("right");
        assert_eq!((&passed.fields["passed"], passed.verdict), (&json!(true), Verdict::Yes), "{property}");
        assert!(passed.fields.get("path").is_none(), "a picture is of a failure");
        let failure =
            bench.call("ax_assert", assertion(query, json!({property: wrong}))).await.expect("wrong");
        assert_eq!((&failure.fields["passed"], failure.verdict), (&json!(false), FAILED), "{property}");
        assert!(failure.failure.is_none(), "an answer and not an error");
        let expected = json!([{"property": property, "expected": wrong, "actual": actual}]);
        assert_eq!(failure.fields["failures"], expected);
        assert!(Path::new(failure.fields["path"].as_str().expect("a picture")).is_file());
    }
}

#[tokio::test]
async fn what_is_missing_does_not_exist() {
    let (bench, ..) = bench();
    let gone =
        bench.call("ax_assert", assertion("Print", json!({"exists": false}))).await.expect("an answer");
    assert_eq!(gone.fields["passed"], true);
    for assertions in [json!({"exists": true}), json!({"enabled": true, "value": "x"})] {
        let answer = bench.call("ax_assert", assertion("Print", assertions)).await.expect("an answer");
        assert_eq!((failed(&answer), answer.verdict), (vec!["exists"], FAILED));
    }
    // An action would not take the inside of a word either.
    let part =
        bench.call("ax_assert", assertion("count", json!({"exists": false}))).await.expect("an answer");
    assert_eq!(part.fields["passed"], true);
    assert!(part.text.contains("inside of a word"), "{}", part.text);
}

#[tokio::test]
async fn several_candidates_are_an_error_but_they_exist() {
    let (bench, app, _) = bench();
    let window = app.truth().windows().next().expect("a window").id;
    app.add(window, Role::Button, "Save");
    let exists =
        bench.call("ax_assert", assertion("Save", json!({"exists": true}))).await.expect("an answer");
    assert_eq!(exists.fields["passed"], true);
    let enabled = assertion("Save", json!({"enabled": true}));
    let error = bench.fails("ax_assert", enabled, ErrorCode::ElementAmbiguous).await;
    assert_eq!(error.found.len(), 2, "{error:?}");
}

#[tokio::test]
async fn a_protected_field_reveals_nothing() {
    let (bench, app, [_, name, _]) = bench();
    app.set_text(name, "hunter2");
    app.edit(name, |node| node.states.insert(States::PROTECTED));
    for assertions in
        [json!({"value": "hunter2"}), json!({"value": "guess"}), json!({"contains_text": "hunter2"})]
    {
        let answer = bench.call("ax_assert", assertion("Name", assertions)).await.expect("an answer");
        let whole = format!("{} {}", answer.fields, answer.text);
        assert_eq!(answer.fields["passed"], false, "{whole}");
        assert!(!whole.contains("hunter2") && !whole.contains("guess"), "{whole}");
        assert!(whole.contains("(protected)"), "{whole}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_waits_until_it_holds() {
    let (bench, app, [_, name, _]) = bench();
    let arguments =
        json!({"app": "Editor", "query": "Name", "assertions": {"value": "done"}, "timeout_ms": 5000});
    let typed = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        app.set_text(name, "done");
    };
    let (answer, ()) = tokio::join!(bench.call("ax_assert", arguments.clone()), typed);
    let answer = answer.expect("an answer");
    assert_eq!(answer.fields["passed"], true);
    let waited = answer.fields["waited_ms"].as_u64().expect("a time");
    assert!((700..2_000).contains(&waited), "{waited}");
    app.set_text(name, "other");
    let late = bench.call("ax_assert", arguments).await.expect("an answer");
    assert_eq!(failed(&late), ["value"]);
    assert!(late.fields["waited_ms"].as_u64().is_some_and(|waited| waited >= 5_000));
}

#[tokio::test]
async fn assertions_that_make_no_sense_are_named() {
    let (bench, ..) = bench();
    for assertions in [
        json!({}),
        json!({"exists": false, "value": "x"}),
        json!({"contains_text": ""}),
        json!({"role": "AXTeapot"}),
        json!({"colour": "red"}),
        json!({"enabled": "yes"}),
    ] {
        bench.fails("ax_assert", assertion("Save", assertions), ErrorCode::InvalidParameter).await;
    }
    let long =
        json!({"app": "Editor", "query": "Save", "assertions": {"exists": true}, "timeout_ms": 99_999_999});
    bench.fails("ax_assert", long, ErrorCode::InvalidParameter).await;
}

/// A PNG of one colour with a rectangle of another one.
fn png(width: u32, height: u32, changed: [u32; 4]) -> Vec<u8> {
    let [x, y, w, h] = changed;
    let picture = image::RgbImage::from_fn(width, height, |at, row| {
        let inside = (x..x + w).contains(&at) && (y..y + h).contains(&row);
        image::Rgb(if inside { [255, 0, 255] } else { [128; 3] })
    });
    let mut bytes = Vec::new();
    picture.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).expect("encoded");
    bytes
}

#[tokio::test]
async fn a_picture_is_compared_by_id_path_uri_and_base64() {
    let (bench, ..) = bench();
    let taken = bench.call("ax_screenshot", json!({"app": "Editor"})).await.expect("a picture");
    let path = taken.fields["path"].as_str().expect("a path").to_owned();
    let encoded = STANDARD.encode(std::fs::read(&path).expect("a file"));
    let uri = format!("file://{path}");
    let data = format!("data:image/png;base64,{encoded}");
    for baseline in [taken.fields["id"].as_str().expect("an id"), &path, &uri, &encoded, &data] {
        let answer = bench
            .call("ax_visual_diff", json!({"app": "Editor", "baseline": baseline, "threshold": 0}))
            .await
            .expect("compared");
        assert_eq!(answer.fields["passed"], true, "{baseline:.60}");
        assert_eq!(
            (&answer.fields["diff_pixels"], &answer.fields["total_pixels"]),
            (&json!(0), &json!(400 * 300))
        );
        assert!(answer.fields.get("path").is_none(), "there is nothing to see");
    }
}

#[tokio::test]
async fn what_differs_is_counted_drawn_and_can_be_ignored() {
    let (bench, ..) = bench();
    let baseline = STANDARD.encode(png(400, 300, [40, 50, 60, 30]));
    let call = |more: Value| {
        let mut arguments = json!({"app": "Editor", "baseline": baseline});
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        bench.call("ax_visual_diff", arguments)
    };
    let answer = call(json!({})).await.expect("compared");
    assert_eq!((&answer.fields["passed"], answer.verdict), (&json!(false), FAILED));
    assert_eq!(
        (&answer.fields["diff_pixels"], &answer.fields["diff_percentage"]),
        (&json!(1800), &json!(1.5))
    );
    assert_eq!(answer.fields["regions"], json!([{"x": 40, "y": 50, "w": 60, "h": 30}]));
    let drawn = image::open(answer.fields["path"].as_str().expect("a path")).expect("a picture").into_rgb8();
    let red: Vec<_> = drawn.enumerate_pixels().filter(|(.., colour)| colour.0 == [255, 0, 0]).collect();
    assert_eq!((red.len(), (red[0].0, red[0].1)), (1800, (40, 50)));
    assert_eq!(call(json!({"threshold": 1.5})).await.expect("compared").fields["passed"], true);
    let ignored = json!([{"x": 40, "y": 50, "w": 60, "h": 20}, {"x": -5, "y": 60, "w": 900, "h": 20}]);
    let answer = call(json!({"ignore_regions": ignored, "threshold": 0})).await.expect("compared");
    assert_eq!((&answer.fields["passed"], &answer.fields["diff_pixels"]), (&json!(true), &json!(0)));
    assert_eq!(answer.fields["total_pixels"], 400 * 300 - 60 * 10 - 400 * 20);
    let seen = call(json!({"mode": "perceptual"})).await.expect("compared");
    assert!(seen.fields["diff_pixels"].as_u64().is_some_and(|pixels| (1800..2600).contains(&pixels)));
}

#[tokio::test]
async fn another_size_is_a_result() {
    let (bench, ..) = bench();
    let baseline = STANDARD.encode(png(390, 310, [0; 4]));
    let arguments = json!({"app": "Editor", "baseline": baseline, "threshold": 100});
    let answer = bench.call("ax_visual_diff", arguments).await.expect("compared");
    assert_eq!((&answer.fields["passed"], answer.verdict), (&json!(false), FAILED));
    assert_eq!(answer.fields["baseline_size"], json!([390, 310]));
    assert_eq!(answer.fields["diff_pixels"], 400 * 310 - 390 * 300);
    assert!(answer.text.contains("390x310") && answer.text.contains("400x300"), "{}", answer.text);
}

/// Calls as a shell does, which has parameters that no schema has.
async fn from_a_shell(bench: &Bench, input: Value) -> handeye_core::Result<Answer> {
    let operation = registry::by_tool("ax_visual_diff").expect("a tool");
    let reader = Reader { remembered: false, ..Reader::MODEL };
    let call = Call::new(reader, CancellationToken::new());
    bench.gate.call(&bench.engine, operation, operation.accept(input)?, call).await
}

#[tokio::test]
async fn update_writes_a_baseline_and_nothing_else() {
    let (bench, ..) = bench();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new/base.png");
    let input = |update: bool| json!({"app": "Editor", "baseline": path, "update": update});
    let error = from_a_shell(&bench, input(false)).await.expect_err("missing");
    assert!(error.code == ErrorCode::Io && error.message.contains("does not exist"), "{error:?}");
    assert!(error.next.as_ref().is_some_and(|next| next.as_str().contains("update")), "{error:?}");
    from_a_shell(&bench, input(true)).await.expect("written");
    assert_eq!(from_a_shell(&bench, input(false)).await.expect("compared").fields["diff_pixels"], 0);
    // Over MCP the tool only looks.
    bench.fails("ax_visual_diff", input(true), ErrorCode::InvalidParameter).await;
    let notes = folder.path().join("notes.png");
    std::fs::write(&notes, "no picture").expect("written");
    for (baseline, code) in [
        (notes.display().to_string(), ErrorCode::Io),
        (folder.path().join("base.jpg").display().to_string(), ErrorCode::InvalidParameter),
        (STANDARD.encode(png(4, 4, [0; 4])), ErrorCode::InvalidParameter),
    ] {
        let input = json!({"app": "Editor", "baseline": baseline, "update": true});
        assert_eq!(from_a_shell(&bench, input).await.expect_err("refused").code, code);
    }
    assert_eq!(std::fs::read(&notes).expect("still there"), b"no picture");
}

#[tokio::test]
async fn baselines_that_are_none_are_named() {
    let (bench, ..) = bench();
    let folder = tempfile::tempdir().expect("a folder");
    let (text, cut) = (folder.path().join("text.png"), folder.path().join("cut.png"));
    std::fs::write(&text, "not a picture").expect("written");
    let whole = png(400, 300, [1, 1, 50, 50]);
    std::fs::write(&cut, &whole[..whole.len() / 2]).expect("written");
    let text_in_base64 = STANDARD.encode("iVBORw0KGgo is how the base64 of a PNG begins".repeat(200));
    for (baseline, code) in [
        ("", ErrorCode::InvalidParameter),
        ("s99", ErrorCode::UnknownScreenshot),
        ("https://example.org/a.png", ErrorCode::InvalidParameter),
        ("file://elsewhere/a.png", ErrorCode::InvalidParameter),
        ("data:image/png,abc", ErrorCode::InvalidParameter),
        ("iVBORw0KGgoAAAANSUhEUg==", ErrorCode::UnsupportedImage),
        (&text_in_base64, ErrorCode::UnsupportedImage),
        ("/9j/AAAA", ErrorCode::UnsupportedImage),
        ("/dev/zero", ErrorCode::InvalidParameter),
        (folder.path().to_str().expect("a path"), ErrorCode::InvalidParameter),
        (text.to_str().expect("a path"), ErrorCode::UnsupportedImage),
        (cut.to_str().expect("a path"), ErrorCode::UnsupportedImage),
    ] {
        let error = bench.fails("ax_visual_diff", json!({"app": "Editor", "baseline": baseline}), code).await;
        assert!(error.message.len() < 400, "{error:?}");
    }
    let valid = STANDARD.encode(png(400, 300, [0; 4]));
    for wrong in [
        json!({"threshold": -1}),
        json!({"threshold": 101}),
        json!({"ignore_regions": [{"x": 0, "y": 0, "w": 0, "h": 5}]}),
        json!({"ignore_regions": [{"x": 0, "y": 0, "w": 9999, "h": 9999}]}),
        json!({"ignore_regions": vec![json!({"x": 0, "y": 0, "w": 1, "h": 1}); 101]}),
        json!({"query": "Save", "window_index": 1}),
        json!({"perceptual": true}),
    ] {
        let mut arguments = json!({"app": "Editor", "baseline": valid});
        arguments.as_object_mut().expect("an object").extend(wrong.as_object().expect("an object").clone());
        bench.fails("ax_visual_diff", arguments, ErrorCode::InvalidParameter).await;
    }
    let window = json!({"app": "Editor", "baseline": valid, "window_index": 5});
    bench.fails("ax_visual_diff", window, ErrorCode::WindowNotFound).await;
}

#[tokio::test]
async fn an_element_is_compared_by_itself() {
    let (bench, ..) = bench();
    let arguments = json!({"app": "Editor", "query": "Save", "baseline": STANDARD.encode(png(9, 9, [0; 4]))});
    let answer = bench.call("ax_visual_diff", arguments).await.expect("compared");
    let size: Vec<u64> =
        answer.fields["size"].as_array().expect("a size").iter().filter_map(Value::as_u64).collect();
    assert!(size[0] < 400 && size[1] < 300, "{size:?}");
    let same = STANDARD.encode(png(size[0] as u32, size[1] as u32, [0; 4]));
    let arguments = json!({"app": "Editor", "query": "Save", "baseline": same});
    assert_eq!(bench.call("ax_visual_diff", arguments).await.expect("compared").fields["passed"], true);
}

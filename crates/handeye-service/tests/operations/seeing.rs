//! Finding by sight: who is asked after whom, and what becomes of a place in a picture.

use crate::eyes::{Reader, Scripted, Stuck, bench, call, find, outcomes, says, wanted};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_call::call::Call;
use handeye_call::client_log::{Level, Log, Record};
use handeye_call::reader;
use handeye_core::{Error, ErrorCode, Frame, Rect};
use handeye_picture::{self as picture, Format};
use handeye_sight::visual::{Effort, SearchIn, search};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn text_on_an_element_gives_its_reference() {
    let (bench, app) = bench(&[("Launch", Rect::new(120, 112, 40, 10))]);
    let answer = find(&bench, "the Launch button").await;
    let fields = &answer.fields;
    assert_eq!(
        (&fields["found"], &fields["strategy"], &fields["vlm_backend"]),
        (&json!(true), &json!("ocr"), &json!("fake"))
    );
    assert_eq!((&fields["position"], &fields["size"]), (&json!([120, 112]), &json!([40, 10])));
    assert_eq!(outcomes(&answer), "ocr found");
    let reference = fields["element_ref"].as_str().expect("a reference");
    bench.call("ax_click", json!({"app": "Game", "query": reference})).await.expect("clicked");
    assert_eq!(app.performed(), 1);
}

#[tokio::test]
async fn text_that_no_element_shows_gives_a_point_to_click() {
    let (bench, _) = bench(&[("Launch", Rect::new(300, 250, 40, 10))]);
    let answer = find(&bench, "Launch").await;
    let fields = &answer.fields;
    assert_eq!(fields.get("element_ref"), None);
    assert_eq!(fields["point"], json!([220, 155]));
    assert!(answer.text.contains("mode: \"focus\""), "{}", answer.text);
    let (point, screenshot) = (&fields["point"], &fields["screenshot"]);
    let click = json!({"x": point[0], "y": point[1], "screenshot": screenshot, "mode": "focus"});
    bench.call("ax_click_at", click).await.expect("clicked");
    assert!(
        bench.desktop.seat_log().contains(&"click Left x1 at 320,255".to_owned()),
        "{:?}",
        bench.desktop.seat_log()
    );
}

#[tokio::test]
async fn a_provider_looks_where_no_text_is_and_its_box_is_mapped_back() {
    let (mut bench, _) = bench(&[("Cancel", Rect::new(300, 250, 40, 10))]);
    let provider =
        says(&mut bench, Ok(r#"Sure: {"found": true, "box": [10, 5, 55, 14], "confidence": 0.8}"#));
    let answer = find(&bench, "the red rocket").await;
    assert_eq!(outcomes(&answer), "ocr not_found, provider found");
    assert_eq!((&answer.fields["vlm_backend"], &answer.fields["confidence"]), (&json!("test"), &json!(0.8)));
    let [x, y] = [0, 1].map(|at| answer.fields["position"][at].as_i64().expect("a number"));
    assert!((120..=122).contains(&x) && (110..=112).contains(&y), "{x}, {y}");
    assert!(answer.fields["element_ref"].is_string());
    assert_eq!(provider.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn who_cannot_look_hands_on_and_says_why() {
    let (mut bench, _) = bench(&[]);
    bench.engine.ocr = Arc::new(handeye_core::ocr::NoOcr);
    says(&mut bench, Err(Error::new(ErrorCode::ProviderLimited, "test is tired")));
    let client = Arc::new(Scripted {
        model: Some(r#"{"found": true, "box": [20, 20, 60, 30]}"#),
        ..Scripted::default()
    });
    let records: Arc<Mutex<Vec<Record>>> = Arc::default();
    let reported = Arc::clone(&records);
    let log = Log::to(Level::Notice, move |record| reported.lock().expect("no panic").push(record));
    let call = Call { log, ..client.call() };
    let answer = bench.call_with("ax_find_visual", wanted("secret word"), call).await.expect("found");
    assert_eq!(outcomes(&answer), "ocr failed, provider failed, client found");
    assert_eq!(answer.fields["attempts"][1]["why"], "test is tired");
    assert_eq!(
        (&answer.fields["vlm_backend"], &answer.fields["position"]),
        (&json!("client"), &json!([120, 120]))
    );
    let records = records.lock().expect("no panic");
    let fell: Vec<&Value> = records.iter().map(|record| &record.data["to"]).collect();
    assert_eq!(fell, [&json!("provider"), &json!("client"), &Value::Null]);
    assert!(records[2].data["vlm_duration_ms"].is_number() && records[2].data["strategy"] == "client");
    assert!(
        records
            .iter()
            .all(|record| record.level == Level::Notice && !record.data.to_string().contains("secret"))
    );
}

#[tokio::test]
async fn where_nobody_can_look_the_answer_is_a_failure_with_the_picture() {
    let (mut bench, _) = bench(&[]);
    bench.engine.ocr = Arc::new(handeye_core::ocr::NoOcr);
    let answer = find(&bench, "Launch").await;
    let failure = answer.failure.as_ref().expect("a failure");
    assert_eq!((failure.code, failure.found.len()), (ErrorCode::AnalysisUnavailable, 3));
    assert!(
        answer.fields["screenshot"].is_string() && answer.text.contains("Look yourself"),
        "{}",
        answer.text
    );
    bench.engine.ocr = Arc::new(Reader(Vec::new()));
    let answer = find(&bench, "Launch").await;
    assert!(answer.failure.is_none() && answer.fields["found"] == false, "{answer:?}");
}

#[tokio::test]
async fn several_places_are_a_models_to_distinguish_or_all_reported() {
    let twice = [("Save", Rect::new(300, 250, 40, 10)), ("Save", Rect::new(120, 112, 40, 10))];
    let (mut bench, _) = bench(&twice);
    let answer = find(&bench, "Save").await;
    assert_eq!(answer.fields["position"], json!([120, 112]), "the first from the top");
    assert_eq!(answer.fields.get("element_ref"), None, "it is not sure");
    assert!(
        answer.text.contains("2 places") && answer.text.contains("40x10 at (300, 250)"),
        "{}",
        answer.text
    );
    says(&mut bench, Ok(r#"{"found": true, "box": [100, 75, 120, 80]}"#));
    let answer = find(&bench, "Save").await;
    assert_eq!(outcomes(&answer), "ocr ambiguous, provider found");
    assert_eq!(answer.fields["strategy"], "provider");
}

#[tokio::test]
async fn an_answer_that_comes_later_is_about_the_picture_that_was_sent() {
    let (mut bench, app) = bench(&[]);
    let provider = says(&mut bench, Ok(r#"{"found": false}"#));
    let client = Arc::new(Scripted {
        model: Some(r#"{"found": true, "box": [210, 150, 230, 160]}"#),
        later: true,
        ..Scripted::default()
    });
    let first = bench.call_with("ax_find_visual", wanted("Launch"), client.call()).await;
    assert_eq!(first.expect_err("asked").code, ErrorCode::InputRequired);
    app.move_by(50, 30);
    let answer = bench.call_with("ax_find_visual", wanted("Launch"), client.call()).await.expect("found");
    assert_eq!(provider.asked.load(Ordering::SeqCst), 1, "nobody is asked twice");
    assert_eq!(outcomes(&answer), "ocr not_found, provider not_found, client found");
    assert_eq!(answer.fields["position"], json!([310, 250]), "as it was in the picture");
    let (point, screenshot) = (&answer.fields["point"], &answer.fields["screenshot"]);
    let click = json!({"x": point[0], "y": point[1], "screenshot": screenshot, "mode": "focus"});
    let clicked = bench.call("ax_click_at", click).await.expect("clicked");
    assert!(clicked.text.contains("followed: the window moved by (50, 30)"), "{}", clicked.text);
    let abouts: Vec<String> = client.asked().into_iter().map(|question| question.about).collect();
    assert!(abouts.len() == 2 && abouts[0] == abouts[1], "{abouts:?}");
}

#[tokio::test]
async fn a_cancelled_call_ends_the_reading() {
    let (mut bench, _) = bench(&[]);
    let stuck = Arc::new(Stuck::default());
    bench.engine.ocr = Arc::clone(&stuck) as _;
    let token = CancellationToken::new();
    let calling =
        bench.call_with("ax_find_visual", wanted("Launch"), Call::new(reader::Reader::MODEL, token.clone()));
    let cancelling = async {
        stuck.begun.notified().await;
        token.cancel();
    };
    let (ended, ()) = tokio::join!(calling, cancelling);
    assert_eq!(ended.expect_err("cancelled").code, ErrorCode::Cancelled);
    assert!(stuck.dropped.load(Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_hangs_costs_its_step_alone() {
    let (mut bench, app) = bench(&[]);
    bench.engine.ocr = Arc::new(Stuck::default());
    let window = app.windows.lock().expect("no panic")[0].clone();
    let sought = search(bench.engine.eyes(), &call(), "Launch", SearchIn::Window(window), Effort::WHOLE)
        .await
        .expect("an end");
    let outcomes: Vec<&str> = sought.attempts.iter().map(|attempt| attempt.outcome.as_str()).collect();
    assert_eq!(outcomes, ["failed"; 3]);
    assert!(sought.attempts[0].why.contains("no answer"), "{}", sought.attempts[0].why);
}

#[tokio::test]
async fn a_picture_that_comes_with_the_call_is_looked_at_instead() {
    let (bench, _) = bench(&[("Launch", Rect::new(110, 120, 40, 10))]);
    let frame = Frame::new(Rect::new(0, 0, 400, 300), vec![200; 400 * 300 * 3]);
    let file = STANDARD.encode(picture::encode(&frame, Format::Png).expect("encoded").bytes);
    let arguments = json!({"app": "nobody", "description": "Launch", "screenshot": file});
    let answer = bench.call("ax_find_visual", arguments).await.expect("found");
    assert_eq!(answer.fields["position"], json!([10, 20]), "in its own pixels");
    assert!(answer.text.contains("40x10 at (10, 20) of the picture"), "{}", answer.text);
    assert_eq!((answer.fields.get("screenshot"), answer.fields.get("element_ref")), (None, None));
    for wrong in ["s7", "", "AAAA"] {
        let arguments = json!({"app": "Game", "description": "Launch", "screenshot": wrong});
        assert!(bench.call("ax_find_visual", arguments).await.is_err(), "{wrong}");
    }
    bench.fails("ax_find_visual", wanted(" "), ErrorCode::InvalidParameter).await;
    bench.fails("ax_find_visual", wanted(&"x".repeat(3_000)), ErrorCode::TooLarge).await;
}

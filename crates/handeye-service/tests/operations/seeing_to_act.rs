//! Actions whose target is not in the tree: finding it by sight is offered to the person.

use crate::eyes::{Scripted, Stuck, bench};
use handeye_call::call::Call;
use handeye_call::client::Ask;
use handeye_core::{ErrorCode, Rect};
use handeye_service::toolbox::{Selection, Toolbox};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn fields_of_the_form(client: &Scripted) -> Vec<String> {
    match client.asked().first().map(|question| question.ask.clone()) {
        Some(Ask::Form(form)) => form.fields.iter().map(|field| field.name.to_string()).collect(),
        other => panic!("no form was shown: {other:?}"),
    }
}

#[tokio::test]
async fn an_action_finds_by_sight_if_the_person_wants_that() {
    let (bench, app) =
        bench(&[("Launch", Rect::new(120, 112, 40, 10)), ("Abort", Rect::new(300, 250, 40, 10))]);
    let click = json!({"app": "Game", "query": "zzyzx"});
    let person = |description: &str, more: Value| {
        let mut form = json!({"description": description});
        form.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        Arc::new(Scripted { form: Some(form), later: true, ..Scripted::default() })
    };
    for more in [json!({"use_visual": true}), json!({})] {
        let client = person("Launch", more);
        bench.call_with("ax_click", click.clone(), client.call()).await.expect_err("asked");
        assert_eq!(fields_of_the_form(&client), ["description", "use_visual"]);
        bench.call_with("ax_click", click.clone(), client.call()).await.expect("clicked");
    }
    assert_eq!(app.performed(), 2);
    let no = person("Launch", json!({"use_visual": false}));
    bench.call_with("ax_click", click.clone(), no.call()).await.expect_err("asked");
    let error = bench.call_with("ax_click", click.clone(), no.call()).await.expect_err("not in the tree");
    assert_eq!(error.code, ErrorCode::ElementNotFound);
    let painted = person("Abort", json!({}));
    bench.call_with("ax_click", click.clone(), painted.call()).await.expect_err("asked");
    let error = bench.call_with("ax_click", click.clone(), painted.call()).await.expect_err("no element");
    assert!(
        error.next.is_some_and(|next| next.contains("x: 220, y: 155, screenshot: \"s")),
        "{}",
        error.message
    );
    assert_eq!(app.performed(), 2);
}

#[tokio::test(start_paused = true)]
async fn it_is_offered_only_where_it_is_switched_on() {
    let (bench, _) = bench(&[]);
    let client = Arc::new(Scripted {
        form: Some(json!({"description": "Launch"})),
        later: true,
        ..Scripted::default()
    });
    let usual = Toolbox::of(&Selection::default()).expect("sound");
    let call = Call { offered: usual.offered(), ..client.call() };
    bench.call_with("ax_click", json!({"app": "Game", "query": "zzyzx"}), call).await.expect_err("asked");
    assert_eq!(fields_of_the_form(&client), ["description"]);
}

#[tokio::test(start_paused = true)]
async fn a_search_in_an_action_gets_the_time_that_models_take() {
    let (mut bench, _) = bench(&[]);
    bench.engine.ocr = Arc::new(Stuck::default());
    let client = Arc::new(Scripted { form: Some(json!({"description": "Launch"})), ..Scripted::default() });
    let started = tokio::time::Instant::now();
    let ended = bench.call_with("ax_click", json!({"app": "Game", "query": "zzyzx"}), client.call()).await;
    assert_eq!(ended.expect_err("nobody sees it").code, ErrorCode::ElementNotFound);
    assert!(started.elapsed() > Duration::from_secs(30), "{:?}", started.elapsed());
}

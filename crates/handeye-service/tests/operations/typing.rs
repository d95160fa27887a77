//! Text that goes into elements: it is read back, and reported as it is.

use super::acting::{evidence, status};
use crate::bench::{Bench, FakeApp, Manners, Reaction};
use handeye_core::Detail;
use handeye_core::{ErrorCode, Role, States};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn typing_is_confirmed_by_reading_back() {
    let (app, [field]) = FakeApp::simple("Editor", 7, [(Role::TextBox, "Name")]);
    app.set_text(field, "one");
    let bench = Bench::with([Arc::clone(&app)]);
    let typed = bench
        .call("ax_type", json!({"app": "Editor", "query": "Name", "text": " two"}))
        .await
        .expect("typed");
    assert_eq!((status(&typed), app.text(field).as_str()), ("confirmed", "one two"));
    let replaced = bench
        .call("ax_type", json!({"app": "Editor", "query": "Name", "text": "漢字", "clear_first": true}))
        .await
        .expect("typed");
    assert_eq!((status(&replaced), app.text(field).as_str()), ("confirmed", "漢字"));
    assert!(bench.desktop.seat_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_text_that_comes_out_differently_is_reported() {
    let (app, [field]) = FakeApp::simple("Editor", 7, [(Role::TextBox, "Digits")]);
    let put = move |tree: &mut handeye_core::Tree| {
        tree.update(field, |node| {
            node.details.text =
                Detail::Known(handeye_core::TextContent { shown: "123".into(), total_chars: 3 });
        });
    };
    app.react(field, Reaction::Change(Duration::ZERO, Arc::new(put)));
    let bench = Bench::with([app]);
    let typed = bench
        .call("ax_type", json!({"app": "Editor", "query": "Digits", "text": "1a2b3"}))
        .await
        .expect("typed");
    assert_eq!(status(&typed), "unconfirmed");
    assert!(evidence(&typed).contains("is now \"123\""), "{}", evidence(&typed));
}

#[tokio::test(start_paused = true)]
async fn a_long_text_is_read_back_as_a_whole() {
    let (app, [field]) = FakeApp::simple("Editor", 7, [(Role::TextBox, "Document")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let text = "line of text\n".repeat(1_000);
    // The fake keeps what the mirror keeps, so the end of a long text is lost: that must not pass for success.
    let typed = bench
        .call("ax_type", json!({"app": "Editor", "query": "Document", "text": text}))
        .await
        .expect("typed");
    assert_eq!(status(&typed), "unconfirmed");
    assert_eq!(app.text(field).chars().count(), 4096);
}

#[tokio::test(start_paused = true)]
async fn hidden_text_is_never_repeated() {
    let (app, [field]) = FakeApp::simple("Login", 7, [(Role::TextBox, "Password")]);
    app.edit(field, |node| {
        node.states.insert(States::PROTECTED);
        node.details.text = Detail::Absent;
    });
    let bench = Bench::with([app]);
    let typed = bench
        .call("ax_type", json!({"app": "Login", "query": "Password", "text": "swordfish"}))
        .await
        .expect("typed");
    assert!(!format!("{} {}", typed.text, typed.fields).contains("swordfish"), "{}", typed.text);
    let got = bench.call("ax_get_value", json!({"app": "Login", "query": "Password"})).await.expect("read");
    assert!(got.text.contains("hidden") && got.fields.get("value").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_too_long_is_not_dispatched() {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::TextBox, "Name")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let text = "x".repeat(10_000_000);
    let error = bench
        .fails("ax_type", json!({"app": "Editor", "query": "Name", "text": text}), ErrorCode::TooLarge)
        .await;
    assert!(error.message.len() < 300 && error.next.is_some());
    assert_eq!(app.performed(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_container_without_text_names_the_element_that_takes_it() {
    let app = FakeApp::new("Writer", 7, Manners::Complete);
    let window = app.open_window("Writer");
    let document = app.add(window, Role::Document, "Letter");
    app.add(document, Role::TextBox, "Body");
    let bench = Bench::with([Arc::clone(&app)]);
    let arguments = json!({"app": "Writer", "query": "Letter", "text": "x"});
    let error = bench.fails("ax_type", arguments, ErrorCode::Refused).await;
    assert!(error.message.contains("textbox \"Body\" [ref=e"), "{error:?}");
    assert_eq!(app.performed(), 0);
}

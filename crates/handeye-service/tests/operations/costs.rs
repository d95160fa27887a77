//! What a model pays for typical answers: budgets, and their table in `docs/token-costs.md`.
//! `HANDEYE_WRITE_DOCS=1 cargo test -p handeye-service --test operations costs` writes that again.

use crate::bench::{Bench, FakeApp};
use handeye_core::testing::tree;
use handeye_core::{ApplicationId, Role, SourceId};
use handeye_tree::outline::{Options, render};
use handeye_tree::references::References;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

const PAGE: &str = "../../docs/token-costs.md";
/// Where the generated part of the page begins and ends.
const MARKS: [&str; 2] =
    ["<!-- begin: written by the engine's test costs -->\n", "<!-- end of answers -->\n"];

/// Answers, as a model reads them, each with its budget.
async fn answers() -> Vec<(&'static str, String, usize)> {
    let (app, [_, name, send]) = FakeApp::simple(
        "Letters",
        7,
        [(Role::ToolBar, "Tools"), (Role::TextBox, "Name"), (Role::CheckBox, "Send a copy")],
    );
    app.set_text(name, "Ada");
    let (other, _) = FakeApp::simple("Files", 8, [(Role::Button, "New folder")]);
    let bench = Bench::with([Arc::clone(&app), other]);
    let text = async |tool: &str, arguments| {
        String::from(bench.call(tool, arguments).await.expect("an answer").text)
    };
    let apps = text("ax_list_apps", json!({})).await;
    let first = bench.call("ax_get_tree", json!({"app": "Letters"})).await.expect("a tree");
    let look = first.fields["look"].clone();
    let unchanged = text("ax_get_tree", json!({"app": "Letters", "since": look})).await;
    let found = text("ax_find", json!({"app": "Letters", "query": "Name"})).await;
    let typed = text("ax_set_value", json!({"app": "Letters", "query": "Name", "value": "Grace"})).await;
    let clicked = text("ax_click", json!({"app": "Letters", "query": "Send a copy"})).await;
    assert!(app.node(send).is_some());
    let error =
        bench.call("ax_click", json!({"app": "Letters", "query": "Nmae"})).await.expect_err("no such one");
    let error = format!("{}\n{}\n{}", error.message, error.found.join("\n"), error.next.unwrap_or_default());
    let factory = tree(include_str!("../../../handeye-tree/src/outline/widget-factory.txt"));
    let (references, id) = (References::new(), ApplicationId::new(SourceId::new("memory"), ":1.1"));
    let minter = references.minter(&id, &factory);
    let window = render(&factory, None, &Options::default(), Some(&minter)).text.into();
    vec![
        ("`ax_list_apps`, 2 applications", apps, 60),
        ("`ax_get_tree`, a window of 260 elements", window, 1_300),
        ("`ax_get_tree`, 4 elements", first.text.into(), 100),
        ("`ax_get_tree` with `since`, nothing changed", unchanged, 20),
        ("`ax_find`", found, 60),
        ("`ax_set_value`, confirmed", typed, 80),
        ("`ax_click`, confirmed or not", clicked, 80),
        ("an element that is not there", error, 120),
    ]
}

#[tokio::test(start_paused = true)]
async fn typical_answers_stay_within_their_budgets() {
    let tokenizer = tiktoken_rs::o200k_base().expect("the vocabulary is built in");
    let mut table = "| answer | tokens | budget |\n| --- | ---: | ---: |\n".to_owned();
    for (name, text, budget) in answers().await {
        let cost = tokenizer.encode_ordinary(&text).len();
        assert!(cost <= budget, "{name}: {cost} tokens, the budget is {budget}:\n{text}");
        table.push_str(&format!("| {name} | {cost} | {budget} |\n"));
    }
    println!("{table}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(MARKS[0]).expect("the mark of the beginning");
    let (written, after) = rest.split_once(MARKS[1]).expect("the mark of the end");
    if std::env::var_os("HANDEYE_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{}{table}{}{after}", MARKS[0], MARKS[1])).expect("written");
    } else {
        assert_eq!(written, table, "write it anew with HANDEYE_WRITE_DOCS=1");
    }
}

//! A call of the added tool through the gate, on the platform in memory.

#![allow(dead_code, unused_imports, reason = "it uses a part of the bench")]

#[path = "operations/bench.rs"]
mod bench;

use bench::{Bench, FakeApp, Manners};
use handeye_core::ErrorCode;
use serde_json::json;

#[tokio::test]
async fn the_added_tool_runs() {
    let apps = [("Editor", 7), ("Browser", 8)].map(|(name, pid)| FakeApp::new(name, pid, Manners::Complete));
    let bench = Bench::with(apps);
    let answer = bench.call("ax_count_apps", json!({"accessible_only": true})).await.expect("an answer");
    assert_eq!(answer.fields, json!({"count": 2}));
    assert_eq!(answer.text.as_str(), "2 applications. ax_list_apps lists them.");
    bench.fails("ax_count_apps", json!({"accessible": true}), ErrorCode::InvalidParameter).await;
}

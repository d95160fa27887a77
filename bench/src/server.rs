//! The server: how fast it answers first, and how much memory it takes.

use crate::Result;
use crate::applications::Running;
use crate::mcp_client::Client;
use crate::options::Options;
use crate::report::{Report, ms, verdict};
use crate::samples::Samples;
use serde_json::json;
use std::time::Instant;

const FIRST_ANSWER_MS: f64 = 50.0;
const MEMORY_MEGABYTES: f64 = 40.0;

/// Measures start-up and resident memory.
pub fn measure(options: &Options, running: &Running, report: &mut Report) -> Result<()> {
    let mut first = Samples::default();
    let mut idle = Samples::default();
    for _ in 0..options.rounds {
        let begun = Instant::now();
        let client = Client::start(options)?;
        first.push(begun.elapsed().as_secs_f64() * 1000.0);
        idle.push(megabytes(&client)?);
    }
    let mut connected = Samples::default();
    let mut biggest = Samples::default();
    for _ in 0..options.rounds.min(3) {
        let mut client = Client::start(options)?;
        for key in ["chromium", "office"] {
            let app = running.app(key)?;
            client.tool("ax_connect", &json!({"app": app}))?;
            client.tool("ax_get_tree", &json!({"app": app}))?;
            client.tool("ax_find", &json!({"app": app, "query": "role:button"}))?;
        }
        connected.push(megabytes(&client)?);
        client.tool("ax_screenshot", &json!({}))?;
        biggest.push(megabytes(&client)?);
    }
    report.section("The server");
    let mut rows = vec![["", "median", "target", ""].map(str::to_owned).to_vec()];
    let mut row = |what: &str, value: String, target: String, reached: Option<bool>| {
        rows.push(vec![what.to_owned(), value, target, reached.map_or("", verdict).to_owned()]);
    };
    let started = first.median();
    row(
        "`mcp serve` from its start to its first answer",
        ms(started),
        ms(Some(FIRST_ANSWER_MS)),
        Some(started.is_some_and(|value| value < FIRST_ANSWER_MS)),
    );
    row("resident memory, nothing connected", shown(idle.median()), String::new(), None);
    let memory = connected.median();
    row(
        "resident memory, Chromium and LibreOffice connected and read",
        shown(memory),
        format!("{MEMORY_MEGABYTES:.0} MB"),
        Some(memory.is_some_and(|value| value < MEMORY_MEGABYTES)),
    );
    row("the same after a screenshot of the whole screen", shown(biggest.median()), String::new(), None);
    report.table(&rows);
    Ok(())
}

fn megabytes(client: &Client) -> Result<f64> {
    Ok(client.resident_kilobytes()? as f64 / 1024.0)
}

fn shown(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.1} MB"))
}

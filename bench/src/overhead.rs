//! What the protocol costs a call: the time of calls that the tool refuses at once, for a parameter that is missing. Nothing of it
//! is an operation's.

use crate::Result;
use crate::mcp_client::Client;
use crate::options::Options;
use crate::over_http::{Access, Listening};
use crate::report::{Report, ms, verdict};
use crate::samples::Samples;
use serde_json::{Value, json};
use std::time::Instant;

const TARGET_MS: f64 = 0.3;
/// Calls that are not counted: memory and caches are as they stay after them.
const WARM_UP: usize = 100;
const CALLS: usize = 1_000;

/// A transport that a call takes.
type Transport<'a> = Box<dyn FnMut() -> Result<()> + 'a>;

/// Measures all transports, in turns.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let refused = json!({"name": "ax_click", "arguments": {}});
    let mut client = Client::start(options)?;
    let mut servers = Vec::new();
    for (name, access) in [
        ("HTTP, 2026-07-28", Access::Token),
        ("the same over TLS", Access::Encrypted),
        ("HTTP with an access token (a JWT, ES256)", Access::Jwt),
    ] {
        servers.push((name, Listening::start(options, access)?));
    }
    let lines: Transport<'_> = Box::new(|| is_refused(&client.request("tools/call", &refused)?));
    let mut transports = vec![("standard input and output", lines, Samples::default())];
    for (name, server) in &mut servers {
        let refused = &refused;
        let call = move || is_refused(&server.request("tools/call", "ax_click", refused)?["result"]);
        transports.push((*name, Box::new(call), Samples::default()));
    }
    for number in 0..WARM_UP + CALLS {
        for (_, call, samples) in &mut transports {
            let begun = Instant::now();
            call()?;
            if number >= WARM_UP {
                samples.push(begun.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    report.section("What the protocol costs a call");
    let mut rows = vec![["over", "median", "target", ""].map(str::to_owned).to_vec()];
    for (transport, _, samples) in &transports {
        let median = samples.median();
        let reached = median.is_some_and(|value| value < TARGET_MS);
        rows.push(vec![
            (*transport).to_owned(),
            ms(median),
            ms(Some(TARGET_MS)),
            verdict(reached).to_owned(),
        ]);
    }
    report.table(&rows);
    Ok(())
}

fn is_refused(result: &Value) -> Result<()> {
    if result["isError"] == true { Ok(()) } else { Err(format!("it was not refused: {result}").into()) }
}

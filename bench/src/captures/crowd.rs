//! Reading a tree while ten captures are always in flight.

use crate::Result;
use crate::mcp_client::Client;
use crate::options::Options;
use crate::samples::Samples;
use serde_json::json;
use std::path::Path;
use std::time::Instant;

const IN_FLIGHT: usize = 10;
/// Reads of each kind in a round: those alone and those in the crowd take turns.
const READS: usize = 5;

/// Medians of a read alone and of one in the crowd, in milliseconds.
pub(super) fn measure(options: &Options, app: &str, rounds: usize, folder: &Path) -> Result<(f64, f64)> {
    let directory = folder.to_string_lossy();
    let mut client =
        Client::start_with(options, &["--screenshot-dir", &directory, "--screenshot-keep", "20"])?;
    let tree = json!({"name": "ax_get_tree", "arguments": {"app": app}});
    let capture = json!({"name": "ax_screenshot", "arguments": {}});
    client.request("tools/call", &tree)?;
    let (mut alone, mut crowded) = (Samples::default(), Samples::default());
    for _ in 0..rounds {
        for _ in 0..READS {
            let begun = Instant::now();
            client.request("tools/call", &tree)?;
            alone.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        let mut in_flight = 0;
        while in_flight < IN_FLIGHT {
            client.begin("tools/call", &capture)?;
            in_flight += 1;
        }
        for _ in 0..READS {
            let begun = Instant::now();
            let read = client.begin("tools/call", &tree)?;
            // Every capture that is done is followed by another one.
            while client.next_answer()?.0 != read {
                client.begin("tools/call", &capture)?;
            }
            crowded.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        while in_flight > 0 {
            client.next_answer()?;
            in_flight -= 1;
        }
    }
    let medians = alone.median().zip(crowded.median());
    Ok(medians.ok_or("no rounds")?)
}

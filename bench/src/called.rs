//! The calls that an application gets for one look, from the log of a server that makes three of them.

use crate::Result;
use crate::mcp_client::Client;
use crate::options::Options;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the server may take to write its log.
const LOGGED: Duration = Duration::from_secs(10);
/// What the log has of a call.
const CALL: &str = " call ";

/// One call: the application that got it, by its name on the bus, the element, and the method or the property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    pub application: String,
    pub path: String,
    pub member: String,
}

impl Called {
    fn read(line: &str) -> Option<Self> {
        let (_, fields) = line.split_once(CALL)?;
        let of = |name: &str| {
            fields.split_whitespace().find_map(|field| field.strip_prefix(name)?.strip_prefix('='))
        };
        let text = |name: &str| of(name).map(|value| value.trim_matches('"').to_owned());
        Some(Self { application: text("application")?, path: text("path")?, member: text("member")? })
    }
}

/// The calls of three looks at `app` in a server of its own, with a pause before each. The log takes time, so nothing is timed there.
pub fn in_three_looks(options: &Options, app: &str, pauses: [Duration; 3]) -> Result<[Vec<Called>; 3]> {
    let folder = tempfile::Builder::new().prefix("handeye-bench-").tempdir()?;
    let log = folder.path().join("calls.log");
    let levels = "off,handeye::audit=info,handeye_atspi::wire=trace".as_ref();
    let environment = [("HANDEYE_LOG_FILE", log.as_os_str()), ("HANDEYE_LOG_LEVEL", levels)];
    let mut client = Client::start_in(options, &[], &environment)?;
    let mut looks: [Vec<Called>; 3] = Default::default();
    let mut before = 0;
    for (ended, (look, pause)) in looks.iter_mut().zip(pauses).enumerate() {
        std::thread::sleep(pause);
        client.tool("ax_get_tree", &json!({"app": app}))?;
        let all = up_to(&log, ended + 1)?;
        look.extend_from_slice(&all[before..]);
        before = all.len();
    }
    let application = most_called(&looks);
    for look in &mut looks {
        look.retain(|called| called.application == application);
    }
    Ok(looks)
}

/// The one that got most of the calls. The others are those that were asked for their names.
fn most_called(looks: &[Vec<Called>]) -> String {
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for called in looks.iter().flatten() {
        *calls.entry(&called.application).or_default() += 1;
    }
    calls.into_iter().max_by_key(|(_, count)| *count).map(|(name, _)| name.to_owned()).unwrap_or_default()
}

/// The calls in a log up to the end of this many looks.
fn up_to(log: &Path, looks: usize) -> Result<Vec<Called>> {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let mut ends = lines.iter().enumerate().filter(|(_, line)| line.contains("tool=\"ax_get_tree\""));
        if let Some((end, _)) = ends.nth(looks - 1) {
            return Ok(lines[..end].iter().copied().filter_map(Called::read).collect());
        }
        if begun.elapsed() > LOGGED {
            return Err(format!("the log of the server has no end of look {looks}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_from_the_log() {
        let line = "2026-11-28T18:00:00Z [7] TRACE handeye_atspi::wire: call application=:1.4 path=/a/b member=\"GetRole\"";
        let called = Called::read(line).expect("a call");
        assert_eq!(
            called,
            Called { application: ":1.4".into(), path: "/a/b".into(), member: "GetRole".into() }
        );
        assert_eq!(Called::read("2026-11-28T18:00:00Z [7]  INFO handeye::audit: tool=\"ax_get_tree\""), None);
    }
}

//! How long a record of the audit log takes: `cargo bench -p handeye-ledger`.

use handeye_ledger::{Log, Settings, verify};
use serde_json::{Value, json};
use std::time::Instant;

const RECORDS: u32 = 5_000;

fn fields() -> Value {
    json!({
        "session_id": "stdio",
        "tool": "ax_click",
        "args": { "app": "gedit", "query": "role:button Save", "mode": "background", "click_type": "single" },
        "target": {
            "application": "gedit", "pid": 4242, "executable": "/usr/bin/gedit",
            "role": "button", "title": "Save", "reference": "e12", "position": [400, 300],
        },
        "route": "accessibility",
    })
}

/// Microseconds for each record.
fn measure(mut logs: Vec<Log>, durable: bool, records: u32) -> f64 {
    let fields = fields();
    let started = Instant::now();
    for number in 0..records as usize {
        let at = number % logs.len();
        logs[at].intent(&fields, durable).expect("written");
    }
    started.elapsed().as_secs_f64() * 1e6 / f64::from(records)
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = |name: &str| Log::new(Settings::at(folder.path().join(name)));
    println!("one writer           {:8.1} us", measure(vec![log("one")], false, RECORDS));
    println!("two writers in turns {:8.1} us", measure(vec![log("two"), log("two")], false, RECORDS));
    println!("on the disk (fsync)  {:8.1} us", measure(vec![log("disk")], true, 200));
    let started = Instant::now();
    let report = verify(&folder.path().join("one"), None).expect("read");
    let each = started.elapsed().as_secs_f64() * 1e6 / report.records as f64;
    println!("verified             {each:8.1} us for each of {} records", report.records);
}

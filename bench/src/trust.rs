//! What the guard costs a call beside what the call does: the rules for applications, both records of the audit log, the limits, and
//! redaction of the answer.

use crate::Result;
use crate::options::Options;
use crate::report::{Report, verdict};
use crate::samples::Samples;
use governor::{Quota, RateLimiter};
use handeye_core::testing::application;
use handeye_core::{ProcessIdentity, Rules, Subject};
use handeye_ledger::{Log, Settings};
use handeye_policy::{PolicyFile, SecurityRules};
use handeye_redact::Redactor;
use serde_json::json;
use std::fmt::Write;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Instant;

/// What the issue asks for, in microseconds, for all four together.
const TARGET_US: f64 = 100.0;
/// How often each is repeated in a round.
const TIMES: u32 = 2_000;
/// Rules in the file.
const RULES: usize = 40;
/// How long the answer is that is redacted, in bytes: the outline of a large window.
const ANSWER: usize = 5_000;
/// How often the rules are asked in one action: about its application, the owner of its target, and the window that is hit.
const QUESTIONS: u32 = 3;

/// Measures each by itself.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let mut parts: [(&str, Samples); 4] = [
        ("rules: 40 lines, asked 3 times", Samples::default()),
        ("audit log: intent and outcome, not forced to the disk", Samples::default()),
        ("limits: a second's and a minute's", Samples::default()),
        ("redaction of 5 KB", Samples::default()),
    ];
    let (rules, log_folder, answer) = (rules()?, tempfile::tempdir()?, answer());
    let mut log = Log::new(Settings::at(log_folder.path().join("audit.jsonl")));
    let redactor = Redactor::default();
    for _ in 0..options.rounds {
        let mut editor = application("Editor", 4242, "org.example.Editor");
        let known = ProcessIdentity::unverified(4242);
        editor.process = Some(ProcessIdentity {
            executable: Some("/usr/bin/editor".into()),
            executable_is_here: true,
            ..known
        });
        let subject = Subject::from(&editor);
        parts[0].1.push(microseconds(|| {
            for _ in 0..QUESTIONS {
                black_box(rules.standing(black_box(&subject)));
            }
            Ok(())
        })?);
        parts[1].1.push(microseconds(|| record(&mut log))?);
        let most = NonZeroU32::new(1_000_000).ok_or("no number")?;
        let (second, minute) =
            (RateLimiter::direct(Quota::per_second(most)), RateLimiter::direct(Quota::per_minute(most)));
        parts[2].1.push(microseconds(|| {
            black_box(second.check().and(minute.check())).map_err(|refused| refused.to_string().into())
        })?);
        parts[3].1.push(microseconds(|| {
            black_box(redactor.text(black_box(&answer)));
            Ok(())
        })?);
    }
    report.section("What trust costs a call");
    report.say(&format!(
        "Each part by itself in this process; medians of the rounds, each of {TIMES} times. An action in `safe` mode waits for the disk as well (`fsync`), \
         which is the disk's time. Target: under {TARGET_US:.0} µs together."
    ));
    let mut rows = vec![["", "median", ""].map(str::to_owned).to_vec()];
    let shown = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.1} µs"));
    for (part, samples) in &parts {
        rows.push(vec![(*part).to_owned(), shown(samples.median()), String::new()]);
    }
    let together: Option<f64> = parts.iter().map(|(_, samples)| samples.median()).sum();
    let reached = together.is_some_and(|together| together < TARGET_US);
    rows.push(vec!["together".to_owned(), shown(together), verdict(reached).to_owned()]);
    report.table(&rows);
    Ok(())
}

/// Microseconds of one time.
fn microseconds(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let begun = Instant::now();
    for _ in 0..TIMES {
        work()?;
    }
    Ok(begun.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES))
}

/// None of them is about the application that is asked about, so that all are looked at.
fn rules() -> Result<SecurityRules> {
    let mut text = "[apps]\nallowed = [\"exe:/usr/bin/absent\"]\ndenied = [\n".to_owned();
    for number in 1..RULES {
        writeln!(text, "  \"exe:/usr/bin/denied-{number}\",")?;
    }
    text += "]\n";
    let file = PolicyFile::parse(Path::new("/etc/handeye/security.toml"), &text)
        .map_err(|error| error.to_string())?;
    Ok(SecurityRules::new(file.lines))
}

fn record(log: &mut Log) -> Result<()> {
    let intent = json!({
        "session_id": "stdio", "tool": "ax_click", "args": { "app": "gedit", "query": "role:button Save" },
        "target": {
            "application": "gedit", "pid": 4242, "executable": "/usr/bin/gedit",
            "role": "button", "title": "Save", "reference": "e12", "position": [400, 300],
        },
        "route": "accessibility",
    });
    let placed = log.intent(&intent, false)?;
    let outcome = json!({ "result": "success", "effect": "confirmed", "duration_ms": 45 });
    log.outcome(Some(placed.seq), &outcome, false)?;
    Ok(())
}

/// Lines of an outline.
fn answer() -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < ANSWER {
        number += 1;
        text += &format!(
            "  - textbox \"Name of the {number}. guest\" [ref=e{number}]: \"guest-{number}@example.org\"\n"
        );
    }
    text
}

//! `handeye doctor`: what works here and what does not.

use crate::exit::{report, unprinted};
use crate::log_place::log_file;
use crate::output::{Output, harmless, paint};
use anstyle::{AnsiColor, Style};
use handeye_core::platform::{Diagnosis, Probe, ProbeStatus};
use handeye_core::{Error, ErrorCode};
use serde_json::json;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long the whole diagnosis may take before it is given up. Each probe has a deadline of its own far below it.
const LIMIT: Duration = Duration::from_secs(5);

/// Probes the desktop and prints one line for each probe, `others` last. Ends with 6 when something fails.
pub async fn doctor(diagnosis: &dyn Diagnosis, others: [Probe; 2], output: &Output) -> ExitCode {
    let started = Instant::now();
    let Ok(mut probes) = tokio::time::timeout(LIMIT, diagnosis.probe()).await else {
        return report(&Error::new(ErrorCode::Timeout, "the diagnosis did not end in time"), output);
    };
    probes.extend(others);
    let healthy = probes.iter().all(|probe| probe.status != ProbeStatus::Fail);
    let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let log = log_file().display().to_string();
    let fields = json!({ "ok": healthy, "elapsed_ms": elapsed_ms, "probes": probes, "log_file": log });
    let printed = output.answer(&fields, &[], || {
        let table = table(&probes, healthy, elapsed_ms, output.coloured());
        format!("{table}\nServers log to {}.", harmless(&log))
    });
    if let Err(fault) = printed {
        return unprinted(&fault);
    }
    ExitCode::from(if healthy { 0 } else { ErrorCode::NotSupported.exit_code() })
}

fn table(probes: &[Probe], healthy: bool, elapsed_ms: u64, coloured: bool) -> String {
    let width = probes.iter().map(|probe| probe.name.chars().count()).max().unwrap_or(0);
    let dim = Style::new().dimmed();
    let mut lines = Vec::new();
    for probe in probes {
        let (mark, colour) = mark(probe.status);
        lines.push(format!(
            "{} {:<width$}  {}  {}",
            paint(mark, Style::new().bold().fg_color(Some(colour.into())), coloured),
            harmless(&probe.name),
            harmless(&probe.detail).replace('\n', " "),
            paint(&format!("({} ms)", probe.elapsed_ms), dim, coloured),
        ));
        if let Some(advice) = &probe.advice {
            lines.push(format!("  {:<width$}  → {}", "", harmless(advice)));
        }
    }
    let verdict = if healthy {
        "Everything that handeye needs works here"
    } else {
        "Something that handeye needs does not work here"
    };
    lines.push(format!("\n{verdict} ({elapsed_ms} ms)."));
    lines.join("\n")
}

fn mark(status: ProbeStatus) -> (&'static str, AnsiColor) {
    match status {
        ProbeStatus::Ok => ("✓", AnsiColor::Green),
        ProbeStatus::Warn => ("!", AnsiColor::Yellow),
        ProbeStatus::Fail => ("✗", AnsiColor::Red),
        ProbeStatus::Skip => ("-", AnsiColor::BrightBlack),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_stands_below_its_probe() {
        let probe = |name: &str, status, advice: Option<&str>| Probe {
            name: name.into(),
            status,
            detail: "seen".into(),
            advice: advice.map(Into::into),
            elapsed_ms: 3,
        };
        let probes =
            [probe("display", ProbeStatus::Ok, None), probe("bus", ProbeStatus::Fail, Some("start it"))];
        assert_eq!(
            table(&probes, false, 7, false),
            "✓ display  seen  (3 ms)\n✗ bus      seen  (3 ms)\n           → start it\n\n\
             Something that handeye needs does not work here (7 ms)."
        );
    }
}

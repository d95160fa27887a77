//! Programs that read a tree or find a button, each in a fresh process: the peers, handeye's own engine, and what they took.

use crate::Result;
use crate::applications::Started;
use crate::options::Options;
use crate::report::{Report, against};
use crate::samples::{Series, probe};
use std::collections::BTreeMap;
use std::process::Command;

/// A program that takes longer than this for one round gets fewer of them.
const SLOW_MS: f64 = 1500.0;
const SLOW_ROUNDS: usize = 3;
/// How long a peer may take; the slowest ones need some seconds.
const DEADLINE_SECONDS: &str = "60";
/// Those that ask for all children of every element.
const ASK_FOR_ALL: [&str; 2] = ["xa11y", "dogtail"];

/// Everything that was measured for one application, by program; handeye is one of them.
pub type Measured = BTreeMap<&'static str, Series>;

/// The command of handeye's probe for one job.
pub fn own_probe(words: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("probe").args(words);
    Ok(command)
}

/// The command of a peer, which ends when it takes too long.
fn peer(options: &Options, library: &str, words: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.arg(DEADLINE_SECONDS);
    if library == "xa11y" {
        command.arg(&options.xa11y).args(words);
    } else {
        // Debian's own Python, to which its packages belong.
        let script = options.scripts.join("atspi_peer.py");
        command.arg("/usr/bin/python3").arg(script).arg(words[0]).arg(library).args(&words[1..]);
    }
    command
}

/// Runs the peers of one round: `tree`, or `find` for the application's button. One that fails has no number, and the reason is reported.
pub fn run_peers(
    options: &Options,
    measured: &mut Measured,
    libraries: &[&'static str],
    what: &str,
    started: &Started,
) {
    let mut words = vec![what, started.app.as_str()];
    words.extend((what == "find").then_some(started.known.button));
    for library in libraries {
        if ASK_FOR_ALL.contains(library) && started.known.endless {
            continue;
        }
        let series = measured.entry(library).or_default();
        let is_slow = series.median("cold_ms").is_some_and(|cold| cold > SLOW_MS);
        if is_slow && series.rounds() >= SLOW_ROUNDS || series.median("failed").is_some() {
            continue;
        }
        match probe(&mut peer(options, library, &words)) {
            Ok(fields) => series.add(&fields),
            Err(error) => {
                eprintln!("{library}: {error}");
                series.push("failed", 1.0);
            }
        }
    }
}

/// A peer's cold time, with the number of rounds where those were fewer.
pub fn peer_cell(measured: &Measured, name: &str, own: Option<f64>) -> String {
    let Some(series) = measured.get(name) else { return "–".into() };
    if series.median("failed").is_some() {
        return "failed".into();
    }
    let most = measured.get("handeye").map_or(0, Series::rounds);
    let mut cell = against(series.median("cold_ms"), own);
    if let Some(nodes) = series.median("nodes") {
        cell.push_str(&format!(", {nodes:.0} elements"));
    }
    if series.rounds() < most {
        cell.push_str(&format!(", {} rounds", series.rounds()));
    }
    cell
}

/// Keeps how many times longer each of these programs took than handeye: `theirs` and `own` are the quantities that are compared, `what`
/// is what both did.
pub fn keep_ratios(
    report: &mut Report,
    application: &str,
    measured: &Measured,
    programs: &[&str],
    (theirs, own): (&str, &str),
    what: &str,
) {
    let of = |program: &str, quantity: &str| measured.get(program).and_then(|series| series.median(quantity));
    for program in programs {
        report.ratio(
            application,
            &format!("{program} ÷ handeye, {what}"),
            of(program, theirs),
            of("handeye", own),
        );
    }
}

//! The tree of what is showing, and one find, in every application.

use crate::Result;
use crate::applications::{ALL, Application};
use crate::mcp_client::Client;
use crate::options::Options;
use crate::report::{Report, against, ms, verdict};
use crate::samples::{Series, probe};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::Command;
use std::time::Instant;

/// A program that takes longer than this for one round gets fewer of them.
const SLOW_MS: f64 = 1500.0;
const SLOW_ROUNDS: usize = 3;

/// Everything that was measured for one application, by program.
type Measured = BTreeMap<&'static str, Series>;

/// The commands of the probes for one job; `calls` is how many calls handeye needed.
fn own_probe(words: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("probe").args(words);
    Ok(command)
}

fn peer(options: &Options, library: &str, words: &[&str]) -> Command {
    if library == "xa11y" {
        let mut command = Command::new(&options.xa11y);
        command.args(words);
        return command;
    }
    // Debian's own Python, to which its packages belong.
    let mut command = Command::new("/usr/bin/python3");
    command.arg(options.scripts.join("atspi_peer.py")).arg(words[0]).arg(library).args(&words[1..]);
    command
}

/// Runs the peers of one round. One that fails has no number, and the reason is reported.
fn run_peers(options: &Options, measured: &mut Measured, libraries: &[&'static str], words: &[&str]) {
    for library in libraries {
        let series = measured.entry(library).or_default();
        let is_slow = series.median("cold_ms").is_some_and(|cold| cold > SLOW_MS);
        if is_slow && series.rounds() >= SLOW_ROUNDS || series.median("failed").is_some() {
            continue;
        }
        match probe(&mut peer(options, library, words)) {
            Ok(fields) => series.add(&fields),
            Err(error) => {
                eprintln!("{library}: {error}");
                series.push("failed", 1.0);
            }
        }
    }
}

/// Reads the tree of what is showing in every application.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let mut rows = vec![words(&[
        "Application",
        "elements (showing)",
        "handeye, all",
        "of it, load",
        "calls",
        "floor: those calls, bus",
        "floor, direct",
        "pyatspi",
        "xa11y",
    ])];
    let mut warm = vec![words(&[
        "Application",
        "handeye cold",
        "handeye again",
        "calls",
        "of cold",
        "pyatspi again",
        "xa11y again",
        "target",
    ])];
    let mut targets = vec![words(&["Application", "pyatspi ÷ handeye (≥ 10)", "load ÷ floor (≤ 2)"])];
    for application in ALL.iter().filter(|application| options.wants_application(application.key)) {
        eprintln!("{}", application.title);
        let measured = measure_tree(options, application)?;
        let own = &measured["handeye"];
        let floor = measured.get("floor");
        let of = |name: &str, quantity: &str| measured.get(name).and_then(|series| series.median(quantity));
        let cold = own.median("cold_ms");
        let load = own.median("load_ms");
        let (bus, direct) = (of("floor", "bus_ms"), of("floor", "direct_ms"));
        rows.push(vec![
            application.title.into(),
            format!("{} ({})", count(own.median("nodes")), count(own.median("showing"))),
            ms(cold),
            ms(load),
            count(own.median("calls")),
            against(bus, load),
            against(direct, load),
            peer_cell(&measured, "pyatspi", cold),
            peer_cell(&measured, "xa11y", cold),
        ]);
        let again = own.median("outline_ms");
        let calls = own.median("outline_calls").unwrap_or(f64::NAN);
        let share = again.zip(cold).map(|(again, cold)| again / cold);
        warm.push(vec![
            application.title.into(),
            ms(cold),
            ms(again),
            count(Some(calls)),
            share.map_or("–".into(), |share| format!("{:.1} %", share * 100.0)),
            verdict(calls < 0.5 || share.is_some_and(|share| share <= 0.25)).into(),
            ms(own.median("warm_ms")),
            count(own.median("warm_calls")),
            ms(of("pyatspi", "warm_ms")),
            ms(of("xa11y", "warm_ms")),
        ]);
        let best = direct.or(bus).filter(|_| floor.is_some());
        targets.push(vec![
            application.title.into(),
            ratio(of("pyatspi", "cold_ms"), cold, |ratio| ratio >= 10.0),
            ratio(load, best, |ratio| ratio <= 2.0),
        ]);
    }
    report.section("The tree of what is showing");
    report.say(
        "Role, name, states, extents, actions and value of everything in view, each round in a fresh process whose \
         start is not counted. handeye's time begins before its first connection; “load” is without finding and listing the \
         applications. The floor sends the same number of the same calls (`GetItems` among them where the \
         toolkit has it) with 64 on their way, and drops the answers. The peers look below an element only where it is in view, as handeye does.",
    );
    report.table(&rows);
    report.table(&targets);
    report.section("The same tree again, nothing changed");
    report.say(
        "Target: no call where the toolkit's events are complete, else 25 % of the cold time. An outline asks for names, states, \
         texts and numbers; extents are never trusted, because toolkits move elements without telling.",
    );
    report.table(&warm);
    Ok(())
}

fn measure_tree(options: &Options, application: &Application) -> Result<Measured> {
    let mut measured = Measured::new();
    for _ in 0..options.rounds {
        let own = probe(&mut own_probe(&["tree", application.name])?)?;
        let calls = own["calls"].to_string();
        measured.entry("handeye").or_default().add(&own);
        let floor = probe(&mut own_probe(&["floor", application.name, &calls])?)?;
        measured.entry("floor").or_default().add(&floor);
        run_peers(options, &mut measured, &["pyatspi", "xa11y"], &["tree", application.name]);
    }
    Ok(measured)
}

/// Finds one named button in every application.
pub fn measure_finds(options: &Options, report: &mut Report) -> Result<()> {
    let mut cold = vec![words(&["Application, button", "handeye", "pyatspi", "dogtail", "xa11y"])];
    let mut warm = vec![words(&[
        "Application, button",
        "mirror alone",
        "find, in process (< 0.379 ms)",
        "find, MCP over stdio (< 2 ms)",
        "pyatspi",
        "dogtail",
        "xa11y",
    ])];
    let mut client = Client::start(options)?;
    for application in ALL.iter().filter(|application| options.wants_application(application.key)) {
        eprintln!("{}: {}", application.title, application.button);
        let query = format!("button:{}", application.button);
        let mut measured = Measured::new();
        let arguments = json!({"app": application.name, "query": query});
        client.tool("ax_find", &arguments)?;
        for _ in 0..options.rounds {
            measured.entry("handeye").or_default().add(&probe(&mut own_probe(&[
                "find",
                application.name,
                &query,
            ])?)?);
            run_peers(
                options,
                &mut measured,
                &["pyatspi", "dogtail", "xa11y"],
                &["find", application.name, application.button],
            );
            for _ in 0..3 {
                let begun = Instant::now();
                client.tool("ax_find", &arguments)?;
                let taken = begun.elapsed().as_secs_f64() * 1000.0;
                measured.entry("mcp").or_default().push("warm_ms", taken);
            }
        }
        let of = |name: &str, quantity: &str| measured.get(name).and_then(|series| series.median(quantity));
        let own = of("handeye", "cold_ms");
        let what = format!("{}, “{}”", application.title, application.button);
        cold.push(vec![
            what.clone(),
            ms(own),
            peer_cell(&measured, "pyatspi", own),
            peer_cell(&measured, "dogtail", own),
            peer_cell(&measured, "xa11y", own),
        ]);
        let in_process = of("handeye", "warm_ms");
        let over_stdio = of("mcp", "warm_ms");
        warm.push(vec![
            what,
            ms(of("handeye", "mirror_ms")),
            judged(in_process, 0.379),
            judged(over_stdio, 2.0),
            against(of("pyatspi", "warm_ms"), in_process),
            against(of("dogtail", "warm_ms"), in_process),
            against(of("xa11y", "warm_ms"), in_process),
        ]);
    }
    report.section("Finding one button");
    report.say("Cold: from a process that knows nothing to the element, its start not counted.");
    report.table(&cold);
    report.say(
        "Warm: once more in the same process. handeye reads a hit anew before it gives it out, so its find costs one burst of calls; \
         “mirror alone” is the search without that.",
    );
    report.table(&warm);
    Ok(())
}

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn count(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.0}"))
}

fn judged(value: Option<f64>, limit: f64) -> String {
    let reached = value.is_some_and(|value| value < limit);
    if reached { ms(value) } else { format!("{} {}", ms(value), verdict(false)) }
}

fn ratio(above: Option<f64>, below: Option<f64>, reached: impl Fn(f64) -> bool) -> String {
    above.zip(below).map_or("–".into(), |(above, below)| {
        let ratio = above / below;
        format!("{ratio:.1} {}", verdict(reached(ratio)))
    })
}

/// A peer's cold time, with the number of rounds where those were fewer.
fn peer_cell(measured: &Measured, name: &str, own: Option<f64>) -> String {
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

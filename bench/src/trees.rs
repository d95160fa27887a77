//! The tree of what is showing, and one find, in every application.

use crate::Result;
use crate::applications::{Running, Started};
use crate::mcp_client::Client;
use crate::options::Options;
use crate::peers::{Measured, keep_ratios, own_probe, peer_cell, run_peers};
use crate::report::{Report, against, count, judged, ms, ratio, verdict, words};
use crate::samples::probe;
use serde_json::json;
use std::time::Instant;

/// The peers that walk a tree, and those that find a button.
const WALKERS: [&str; 2] = ["pyatspi", "xa11y"];
const FINDERS: [&str; 3] = ["pyatspi", "dogtail", "xa11y"];

/// Reads the tree of what is showing in every application.
pub fn measure(options: &Options, running: &Running, report: &mut Report) -> Result<()> {
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
    for started in running.started() {
        let application = started.known;
        eprintln!("{}", application.title);
        let measured = measure_tree(options, started)?;
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
        let title = application.title;
        keep_ratios(report, title, &measured, &WALKERS, ("cold_ms", "cold_ms"), "cold");
        keep_ratios(report, title, &measured, &WALKERS, ("warm_ms", "outline_ms"), "again");
        report.ratio(title, "floor ÷ handeye, load", direct.or(bus), load);
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

fn measure_tree(options: &Options, started: &Started) -> Result<Measured> {
    let app = started.app.as_str();
    let mut measured = Measured::new();
    for _ in 0..options.rounds {
        let own = probe(&mut own_probe(&["tree", app])?)?;
        let calls = own["calls"].to_string();
        measured.entry("handeye").or_default().add(&own);
        let floor = probe(&mut own_probe(&["floor", app, &calls])?)?;
        measured.entry("floor").or_default().add(&floor);
        run_peers(options, &mut measured, &WALKERS, "tree", started);
    }
    Ok(measured)
}

/// Finds one named button in every application.
pub fn measure_finds(options: &Options, running: &Running, report: &mut Report) -> Result<()> {
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
    for started in running.started() {
        let Started { known: application, app, .. } = started;
        eprintln!("{}: {}", application.title, application.button);
        let query = format!("button:{}", application.button);
        let mut measured = Measured::new();
        let arguments = json!({"app": app, "query": query});
        client.tool("ax_find", &arguments)?;
        for _ in 0..options.rounds {
            measured.entry("handeye").or_default().add(&probe(&mut own_probe(&["find", app, &query])?)?);
            run_peers(options, &mut measured, &FINDERS, "find", started);
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
        for (quantity, when) in [("cold_ms", "cold"), ("warm_ms", "warm")] {
            keep_ratios(report, application.title, &measured, &FINDERS, (quantity, quantity), when);
        }
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
    report.say("Cold: from a process that knows nothing to the element, its start not counted. dogtail and xa11y ask for all children of an element, and get no answer from Calc, whose sheet has 2^31.");
    report.table(&cold);
    report.say(
        "Warm: once more in the same process. handeye reads a hit again before it gives it out, so its find costs one burst of calls; \
         “mirror alone” is the search without that.",
    );
    report.table(&warm);
    Ok(())
}

//! What a client of the MCP server gets: the first tree, the same again, what changed since, and a button, of applications that all
//! run at once and take turns in each round, beside the peers' walks of the same windows.

use crate::Result;
use crate::applications::{Running, Started};
use crate::called;
use crate::mcp_client::{Client, text_of};
use crate::options::Options;
use crate::peers::{Measured, keep_ratios, own_probe, peer_cell, run_peers};
use crate::report::{Report, against, count, judged, ms, ratio, verdict, words};
use crate::samples::probe;
use crate::tokens::Tokenizer;
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

/// Tokens of an answer that says that nothing changed.
const SINCE: f64 = 20.0;
/// Time before each call: the events of the one before have arrived, and no model answers as fast.
const QUIET: Duration = Duration::from_millis(150);
/// Time before each of three looks. The third one comes as late as that of a model that answers at once.
const LOOKS_AFTER: [Duration; 3] = [QUIET, QUIET, Duration::from_millis(1200)];
/// With fewer calls, a look is not compared with them.
const FEW_CALLS: usize = 8;
/// How many times longer a tree may take than its calls alone.
const MOST_BOUNDS: f64 = 1.3;
/// The peers that walk the tree in each round.
const PEERS: [&str; 2] = ["pyatspi", "xa11y"];

/// How many times longer pyatspi has to take than the first tree of an application.
fn least_ratio(key: &str) -> f64 {
    if key == "firefox" { 5.0 } else { 10.0 }
}

/// Milliseconds below which an unchanged look at an application has to stay.
fn most_unchanged(key: &str) -> f64 {
    if ["calc", "gtk4"].contains(&key) { 15.0 } else { 5.0 }
}

/// Measures all applications in every round.
pub fn measure(options: &Options, running: &Running, report: &mut Report) -> Result<()> {
    let tokenizer = Tokenizer::new()?;
    let mut all: Vec<Measured> = running.started().iter().map(|_| Measured::new()).collect();
    for round in 1..=options.rounds {
        eprintln!("   round {round} of {}", options.rounds);
        for (started, measured) in running.started().iter().zip(&mut all) {
            own_round(options, &tokenizer, started, measured)?;
            run_peers(options, measured, &PEERS, "tree", started);
            bound_round(options, started, measured)?;
        }
    }
    for (started, measured) in running.started().iter().zip(&mut all) {
        measured.entry("engine").or_default().add(&probe(&mut own_probe(&["tree", &started.app])?)?);
    }
    report.section("The tree, as a client of the MCP server gets it");
    report.say(
        "All applications run at once and take turns in each round; each round of each one has a server of its own (`mcp serve` over \
         stdio). Its start and `initialize` are not counted, during which it connects to the buses and the X server; the first `ax_get_tree` is, with all applications that it lists and the connection to this one. handeye reads \
         what its outline shows: role, name, states, texts and numbers. The peers read role, name, states, extents, actions and value of the same windows right after it, each in a fresh process whose \
         start is not counted; they look below an element only where it is in view, as handeye does. Of the sheet of Calc, which has 2^31 \
         cells, pyatspi reads those in view; xa11y asks for all of them and gets no answer. Calls are those that the application \
         got, counted in each round in another server whose log has them; those of a later look include what events had handeye read again before it. “Those calls alone” is \
         the time of another program (`bound_probe.rs`) that sends the calls of such a tree again, up to 64 at a time, none waiting for another one, and drops the answers.",
    );
    let (cold, again) = tables(running, &all);
    report.table(&cold);
    report.say(&format!(
        "In the same server: the tree again when nothing changed, twice; `since` the look before, with the tokens (o200k) of its text; one button \
         by its title, twice. {} ms before each, {} before the third tree, as a model takes at least; by then the application has sent its events. Targets: under 5 ms, 15 ms for GTK 4 and Calc; at most {SINCE:.0} tokens.",
        QUIET.as_millis(),
        LOOKS_AFTER[2].as_millis()
    ));
    report.table(&again);
    for (started, measured) in running.started().iter().zip(&all) {
        let title = started.known.title;
        keep_ratios(report, title, measured, &PEERS, ("cold_ms", "cold_ms"), "first tree");
        let of = |name: &str, quantity: &str| measured.get(name).and_then(|series| series.median(quantity));
        let alone = of("bound", "first_ms");
        report.ratio(title, "its calls alone ÷ handeye, first tree", alone, of("handeye", "cold_ms"));
        keep_ratios(report, title, measured, &PEERS, ("warm_ms", "second_ms"), "second tree");
    }
    Ok(())
}

/// The rows of the first look, and those of what follows it.
fn tables(running: &Running, all: &[Measured]) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let mut cold = vec![words(&[
        "Application",
        "elements (showing)",
        "handeye, first tree",
        "calls",
        &format!("÷ those calls alone (≤ {MOST_BOUNDS})"),
        "pyatspi",
        "xa11y",
        "pyatspi ÷ handeye",
        "target",
    ])];
    let mut again = vec![words(&[
        "Application",
        "second tree",
        "third tree",
        "calls of both",
        &format!("second ÷ its calls alone (≤ {MOST_BOUNDS})"),
        "`since`",
        "its tokens",
        "`ax_find`, button",
        "again",
        "pyatspi again",
        "xa11y again",
    ])];
    for (Started { known, .. }, measured) in running.started().iter().zip(all) {
        let of = |name: &str, quantity: &str| measured.get(name).and_then(|series| series.median(quantity));
        let own = |quantity: &str| of("handeye", quantity);
        let (least, most) = (least_ratio(known.key), most_unchanged(known.key));
        cold.push(vec![
            known.title.into(),
            format!("{} ({})", count(of("engine", "nodes")), count(of("engine", "showing"))),
            ms(own("cold_ms")),
            count(of("bound", "first_calls")),
            ratio(own("cold_ms"), of("bound", "first_ms"), |ratio| ratio <= MOST_BOUNDS),
            peer_cell(measured, "pyatspi", own("cold_ms")),
            peer_cell(measured, "xa11y", own("cold_ms")),
            ratio(of("pyatspi", "cold_ms"), own("cold_ms"), |ratio| ratio >= least),
            format!("≥ {least:.0}"),
        ]);
        let tokens = own("since_tokens");
        let remark = if tokens.is_some_and(|tokens| tokens <= SINCE) { "" } else { verdict(false) };
        again.push(vec![
            known.title.into(),
            judged(own("second_ms"), most),
            judged(own("third_ms"), most),
            format!("{}, {}", count(of("bound", "second_calls")), count(of("bound", "third_calls"))),
            ratio(own("second_ms"), of("bound", "second_ms"), |ratio| ratio <= MOST_BOUNDS),
            ms(own("since_ms")),
            format!("{} {remark}", count(tokens)).trim_end().to_owned(),
            ms(own("find_ms")),
            ms(own("find_again_ms")),
            against(of("pyatspi", "warm_ms"), own("second_ms")),
            against(of("xa11y", "warm_ms"), own("second_ms")),
        ]);
    }
    (cold, again)
}

/// What one client asks a new server, one call after the other.
fn own_round(
    options: &Options,
    tokenizer: &Tokenizer,
    started: &Started,
    measured: &mut Measured,
) -> Result<()> {
    let series = measured.entry("handeye").or_default();
    let mut client = Client::start(options)?;
    let mut timed = |quantity: &str, pause: Duration, tool: &str, arguments: &Value| -> Result<Value> {
        std::thread::sleep(pause);
        let begun = Instant::now();
        let answer = client.tool(tool, arguments)?;
        series.push(quantity, begun.elapsed().as_secs_f64() * 1000.0);
        Ok(answer)
    };
    let tree = json!({"app": started.app});
    let [first, second, third] = LOOKS_AFTER;
    timed("cold_ms", first, "ax_get_tree", &tree)?;
    timed("second_ms", second, "ax_get_tree", &tree)?;
    let third = timed("third_ms", third, "ax_get_tree", &tree)?;
    let look = third["structuredContent"]["look"].as_str().ok_or("a look without a name")?;
    let since = timed("since_ms", QUIET, "ax_get_tree", &json!({"app": started.app, "since": look}))?;
    let query = format!("button:{}", started.known.button);
    let button = json!({"app": started.app, "query": query});
    timed("find_ms", QUIET, "ax_find", &button)?;
    timed("find_again_ms", QUIET, "ax_find", &button)?;
    series.push("since_tokens", tokenizer.count(&text_of(&since)) as f64);
    Ok(())
}

/// What calls take by themselves, in milliseconds.
fn alone(calls: &[called::Called]) -> Result<f64> {
    let mut file = tempfile::NamedTempFile::new()?;
    serde_json::to_writer(&mut file, calls)?;
    file.flush()?;
    let path = file.path().to_str().ok_or("a path that is no text")?;
    let measured = probe(&mut own_probe(&["bound", path])?)?;
    measured.get("bound_ms").and_then(Value::as_f64).ok_or_else(|| "the probe measured nothing".into())
}

/// What the calls of the first two looks take by themselves, and how many each of three looks has.
fn bound_round(options: &Options, started: &Started, measured: &mut Measured) -> Result<()> {
    let looks = called::in_three_looks(options, &started.app, LOOKS_AFTER)?;
    let series = measured.entry("bound").or_default();
    for (quantity, look) in ["first_ms", "second_ms"].into_iter().zip(&looks) {
        if look.len() >= FEW_CALLS {
            series.push(quantity, alone(look)?);
        }
    }
    for (name, look) in ["first_calls", "second_calls", "third_calls"].into_iter().zip(&looks) {
        series.push(name, look.len() as f64);
    }
    Ok(())
}

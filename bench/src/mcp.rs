//! What a client of the MCP server gets: the first tree, the same again, what changed since, and a button, of applications that all
//! run at once and take turns in each round, beside the peers' walks of the same windows.

use crate::Result;
use crate::applications::{Running, Started};
use crate::mcp_client::{Client, text_of};
use crate::options::Options;
use crate::peers::{Measured, keep_ratios, own_probe, peer_cell, run_peers};
use crate::report::{Report, against, count, judged, ms, ratio, verdict, words};
use crate::samples::probe;
use crate::tokens::Tokenizer;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Tokens of an answer that says that nothing changed.
const SINCE: f64 = 20.0;
/// Time before each call: the events of the one before have arrived, and no model answers as fast.
const QUIET: Duration = Duration::from_millis(150);
/// How long the server may take to write its log.
const LOGGED: Duration = Duration::from_secs(10);
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
        }
    }
    let mut calls = Vec::new();
    for (started, measured) in running.started().iter().zip(&mut all) {
        calls.push(count_calls(options, &started.app)?);
        measured.entry("engine").or_default().add(&probe(&mut own_probe(&["tree", &started.app])?)?);
    }
    report.section("The tree, as a client of the MCP server gets it");
    report.say(
        "All applications run at once and take turns in each round; each round of each one has a server of its own (`mcp serve` over \
         stdio). Its start and `initialize` are not counted; the first `ax_get_tree` is, with all that it connects to and lists. handeye reads \
         what its outline shows: role, name, states, texts and numbers. The peers read role, name, states, extents, actions and value of the same windows right after it, each in a fresh process whose \
         start is not counted; they look below an element only where it is in view, as handeye does. Of the sheet of Calc, which has 2^31 \
         cells, pyatspi reads those in view; xa11y asks for all of them and gets no answer. Calls are those that the application \
         got, counted once in a server whose log has them; those of a later look include what events had handeye read again before it.",
    );
    let (cold, again) = tables(running, &all, &calls);
    report.table(&cold);
    report.say(&format!(
        "In the same server: the tree again when nothing changed, twice; `since` the look before, with the tokens (o200k) of its text; one button \
         by its title, twice. {} ms before each, so that the application has sent its events; no model answers as fast. Targets: under 5 ms, 15 ms for GTK 4 and Calc; at most {SINCE:.0} tokens.",
        QUIET.as_millis()
    ));
    report.table(&again);
    for (started, measured) in running.started().iter().zip(&all) {
        let title = started.known.title;
        keep_ratios(report, title, measured, &PEERS, ("cold_ms", "cold_ms"), "first tree");
        keep_ratios(report, title, measured, &PEERS, ("warm_ms", "second_ms"), "second tree");
    }
    Ok(())
}

/// The rows of the first look, and those of what follows it.
fn tables(running: &Running, all: &[Measured], calls: &[[usize; 3]]) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let mut cold = vec![words(&[
        "Application",
        "elements (showing)",
        "handeye, first tree",
        "calls",
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
        "`since`",
        "its tokens",
        "`ax_find`, button",
        "again",
        "pyatspi again",
        "xa11y again",
    ])];
    for ((Started { known, .. }, measured), [first, second, third]) in
        running.started().iter().zip(all).zip(calls)
    {
        let of = |name: &str, quantity: &str| measured.get(name).and_then(|series| series.median(quantity));
        let own = |quantity: &str| of("handeye", quantity);
        let (least, most) = (least_ratio(known.key), most_unchanged(known.key));
        cold.push(vec![
            known.title.into(),
            format!("{} ({})", count(of("engine", "nodes")), count(of("engine", "showing"))),
            ms(own("cold_ms")),
            first.to_string(),
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
            format!("{second}, {third}"),
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
    let mut timed = |quantity: &str, tool: &str, arguments: &Value| -> Result<Value> {
        std::thread::sleep(QUIET);
        let begun = Instant::now();
        let answer = client.tool(tool, arguments)?;
        series.push(quantity, begun.elapsed().as_secs_f64() * 1000.0);
        Ok(answer)
    };
    let tree = json!({"app": started.app});
    timed("cold_ms", "ax_get_tree", &tree)?;
    timed("second_ms", "ax_get_tree", &tree)?;
    let third = timed("third_ms", "ax_get_tree", &tree)?;
    let look = third["structuredContent"]["look"].as_str().ok_or("a look without a name")?;
    let since = timed("since_ms", "ax_get_tree", &json!({"app": started.app, "since": look}))?;
    let query = format!("button:{}", started.known.button);
    let button = json!({"app": started.app, "query": query});
    timed("find_ms", "ax_find", &button)?;
    timed("find_again_ms", "ax_find", &button)?;
    series.push("since_tokens", tokenizer.count(&text_of(&since)) as f64);
    Ok(())
}

/// How many calls an application gets for each of three looks. A server of its own writes them to its log, which takes time.
fn count_calls(options: &Options, app: &str) -> Result<[usize; 3]> {
    let folder = tempfile::Builder::new().prefix("handeye-bench-").tempdir()?;
    let log = folder.path().join("calls.log");
    let levels = "off,handeye::audit=info,handeye_atspi::wire=trace".as_ref();
    let environment = [("HANDEYE_LOG_FILE", log.as_os_str()), ("HANDEYE_LOG_LEVEL", levels)];
    let mut client = Client::start_in(options, &[], &environment)?;
    let mut ends = [0; 3];
    for (number, end) in ends.iter_mut().enumerate() {
        client.tool("ax_get_tree", &json!({"app": app}))?;
        *end = logged(&log, number + 1)?;
        std::thread::sleep(QUIET);
    }
    Ok([ends[0], ends[1] - ends[0], ends[2] - ends[1]])
}

/// Calls to applications in a log up to the end of this many looks.
fn logged(log: &Path, looks: usize) -> Result<usize> {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let mut ends = lines.iter().enumerate().filter(|(_, line)| line.contains("tool=\"ax_get_tree\""));
        if let Some((end, _)) = ends.nth(looks - 1) {
            return Ok(lines[..end].iter().filter(|line| line.contains(" call ")).count());
        }
        if begun.elapsed() > LOGGED {
            return Err(format!("the log of the server has no end of look {looks}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

//! Measures handeye side by side with its peers and with the floor, on real applications in one desktop.
//!
//! `cargo xtask bench` runs this inside of a private desktop. Each measurement is a fresh process (a probe), so that
//! nothing one program has loaded or cached helps another; probes of all programs take turns in every round.

mod agent_seat;
mod applications;
mod audit;
mod bound_probe;
mod called;
mod captures;
mod commands;
mod diffs;
mod engine_probe;
mod floor_probe;
mod floors;
mod healing;
mod insight;
mod mcp;
mod mcp_client;
mod mcp_servers;
mod notifications;
mod options;
mod over_http;
mod overhead;
mod peers;
mod processes;
mod ratios;
mod replay;
mod report;
mod samples;
mod server;
mod tokens;
mod trees;
mod trust;

use applications::Running;
use options::Options;
use report::Report;
use std::error::Error;

/// What can go wrong here is for a person to read, and never to be handled.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["probe", "tree", app] => engine_probe::tree(app),
        ["probe", "find", app, query] => engine_probe::find(app, query),
        ["probe", "floor", app, calls] => floor_probe::run(app, calls.parse()?),
        ["probe", "bound", calls] => bound_probe::run(calls),
        ["probe", "calls", app] => floor_probe::single_calls(app),
        ["probe", "diff", one, other, output] => diffs::probe(one, other, output),
        ["probe", "healing"] => healing::probe(),
        ["probe", "patterns"] => insight::probe(),
        ["probe", "captures", rest @ ..] => captures::run(&Options::parse(rest)?),
        rest => bench(&Options::parse(rest)?),
    }
}

/// A part of the report and what measures it.
type Section = (&'static str, fn(&Options, &mut Report) -> Result<()>);

/// The same, measured on the applications that run for it.
type OnApplications = (&'static str, fn(&Options, &Running, &mut Report) -> Result<()>);

/// What is measured on applications that all run at once.
const ON_APPLICATIONS: [OnApplications; 8] = [
    ("mcp", mcp::measure),
    ("servers", mcp_servers::measure),
    ("trees", trees::measure),
    ("finds", trees::measure_finds),
    ("floors", floors::measure),
    ("server", server::measure),
    ("commands", commands::measure),
    ("tokens", tokens::measure),
];
/// What is measured before those run: on desktops of its own, on an application of its own, or on none.
const ON_ITS_OWN: [Section; 10] = [
    ("captures", captures::measure),
    ("diffs", diffs::measure),
    ("patterns", insight::measure),
    ("audit", audit::measure),
    ("healing", healing::measure),
    ("replay", replay::measure),
    ("notifications", notifications::measure),
    ("overhead", overhead::measure),
    ("trust", trust::measure),
    ("seat", agent_seat::measure),
];

fn bench(options: &Options) -> Result<()> {
    let mut report = Report::new(options);
    for (section, measure) in ON_ITS_OWN.iter().filter(|(section, _)| options.wants(section)) {
        report.part(section, |report| measure(options, report));
    }
    if ON_APPLICATIONS.iter().any(|(section, _)| options.wants(section)) {
        match applications::start(options) {
            Ok(running) => {
                let wanted = ON_APPLICATIONS.iter().filter(|(section, _)| options.wants(section));
                for (section, measure) in wanted {
                    report.part(section, |report| measure(options, &running, report));
                }
            }
            Err(error) => report.part("applications", |_| Err(error)),
        }
    }
    report.write(&options.output)
}

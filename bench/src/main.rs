//! Measures handeye side by side with its peers and with the floor, on real applications in one desktop.
//!
//! `cargo xtask bench` runs this inside of a private desktop. Each measurement is a fresh process (a probe), so that
//! nothing one program has loaded or cached helps another; probes of all programs take turns in every round.

mod applications;
mod engine_probe;
mod floor_probe;
mod floors;
mod mcp_client;
mod options;
mod pictures;
mod report;
mod samples;
mod server;
mod tokens;
mod trees;

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
        ["probe", "calls", app] => floor_probe::single_calls(app),
        rest => bench(&Options::parse(rest)?),
    }
}

fn bench(options: &Options) -> Result<()> {
    let mut report = Report::new(options);
    let running = applications::start(options)?;
    for (section, measure) in [
        ("trees", &trees::measure as &dyn Fn(&Options, &mut Report) -> Result<()>),
        ("finds", &trees::measure_finds),
        ("pictures", &pictures::measure),
        ("floors", &floors::measure),
        ("server", &server::measure),
        ("tokens", &tokens::measure),
    ] {
        if options.wants(section) {
            eprintln!("== {section}");
            measure(options, &mut report)?;
        }
    }
    drop(running);
    report.write(&options.output)
}

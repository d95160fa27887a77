//! Recognizing an element again in a window of 2,000 elements.

use crate::Result;
use crate::options::Options;
use crate::report::{Report, ms, verdict};
use crate::samples::{Samples, Series, probe as read_probe};
use handeye_core::Tree;
use handeye_core::testing::{named, tree};
use handeye_locator::{Outcome, Survey, heal};
use serde_json::json;
use std::fmt::Write as _;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

/// What the issue asks for, in milliseconds.
const TARGET: f64 = 2.0;
/// How often each is repeated in a process; the median counts.
const TIMES: usize = 101;

/// Measures it in a fresh process each round.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let mut series = Series::default();
    for _ in 0..options.rounds {
        let mut own = Command::new(std::env::current_exe()?);
        series.add(&read_probe(own.args(["probe", "healing"]))?);
    }
    report.section("Healing");
    report.say(
        "A window of 2,000 elements, of which 660 are buttons. One is recognized again: by its neighbours after its label changed, by its title \
         where the label is the same, and one that is gone is recognized as gone. Each includes the survey of the whole tree. The target is 2 ms.",
    );
    let mut rows = vec![["", "median", ""].map(str::to_owned).to_vec()];
    for (name, what) in
        [("survey", "the survey alone"), ("renamed", "renamed"), ("same", "same title"), ("gone", "gone")]
    {
        let median = series.median(name);
        let reached = median.is_some_and(|median| median < TARGET);
        rows.push(vec![what.to_owned(), ms(median), verdict(reached).to_owned()]);
    }
    report.table(&rows);
    Ok(())
}

fn window(label: impl Fn(usize, usize) -> String) -> Result<Tree> {
    let mut outline = "window \"Files\"\n".to_owned();
    for group in 0..20 {
        writeln!(outline, "  toolbar \"Group {group}\"")?;
        for item in 0..33 {
            let label = label(group, item);
            writeln!(outline, "    group\n      text \"Text {group} {item}\"\n      button \"{label}\"")?;
        }
    }
    Ok(tree(&outline))
}

/// Measures each case and prints the medians.
pub fn probe() -> Result<()> {
    let before = window(|group, item| format!("Command {group} {item}"))?;
    let after = window(|group, item| match (group, item) {
        (10, 16) => "Renamed".to_owned(),
        _ => format!("Command {group} {item}"),
    })?;
    let mut times = serde_json::Map::new();
    let mut add = |name: &str, work: &dyn Fn()| {
        let mut samples = Samples::default();
        for _ in 0..TIMES {
            let begun = Instant::now();
            work();
            samples.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        times.insert(name.to_owned(), json!(samples.median()));
    };
    add("survey", &|| {
        black_box(Survey::new(black_box(&after)));
    });
    let survey = Survey::new(&before);
    let print = |name: &str| survey.fingerprint(named(&before, name)).ok_or("the element has no fingerprint");
    let (renamed, same) = (print("Command 10 16")?, print("Command 3 3")?);
    if !matches!(heal(&renamed, &Survey::new(&after)), Outcome::Found(_)) {
        return Err("the renamed button is not recognized".into());
    }
    for (name, print) in [("renamed", &renamed), ("same", &same)] {
        add(name, &|| {
            black_box(heal(black_box(print), &Survey::new(black_box(&after))));
        });
    }
    let empty = tree("window \"Files\"\n  text \"Nothing\"\n");
    let foreign = Survey::new(&empty).fingerprint(named(&empty, "Nothing")).ok_or("no fingerprint")?;
    add("gone", &|| {
        black_box(heal(black_box(&foreign), &Survey::new(black_box(&after))));
    });
    println!("{}", serde_json::Value::Object(times));
    Ok(())
}

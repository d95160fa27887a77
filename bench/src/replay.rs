//! A workflow's time for each step, beside a script of dogtail that presses the same buttons.

use crate::Result;
use crate::applications::{self, ALL};
use crate::options::Options;
use crate::report::{Report, against, ms};
use crate::samples::Samples;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The buttons: each changes the display.
const BUTTONS: [&str; 12] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "1", "2", "3"];
/// The application that has them.
const APPLICATION: &str = "kcalc";
/// Its name in `--applications`.
const KEY: &str = "qt5";
/// Dogtail pauses for a second after each action unless it is configured otherwise, and takes that long in every round.
const ROUNDS_OF_DOGTAIL: usize = 3;
/// How long the display may take to show the last digit.
const PATIENCE: Duration = Duration::from_secs(2);

/// Measures all three in turn, with one button and with all of them: the difference is what the steps take.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let running = applications::start_one(KEY)?;
    let folder = tempfile::Builder::new().prefix("handeye-bench-").tempdir()?;
    let programs = ["handeye", "dogtail fast", "dogtail default"];
    let mut found = vec![[Samples::default(), Samples::default()]; programs.len()];
    for round in 0..options.rounds {
        for (program, samples) in programs.iter().zip(&mut found) {
            if *program == "dogtail default" && round >= ROUNDS_OF_DOGTAIL {
                continue;
            }
            for (buttons, samples) in [&BUTTONS[..1], &BUTTONS[..]].into_iter().zip(samples) {
                // An empty display for each, so that it can always take more digits.
                press(options, folder.path(), &["AC"])?;
                let mut command = match *program {
                    "handeye" => workflow(options, folder.path(), buttons)?,
                    other => script(options, other.trim_start_matches("dogtail "), buttons),
                };
                samples.push(run(&mut command)?);
                check(options, buttons)?;
            }
        }
    }
    drop(running);
    report.section("Replaying a workflow");
    let title = ALL.iter().find(|one| one.key == KEY).map_or(KEY, |one| one.title);
    report.say(&format!(
        "{} clicks on buttons of {title}, as `handeye run` and as a script of dogtail. “Whole” is the process from its start to its end. “A step” is \
         the difference to a run of one step, divided. handeye looks for the effect of each click and waits until it is complete; dogtail sends the \
         request and does not look. Its own pauses are a second for each action by default; “without pauses” they are switched off. After each run the \
         display is compared with the digits.",
        BUTTONS.len()
    ));
    let whole = |place: usize| found[place][1].median();
    let step = |place: usize| {
        Some((found[place][1].median()? - found[place][0].median()?) / (BUTTONS.len() - 1) as f64)
    };
    let headings = ["", "handeye", "dogtail without pauses", "dogtail"];
    let row = |name: &str, of: &dyn Fn(usize) -> Option<f64>| {
        vec![name.to_owned(), ms(of(0)), against(of(1), of(0)), against(of(2), of(0))]
    };
    for (place, peer) in [(1, "dogtail without pauses"), (2, "dogtail")] {
        report.ratio(title, &format!("{peer} ÷ handeye, a step"), step(place), step(0));
        report.ratio(title, &format!("{peer} ÷ handeye, whole"), whole(place), whole(0));
    }
    report.table(&[headings.map(str::to_owned).to_vec(), row("a step", &step), row("whole", &whole)]);
    Ok(())
}

/// The command that runs a workflow of clicks.
fn workflow(options: &Options, folder: &Path, buttons: &[&str]) -> Result<Command> {
    let steps: Vec<_> = buttons
        .iter()
        .map(|button| json!({"tool": "ax_click", "args": {"app": APPLICATION, "query": format!("button {button}")}}))
        .collect();
    let file = folder.join("clicks.json");
    std::fs::write(&file, serde_json::to_vec(&json!({"steps": steps}))?)?;
    let mut command = Command::new(&options.handeye);
    command.arg("run").arg(file);
    Ok(command)
}

/// The command that runs the script of dogtail.
fn script(options: &Options, pace: &str, buttons: &[&str]) -> Command {
    let mut command = Command::new("/usr/bin/python3");
    command.arg(options.scripts.join("dogtail_replay.py")).args([pace, APPLICATION]).args(buttons);
    command
}

fn press(options: &Options, folder: &Path, buttons: &[&str]) -> Result<()> {
    run(&mut workflow(options, folder, buttons)?).map(drop)
}

/// Fails if the display does not show the digits of the buttons. A button is down for a moment before it acts, which a script that does not look has
/// left behind.
fn check(options: &Options, buttons: &[&str]) -> Result<()> {
    let digits = format!("\"{}\"", buttons.concat());
    let begun = Instant::now();
    loop {
        let output = Command::new(&options.handeye).args(["tree", "--app", APPLICATION]).output()?;
        let shown = String::from_utf8_lossy(&output.stdout).replace(',', "");
        if shown.contains(&digits) {
            return Ok(());
        }
        if begun.elapsed() > PATIENCE {
            return Err(format!("the display does not show {digits}: {shown}").into());
        }
    }
}

/// How many milliseconds a command takes that has to succeed.
fn run(command: &mut Command) -> Result<f64> {
    command.stdout(Stdio::null());
    let begun = Instant::now();
    let status = command.status()?;
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    if status.success() { Ok(took) } else { Err(format!("{command:?} ended with {status}").into()) }
}

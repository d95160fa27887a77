//! Whole commands: alone, and with the daemon that commands share.

use crate::Result;
use crate::applications::{Running, Started};
use crate::options::Options;
use crate::report::{Report, against, ms};
use crate::samples::Samples;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Each on an application; `BUTTON` is a button that is in view.
const COMMANDS: [(&str, &[&str]); 2] = [("tree", &["tree", "--depth", "20"]), ("find", &["find", "BUTTON"])];

/// Measures commands from their start to their end.
pub fn measure(options: &Options, running: &Running, report: &mut Report) -> Result<()> {
    let mut rows = vec![["Application, command", "with the daemon", "alone"].map(str::to_owned).to_vec()];
    for Started { known: application, app, .. } in running.started() {
        for (name, words) in COMMANDS {
            let words: Vec<&str> =
                words.iter().map(|word| if *word == "BUTTON" { application.button } else { *word }).collect();
            let words = [&words[..], &["--app", app]].concat();
            // It starts the daemon and loads the application.
            run(options, &words, true)?;
            let (mut shared, mut alone) = (Samples::default(), Samples::default());
            for _ in 0..options.rounds {
                shared.push(run(options, &words, true)?);
                alone.push(run(options, &words, false)?);
            }
            let (shared, alone) = (shared.median(), alone.median());
            rows.push(vec![format!("{}, `{name}`", application.title), ms(shared), against(alone, shared)]);
        }
    }
    run(options, &["daemon", "stop"], true)?;
    report.section("Commands");
    report.say("Whole commands from their start to their end, the daemon that they share warm.");
    report.table(&rows);
    Ok(())
}

/// How many milliseconds a command takes that has to succeed.
fn run(options: &Options, words: &[&str], shared: bool) -> Result<f64> {
    let mut command = Command::new(&options.handeye);
    command.args(words).stdout(Stdio::null()).env("HANDEYE_NO_DAEMON", if shared { "false" } else { "true" });
    let begun = Instant::now();
    let status = command.status()?;
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    if status.success() { Ok(took) } else { Err(format!("{command:?} ended with {status}").into()) }
}

//! Runs the harness: random and exhaustive use of many applications, judged from outside.

use crate::failure::Result;
use crate::setup::{Environments, with_environment};
use crate::workspace::Together;
use crate::{process, setup, workspace};
use std::process::Command;

/// The short form: minutes. `arguments` go to the harness.
pub(crate) fn short(environments: &Environments, together: Together, arguments: &[&str]) -> Result<()> {
    run(environments, together, "--short", arguments)
}

/// The long form, with the applications that only it needs. Shards that this commit and binary have finished are not run again.
pub(crate) fn long(arguments: &[&str]) -> Result<()> {
    run(&setup::long()?, Together::Alone, "--long", arguments)
}

fn run(environments: &Environments, together: Together, form: &str, arguments: &[&str]) -> Result<()> {
    let handeye = workspace::build_handeye(together)?;
    let mut command = Command::new(&environments.python);
    command
        .args(["-m", "harness", form, "--state"])
        .arg(workspace::target().join("harness"))
        .args(arguments)
        .env("PYTHONPATH", "tests")
        .current_dir(workspace::root());
    with_environment(&mut command, environments, &handeye);
    process::run(&mut command)
}

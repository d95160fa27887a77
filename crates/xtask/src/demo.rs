//! The main job, from end to end, for a person to watch.

use crate::failure::{Failure, Result};
use crate::{process, setup, workspace};
use std::path::Path;
use std::process::Command;

/// Runs `tests/demo/demo.py` against a fresh build.
pub(crate) fn run() -> Result<()> {
    play("tests/demo/demo.py", &[])
}

/// Writes the moving picture of the README.
pub(crate) fn record() -> Result<()> {
    play("tests/demo/record.py", &[&workspace::root().join("docs/images/demo.gif")])
}

/// Runs a script against a fresh build, with the folder for its files and more words.
fn play(script: &str, words: &[&Path]) -> Result<()> {
    let environments = setup::run()?;
    let handeye = workspace::build_handeye(workspace::Together::Alone)?;
    let folder = workspace::target().join("demo");
    std::fs::create_dir_all(&folder)
        .map_err(Failure::io(format_args!("cannot create {}", folder.display())))?;
    let mut command = Command::new(&environments.python);
    command.arg(script).arg(&folder).args(words).current_dir(workspace::root());
    setup::with_environment(&mut command, &environments, &handeye);
    process::run(&mut command)
}

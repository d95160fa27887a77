//! The main job, from end to end, for a person to watch.

use crate::failure::{Failure, Result};
use crate::{process, setup, test, workspace};
use std::process::Command;

/// Runs `tests/demo/demo.py` against a fresh build.
pub(crate) fn run() -> Result<()> {
    let environments = setup::run()?;
    let handeye = workspace::build_handeye(workspace::Together::Alone)?;
    let folder = workspace::target().join("demo");
    std::fs::create_dir_all(&folder)
        .map_err(Failure::io(format_args!("cannot create {}", folder.display())))?;
    let mut command = Command::new(&environments.python);
    command.arg("tests/demo/demo.py").arg(&folder).current_dir(workspace::root());
    test::with_environment(&mut command, &environments, &handeye);
    process::run(&mut command)
}

//! Runs real clients with a stand-in for their model, and compares what reached it with the table in the documentation.

use crate::failure::Result;
use crate::setup::with_environment;
use crate::workspace::Together;
use crate::{process, setup, workspace};
use std::process::Command;

/// All clients, also those that only this installs. `arguments` go to `tests/clients/measure.py`.
pub(crate) fn all(arguments: &[&str]) -> Result<()> {
    let environments = setup::run()?;
    let more = setup::more_clients(&environments)?;
    let handeye = workspace::build_handeye(Together::Alone)?;
    let mut command = Command::new(&environments.python);
    command
        .args(["-m", "clients.measure", "--long"])
        .arg(more)
        .args(arguments)
        .env("PYTHONPATH", "tests:tests/e2e")
        .current_dir(workspace::root());
    with_environment(&mut command, &environments, &handeye);
    process::run(&mut command)
}

/// From a bare Debian root to a letter with the release binary, see `tests/clients/bare_root.py`. Needs root, debootstrap and a mirror.
pub(crate) fn bare_root(arguments: &[&str]) -> Result<()> {
    let environments = setup::run()?;
    process::run(workspace::cargo().args(["build", "--release", "--package", "handeye"]))?;
    let handeye = workspace::target().join("release").join("handeye");
    let mut command = Command::new(&environments.python);
    command
        .args(["-m", "clients.bare_root", "--binary"])
        .arg(&handeye)
        .arg("--cache")
        .arg(workspace::target().join("bare-root"))
        .args(arguments)
        .env("PYTHONPATH", "tests:tests/e2e")
        .current_dir(workspace::root());
    with_environment(&mut command, &environments, &handeye);
    process::run(&mut command)
}

//! The main job, from end to end, for a person to watch.

use crate::failure::{Failure, Result};
use crate::{process, setup, workspace};
use std::path::Path;
use std::process::Command;

/// What the demo needs, and nothing that only tests need.
const PACKAGES: &str = "tests/demo/packages.txt";
/// What its recording needs beyond that.
const RECORD_PACKAGES: &str = "tests/demo/record-packages.txt";

/// Runs `tests/demo/demo.py` against a fresh build.
pub(crate) fn run() -> Result<()> {
    play("tests/demo/demo.py", &[], &[PACKAGES])
}

/// Writes the moving picture of the README.
pub(crate) fn record() -> Result<()> {
    let picture = workspace::root().join("docs/images/demo.gif");
    play("tests/demo/record.py", &[&picture], &[PACKAGES, RECORD_PACKAGES])
}

/// Runs a script against a fresh build, with the folder for its files and more words, once the packages in these lists are there.
fn play(script: &str, words: &[&Path], packages: &[&str]) -> Result<()> {
    // Packages come over the network and go to the disk while the processor compiles.
    let (python, handeye) = std::thread::scope(|scope| {
        let build = scope.spawn(|| workspace::build_handeye(workspace::Together::Quickly));
        (setup::demo(packages), build.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let (python, handeye) = (python?, handeye?);
    let folder = workspace::target().join("demo");
    std::fs::create_dir_all(&folder)
        .map_err(Failure::io(format_args!("cannot create {}", folder.display())))?;
    let mut command = Command::new(python);
    command.arg(script).arg(&folder).args(words).current_dir(workspace::root());
    setup::with_binary(&mut command, &handeye);
    process::run(&mut command)
}

//! Measures handeye side by side with its peers, in a private desktop, and writes `docs/benchmarks.md`.

use crate::failure::{Failure, Result};
use crate::{process, setup, workspace};
use std::path::PathBuf;
use std::process::Command;

/// The benchmarks' own workspace, which nothing else builds.
pub(crate) const WORKSPACE: &str = "bench/Cargo.toml";

/// Builds everything for release and measures; `arguments` go to the benchmarks (`--rounds 11`,
/// `--only captures,trees`, `--applications gtk3,qt5`).
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let setup::Benchmarks { python, node, node_modules } = setup::benchmarks()?;
    process::run(workspace::cargo().args(["build", "--release", "--package", "handeye"]))?;
    // Built one after the other: in one build they would share the features of their D-Bus library.
    for package in ["handeye-bench", "xa11y-probe"] {
        process::run(
            workspace::cargo()
                .args(["build", "--release", "--manifest-path", WORKSPACE, "--package", package])
                .env("CARGO_TARGET_DIR", workspace::target()),
        )?;
    }
    let handeye = built("handeye")?;
    let command = std::iter::once("cargo xtask bench").chain(arguments.iter().copied());
    process::run(
        Command::new(&handeye)
            .args(["desktop", "run", "--size", "1920x1080", "--"])
            .arg(built("handeye-bench")?)
            .arg("--handeye")
            .arg(&handeye)
            .arg("--xa11y")
            .arg(built("xa11y-probe")?)
            .arg("--python")
            .arg(python)
            .arg("--node")
            .arg(node)
            .arg("--node-modules")
            .arg(node_modules)
            .args(["--scripts", "tests/bench", "--output", "docs/benchmarks.md", "--command"])
            .arg(command.collect::<Vec<_>>().join(" "))
            .args(arguments)
            // Each command by itself, where a measurement is not about the process that they share.
            .env("HANDEYE_NO_DAEMON", "true")
            // It calls as fast as it can, which no agent does.
            .envs(["HANDEYE_RATE_LIMIT_RPS", "HANDEYE_RATE_LIMIT_RPM"].map(|limit| (limit, "1000000000")))
            .current_dir(workspace::root()),
    )
}

fn built(name: &str) -> Result<PathBuf> {
    let binary = workspace::target().join("release").join(name);
    if binary.is_file() {
        Ok(binary)
    } else {
        Err(Failure::new(format!("the build left no binary at {}", binary.display())))
    }
}

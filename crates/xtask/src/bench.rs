//! Measures handeye side by side with its peers, in a private desktop, and writes `docs/benchmarks.md` and, for programs, `docs/benchmarks.json`.

use crate::failure::{Failure, Result};
use crate::{peers, process, ratios, setup, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The benchmarks' own workspace, which nothing else builds.
pub(crate) const WORKSPACE: &str = "bench/Cargo.toml";

/// Where the page goes by default.
const PAGE: &str = "docs/benchmarks.md";
/// The ratios of the last committed run, as git names them.
const COMMITTED: &str = "HEAD:docs/benchmarks.json";

/// Builds everything for release and measures; `arguments` go to the benchmarks (`--rounds 11`,
/// `--only captures,trees`, `--applications gtk3,qt5`, `--output PAGE`). With `--check`, a ratio that became slower than in the
/// last committed run is an error; with `--update-lock`, the lock file of the peers is written.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let committed = arguments.contains(&"--check").then(committed).transpose()?;
    let commit = commit();
    let benchmarks = setup::benchmarks()?;
    let peers = peers::pinned(&benchmarks, arguments.contains(&"--update-lock"))?;
    let setup::Benchmarks { python, node, node_modules } = benchmarks;
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
            .args(["--scripts", "tests/bench", "--command"])
            .arg(command.collect::<Vec<_>>().join(" "))
            .args(["--commit", &commit, "--peers", &peers])
            // The first of two counts.
            .args(arguments)
            .args(["--output", PAGE])
            // Each command by itself, where a measurement is not about the process that they share.
            .env("HANDEYE_NO_DAEMON", "true")
            // It calls as fast as it can, which no agent does.
            .envs(["HANDEYE_RATE_LIMIT_RPS", "HANDEYE_RATE_LIMIT_RPM"].map(|limit| (limit, "1000000000")))
            .current_dir(workspace::root()),
    )?;
    let page = arguments.iter().skip_while(|word| **word != "--output").nth(1).unwrap_or(&PAGE);
    committed.map_or(Ok(()), |before| compare(&before, &workspace::root().join(page).with_extension("json")))
}

/// The ratios of the last committed run.
fn committed() -> Result<Vec<ratios::Ratio>> {
    let text =
        process::output_of(Command::new("git").args(["show", COMMITTED]).current_dir(workspace::root()));
    ratios::read(
        &text.ok_or_else(|| Failure::new(format!("there is no committed run: git has no {COMMITTED}")))?,
    )
}

/// Compares the ratios of this run with those of an earlier one.
fn compare(before: &[ratios::Ratio], file: &Path) -> Result<()> {
    let text =
        std::fs::read_to_string(file).map_err(Failure::io(format_args!("cannot read {}", file.display())))?;
    let ratios::Comparison { slower, kept, missing } = ratios::compare(before, &ratios::read(&text)?);
    println!(
        "{kept} ratios are within 10 % of the last committed run or better; {missing} of it were not measured"
    );
    if slower.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(format!("{} ratios became slower:\n  {}", slower.len(), slower.join("\n  "))))
    }
}

/// The commit that is measured, marked where the tree has changes other than an earlier run's results.
fn commit() -> String {
    let git =
        |words: &[&str]| process::output_of(Command::new("git").args(words).current_dir(workspace::root()));
    let Some(hash) = git(&["rev-parse", "--short=8", "HEAD"]) else { return "unknown".to_owned() };
    let results = [":!docs/benchmarks.md", ":!docs/benchmarks.json"];
    let changes = git(&[&["status", "--porcelain", "--", "."], &results[..]].concat());
    let mark = if changes.is_some_and(|changes| changes.is_empty()) { "" } else { "-dirty" };
    format!("{}{mark}", hash.trim())
}

fn built(name: &str) -> Result<PathBuf> {
    let binary = workspace::target().join("release").join(name);
    if binary.is_file() {
        Ok(binary)
    } else {
        Err(Failure::new(format!("the build left no binary at {}", binary.display())))
    }
}

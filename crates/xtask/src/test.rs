//! Runs the tests: all of them, or a part.

use crate::budget::Report;
use crate::failure::{Failure, Result};
use crate::setup::{Environments, with_environment};
use crate::workspace::Together;
use crate::{bench, clients, harness, macos, process, setup, workspace};
use std::process::Command;
use std::time::Instant;

/// Where proptest finds the seed of its random numbers.
const PROPERTY_SEED: &str = "PROPTEST_RNG_SEED";

/// Format, lints, those for macOS, unit tests, end-to-end tests and the short form of the harness. Every part runs even if one before it failed, and the
/// closing lines say which did and what each took beside its budget.
pub(crate) fn everything() -> Result<()> {
    let start = Instant::now();
    let environments = setup::run()?;
    let mut report = Report::default();
    report.add("set-up", start.elapsed(), true);
    let parts: [(&str, &dyn Fn() -> Result<()>); 6] = [
        ("format", &format),
        ("lints", &lints),
        ("lints for macOS", &macos::lints),
        ("unit tests", &unit_tests),
        ("end-to-end tests", &|| pytest(&environments, Together::WithTests, &[])),
        ("harness, short form", &|| harness::short(&environments, Together::WithTests, &[])),
    ];
    run_after(report, &parts)
}

/// Format, lints and unit tests.
pub(crate) fn unit() -> Result<()> {
    run_parts(&[("format", &format), ("lints", &lints), ("unit tests", &unit_tests)])
}

/// End-to-end tests; `arguments` go to pytest.
pub(crate) fn end_to_end(arguments: &[&str]) -> Result<()> {
    pytest(&setup::run()?, Together::WithConformance, arguments)
}

/// What takes too long for every run: all clients, all window managers, and the long form of the harness.
pub(crate) fn long() -> Result<()> {
    run_parts(&[
        ("clients", &|| clients::all(&[])),
        ("window managers", &window_managers),
        ("harness, long form", &|| harness::long(&[])),
    ])
}

fn window_managers() -> Result<()> {
    pytest(&setup::window_managers()?, Together::WithConformance, &["tests/e2e/test_window_managers.py"])
}

fn run_parts(parts: &[(&str, &dyn Fn() -> Result<()>)]) -> Result<()> {
    run_after(Report::default(), parts)
}

/// Runs the parts and reports them after what ran before.
fn run_after(mut report: Report, parts: &[(&str, &dyn Fn() -> Result<()>)]) -> Result<()> {
    for (name, part) in parts {
        println!("\n== {name}");
        let start = Instant::now();
        let outcome = part();
        if let Err(failure) = &outcome {
            eprintln!("{failure}");
        }
        report.add(name, start.elapsed(), outcome.is_ok());
    }
    println!("\n== summary\n{}", report.text());
    let failed = report.failed();
    if failed.is_empty() {
        println!("PASSED: {} of {} parts", parts.len(), parts.len());
        Ok(())
    } else {
        Err(Failure::new(format!("FAILED: {}", failed.join(", "))))
    }
}

fn format() -> Result<()> {
    process::run(workspace::cargo().args(["fmt", "--all", "--check"]))?;
    process::run(workspace::cargo().args(["fmt", "--manifest-path", bench::WORKSPACE, "--all", "--check"]))
}

fn lints() -> Result<()> {
    process::run(workspace::cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ]))?;
    // The benchmarks are run by hand, and a change of a crate can break them before anybody does. The probe of a peer uses no crate of
    // ours, and what it uses takes minutes to compile.
    process::run(
        workspace::cargo()
            .args(["clippy", "--manifest-path", bench::WORKSPACE, "--package", "handeye-bench"])
            .args(["--all-targets", "--quiet"])
            .args(["--", "-D", "warnings"])
            .env("CARGO_TARGET_DIR", workspace::target()),
    )
}

/// The property tests draw the same cases in each run, so that a run says something about the change and not about the
/// day; `PROPTEST_RNG_SEED` in the environment makes them draw others.
fn unit_tests() -> Result<()> {
    let mut command = workspace::cargo();
    command.args(["test", "--workspace", "--no-fail-fast", "--quiet"]);
    if std::env::var_os(PROPERTY_SEED).is_none() {
        command.env(PROPERTY_SEED, "1");
    }
    process::run(&mut command)
}

fn pytest(environments: &Environments, together: Together, arguments: &[&str]) -> Result<()> {
    let handeye = workspace::build_handeye(together)?;
    let mut command = Command::new(&environments.python);
    command
        .args(["-m", "pytest", "--rootdir=tests/e2e", "--config-file=tests/e2e/pytest.ini"])
        .args(if names_tests(arguments) { &[] } else { ["tests/e2e"].as_slice() })
        .args(arguments)
        .current_dir(workspace::root());
    with_environment(&mut command, environments, &handeye);
    process::run(&mut command)
}

/// Whether the arguments for pytest say which tests to run.
fn names_tests(arguments: &[&str]) -> bool {
    arguments.iter().any(|argument| argument.starts_with("tests/"))
}

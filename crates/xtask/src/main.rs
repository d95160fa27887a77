//! The project's own commands: `cargo xtask setup | test | demo | bench`.
//!
//! Each of them does the set-up that it needs, so that a fresh Debian 12 with Rust is enough to start from.

mod bench;
mod budget;
mod clients;
mod demo;
mod failure;
mod harness;
mod macos;
mod peers;
mod process;
mod ratios;
mod setup;
mod standard_library;
mod test;
mod workspace;

use failure::{Failure, Result};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  setup                     install what tests need: Debian packages, Python and Node environments
  test                      setup, then format, lints, lints for macOS, unit tests, end-to-end tests and the short form of the harness
  test --unit               format, lints and unit tests only
  test --macos              the lints for macOS only
  test --e2e [ARGUMENT…]    end-to-end tests only; arguments go to pytest
  test --harness [ARGUMENT…]  the short form of the harness only (--only reading,trees-kcalc, --seed 7)
  test --clients [ARGUMENT…]  all clients that docs/clients.md has, with a stand-in for their model; downloads a gigabyte
                            (--write, --only Codex,Cline)
  test --bare-root [--write]  from a bare Debian root to a letter, with the release binary and two clients; needs root and debootstrap
  test --long [ARGUMENT…]   the clients, the window managers, then the harness's long form, with gigabytes of applications; takes hours, can be interrupted and goes on where
                            it ended; --finished --write writes docs/harness.md
  demo                      the main job on a real GTK application, with what only that needs; leaves target/demo/result.png
  demo --record             writes the moving picture of the README, docs/images/demo.gif
  bench [ARGUMENT…]         handeye side by side with its peers, as released; writes docs/benchmarks.md and docs/benchmarks.json
                            (--rounds 11, --only mcp,trees,finds,captures,…, --applications gtk3,…, --output PAGE)
  bench --check [ARGUMENT…]  the same, and fails if a ratio became more than 10 % slower than in the last committed run
  bench --update-lock [ARGUMENT…]  the same, with the versions of the peers as they are installed; writes tests/bench/peers.lock
  ci                        the same as test
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nxtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["setup"] => setup::run().map(drop),
        ["test" | "ci"] => test::everything(),
        ["test", "--unit"] => test::unit(),
        ["test", "--macos"] => macos::lints(),
        ["test", "--e2e", rest @ ..] => test::end_to_end(rest),
        ["test", "--harness", rest @ ..] => harness::short(&setup::run()?, workspace::Together::Alone, rest),
        ["test", "--clients", rest @ ..] => clients::all(rest),
        ["test", "--bare-root", rest @ ..] => clients::bare_root(rest),
        ["test", "--long"] => test::long(),
        ["test", "--long", rest @ ..] => harness::long(rest),
        ["demo"] => demo::run(),
        ["demo", "--record"] => demo::record(),
        ["bench", rest @ ..] => bench::run(rest),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [] => Err(Failure::new(format!("no command was given\n\n{USAGE}"))),
        other => Err(Failure::new(format!("unknown command '{}'\n\n{USAGE}", other.join(" ")))),
    }
}

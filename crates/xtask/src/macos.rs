//! The lints for macOS, on a machine that is not a Mac: everything but the Linux crates is type-checked for it.
//!
//! A type check links nothing and runs nothing of the other system, so all that it takes is the standard library's metadata
//! ([`standard_library`](crate::standard_library)) and something that passes for a C compiler.

use crate::failure::Result;
use crate::{process, standard_library, workspace};

/// What is checked for.
const TARGET: &str = "aarch64-apple-darwin";
/// The packages of Linux: its platform, and a server that only the tests run, on that platform.
const OF_LINUX: [&str; 4] = ["handeye-atspi", "handeye-x11", "handeye-linux", "handeye-conformance"];
/// Passes for a C compiler and an archiver: one of the libraries (aws-lc) has C code, which no type check looks at.
const NO_COMPILER: &str = "crates/xtask/no-c-compiler";

/// Clippy, as for this machine, for macOS.
pub(crate) fn lints() -> Result<()> {
    let no_compiler = workspace::root().join(NO_COMPILER);
    let sysroot = standard_library::sysroot(TARGET)?;
    let mut command = workspace::cargo();
    command.args(["clippy", "--target", TARGET, "--workspace"]);
    command.args(OF_LINUX.iter().flat_map(|package| ["--exclude", package]));
    command.args(["--all-targets", "--quiet", "--", "-D", "warnings"]);
    for tool in ["CC", "CXX", "AR"] {
        command.env(format!("{tool}_{}", TARGET.replace('-', "_")), &no_compiler);
    }
    if let Some(sysroot) = sysroot {
        // In this form a path may hold spaces.
        command.env("CARGO_ENCODED_RUSTFLAGS", format!("--sysroot\u{1f}{}", sysroot.display()));
    }
    process::run(&mut command)
}

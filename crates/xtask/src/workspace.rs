//! Where things are.

use crate::failure::{Failure, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    // This crate is at crates/xtask of the repository that it was built from.
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."))
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The folder of the environments that setup makes.
pub(crate) fn environments() -> PathBuf {
    target().join("e2e")
}

/// Cargo, the one that runs this program, in the root of the repository.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// What a build of the binary is made together with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Together {
    /// Nothing, and its libraries are not optimized: the shortest way from nothing to a binary.
    Quickly,
    /// Nothing.
    Alone,
    /// The server that the conformance suite talks to, which is the same code once more.
    WithConformance,
    /// All tests. Right after those it costs nothing, as features and with them the compiled libraries are the same; alone it
    /// would compile all libraries once more.
    WithTests,
}

/// Builds the handeye binary and returns its path.
pub(crate) fn build_handeye(together: Together) -> Result<PathBuf> {
    let what: &[&str] = match together {
        Together::Quickly => &["--package", "handeye", "--profile", "quick"],
        Together::Alone => &["--package", "handeye"],
        Together::WithConformance => &["--package", "handeye", "--package", "handeye-conformance"],
        Together::WithTests => &["--workspace", "--all-targets"],
    };
    crate::process::run(cargo().arg("build").args(what))?;
    let profile = if matches!(together, Together::Quickly) { "quick" } else { "debug" };
    let binary = target().join(profile).join("handeye");
    if binary.is_file() {
        Ok(binary)
    } else {
        Err(Failure::new(format!("the build left no binary at {}", binary.display())))
    }
}

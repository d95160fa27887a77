//! Running other programs: shown before they run, and a failure names the command.

use crate::failure::{Failure, Result};
use std::process::{Command, Stdio};

/// A command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Shows a command, runs it without standard input, and fails if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", shown(command));
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(Failure::io(format_args!("cannot run '{}'", shown(command))))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("'{}' ended with {status}", shown(command))))
    }
}

/// What a command prints, or `None` if it cannot be run or fails.
pub(crate) fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

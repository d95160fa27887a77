//! Scripts: programs that a caller wrote, run by an interpreter of the system.

use crate::{Permit, Result, Support};
use async_trait::async_trait;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The language of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptLanguage {
    /// That of the POSIX shell.
    Shell,
    /// `AppleScript`.
    AppleScript,
    /// JavaScript for Automation.
    Jxa,
}

/// A script, and how it is to be run.
#[derive(Clone, PartialEq, Eq)]
pub struct Script {
    /// Its language.
    pub language: ScriptLanguage,
    /// The program.
    pub source: String,
    /// The folder in which it begins.
    pub directory: PathBuf,
    /// How long it may take. Then it and everything that it has started is ended.
    pub deadline: Duration,
}

/// Without the program: no log may hold it.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {} bytes, {:?}", self.language, self.source.len(), self.deadline)
    }
}

/// How a script ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptEnd {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal.
    Killed(i32),
    /// At its deadline.
    TimedOut,
}

/// What came on one of the output streams of a script.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct ScriptOutput {
    /// Its first [`ScriptOutput::MAX_BYTES`].
    pub bytes: Vec<u8>,
    /// How many bytes came after those.
    pub left_out: u64,
}

impl ScriptOutput {
    /// How much is kept, in bytes. The rest is read and counted, so that no script waits for a reader.
    pub const MAX_BYTES: usize = 256 * 1024;

    /// Takes up what came next.
    pub fn take(&mut self, part: &[u8]) {
        let kept = part.len().min(Self::MAX_BYTES - self.bytes.len());
        self.bytes.extend_from_slice(&part[..kept]);
        self.left_out += (part.len() - kept) as u64;
    }
}

/// Without the content: no log may hold it.
impl fmt::Debug for ScriptOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes and {} more", self.bytes.len(), self.left_out)
    }
}

/// What came of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptRun {
    /// How it ended.
    pub end: ScriptEnd,
    /// Its standard output.
    pub stdout: ScriptOutput,
    /// Its standard error.
    pub stderr: ScriptOutput,
    /// How many processes it had left running, which were ended.
    pub left_running: usize,
    /// How long it ran.
    pub took: Duration,
}

/// Runs scripts.
#[async_trait]
pub trait Scripts: Send + Sync {
    /// Whether it runs scripts in this language, and why not.
    fn language(&self, language: ScriptLanguage) -> Support;

    /// Where a script begins that asks for no folder.
    ///
    /// # Errors
    /// If there is no such folder.
    fn home(&self) -> Result<PathBuf>;

    /// Runs a script to its end, or to its deadline. Its standard input is empty, and its environment that of the desktop session without
    /// anything that belongs to handeye. When this returns, or its future is dropped, no process is left that the script has started.
    ///
    /// # Errors
    /// If it could not be started, or not be watched to its end.
    async fn run(&self, permit: &Permit, script: Script) -> Result<ScriptRun>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_an_output_is_kept_and_the_rest_is_counted() {
        let mut output = ScriptOutput::default();
        output.take(&vec![b'a'; ScriptOutput::MAX_BYTES - 1]);
        output.take(b"bcd");
        output.take(b"e");
        assert_eq!((output.bytes.len(), output.left_out), (ScriptOutput::MAX_BYTES, 3));
        assert_eq!(output.bytes.last(), Some(&b'b'));
    }
}

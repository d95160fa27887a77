//! What is copied, kept by a process of its own: an X server keeps nothing itself, and a command ends at once.
//!
//! ```text
//! handeye ──starts, with the content in a file without a name as standard input──▶ owner (this very program)
//!    └─ waits until it says that it owns the clipboard                              └─ ends when something else is copied
//! ```

use crate::desktop::Surrounding;
use crate::keeper::PASSED_ON;
use crate::own_program::own_program;
use handeye_core::{Copied, Error, ErrorCode, Result};
use handeye_x11::CopyKeeper;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::process::setsid;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The first argument that makes the executable the owner of the clipboard. It finds the content at standard input.
pub const COPIES_ARGUMENT: &str = "clipboard-owner";
/// How long an owner may take to start and to have the clipboard.
const DEADLINE: Duration = Duration::from_secs(5);
/// The longest answer of an owner, in bytes.
const LONGEST: u64 = 4_096;

/// Whether the owner has the clipboard, or why not.
type Answer = std::result::Result<(), String>;

/// What stands before the bytes of the picture.
#[derive(Serialize, Deserialize)]
struct Head {
    display: Option<String>,
    copied: Copied,
    /// Whether a picture follows.
    picture: bool,
}

/// Has each thing that is copied kept by a process of its own.
#[derive(Debug, Default)]
pub struct Copies {
    program: Option<PathBuf>,
    /// The processes that were started, as long as they run: they are waited for here.
    owners: Mutex<Vec<Child>>,
}

impl Copies {
    /// They are kept by this very program, which has to call [`copies_main`] when its first argument is [`COPIES_ARGUMENT`].
    pub fn new() -> Self {
        Self::default()
    }

    /// They are kept by another program which does that.
    pub fn kept_by(program: PathBuf) -> Self {
        Self { program: Some(program), ..Self::default() }
    }

    fn start(&self, display: Option<&str>, copied: &Copied) -> io::Result<Answer> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain_mut(|owner| matches!(owner.try_wait(), Ok(None)));
        let content = written(display, copied)?;
        let mut command = match &self.program {
            Some(program) => Command::new(program),
            None => own_program("handeye"),
        };
        command.arg(COPIES_ARGUMENT).env_clear();
        for name in PASSED_ON {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if let Some(desktop) = Surrounding::of_this_process() {
            desktop.admit(&mut command);
        }
        command.stdin(content).stdout(Stdio::piped()).stderr(Stdio::null()).current_dir("/");
        let mut owner = command.spawn()?;
        let answer = match owner.stdout.take() {
            Some(output) => answer(output),
            None => Err(io::Error::other("its output is not piped")),
        };
        if !matches!(answer, Ok(Ok(()))) {
            // One that hangs must not have the clipboard later.
            for step in [owner.kill(), owner.wait().map(drop)] {
                if let Err(error) = step {
                    tracing::debug!(%error, "the owner of the clipboard could not be ended");
                }
            }
            return answer;
        }
        owners.push(owner);
        answer
    }
}

impl CopyKeeper for Copies {
    fn keep(&self, display: Option<&str>, copied: &Copied) -> Result<()> {
        let why = match self.start(display, copied) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(why)) => why,
            Err(error) => error.to_string(),
        };
        Err(Error::new(
            ErrorCode::Refused,
            format!("nothing was copied: the process that would keep it cannot be used: {why}"),
        )
        .with_next("Check that processes can be started and that the X server answers, then try again."))
    }
}

/// The content as a file without a name, so that nothing waits for its reader.
fn written(display: Option<&str>, copied: &Copied) -> io::Result<File> {
    let mut file = File::from(memfd_create("copied", MemfdFlags::CLOEXEC)?);
    let head = Head {
        display: display.map(str::to_owned),
        copied: Copied { png: None, ..copied.clone() },
        picture: copied.png.is_some(),
    };
    serde_json::to_writer(&mut file, &head)?;
    file.write_all(b"\n")?;
    file.write_all(copied.png.as_deref().unwrap_or_default())?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

fn read(content: impl Read) -> io::Result<(Option<String>, Copied)> {
    let mut content = BufReader::new(content);
    let mut head = Vec::new();
    content.read_until(b'\n', &mut head)?;
    let Head { display, mut copied, picture } = serde_json::from_slice(&head)?;
    if picture {
        let mut png = Vec::new();
        content.read_to_end(&mut png)?;
        copied.png = Some(png);
    }
    Ok((display, copied))
}

/// Waits for the line of the owner.
fn answer(mut output: ChildStdout) -> io::Result<Answer> {
    let until = Instant::now() + DEADLINE;
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&output, PollFlags::IN)], Some(&left)) {
            Ok(0) => return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not start in time")),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let mut part = [0; 512];
        let length = output.read(&mut part)?;
        if length == 0 || line.len() as u64 > LONGEST {
            return Err(io::Error::other("it ended at once"));
        }
        line.extend_from_slice(&part[..length]);
    }
    Ok(serde_json::from_slice(&line)?)
}

/// Runs this process as the owner of the clipboard. Call it first in `main`, when the first argument is [`COPIES_ARGUMENT`].
pub fn copies_main() -> ExitCode {
    // No key that is pressed in the terminal of a command reaches it, nor does the end of that terminal.
    if let Err(error) = setsid() {
        tracing::debug!(%error, "no session of its own");
    }
    let owned = read(io::stdin().lock())
        .map_err(|error| error.to_string())
        .and_then(|(display, copied)| handeye_x11::own(display.as_deref(), &copied, || say(&Answer::Ok(()))));
    match owned {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&Answer::Err(why));
            ExitCode::FAILURE
        }
    }
}

/// Answers the process that copies. Where that has ended meanwhile, what it copied is kept nevertheless.
fn say(answer: &Answer) {
    let mut output = io::stdout().lock();
    let said = serde_json::to_writer(&mut output, answer).map_err(io::Error::from);
    if let Err(error) = said.and_then(|()| output.write_all(b"\n")).and_then(|()| output.flush()) {
        tracing::debug!(%error, "the process that copied has ended");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_arrives_whole() {
        let text = Copied::text("ñ\nlines");
        let all = Copied {
            html: Some("<b>".into()),
            png: Some(b"\x89PNG\r\n\x1a\n\0".to_vec()),
            files: vec!["file:///a".into()],
            ..text.clone()
        };
        for copied in [text, all] {
            let file = written(Some(":7"), &copied).expect("written");
            assert_eq!(read(file).expect("read"), (Some(":7".to_owned()), copied));
        }
    }
}

//! The private desktop in which this process was started, seen from inside.

use super::folder::{self, DesktopInfo};
use super::isolation;
use super::options::{FOLDER_VARIABLE, ISOLATED_VARIABLE, MEMBER_VARIABLE, member_mark};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::path::PathBuf;
use std::process::Command;
use tokio::sync::oneshot;

/// The sandbox of the private desktop in which this process was started. It is known even where the desktop has ended: then nothing can be
/// started any more, rather than outside.
#[derive(Debug)]
pub struct SurroundingSandbox {
    folder: PathBuf,
}

impl SurroundingSandbox {
    /// The sandbox, where programs of the desktop have to run in one.
    pub fn of_this_process() -> Option<Self> {
        std::env::var_os(ISOLATED_VARIABLE)?;
        // Without a desktop there is no such folder, and so no program.
        Some(Self { folder: std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from).unwrap_or_default() })
    }

    /// Makes this very program, about to be started, one that starts another program in the sandbox, with these variables of its own
    /// environment; the program and its arguments are to follow.
    pub fn enter<'a>(&self, own_program: &'a mut Command, variables: &[&str]) -> &'a mut Command {
        own_program.args(isolation::entering(&self.folder, variables))
    }

    /// Where this very program is found inside.
    pub(crate) const OWN_PROGRAM: &str = isolation::OWN_PROGRAM;
}

/// The private desktop in which this process was started.
#[derive(Debug)]
pub struct Surrounding {
    info: DesktopInfo,
}

impl Surrounding {
    /// The desktop that the environment names, if there is one and it is up.
    pub fn of_this_process() -> Option<Self> {
        let folder = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from)?;
        let info = folder::read_state(&folder).filter(|_| folder::is_alive(&folder))?;
        Some(Self { info })
    }

    /// Makes a program that is about to be started a part of the desktop, so that it is ended with it even if its own parent
    /// is not one.
    pub fn admit<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env(MEMBER_VARIABLE, member_mark(&self.info.folder))
    }

    /// Comes when the desktop's supervisor ends. The wait has a thread of its own, which ends with this process.
    pub(crate) fn ended(&self) -> oneshot::Receiver<()> {
        let (gone, is_gone) = oneshot::channel();
        let supervisor = self.info.process;
        let handle = Pid::from_raw(supervisor.pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        // The number may have passed to another process before the handle was taken.
        let Some(handle) = handle.filter(|_| supervisor.is_running()) else { return is_gone };
        let watch = move || {
            // Waits without a limit; an interruption by a signal is not an end.
            while let Err(Errno::INTR) = poll(&mut [PollFd::new(&handle, PollFlags::IN)], None) {}
            drop(gone);
        };
        if let Err(error) = std::thread::Builder::new().name("desktop watch".into()).spawn(watch) {
            tracing::warn!(%error, "the end of the private desktop is not watched");
        }
        is_gone
    }
}

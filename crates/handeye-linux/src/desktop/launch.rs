//! How the supervisor starts a process: through this executable, which ties the process to the
//! supervisor's life and then becomes the program.
//!
//! The tie (`PR_SET_PDEATHSIG`) has to be made by the process itself between fork and exec. A program that
//! does it and then replaces itself needs neither unsafe code nor a helper from another package.

use super::options::{FOLDER_VARIABLE, MEMBER_VARIABLE, REMOVED_VARIABLES, member_mark};
use super::processes::session_of;
use rustix::process::{Signal, getppid, set_parent_process_death_signal, setsid};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// The first argument that makes the executable a supervisor or a launcher.
pub const SUPERVISOR_ARGUMENT: &str = "desktop-supervisor";
/// The second one that makes it a launcher.
pub(super) const LAUNCH_ARGUMENT: &str = "--launch";

/// The exit code of a shell that finds no such program.
const NOT_FOUND: u8 = 127;
/// The exit code of a shell that cannot run the program.
const NOT_RUNNABLE: u8 = 126;

/// It takes microseconds; a stalled machine must not hold up the command forever.
const LEAVE_DEADLINE: Duration = Duration::from_secs(1);

/// What a process is to the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A component: in a session of its own, so that no key pressed in a terminal reaches it; asked to end when
    /// the supervisor dies, so that it takes its sockets and lock files away.
    Component,
    /// A component that has no variable of this process: programs in the sandbox can read those of its first process.
    Sandbox,
    /// The user's command: in the session, the terminal and the process group of the caller; killed when the
    /// supervisor dies.
    Command,
}

impl Kind {
    fn as_argument(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::Sandbox => "sandbox",
            Self::Command => "command",
        }
    }

    fn from_argument(argument: &OsStr) -> Option<Self> {
        [Self::Component, Self::Sandbox, Self::Command]
            .into_iter()
            .find(|kind| argument == kind.as_argument())
    }
}

/// This very file on disk, even when it was replaced or removed since it was started.
pub(super) fn own_executable() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("handeye").arg(SUPERVISOR_ARGUMENT);
    command
}

/// A process of the desktop, to be spawned by the supervisor's main thread (the tie is to the thread).
pub(super) fn member(
    kind: Kind,
    program: &OsStr,
    folder: &Path,
    environment: &BTreeMap<String, String>,
) -> Command {
    let mut command = own_executable();
    command.args([LAUNCH_ARGUMENT, kind.as_argument(), &std::process::id().to_string()]).arg(program);
    if kind == Kind::Sandbox {
        command.env_clear();
    } else {
        for variable in REMOVED_VARIABLES {
            command.env_remove(variable);
        }
        command.envs(environment);
    }
    command.env(MEMBER_VARIABLE, member_mark(folder)).env(FOLDER_VARIABLE, folder);
    command
}

/// Becomes the program named by the arguments after [`LAUNCH_ARGUMENT`]. Returns only when that fails.
pub(super) fn launch(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let kind = arguments.next().as_deref().and_then(Kind::from_argument);
    let parent = arguments.next().and_then(|parent| parent.to_str()?.parse().ok());
    let (Some(kind), Some(parent), Some(program)) = (kind, parent, arguments.next()) else {
        eprintln!("handeye: this is a part of `handeye desktop` and not meant to be called");
        return ExitCode::from(2);
    };
    let signal = if kind == Kind::Command { Signal::KILL } else { Signal::TERM };
    if let Err(error) = set_parent_process_death_signal(Some(signal)) {
        eprintln!("handeye: cannot tie {} to its supervisor: {error}", program.to_string_lossy());
        return ExitCode::from(NOT_RUNNABLE);
    }
    // The supervisor may have died before the tie was made.
    if getppid().map(rustix::process::Pid::as_raw_pid) != Some(parent) {
        return ExitCode::from(NOT_RUNNABLE);
    }
    match kind {
        Kind::Component | Kind::Sandbox => {
            if let Err(error) = setsid() {
                tracing::debug!(%error, "no session of its own");
            }
        }
        Kind::Command => wait_for_supervisor_to_leave(parent),
    }
    let error = Command::new(&program).args(arguments).exec();
    eprintln!("handeye: cannot run {}: {error}", program.to_string_lossy());
    ExitCode::from(if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE })
}

/// The supervisor leaves the caller's session right after it has spawned the command. The command begins only then:
/// from its first step on, nothing that is done to its process group can harm the supervisor.
fn wait_for_supervisor_to_leave(supervisor: i32) {
    let deadline = Instant::now() + LEAVE_DEADLINE;
    let own = session_of(std::process::id().cast_signed());
    while session_of(supervisor) == own && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
}

//! The desktop session of this user, where the environment does not name it.
//!
//! Many MCP clients start a server with `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER` alone. What leads to the desktop is
//! then taken from where it still is: the processes of the session, the X servers, the login manager, the files of cookies. Only what belongs to
//! this user is considered, only what is tried and works is used, and a variable that is set is never replaced.
//!
//! It happens before anything else does: the program starts itself again with the variables that were missing, so that
//! libraries and children find them too.

mod authority;
mod display;
mod login;
mod processes;
mod report;
mod sessions;
mod socket;

use handeye_core::{Error, Result};
use report::Problem;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

pub(crate) use processes::lineage;
pub use report::Fact;
pub(crate) use report::{bus_problem, display_problem, facts, rejected};

/// How long the search may take in all.
const DEADLINE: Duration = Duration::from_secs(4);

/// What the environment says of the session. Empty values count as missing.
#[derive(Debug, Clone, Default)]
struct Given {
    display: Option<String>,
    wayland: Option<String>,
    bus: Option<String>,
    authority: Option<String>,
    runtime: Option<String>,
    home: Option<String>,
    scales: Option<String>,
    desktop: Option<String>,
}

impl Given {
    fn of_this_process() -> Self {
        let value = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self {
            display: value("DISPLAY"),
            wayland: value("WAYLAND_DISPLAY"),
            bus: value("DBUS_SESSION_BUS_ADDRESS"),
            authority: value("XAUTHORITY"),
            runtime: value("XDG_RUNTIME_DIR"),
            home: value("HOME"),
            scales: value("QT_SCREEN_SCALE_FACTORS"),
            desktop: value("HANDEYE_DESKTOP"),
        }
    }
}

/// What came of a search.
#[derive(Debug)]
enum Outcome {
    /// Nothing is missing.
    Complete,
    /// These variables are to be set.
    Found(Vec<Fact>),
    /// There is no session to work on, or more than one.
    Unclear(Problem),
}

/// Searches for what the environment of this process lacks. If something was found, this process starts its program again
/// with it and does not return; what was not found is reported by the calls that need it.
///
/// Blocks for up to a few seconds where something hangs; call it before there is a runtime or another thread.
///
/// # Errors
/// If the program cannot be started again.
pub fn complete_environment() -> Result<()> {
    if report::is_completed() {
        return Ok(());
    }
    match search(Given::of_this_process()) {
        Outcome::Complete => Ok(()),
        Outcome::Unclear(problem) => {
            report::keep(problem);
            Ok(())
        }
        Outcome::Found(facts) => Err(start_again(&facts)),
    }
}

/// Runs the search on a thread of its own, which is left behind if it takes too long.
fn search(given: Given) -> Outcome {
    let (send, receive) = channel();
    let work = move || drop(send.send(sessions::search(&given)));
    let unclear = |why: String| Outcome::Unclear(Problem::none(Vec::new(), &why));
    if let Err(fault) = std::thread::Builder::new().name("discovery".into()).spawn(work) {
        return unclear(format!("no thread can be started to search for one: {fault}"));
    }
    receive
        .recv_timeout(DEADLINE)
        .unwrap_or_else(|_| unclear(format!("the search took longer than {} s", DEADLINE.as_secs())))
}

/// Replaces this process by the same program with more variables. Returns only if that fails.
fn start_again(facts: &[Fact]) -> Error {
    // The file may have been replaced since it was started; the link still leads to what runs.
    let program = std::env::current_exe().ok().filter(|path| path.exists());
    let mut command = Command::new(program.unwrap_or_else(|| "/proc/self/exe".into()));
    let mut words = std::env::args_os();
    if let Some(name) = words.next() {
        command.arg0(name);
    }
    command.args(words).envs(facts.iter().map(|fact| (fact.name, fact.value.as_str())));
    command.env(report::FOUND_VARIABLE, report::encode(facts));
    Error::internal(format!(
        "handeye cannot start itself again with the session's environment: {}",
        command.exec()
    ))
}

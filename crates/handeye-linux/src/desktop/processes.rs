//! Processes as the kernel lists them: which descends from which, and how to end them for certain.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::time::{Duration, Instant};

/// A process, distinguished from a later one with the same number by its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Process {
    /// Its number.
    pub(crate) pid: i32,
    /// When it started, in clock ticks since the machine did.
    pub(super) started: u64,
}

/// One line of the process table.
struct Entry {
    process: Process,
    parent: i32,
    /// The session; 0 for one that began outside of this PID namespace (in a container).
    session: i32,
    is_zombie: bool,
}

/// How often the process table is read while processes are ending.
const POLL: Duration = Duration::from_millis(5);
/// How long the kernel may take to remove a process after SIGKILL.
const KILL_DEADLINE: Duration = Duration::from_secs(3);

impl Process {
    /// This process.
    pub(super) fn current() -> Option<Self> {
        Self::of(i32::try_from(std::process::id()).ok()?)
    }

    /// The process that has the number now.
    pub(super) fn of(pid: i32) -> Option<Self> {
        read_entry(pid).map(|entry| entry.process)
    }

    /// Whether it still runs (a zombie does not).
    pub(super) fn is_running(self) -> bool {
        read_entry(self.pid).is_some_and(|entry| entry.process == self && !entry.is_zombie)
    }

    /// Sends a signal, unless the process is gone. A handle is taken before the check, so that the number
    /// cannot pass to another process in between.
    pub(super) fn signal(self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
        if self.is_running()
            && let Err(error) = pidfd_send_signal(handle, signal)
        {
            tracing::debug!(pid = self.pid, ?signal, %error, "signal was not delivered");
        }
    }
}

/// Everything that descends from `ancestor`, without itself and without zombies.
pub(crate) fn descendants_of(ancestor: i32) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Entry>> = HashMap::new();
    for entry in table() {
        children.entry(entry.parent).or_default().push(entry);
    }
    let mut found = Vec::new();
    let mut parents = vec![ancestor];
    while let Some(parent) = parents.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            parents.push(child.process.pid);
            if !child.is_zombie {
                found.push(child.process);
            }
        }
    }
    found
}

/// The children of a process, without zombies.
pub(super) fn children_of(parent: i32) -> Vec<Process> {
    table().filter(|entry| entry.parent == parent && !entry.is_zombie).map(|entry| entry.process).collect()
}

/// The processes that carry `variable=value` in the environment they were started with, without this one
/// and its ancestors. Processes of other users cannot be read and are left out.
pub(crate) fn carrying(variable: &str, value: &OsStr) -> Vec<Process> {
    let mut wanted = format!("{variable}=").into_bytes();
    wanted.extend_from_slice(value.as_encoded_bytes());
    let entries: Vec<Entry> = table().collect();
    let spared = with_ancestors(&entries, std::process::id().cast_signed());
    entries
        .iter()
        .filter(|entry| !entry.is_zombie && !spared.contains(&entry.process.pid))
        .filter(|entry| {
            std::fs::read(format!("/proc/{}/environ", entry.process.pid))
                .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|entry| entry == wanted))
        })
        .map(|entry| entry.process)
        .collect()
}

fn with_ancestors(entries: &[Entry], pid: i32) -> HashSet<i32> {
    let parents: HashMap<i32, i32> = entries.iter().map(|entry| (entry.process.pid, entry.parent)).collect();
    let mut line = HashSet::new();
    let mut next = Some(pid);
    while let Some(pid) = next
        && line.insert(pid)
    {
        next = parents.get(&pid).copied();
    }
    line
}

/// Ends what `find` finds, again and again until it finds nothing: first asked to, then after `grace` by force.
/// Returns what would not go, which is empty unless the kernel holds on to a process.
pub(crate) fn end_all(mut find: impl FnMut() -> Vec<Process>, grace: Duration) -> Vec<Process> {
    let mut asked = HashSet::new();
    let polite_until = Instant::now() + grace;
    while Instant::now() < polite_until {
        let left = find();
        if left.is_empty() {
            return left;
        }
        for process in left {
            if asked.insert(process) {
                process.signal(Signal::TERM);
                // A stopped process would see the request only when it is continued.
                process.signal(Signal::CONT);
            }
        }
        std::thread::sleep(POLL);
    }
    let deadline = Instant::now() + KILL_DEADLINE;
    loop {
        let left = find();
        if left.is_empty() || Instant::now() >= deadline {
            return left;
        }
        for process in &left {
            process.signal(Signal::KILL);
        }
        std::thread::sleep(POLL);
    }
}

fn table() -> impl Iterator<Item = Entry> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|folder| folder.file_name().to_str()?.parse().ok())
        .filter_map(read_entry)
}

/// The session of a process, 0 for one that began outside of this PID namespace; `None` when the process is gone.
/// Read from the process table, because `getsid` of the `rustix` crate takes a session of 0 for a fault of the kernel.
pub(super) fn session_of(pid: i32) -> Option<i32> {
    read_entry(pid).map(|entry| entry.session)
}

/// Reads `/proc/PID/stat`; `None` when the process is gone.
fn read_entry(pid: i32) -> Option<Entry> {
    parse_entry(pid, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_entry(pid: i32, line: &str) -> Option<Entry> {
    // The name is in parentheses and may hold spaces and parentheses itself: what follows the last one counts.
    let mut fields = line.get(line.rfind(')')? + 1..)?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // The process group is between the two.
    let session = fields.nth(1)?.parse().ok()?;
    // After the session, 15 fields lie before the start time.
    let started = fields.nth(15)?.parse().ok()?;
    Some(Entry { process: Process { pid, started }, parent, session, is_zombie: matches!(state, "Z" | "X") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_session_from_outside_of_the_container_is_no_fault() {
        let line = "7 (a) b) S 1 7 0 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 9876 1000 1";
        let entry = parse_entry(7, line).expect("a line of the process table");
        assert_eq!((entry.parent, entry.session, entry.process.started), (1, 0, 9876));
        let own = std::process::id().cast_signed();
        assert_eq!(session_of(own), read_entry(own).map(|entry| entry.session));
    }

    #[test]
    fn a_child_is_found_by_descent_and_by_environment_and_is_ended() {
        let marker = OsStr::new("/handeye/test/marker");
        let mut child =
            Command::new("sleep").arg("60").env("HANDEYE_TEST_MARKER", marker).spawn().expect("sleep starts");
        let process = Process::of(child.id().cast_signed()).expect("it runs");
        assert!(descendants_of(std::process::id().cast_signed()).contains(&process));
        let deadline = Instant::now() + Duration::from_secs(5);
        while carrying("HANDEYE_TEST_MARKER", marker) != [process] {
            assert!(Instant::now() < deadline, "the child was never found by its environment");
        }
        let find = || if process.is_running() { vec![process] } else { Vec::new() };
        assert_eq!(end_all(find, Duration::from_secs(2)), []);
        child.wait().expect("it ended");
        assert!(!process.is_running());
    }
}

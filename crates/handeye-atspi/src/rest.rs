//! Whether the threads of a process sleep, and have slept since another time.

use super::aside::alone;
use super::process::{MAX_STATUS, content};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Most threads of a process that are looked at. Of one with more, nothing is known.
const MAX_THREADS: usize = 256;
/// Time between two looks whether a thread sleeps.
const LOOK_AGAIN: Duration = Duration::from_micros(50);

/// How often each thread of a sleeping process has given up its processor. Two equal ones mean that none of them ran in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rest(BTreeMap<u32, u64>);

impl Rest {
    /// Looks at a process, for at most `patience` until all of its threads sleep; `None` if they do not, or where that cannot be seen.
    pub(super) async fn of(pid: u32, patience: Duration) -> Option<Self> {
        alone(pid, move |pid| {
            let until = Instant::now() + patience;
            loop {
                let rest = Self::look_at(Path::new(&format!("/proc/{pid}/task")));
                if rest.is_some() || Instant::now() >= until {
                    return rest;
                }
                std::thread::sleep(LOOK_AGAIN);
            }
        })
        .await
    }

    fn look_at(threads: &Path) -> Option<Self> {
        let mut switches = BTreeMap::new();
        for thread in std::fs::read_dir(threads).ok()? {
            let thread = thread.ok()?;
            let number = thread.file_name().to_str()?.parse().ok()?;
            let status = String::from_utf8(content(&thread.path().join("status"), MAX_STATUS)?).ok()?;
            switches.insert(number, switches_asleep(&status)?);
            if switches.len() > MAX_THREADS {
                return None;
            }
        }
        Some(Self(switches))
    }
}

/// How often a thread has given up its processor, by its `status` file (proc(5)); `None` if it does not sleep.
fn switches_asleep(status: &str) -> Option<u64> {
    let field = |name: &str| {
        status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    };
    if !field("State")?.starts_with('S') {
        return None;
    }
    let count = |name| field(name)?.parse::<u64>().ok();
    count("voluntary_ctxt_switches")?.checked_add(count("nonvoluntary_ctxt_switches")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn only_a_thread_that_sleeps_is_counted() {
        let status = |state| {
            format!(
                "Name:\tx\nState:\t{state}\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n"
            )
        };
        assert_eq!(switches_asleep(&status("S (sleeping)")), Some(9));
        for state in ["R (running)", "T (stopped)", "D (disk sleep)", "Z (zombie)"] {
            assert_eq!(switches_asleep(&status(state)), None, "{state}");
        }
        assert_eq!(switches_asleep("State:\tS\n"), None);
        assert_eq!(switches_asleep(""), None);
    }

    #[tokio::test]
    async fn a_process_rests_until_it_has_something_to_do() {
        let mut child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat runs");
        let until = Instant::now() + PATIENCE;
        // A thread that is about to sleep says that it does before its switch is counted.
        let mut first = Rest::of(child.id(), PATIENCE).await.expect("it waits for its input");
        loop {
            let again = Rest::of(child.id(), PATIENCE).await.expect("it waits for its input");
            if again == first {
                break;
            }
            first = again;
            assert!(Instant::now() < until, "it rests");
        }
        child.stdin.as_mut().expect("it is piped").write_all(b"x\n").expect("it is read");
        while Rest::of(child.id(), PATIENCE).await == Some(first.clone()) {
            assert!(Instant::now() < until, "it has run");
        }
        drop(child.stdin.take());
        child.wait().expect("it ends");
        assert_eq!(Rest::of(child.id(), Duration::ZERO).await, None);
    }
}

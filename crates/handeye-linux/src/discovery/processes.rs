//! What the processes of this user know of the session that they work in.

use super::display::local_number;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// The variables that are read from a process.
pub(super) const VARIABLES: [&str; 7] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "QT_SCREEN_SCALE_FACTORS",
    PRIVATE,
];
/// Names the private desktop that a process works in.
pub(super) const PRIVATE: &str = "HANDEYE_DESKTOP";

/// Most bytes of an environment or of a command line that are read.
const MAX_TEXT: u64 = 256 << 10;
/// Most processes that are looked at, and most that are remembered.
const MAX_PROCESSES: usize = 32_768;
const MAX_WITNESSES: usize = 4_096;
/// How long all of them may take, and one: an environment is in the memory of its process, which may be a file that never answers.
const DEADLINE: Duration = Duration::from_millis(1_500);
const PATIENCE: Duration = Duration::from_millis(150);
/// Processes that may let a reader wait before the search goes on without the others.
const MAX_STUCK: usize = 4;
/// How far up the line of parents goes.
const MAX_ANCESTORS: u32 = 32;

/// A process of this user.
#[derive(Debug, Default)]
pub(super) struct Witness {
    pub(super) pid: u32,
    /// The name of its program.
    pub(super) name: String,
    /// The local display that it works on.
    pub(super) display: Option<u32>,
    /// Those of [`VARIABLES`] that it was started with.
    pub(super) variables: BTreeMap<&'static str, String>,
    /// How many generations it is above this process, if it is above it: 1 is the parent.
    pub(super) generation: Option<u32>,
    /// What it serves, if it is an X server.
    pub(super) server: Option<Server>,
}

/// What the command line of an X server says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) display: Option<u32>,
    pub(super) authority: Option<PathBuf>,
}

/// What was found in `/proc`.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// Processes of this user that name a display or are an X server, those of private desktops excepted.
    pub(super) own: Vec<Witness>,
    /// Displays of private desktops.
    pub(super) private: BTreeSet<u32>,
    /// Displays that other users work on, as far as this user may see that.
    pub(super) foreign: BTreeSet<u32>,
}

impl Witness {
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// For people: `process 812 (xfwm4)`.
    pub(super) fn describe(&self) -> String {
        match self.generation {
            Some(_) => format!("process {} ({}), which started handeye", self.pid, self.name),
            None => format!("process {} ({})", self.pid, self.name),
        }
    }
}

/// Looks at every process.
pub(super) fn census(user: u32) -> Census {
    let deadline = Instant::now() + DEADLINE;
    let above = ancestors();
    let mut census = Census::default();
    let mut reader = Reader::start(user);
    let mut stuck = 0;
    // What started this process first: it decides, and must not be what is left out.
    let listed = std::fs::read_dir("/proc").into_iter().flatten().flatten().take(MAX_PROCESSES);
    let listed = listed.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let others = listed.filter(|pid| *pid != std::process::id() && !above.contains(pid));
    for pid in above.iter().copied().chain(others) {
        if Instant::now() > deadline || stuck > MAX_STUCK || census.own.len() >= MAX_WITNESSES {
            break;
        }
        match reader.read(pid) {
            Some(Some((owner, mut witness))) => {
                let place = above.iter().position(|process| *process == pid);
                witness.generation = place.and_then(|place| u32::try_from(place + 1).ok());
                census.add(owner == user, witness);
            }
            Some(None) => {}
            None => {
                stuck += 1;
                reader = Reader::start(user);
            }
        }
    }
    let private = std::mem::take(&mut census.private);
    census.own.retain(|witness| {
        witness.generation.is_some() || witness.display.is_none_or(|display| !private.contains(&display))
    });
    census.private = private;
    census
}

impl Census {
    fn add(&mut self, is_own: bool, witness: Witness) {
        let displays = [witness.display, witness.server.as_ref().and_then(|server| server.display)];
        let displays = displays.into_iter().flatten();
        if !is_own {
            self.foreign.extend(displays);
        } else if witness.value(PRIVATE).is_some() && witness.generation.is_none() {
            self.private.extend(displays);
        } else if witness.display.is_some() || witness.server.is_some() {
            self.own.push(witness);
        }
    }
}

/// The line of parents of this process, the nearest first.
fn ancestors() -> Vec<u32> {
    lineage(std::os::unix::process::parent_id())
}

/// A process, the one that started it, and so on. The first process of the system is not among them.
pub(crate) fn lineage(pid: u32) -> Vec<u32> {
    let mut line = vec![pid];
    while let Some(parent) = line.last().and_then(|pid| parent(*pid)) {
        if parent <= 1 || line.len() >= MAX_ANCESTORS as usize {
            break;
        }
        line.push(parent);
    }
    line
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// A thread that reads about processes, so that one which does not let itself be read holds up nothing else.
struct Reader {
    asked: Sender<u32>,
    answered: Receiver<Option<(u32, Witness)>>,
}

impl Reader {
    fn start(user: u32) -> Self {
        let (asked, questions) = channel();
        let (answers, answered) = channel();
        let work = move || {
            for pid in questions {
                if answers.send(look_at(pid, user)).is_err() {
                    break;
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("processes".into()).spawn(work) {
            tracing::warn!(%error, "processes are not looked at");
        }
        Self { asked, answered }
    }

    /// The owner of a process and what is known of it; `None` outside if it does not let itself be read.
    #[expect(clippy::option_option, reason = "nothing to tell is another answer than none")]
    fn read(&self, pid: u32) -> Option<Option<(u32, Witness)>> {
        self.asked.send(pid).ok()?;
        self.answered.recv_timeout(PATIENCE).ok()
    }
}

/// Reads about a process. Of other users' processes only this is kept: which display they work on, where that can be seen.
fn look_at(pid: u32, user: u32) -> Option<(u32, Witness)> {
    let owner = std::fs::metadata(format!("/proc/{pid}")).ok()?.uid();
    let environment = text(pid, "environ")?;
    let mut variables = BTreeMap::new();
    for pair in environment.split('\0') {
        let Some((name, value)) = pair.split_once('=') else { continue };
        if let Some(known) = VARIABLES.into_iter().find(|known| *known == name).filter(|_| !value.is_empty())
        {
            variables.entry(known).or_insert_with(|| value.to_owned());
        }
    }
    let display = variables.get("DISPLAY").and_then(|name| local_number(name));
    let server = server(&text(pid, "cmdline")?);
    if owner != user {
        return Some((owner, Witness { pid, display, ..Witness::default() }));
    }
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned();
    Some((owner, Witness { pid, name, display, variables, generation: None, server }))
}

/// A file of a process, as far as it is text; `None` if it may not be read or the process is gone.
fn text(pid: u32, file: &str) -> Option<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(format!("/proc/{pid}/{file}")).ok()?.take(MAX_TEXT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What an X server serves, if the command line is one of an X server.
fn server(command_line: &str) -> Option<Server> {
    let mut words = command_line.split('\0');
    let program = words.next()?.rsplit('/').next()?;
    let is_server = program == "X"
        || ["Xorg", "Xwayland", "Xvfb", "Xephyr", "Xnest"].contains(&program)
        || program.starts_with('X') && program.ends_with("vnc");
    if !is_server {
        return None;
    }
    let words: Vec<&str> = words.collect();
    let after = |option: &str| words.iter().skip_while(|word| **word != option).nth(1);
    Some(Server {
        display: words.iter().find(|word| word.starts_with(':')).and_then(|word| local_number(word)),
        authority: after("-auth").map(PathBuf::from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_of_an_x_server_names_what_it_serves() {
        let line = |words: &[&str]| words.join("\0");
        assert_eq!(
            server(&line(&[
                "/usr/lib/xorg/Xorg",
                "-core",
                ":1",
                "-seat",
                "seat0",
                "-auth",
                "/run/lightdm/root/:1",
                "vt7"
            ])),
            Some(Server { display: Some(1), authority: Some("/run/lightdm/root/:1".into()) })
        );
        assert_eq!(
            server(&line(&["Xvfb", "-displayfd", "4", "-auth"])),
            Some(Server { display: None, authority: None })
        );
        assert!(server(&line(&["Xtigervnc", ":5"])).is_some());
        assert_eq!(server(&line(&["xterm", ":1"])), None);
        assert_eq!(server(""), None);
    }

    #[test]
    fn the_line_of_parents_begins_with_the_nearest() {
        assert_eq!(ancestors().first(), Some(&std::os::unix::process::parent_id()));
    }

    #[test]
    fn processes_of_private_desktops_and_of_others_are_no_witnesses() {
        let witness = |pid, display, private: Option<&str>, generation| Witness {
            pid,
            display: Some(display),
            variables: private.map(|folder| (PRIVATE, folder.to_owned())).into_iter().collect(),
            generation,
            ..Witness::default()
        };
        let mut census = Census::default();
        census.add(true, witness(1, 1, None, None));
        census.add(true, witness(2, 2, Some("/run/desktop"), None));
        census.add(true, witness(3, 3, Some("/run/desktop"), Some(1)));
        census.add(false, witness(4, 4, None, None));
        assert_eq!(census.own.iter().map(|witness| witness.pid).collect::<Vec<_>>(), [1, 3]);
        assert_eq!((census.private, census.foreign), (BTreeSet::from([2]), BTreeSet::from([4])));
    }
}

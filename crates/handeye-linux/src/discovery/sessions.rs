//! From what is known of displays, processes and logins to the one session that is meant.

use super::display::{self, Verdict, examine, local_number};
use super::login::{self, Login};
use super::processes::{self, Census, Witness};
use super::report::{Fact, Problem};
use super::socket::is_reachable_bus;
use super::{Given, Outcome, authority};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Displays that are tried.
const MAX_DISPLAYS: usize = 32;
/// Values of one variable that are tried.
const MAX_VALUES: usize = 8;

/// A session that can be used.
#[derive(Debug)]
struct DesktopSession {
    number: u32,
    facts: Vec<Fact>,
    /// The nearest process above this one that works in it.
    generation: Option<u32>,
    /// Whether it has a bus and a process that works in it, so that it is more than an X server.
    is_alive: bool,
    description: String,
}

/// Everything that is known.
struct Known<'a> {
    given: &'a Given,
    census: Census,
    logins: Vec<Login>,
    user: u32,
    home_authority: Option<PathBuf>,
    managers: Vec<PathBuf>,
}

/// Searches for what `given` lacks.
pub(super) fn search(given: &Given) -> Outcome {
    // Programs of a private desktop get all of its variables.
    if given.desktop.is_some() {
        return Outcome::Complete;
    }
    let named = given.display.as_deref().map(local_number);
    // A display that comes through the network belongs to another machine.
    if named == Some(None) {
        return Outcome::Complete;
    }
    let named = named.flatten();
    let user = rustix::process::geteuid().as_raw();
    let home_authority = given.home.as_ref().map(|home| Path::new(home).join(".Xauthority"));
    if let Some(number) = named.filter(|_| given.bus.is_some()) {
        let usual = given.authority.as_ref().map(PathBuf::from).or_else(|| home_authority.clone());
        if given.authority.is_some() || usable(number, usual.as_slice(), user) {
            return Outcome::Complete;
        }
    }
    let user_name = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok();
    let runtime = given.runtime.as_deref().map(Path::new);
    let known = Known {
        managers: authority::of_display_managers(user, runtime, user_name.as_deref()),
        census: processes::census(user),
        logins: login::sessions(),
        given,
        user,
        home_authority,
    };
    known.decide(named)
}

fn usable(number: u32, files: &[PathBuf], user: u32) -> bool {
    matches!(examine(number, files, user), Verdict::Usable(_))
}

impl Known<'_> {
    fn decide(&self, named: Option<u32>) -> Outcome {
        let candidates = match named {
            Some(number) => BTreeMap::from([(number, "DISPLAY".to_owned())]),
            None => self.candidates(),
        };
        let verdicts = self.examine_all(candidates);
        let mut rejected = Vec::new();
        let mut sessions = Vec::new();
        for (number, origin, verdict) in verdicts {
            match verdict {
                Verdict::Usable(file) => sessions.push(self.session(number, &origin, file.as_deref())),
                Verdict::Rejected(why) => {
                    rejected.push(format!("display :{number} {why} (known from {origin})"));
                }
            }
        }
        match choose(sessions) {
            Ok(Some(session)) if session.facts.is_empty() => Outcome::Complete,
            Ok(Some(session)) => Outcome::Found(session.facts),
            // It stays set, as it was set on purpose.
            Ok(None) if named.is_some() => Outcome::Unclear(Problem::unusable(rejected)),
            Ok(None) if rejected.is_empty() => Outcome::Unclear(Problem::none(
                rejected,
                "DISPLAY is not set, and neither a process nor an X server nor a login of this user leads to a display",
            )),
            Ok(None) => Outcome::Unclear(Problem::none(
                rejected,
                "DISPLAY is not set, and no display that was found can be used",
            )),
            Err(sessions) => {
                let first =
                    sessions.first().map_or_else(String::new, |session| format!(":{}", session.number));
                let sessions = sessions.into_iter().map(|session| session.description).collect();
                Outcome::Unclear(Problem::several(sessions, &first))
            }
        }
    }

    /// The displays that may be meant, each with where it is known from.
    fn candidates(&self) -> BTreeMap<u32, String> {
        let mut found = BTreeMap::new();
        for witness in &self.census.own {
            let served = witness.server.as_ref().and_then(|server| server.display);
            for number in witness.display.into_iter().chain(served) {
                found.entry(number).or_insert_with(|| witness.describe());
            }
        }
        for login in self.logins.iter().filter(|login| login.user == self.user) {
            found.entry(login.display).or_insert_with(|| format!("login session {}", login.id));
        }
        for number in sockets() {
            let file = self.home_authority.as_deref();
            let has_cookie = file.filter(|file| {
                matches!(authority::cookie(file, number, self.user), authority::Cookie::Found(_))
            });
            if let Some(file) = has_cookie {
                found.entry(number).or_insert_with(|| format!("{}", file.display()));
            }
        }
        let of_others = |number: &u32| {
            let has_login = |login: &Login| login.user != self.user && login.display == *number;
            self.census.foreign.contains(number) || self.logins.iter().any(has_login)
        };
        let is_inside = |number: &u32| {
            self.census
                .own
                .iter()
                .any(|witness| witness.generation.is_some() && witness.display == Some(*number))
        };
        found.retain(|number, _| {
            !of_others(number)
                && (!self.census.private.contains(number) || is_inside(number))
                && self.agrees(*number)
        });
        found
    }

    /// Whether a process on the display agrees with each variable that is set and belongs to a session.
    fn agrees(&self, number: u32) -> bool {
        let usual = format!("/run/user/{}", self.user);
        let runtime = self.given.runtime.as_ref().filter(|runtime| **runtime != usual);
        let set = [
            ("DBUS_SESSION_BUS_ADDRESS", self.given.bus.as_ref()),
            ("WAYLAND_DISPLAY", self.given.wayland.as_ref()),
            ("XDG_RUNTIME_DIR", runtime),
        ];
        let agrees =
            |name: &str, value: &str| self.on(number).any(|witness| witness.value(name) == Some(value));
        set.into_iter().all(|(name, value)| value.is_none_or(|value| agrees(name, value)))
    }

    fn on(&self, number: u32) -> impl Iterator<Item = &Witness> {
        self.census.own.iter().filter(move |witness| witness.display == Some(number))
    }

    /// Tries all displays at once, so that those that hang cost the time of one.
    fn examine_all(&self, candidates: BTreeMap<u32, String>) -> Vec<(u32, String, Verdict)> {
        let candidates: Vec<_> = candidates.into_iter().take(MAX_DISPLAYS).collect();
        let broke_off = || Verdict::Rejected("could not be tried".to_owned());
        std::thread::scope(|scope| {
            let tries: Vec<_> = candidates
                .into_iter()
                .map(|(number, origin)| {
                    let files = self.authorities(number);
                    (number, origin, scope.spawn(move || examine(number, &files, self.user)))
                })
                .collect();
            let joined = tries.into_iter().map(|(number, origin, tried)| {
                (number, origin, tried.join().unwrap_or_else(|_| broke_off()))
            });
            joined.collect()
        })
    }

    /// The files that may have the cookie of a display, the likeliest first.
    fn authorities(&self, number: u32) -> Vec<PathBuf> {
        if let Some(set) = &self.given.authority {
            return vec![set.into()];
        }
        let mut files = Vec::new();
        let usual = self.home_authority.iter().cloned();
        // Where the display is set, things are as the person has arranged them.
        if self.given.display.is_some() {
            files.extend(usual.clone());
        }
        files.extend(self.values(number, "XAUTHORITY").into_iter().map(|(file, _)| file.into()));
        let servers = self.census.own.iter().filter_map(|witness| witness.server.as_ref());
        let served = servers.filter(|server| server.display.is_none_or(|display| display == number));
        files.extend(served.filter_map(|server| server.authority.clone()));
        files.extend(usual);
        files.extend(self.managers.iter().cloned());
        // What is relative is so to the folder of another process.
        files.retain(|file: &PathBuf| file.is_absolute());
        let mut unique = Vec::new();
        files.retain(|file: &PathBuf| {
            !unique.contains(file) && {
                unique.push(file.clone());
                true
            }
        });
        files
    }

    /// The values that the processes on a display have for a variable, with one process for each: first what the nearest
    /// process above this one has, then what most have.
    fn values(&self, number: u32, name: &str) -> Vec<(String, &Witness)> {
        let mut counted: BTreeMap<&str, (usize, &Witness)> = BTreeMap::new();
        for witness in self.on(number) {
            let Some(value) = witness.value(name) else { continue };
            let entry = counted.entry(value).or_insert((0, witness));
            entry.0 += 1;
            let rank = |witness: &Witness| (witness.generation.unwrap_or(u32::MAX), witness.pid);
            if rank(witness) < rank(entry.1) {
                entry.1 = witness;
            }
        }
        let mut values: Vec<_> = counted.into_iter().collect();
        values.sort_by_key(|(_, (count, witness))| {
            (witness.generation.unwrap_or(u32::MAX), std::cmp::Reverse(*count), witness.pid)
        });
        values.truncate(MAX_VALUES);
        values.into_iter().map(|(value, (_, witness))| (value.to_owned(), witness)).collect()
    }

    /// The first value that the processes on a display have and that passes the test.
    fn elect(&self, number: u32, name: &'static str, test: impl Fn(&str) -> bool) -> Option<Fact> {
        let (value, witness) = self.values(number, name).into_iter().find(|(value, _)| test(value))?;
        Some(Fact { name, value, source: witness.describe() })
    }

    /// What is to be set in order to work on a display that can be used with the cookie in `file`.
    fn session(&self, number: u32, origin: &str, file: Option<&Path>) -> DesktopSession {
        let given = self.given;
        let mut facts = Vec::new();
        if given.display.is_none() {
            facts.push(Fact { name: "DISPLAY", value: format!(":{number}"), source: origin.to_owned() });
        }
        // Libraries find the usual file by themselves; it is named where the processes of the session name it.
        let named = self.elect(number, "XAUTHORITY", |value| file == Some(Path::new(value)));
        let is_usual = file == self.home_authority.as_deref();
        if let Some(file) = file.and_then(Path::to_str).filter(|_| given.authority.is_none()) {
            let of_file = || Fact {
                name: "XAUTHORITY",
                value: file.to_owned(),
                source: "its cookie, which was tried".into(),
            };
            facts.extend(named.or_else(|| (!is_usual).then(of_file)));
        }
        let runtime = self.runtime(number);
        let bus = match &given.bus {
            Some(_) => None,
            None => self.bus(number, runtime.as_ref().map(|fact| fact.value.as_str())),
        };
        let has_bus = given.bus.is_some() || bus.is_some();
        facts.extend(bus);
        facts.extend(runtime.filter(|_| given.runtime.is_none()));
        if given.wayland.is_none() && given.display.is_none() {
            facts.extend(self.elect(number, "WAYLAND_DISPLAY", |_| true));
        }
        if given.scales.is_none() && given.display.is_none() {
            facts.extend(self.elect(number, "QT_SCREEN_SCALE_FACTORS", |_| true));
        }
        facts.extend(self.elect(number, processes::PRIVATE, |_| true));
        let processes = self.on(number).count();
        DesktopSession {
            number,
            generation: self.on(number).filter_map(|witness| witness.generation).min(),
            is_alive: has_bus && processes > 0,
            description: self.describe(number, processes, &facts),
            facts,
        }
    }

    /// The runtime folder of a session: that of its processes, else the usual one of this user.
    fn runtime(&self, number: u32) -> Option<Fact> {
        let is_own = |value: &str| {
            Path::new(value).metadata().is_ok_and(|found| found.is_dir() && found.uid() == self.user)
        };
        let name = "XDG_RUNTIME_DIR";
        if let Some(set) = &self.given.runtime {
            return Some(Fact { name, value: set.clone(), source: "the environment".into() });
        }
        let usual = format!("/run/user/{}", self.user);
        self.elect(number, name, is_own).or_else(|| {
            is_own(&usual).then(|| Fact { name, value: usual, source: "the user's folder".into() })
        })
    }

    /// The session bus of a display: that of its processes, else the one in the runtime folder.
    fn bus(&self, number: u32, runtime: Option<&str>) -> Option<Fact> {
        let name = "DBUS_SESSION_BUS_ADDRESS";
        let elected = self.elect(number, name, is_reachable_bus);
        let usual = format!("/run/user/{}", self.user);
        elected.or_else(|| {
            let path = format!("{}/bus", runtime.unwrap_or(&usual));
            let is_own = Path::new(&path).metadata().is_ok_and(|found| found.uid() == self.user);
            let value = format!("unix:path={path}");
            (is_own && is_reachable_bus(&value)).then_some(Fact { name, value, source: path })
        })
    }

    /// One line that distinguishes a session from others.
    fn describe(&self, number: u32, processes: usize, facts: &[Fact]) -> String {
        let login = self.logins.iter().find(|login| login.display == number);
        let login = login.map_or_else(String::new, |login| format!(", login session {}", login.id));
        let mut names: Vec<&str> = self
            .on(number)
            .map(|witness| witness.name.as_str())
            .filter(|name| is_distinctive(name))
            .collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(4);
        let names = if names.is_empty() { "no process".to_owned() } else { names.join(", ") };
        let bus = facts.iter().find(|fact| fact.name == "DBUS_SESSION_BUS_ADDRESS");
        let bus = bus.map_or_else(String::new, |fact| format!(", bus {}", fact.value));
        let plural = if processes == 1 { "" } else { "es" };
        format!("DISPLAY=:{number}: {processes} process{plural} ({names}){login}{bus}")
    }
}

/// The one session that is meant: that of the nearest process above this one, else the only one. All, if there are several.
fn choose(mut sessions: Vec<DesktopSession>) -> Result<Option<DesktopSession>, Vec<DesktopSession>> {
    let nearest = sessions.iter().filter_map(|session| session.generation).min();
    if let Some(index) =
        sessions.iter().position(|session| nearest.is_some() && session.generation == nearest)
    {
        return Ok(Some(sessions.swap_remove(index)));
    }
    // An X server without a program on it does not make it unclear which session is meant.
    if sessions.iter().any(|session| session.is_alive) {
        sessions.retain(|session| session.is_alive);
    }
    if sessions.len() > 1 { Err(sessions) } else { Ok(sessions.pop()) }
}

/// Whether the name of a program distinguishes a session from others: helpers are the same in all of them.
fn is_distinctive(name: &str) -> bool {
    const HELPERS: [&str; 8] = ["at-spi", "dbus", "dconf", "gvfs", "ibus", "xdg-", "systemd", "sh"];
    !name.is_empty() && !HELPERS.iter().any(|helper| name.starts_with(helper))
}

/// The numbers of the displays that have a socket.
fn sockets() -> Vec<u32> {
    let folder = Path::new(&display::socket_path(0)).parent().map(Path::to_path_buf).unwrap_or_default();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.strip_prefix('X')?.parse().ok();
    entries.filter_map(number).take(MAX_DISPLAYS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(number: u32, generation: Option<u32>, is_alive: bool) -> DesktopSession {
        DesktopSession { number, facts: Vec::new(), generation, is_alive, description: String::new() }
    }

    fn chosen(sessions: Vec<DesktopSession>) -> Result<Option<u32>, usize> {
        choose(sessions).map(|session| session.map(|session| session.number)).map_err(|all| all.len())
    }

    #[test]
    fn the_only_session_or_that_of_the_client_is_chosen() {
        assert_eq!(chosen(vec![]), Ok(None));
        assert_eq!(chosen(vec![session(1, None, false)]), Ok(Some(1)));
        assert_eq!(chosen(vec![session(1, None, true), session(2, None, false)]), Ok(Some(1)));
        assert_eq!(chosen(vec![session(1, None, true), session(2, None, true)]), Err(2));
        assert_eq!(chosen(vec![session(1, None, true), session(2, Some(3), true)]), Ok(Some(2)));
        assert_eq!(chosen(vec![session(1, Some(2), true), session(2, Some(3), true)]), Ok(Some(1)));
    }
}

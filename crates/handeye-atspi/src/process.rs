//! What `/proc` contains about a process.
//!
//! Some of it lies in the memory of that process, which decides how long reading takes (it may be a file that never answers) and
//! how much there is. So it is read aside, within a deadline and a size.

use super::aside::in_turn;
use handeye_core::{ProcessIdentity, screen_text};
use rustix::time::{ClockId, clock_gettime};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most bytes of an environment that are looked through; the kernel gives a program a few hundred thousand.
const MAX_ENVIRONMENT: u64 = 1 << 20;
/// Most bytes of a list of mapped files; a browser's has a quarter of it.
const MAX_MAPS: u64 = 4 << 20;
/// Most bytes of what the kernel reports in one line.
pub(super) const MAX_STATUS: u64 = 64 << 10;
/// Most bytes of the description of a sandbox.
const MAX_FLATPAK_INFO: u64 = 64 << 10;
/// What is known of a process.
#[derive(Debug, Clone, Default)]
pub(super) struct Process {
    /// Name of its executable, or what it calls itself where that is an interpreter.
    pub(super) name: Option<String>,
    /// The desktop file as which it was launched, without its ending.
    pub(super) launched_as: Option<String>,
    /// What distinguishes it from every other process. `None` where `/proc` did not answer.
    identity: Option<ProcessIdentity>,
    /// Whether it was starting when this was read.
    is_starting: bool,
}

impl Process {
    /// Reads about the process `pid`. Empty if that takes too long.
    pub(super) async fn look_at(pid: u32) -> Self {
        in_turn(pid, Self::read).await
    }

    fn read(pid: u32) -> Self {
        let (executable, started) = (executable(pid), started(pid));
        Self {
            name: process_name(pid, executable.as_deref()),
            launched_as: launched_as(pid),
            is_starting: started.is_some_and(is_recent),
            identity: Some(identity(pid, started, executable)),
        }
    }

    /// Whether it was starting when this was read, or could not be read.
    pub(super) fn is_starting(&self) -> bool {
        self.is_starting || self.identity.is_none()
    }

    /// What distinguishes this process, whose number is `pid`, from every other one, as far as that could be read.
    pub(super) fn identity(&self, pid: u32) -> ProcessIdentity {
        self.identity.clone().unwrap_or_else(|| ProcessIdentity::unverified(pid))
    }
}

/// What a process is made with, as far as the libraries show that it has loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Libraries {
    Gtk2,
    Java,
    Qt,
    /// Chromium, or what embeds it: Electron.
    Chromium,
    /// The X toolkit (Athena, Motif), Tk, FLTK or FOX, which have no accessibility.
    Inaccessible,
    /// Others, or they cannot be seen.
    #[default]
    Others,
}

impl Libraries {
    /// Reads which libraries the process `pid` has loaded.
    pub(super) async fn of(pid: u32) -> Self {
        in_turn(pid, loaded).await
    }

    fn in_maps(maps: &str) -> Self {
        const INACCESSIBLE: [&str; 5] = ["/libXt.so", "/libtk8", "/libtcl9tk", "/libfltk.so", "/libFOX-"];
        // Some of those load one of these for something else.
        const ACCESSIBLE: [&str; 5] =
            ["/libgtk-3.so", "/libgtk-4.so", "/libxul.so", "/libatk-bridge-2.0.so", "/libatspi.so"];
        let has = |library: &str| maps.contains(library);
        if has("/libjvm.so") {
            // Before GTK: Java loads that for its looks.
            Self::Java
        } else if has("/chrome_100_percent.pak") {
            // Before GTK too, which it loads for its looks.
            Self::Chromium
        } else if has("/libgtk-x11-2.0.so") {
            Self::Gtk2
        } else if has("/libQt6Core.so") || has("/libQt5Core.so") {
            Self::Qt
        } else if INACCESSIBLE.iter().any(|library| has(library))
            && !ACCESSIBLE.iter().any(|library| has(library))
        {
            Self::Inaccessible
        } else {
            Self::Others
        }
    }
}

/// A file of `/proc`, of which at most `most` bytes are read. Such files state no sizes, so without room from the start each takes eight reads.
pub(super) fn content(path: &Path, most: u64) -> Option<Vec<u8>> {
    const ROOM: usize = 4096;
    let mut bytes = Vec::with_capacity(ROOM);
    std::fs::File::open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The same of a file of a process.
fn content_of(pid: u32, file: &str, most: u64) -> Option<Vec<u8>> {
    content(Path::new(&format!("/proc/{pid}/{file}")), most)
}

/// The same where it is text.
fn text(pid: u32, file: &str, most: u64) -> Option<String> {
    String::from_utf8(content_of(pid, file, most)?).ok()
}

fn loaded(pid: u32) -> Libraries {
    maps(pid).map_or(Libraries::Others, |maps| Libraries::in_maps(&maps))
}

/// The files that a process has mapped; `None` where they cannot be seen.
fn maps(pid: u32) -> Option<String> {
    let mut maps = Vec::new();
    let file = std::fs::File::open(format!("/proc/{pid}/maps"));
    match file.and_then(|file| file.take(MAX_MAPS).read_to_end(&mut maps)) {
        Ok(_) => Some(String::from_utf8_lossy(&maps).into_owned()),
        Err(error) => {
            tracing::debug!(pid, %error, "its libraries cannot be seen");
            None
        }
    }
}

/// Whether a process shows windows by itself. The proxy of a sandbox, which passes on what another one says, does not.
pub(super) async fn shows_windows(pid: u32) -> bool {
    /// What is loaded by whatever draws on an X server or a Wayland compositor.
    const DRAWING: [&str; 4] = ["/libxcb.so", "/libX11.so", "/libwayland-client.so", "/libxul.so"];
    in_turn(pid, |pid| maps(pid).is_some_and(|maps| DRAWING.iter().any(|library| maps.contains(library))))
        .await
}

/// Whether a process started so recently that it may not have reached the accessibility bus yet.
pub(super) fn is_starting(pid: u32) -> bool {
    started(pid).is_some_and(is_recent)
}

/// Whether what started then, in ticks since the system did, may still be starting.
fn is_recent(started: u64) -> bool {
    /// Ticks in a second that `/proc` counts in, on every Linux of today.
    const TICKS: f64 = 100.0;
    const START_UP: f64 = 20.0;
    let uptime = clock_gettime(ClockId::Boottime);
    uptime.tv_sec as f64 + uptime.tv_nsec as f64 / 1e9 - (started as f64 / TICKS) < START_UP
}

/// When a process started, in ticks since the system did.
fn started(pid: u32) -> Option<u64> {
    let status = content_of(pid, "stat", MAX_STATUS)?;
    let status = String::from_utf8_lossy(&status);
    // The name in parentheses may hold anything; what follows it is numbers. The start time is the 22nd field.
    status.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// The file that a process runs; `None` where that cannot be seen.
fn executable(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// What the kernel reports of a process, which the process itself cannot choose.
fn identity(pid: u32, started: Option<u64>, executable: Option<PathBuf>) -> ProcessIdentity {
    ProcessIdentity {
        pid,
        started,
        executable_is_here: executable.as_deref().is_some_and(|path| runs(pid, path)),
        executable: executable.and_then(|path| path.to_str().map(Arc::from)),
        sandbox: flatpak(pid),
    }
}

/// Whether the file at this path here is the one that a process runs. In a file system of its own, which every user can make, a process has
/// whatever path it likes.
fn runs(pid: u32, path: &Path) -> bool {
    let identity = |path: &Path| std::fs::metadata(path).map(|file| (file.dev(), file.ino()));
    match (identity(path), identity(Path::new(&format!("/proc/{pid}/exe")))) {
        (Ok(here), Ok(running)) => here == running,
        _ => false,
    }
}

/// The id of the Flatpak that a process runs in. Flatpak puts the file at the root of the sandbox, where its processes cannot write.
fn flatpak(pid: u32) -> Option<Arc<str>> {
    let about = text(pid, "root/.flatpak-info", MAX_FLATPAK_INFO)?;
    about.lines().find_map(|line| line.strip_prefix("name=")).map(|id| Arc::from(screen_text::name(id)))
}

fn process_name(pid: u32, executable: Option<&Path>) -> Option<String> {
    executable
        .and_then(Path::file_name)
        .and_then(|name| name.to_str())
        .map(|name| name.trim_end_matches(" (deleted)").to_owned())
        .filter(|name| !is_interpreter(name))
        .or_else(|| Some(text(pid, "comm", MAX_STATUS)?.trim().to_owned()))
        .filter(|name| !name.is_empty())
        .map(|name| screen_text::name(&name))
}

/// Whether an executable only runs the program that a user would name.
pub(super) fn is_interpreter(name: &str) -> bool {
    ["python", "perl", "ruby", "node", "java", "gjs", "bash", "sh"]
        .iter()
        .any(|interpreter| name.starts_with(interpreter))
}

fn launched_as(pid: u32) -> Option<String> {
    let environment = content_of(pid, "environ", MAX_ENVIRONMENT)?;
    let own = format!("GIO_LAUNCHED_DESKTOP_FILE_PID={pid}");
    let entries = || environment.split(|byte| *byte == 0);
    // The variable is inherited by children; only the process that it names was launched as that.
    entries().any(|entry| entry == own.as_bytes()).then_some(())?;
    let file = entries().find_map(|entry| entry.strip_prefix(b"GIO_LAUNCHED_DESKTOP_FILE="))?;
    Path::new(std::str::from_utf8(file).ok()?).file_stem()?.to_str().map(screen_text::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_identified_by_its_start_and_its_file() {
        let pid = std::process::id();
        let own = identity(pid, started(pid), executable(pid));
        let file = std::env::current_exe().expect("a file");
        assert_eq!((own.executable.as_deref(), own.executable_is_here), (file.to_str(), true));
        assert!(!runs(std::process::id(), Path::new("/usr/bin/env")), "a file that it does not run");
        assert!(own.started.is_some_and(|started| started > started_first()));
        assert_eq!(own.sandbox, None);
    }

    /// When the first process of this system started.
    fn started_first() -> u64 {
        started(1).expect("there is always a first process")
    }

    #[test]
    fn libraries_identify_the_toolkit() {
        let line =
            |library: &str| format!("7f12-7f13 r-xp 0 08:01 12  /usr/lib/x86_64-linux-gnu/{library}\n");
        for (loaded, expected) in [
            (vec!["libgtk-x11-2.0.so.0.2400.33"], Libraries::Gtk2),
            (vec!["libgtk-x11-2.0.so.0", "libjvm.so"], Libraries::Java),
            (vec!["libQt6Core.so.6.8.2"], Libraries::Qt),
            (vec!["libgtk-x11-2.0.so.0", "chrome_100_percent.pak"], Libraries::Chromium),
            (vec!["libX11.so.6"], Libraries::Others),
            (vec!["libX11.so.6", "libXt.so.6.0.0"], Libraries::Inaccessible),
            (vec!["libtk8.6.so"], Libraries::Inaccessible),
            (vec!["libXt.so.6.0.0", "libxul.so"], Libraries::Others),
            (vec!["libXt.so.6.0.0", "libgtk-x11-2.0.so.0"], Libraries::Gtk2),
        ] {
            let maps: String = loaded.into_iter().map(line).collect();
            assert_eq!(Libraries::in_maps(&maps), expected);
        }
    }
}

//! The desktop session of this process: what distinguishes it from others, a folder for sockets that belong to it, and its end.
//!
//! A process that serves the commands of one session must be found by all of them, by no command of another session, and
//! must not outlive the session.

use crate::desktop::{Surrounding, make_private};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use handeye_atspi::session_bus;
use handeye_core::{Error, ErrorCode, Result};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::oneshot;
use x11rb::connection::Connection;
use x11rb::rust_connection::RustConnection;
use zbus::MessageStream;

/// The variables that lead to a desktop.
const LEADING: [&str; 4] = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS"];
/// Other variables that a process reads for itself, so that one process cannot replace another where they differ: how it is let in
/// to the display, how the desktop is scaled, where files are, which hosts on the network it trusts.
const OWN: [&str; 9] = [
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "HANDEYE_DESKTOP",
    "QT_SCREEN_SCALE_FACTORS",
    "HOME",
    "XDG_STATE_HOME",
    "TMPDIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];
/// What a process sees of files, processes and the network.
const NAMESPACES: [&str; 4] = ["mnt", "net", "pid", "user"];

/// Bytes of the digest that make the name: enough that two sessions of one user never share it.
const NAME_BYTES: usize = 6;
/// Longest path of a socket, and what a name adds to its folder.
const LONGEST_SOCKET: usize = 107;
const NAME_LENGTH: usize = 1 + 2 * NAME_BYTES;

/// How long a display may take to let a watcher in.
const CONNECT_DEADLINE: Duration = Duration::from_secs(2);

/// The name of this process's session: the same for every process of this user that sees the same desktop, files and
/// network, and makes files with the same permissions.
///
/// # Errors
/// [`ErrorCode::DisplayUnavailable`] where no desktop is named.
pub fn name() -> Result<String> {
    name_with("")
}

/// [`name`] of those processes that have `distinction` in common too.
///
/// # Errors
/// As [`name`].
pub fn name_with(distinction: &str) -> Result<String> {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !LEADING.iter().any(is_set) {
        let why = "there is no desktop that a daemon could belong to";
        return Err(Error::new(ErrorCode::DisplayUnavailable, why)
            .with_next("Neither DISPLAY nor DBUS_SESSION_BUS_ADDRESS is set."));
    }
    let variables = LEADING.iter().chain(&OWN).map(std::env::var_os);
    let namespaces = NAMESPACES
        .iter()
        .map(|name| std::fs::read_link(format!("/proc/self/ns/{name}")).ok().map(PathBuf::into_os_string));
    let umask = std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| status.lines().find(|line| line.starts_with("Umask:")).map(OsString::from));
    let distinction = Some(OsString::from(distinction));
    Ok(digest(variables.chain(namespaces).chain([umask, distinction])))
}

/// A name made of facts, of which one that is missing differs from an empty one.
fn digest(facts: impl Iterator<Item = Option<OsString>>) -> String {
    let mut hash = Sha256::new();
    for fact in facts {
        let length = fact.as_ref().map_or(u64::MAX, |fact| fact.len() as u64);
        hash.update(length.to_le_bytes());
        hash.update(fact.unwrap_or_default().as_bytes());
    }
    let number =
        hash.finalize().iter().take(NAME_BYTES).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{number:0width$x}", width = 2 * NAME_BYTES)
}

/// The folder for sockets of this session, which may not be there yet: in the folder of the private desktop that surrounds this
/// process, which ends with it; else in the session's runtime folder; else in one of the user's own below `/tmp`.
pub fn socket_folder() -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    let usable = |name: &str, below: &str| {
        let folder = std::env::var_os(name).map(PathBuf::from)?;
        let fits = folder.as_os_str().len() + below.len() + NAME_LENGTH <= LONGEST_SOCKET;
        let is_own = || folder.metadata().is_ok_and(|found| found.is_dir() && found.uid() == user);
        (folder.is_absolute() && fits && is_own()).then_some(folder)
    };
    if let Some(desktop) = usable("HANDEYE_DESKTOP", "/daemon") {
        return desktop.join("daemon");
    }
    let above = match usable("XDG_RUNTIME_DIR", "/handeye/daemon") {
        Some(runtime) => runtime.join("handeye"),
        None => PathBuf::from(format!("/tmp/handeye-{user}")),
    };
    above.join("daemon")
}

/// The folder by which this user reaches all of their processes, whichever desktop they are on. It is made where it is missing.
///
/// # Errors
/// As [`make_socket_folder`].
pub fn control_folder() -> Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let runtime = PathBuf::from(format!("/run/user/{user}"));
    let is_own = runtime.symlink_metadata().is_ok_and(|found| found.is_dir() && found.uid() == user);
    let folder = if is_own { runtime.join("handeye") } else { PathBuf::from(format!("/tmp/handeye-{user}")) };
    make_private(&folder)?;
    Ok(folder)
}

/// Makes the folder of [`socket_folder`] and the one above it, where they are missing.
///
/// # Errors
/// If they are not folders of this user's own, or cannot be closed to other users.
pub fn make_socket_folder(folder: &Path) -> Result<()> {
    folder.parent().map_or(Ok(()), make_private)?;
    make_private(folder)
}

/// Waits for the end of the session: of its display, its session bus, or the private desktop that surrounds this process,
/// whichever comes first. What cannot be reached in the beginning is not waited for; if that is all, this returns at once.
pub async fn ended() {
    let (display, bus) = tokio::join!(display(), bus());
    let desktop =
        Surrounding::of_this_process().map(|desktop| desktop.ended().map(|_gone| "private desktop").boxed());
    let mut ends: FuturesUnordered<End> = display.into_iter().chain(bus).chain(desktop).collect();
    if let Some(what) = ends.next().await {
        tracing::info!(what, "the desktop session ended");
    }
}

/// Comes with the end of something, and says of what.
type End = BoxFuture<'static, &'static str>;

/// The end of the display, if it lets a watcher in. The watcher asks for no events, so the thread sleeps until the server
/// closes the connection.
async fn display() -> Option<End> {
    let (let_in, is_let_in) = oneshot::channel();
    let (gone, is_gone) = oneshot::channel::<()>();
    let watch = move || {
        let Ok((connection, _)) = RustConnection::connect(None) else { return };
        // No caller waits any more for one that was let in too late.
        if let_in.send(()).is_ok() {
            while connection.wait_for_event().is_ok() {}
        }
        drop(gone);
    };
    if let Err(error) = std::thread::Builder::new().name("display watch".into()).spawn(watch) {
        tracing::warn!(%error, "the end of the display is not watched");
        return None;
    }
    tokio::time::timeout(CONNECT_DEADLINE, is_let_in).await.ok()?.ok()?;
    Some(is_gone.map(|_dropped| "display").boxed())
}

/// The end of the session bus, if it can be reached.
async fn bus() -> Option<End> {
    let mut messages = MessageStream::from(session_bus().await.ok()?);
    Some(async move { while messages.next().await.is_some() {} }.map(|()| "session bus").boxed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_counts_and_a_missing_one_is_no_empty_one() {
        let of = |facts: &[Option<&str>]| digest(facts.iter().map(|fact| fact.map(OsString::from)));
        let names = [
            of(&[Some(":1"), Some("bus")]),
            of(&[Some(":1b"), Some("us")]),
            of(&[Some(":1"), Some("")]),
            of(&[Some(":1"), None]),
            of(&[None, Some(":1")]),
        ];
        for (index, name) in names.iter().enumerate() {
            assert_eq!(name.len() + 1, NAME_LENGTH);
            assert!(!names[..index].contains(name), "{names:?}");
        }
        assert_eq!(names[0], of(&[Some(":1"), Some("bus")]), "a name is the same every time");
    }
}

//! Takes away what a desktop has left: after its end, or after its supervisor was killed.

use super::display;
use super::folder::{self, Base, DesktopInfo, ignore_absent};
use super::options::{MEMBER_VARIABLE, member_mark};
use super::processes::{carrying, end_all};
use std::fs;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// What is left of a dead desktop has lost its display and its buses already.
const GRACE: Duration = Duration::from_millis(300);

/// Ends and removes every desktop of the base whose supervisor is dead. The caller holds the base's lock.
pub(super) fn sweep(base: &Base, _held: &fs::File) {
    for leftover in base.folders().unwrap_or_default() {
        match folder::lock_desktop(&leftover) {
            Ok(Some(_lock)) => {
                let mark = member_mark(&leftover);
                end_all(|| carrying(MEMBER_VARIABLE, &mark), GRACE);
                remove_files(&leftover);
            }
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "a leftover desktop cannot be removed"),
        }
    }
}

/// Removes a desktop whose supervisor was killed, if it was.
pub(super) fn sweep_all(base: &Base) {
    match base.lock() {
        Ok(lock) => {
            sweep(base, &lock);
            base.remove_if_empty(&lock);
        }
        Err(error) => tracing::debug!(%error, "leftover desktops cannot be removed now"),
    }
}

/// Removes the files of a desktop whose processes have ended, and the base after the last one.
pub(super) fn remove_traces(folder: &Path) {
    let Some(base) = Base::of(folder) else { return };
    let lock = base.lock();
    remove_files(folder);
    if let Ok(lock) = lock {
        base.remove_if_empty(&lock);
    }
}

fn remove_files(folder: &Path) {
    if let Some(info) = folder::read_state(folder) {
        remove_display(&info);
    }
    ignore_absent(fs::remove_dir_all(folder), folder);
}

/// An X server that was killed could not remove its socket. No server listens there any more, unless another
/// server has taken the number since: then it stays.
fn remove_display(info: &DesktopInfo) {
    let Some(display) = info.display.strip_prefix(':').and_then(|number| number.parse().ok()) else { return };
    let socket = display::socket(display);
    let is_dead = UnixStream::connect(&socket)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused);
    if is_dead {
        ignore_absent(fs::remove_file(&socket), &socket);
    }
}

//! Where servers log when nobody names a file: in the user's folder for state, which nobody else can enter.

use crate::settings::LOG_FILE;
use rustix::process::geteuid;
use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The name of the log.
const NAME: &str = "handeye-mcp.log";

/// The log file of servers: the one that is set, else one in [`folder`].
pub fn log_file() -> PathBuf {
    set().unwrap_or_else(|| folder().join(NAME))
}

/// The log file that is set. Any text is a path, so there is no error.
fn set() -> Option<PathBuf> {
    LOG_FILE.configured().ok().flatten()
}

/// Makes sure that the folder of the log is there and is this user's alone, unless the log was put somewhere else.
///
/// # Errors
/// If it cannot be made, is a link or belongs to somebody else.
pub fn prepare_log_folder() -> io::Result<()> {
    if set().is_some() { Ok(()) } else { make_private(&folder()) }
}

/// The folder for state, which is there and this user's alone.
///
/// # Errors
/// As [`prepare_log_folder`].
pub(crate) fn state_folder() -> io::Result<PathBuf> {
    let folder = folder();
    make_private(&folder)?;
    Ok(folder)
}

/// `$XDG_STATE_HOME/handeye`, `~/.local/state/handeye`, or without a home a folder of the user's own below `/tmp`.
pub(crate) fn folder() -> PathBuf {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    state.map_or_else(
        || PathBuf::from(format!("/tmp/handeye-state-{}", geteuid().as_raw())),
        |state| state.join("handeye"),
    )
}

fn make_private(folder: &Path) -> io::Result<()> {
    let refused = |why: &str| {
        Err(io::Error::new(ErrorKind::PermissionDenied, format!("the folder {} {why}", folder.display())))
    };
    if let Some(above) = folder.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(above)?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(folder)?;
    if found.is_symlink() {
        return refused("is a link, and links are not followed");
    }
    if !found.is_dir() {
        return refused("is not a folder");
    }
    if found.uid() != geteuid().as_raw() {
        return refused("belongs to another user");
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_for_its_owner_and_no_link() {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let folder = scratch.path().join("on the way/handeye");
        make_private(&folder).expect("made");
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("mine");
        make_private(&folder).expect("there");
        assert_eq!(fs::metadata(&folder).expect("there").mode() & 0o777, 0o700);
        std::os::unix::fs::symlink(&folder, scratch.path().join("link")).expect("a link");
        assert!(make_private(&scratch.path().join("link")).is_err());
        fs::write(scratch.path().join("file"), "").expect("written");
        assert!(make_private(&scratch.path().join("file")).is_err());
    }
}

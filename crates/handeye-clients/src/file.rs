//! Reading and replacing a file of a client, so that nothing is lost whatever happens in between.

use handeye_core::{Error, ErrorCode, Result};
use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The largest file that is read. Claude Code keeps its history in it.
const MAX_BYTES: u64 = 64 << 20;
/// Backups that are kept of one file.
const MAX_BACKUPS: usize = 20;

/// The text of a file; `None` if there is none. Anything but a plain file of this user is refused.
pub(crate) fn read(path: &Path) -> Result<Option<String>> {
    let refused = |why: String| Error::new(ErrorCode::Io, format!("{} {why}", path.display()));
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(None),
        Err(fault) => return Err(refused(format!("cannot be read: {fault}"))),
    };
    if metadata.is_symlink() {
        let target =
            fs::read_link(path).map_or_else(|_| "another place".into(), |to| to.display().to_string());
        return Err(refused(format!("is a link to {target}, so it was not changed"))
            .with_next("Add the entry to that file by hand (docs/how-to/connect-a-client.md), or replace the link with the file."));
    }
    if !metadata.is_file() {
        return Err(refused("is not a plain file".into()));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(refused(format!("belongs to another user (uid {})", metadata.uid())));
    }
    if metadata.len() > MAX_BYTES {
        return Err(refused(format!("is larger than {} MiB", MAX_BYTES >> 20)));
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    read.map_err(|fault| refused(format!("cannot be read: {fault}")))?;
    Ok(Some(text))
}

/// Refuses a file that its owner has made read-only.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    match path.metadata() {
        Ok(metadata) if metadata.permissions().mode() & 0o200 == 0 => {
            let message = format!("{} is read-only, so it was not changed", path.display());
            Err(Error::new(ErrorCode::Io, message)
                .with_next(format!("Make it writable first: `chmod u+w '{}'`.", path.display())))
        }
        _ => Ok(()),
    }
}

/// Replaces a file, or makes it, at one moment. `before` is what it held when it was read: if it holds something else
/// now, its client has written in between, and nothing is changed.
pub(crate) fn replace(path: &Path, before: Option<&str>, after: &str) -> Result<()> {
    let fault = |what: std::io::Error| {
        Error::new(
            ErrorCode::Io,
            format!("{} cannot be written: {what}; the file was not changed", path.display()),
        )
    };
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(fault)?;
    let mut draft = tempfile::Builder::new().prefix(".handeye-").tempfile_in(folder).map_err(fault)?;
    let mode = path.metadata().map_or(0o600, |metadata| metadata.permissions().mode() & 0o7777);
    draft.as_file().set_permissions(Permissions::from_mode(mode)).map_err(fault)?;
    draft.write_all(after.as_bytes()).and_then(|()| draft.as_file().sync_all()).map_err(fault)?;
    check_unchanged(path, before)?;
    match before {
        Some(_) => draft.persist(path).map_err(|error| fault(error.error))?,
        None => draft.persist_noclobber(path).map_err(|error| fault(error.error))?,
    };
    Ok(())
}

/// Refuses a file that does not hold any more what it held when it was read.
pub(crate) fn check_unchanged(path: &Path, before: Option<&str>) -> Result<()> {
    if read(path)?.as_deref() == before {
        return Ok(());
    }
    let message =
        format!("another program has changed {} in the meantime; handeye changed nothing", path.display());
    Err(Error::new(ErrorCode::Io, message).with_next("Run the command again."))
}

/// The places of backups of a file, the newest numbers last.
fn backup_places(path: &Path) -> impl Iterator<Item = PathBuf> {
    let name = path.file_name().map_or_else(Default::default, |name| name.to_string_lossy().into_owned());
    let folder = path.parent().unwrap_or(Path::new("/")).to_path_buf();
    (1..=MAX_BACKUPS).map(move |number| {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        folder.join(format!("{name}.handeye-backup{number}"))
    })
}

/// Keeps what the file held beside it, with the same permissions. Returns where.
pub(crate) fn back_up(path: &Path, text: &str) -> Result<PathBuf> {
    for place in backup_places(path) {
        match read(&place) {
            Ok(Some(kept)) if kept == text => return Ok(place),
            Ok(None) => {
                replace(&place, None, text)?;
                let mode = path.metadata().map(|metadata| metadata.permissions());
                mode.and_then(|mode| fs::set_permissions(&place, mode)).map_err(|fault| {
                    Error::new(ErrorCode::Io, format!("{} cannot be protected: {fault}", place.display()))
                })?;
                return Ok(place);
            }
            _ => {}
        }
    }
    let message =
        format!("there are {MAX_BACKUPS} backups of {} already; the file was not changed", path.display());
    Err(Error::new(ErrorCode::Io, message).with_next("Remove those that you do not need: *.handeye-backup*."))
}

/// The backups of a file that can be read, each with its text.
pub(crate) fn backups(path: &Path) -> Vec<(PathBuf, String)> {
    let readable = |place: PathBuf| read(&place).ok().flatten().map(|text| (place, text));
    backup_places(path).filter_map(readable).collect()
}

/// Removes a file that is as it was when it was read.
pub(crate) fn remove(path: &Path, before: Option<&str>) -> Result<()> {
    check_unchanged(path, before)?;
    fs::remove_file(path)
        .map_err(|fault| Error::new(ErrorCode::Io, format!("{} cannot be removed: {fault}", path.display())))
}

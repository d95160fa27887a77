//! Where a file goes: which paths are written to, which are refused, and how an answer names them.

use rustix::fs::Access;
use rustix::process::geteuid;
use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The bit of a folder in which every user may make and remove names.
const OTHERS_MAY_WRITE: u32 = 0o002;
/// The permissions of new files, before the umask.
pub(super) const FILE_MODE: u32 = 0o666;
/// Those of files in the system's temporary folder, which other users look into.
pub(super) const PRIVATE_FILE_MODE: u32 = 0o600;

/// What a path that somebody named stands for.
#[derive(Debug)]
pub(super) enum Target {
    /// Nothing yet.
    New(PathBuf),
    /// A file that is going to be replaced, and its permissions.
    File(PathBuf, Permissions),
    /// A device such as `/dev/null`, which takes the bytes.
    Device(PathBuf),
}

/// Finds out what `path` stands for. Links are followed unless somebody else may have planted them.
pub(super) fn target(path: &Path) -> io::Result<Target> {
    if path.as_os_str().as_bytes().ends_with(b"/") {
        return Err(ErrorKind::IsADirectory.into());
    }
    refuse_planted_links(path)?;
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Target::New(path.to_owned())),
        Err(error) => return Err(error),
    };
    if !metadata.is_symlink() {
        return existing(path.to_owned(), &metadata);
    }
    let real = fs::canonicalize(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            io::Error::new(ErrorKind::InvalidInput, "it is a symbolic link to something that is not there")
        }
        _ => error,
    })?;
    let metadata = fs::symlink_metadata(&real)?;
    existing(real, &metadata)
}

fn existing(path: PathBuf, metadata: &Metadata) -> io::Result<Target> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if kind.is_char_device() {
        return Ok(Target::Device(path));
    }
    if !kind.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a pipe, a socket or a disk and no file"));
    }
    // Renaming asks for no permission on the file itself; a file that is write-protected is not replaced all the same.
    rustix::fs::access(&path, Access::WRITE_OK)?;
    Ok(Target::File(path, metadata.permissions()))
}

/// Refuses a path that leads through a symbolic link which another user has put into a folder where every user may write:
/// whoever plants it chooses where this process writes.
pub(super) fn refuse_planted_links(path: &Path) -> io::Result<()> {
    let me = geteuid().as_raw();
    for part in path.ancestors() {
        let Ok(metadata) = fs::symlink_metadata(part) else { continue };
        if !metadata.is_symlink() || [me, 0].contains(&metadata.uid()) {
            continue;
        }
        let in_shared_folder = part
            .parent()
            .and_then(|folder| fs::metadata(folder).ok())
            .is_none_or(|folder| folder.mode() & OTHERS_MAY_WRITE != 0);
        if in_shared_folder {
            let why = format!("{} is a symbolic link that another user has made", part.display());
            return Err(io::Error::new(ErrorKind::InvalidInput, why));
        }
    }
    Ok(())
}

/// Whether the system's temporary folder holds `path`, so that nobody else should be able to read it.
pub(super) fn is_temporary(path: &Path) -> bool {
    path.starts_with(std::env::temp_dir())
}

/// Makes a folder and those above it, if they are missing.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mode = if is_temporary(folder) { 0o700 } else { 0o777 };
    DirBuilder::new().recursive(true).mode(mode).create(folder)
}

/// The `file://` URI of an absolute path (RFC 8089), with everything encoded that is not a plain character of a path.
pub(super) fn uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsStr;

    #[test]
    fn what_a_path_stands_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "x").expect("written");
        std::os::unix::fs::symlink("file", path("link")).expect("a link");
        std::os::unix::fs::symlink("nothing", path("dangling")).expect("a link");
        assert!(matches!(target(&path("new")), Ok(Target::New(_))));
        assert!(matches!(target(&path("file")), Ok(Target::File(..))));
        assert!(matches!(target(&path("link")), Ok(Target::File(real, _)) if real.ends_with("file")));
        assert!(matches!(target(Path::new("/dev/null")), Ok(Target::Device(_))));
        let kind = |path: &Path| target(path).expect_err("refused").kind();
        assert_eq!(kind(folder.path()), ErrorKind::IsADirectory);
        assert_eq!(kind(&path("new/")), ErrorKind::IsADirectory);
        assert_eq!(kind(&path("dangling")), ErrorKind::InvalidInput);
        assert_eq!(kind(&path("file/below")), ErrorKind::NotADirectory);
    }

    #[test]
    fn a_uri_names_the_same_bytes() {
        assert_eq!(uri(Path::new("/tmp/a b/ü#?.png")), "file:///tmp/a%20b/%C3%BC%23%3F.png");
        assert_eq!(uri(Path::new(OsStr::from_bytes(b"/\xff%"))), "file:///%FF%25");
    }

    proptest! {
        #[test]
        fn every_uri_decodes_to_its_path(bytes in proptest::collection::vec(1_u8.., 0..40)) {
            let path = [b"/", bytes.as_slice()].concat();
            let uri = uri(Path::new(OsStr::from_bytes(&path)));
            prop_assert!(uri.is_ascii() && !uri.contains([' ', '#', '?']));
            let mut encoded = uri.strip_prefix("file://").expect("a scheme").bytes();
            let mut decoded = Vec::new();
            while let Some(byte) = encoded.next() {
                decoded.push(if byte == b'%' {
                    let digits = [encoded.next().expect("a digit"), encoded.next().expect("a digit")];
                    u8::from_str_radix(std::str::from_utf8(&digits).expect("ASCII"), 16).expect("hexadecimal")
                } else {
                    byte
                });
            }
            prop_assert_eq!(decoded, path);
        }
    }
}

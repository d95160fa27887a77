//! Where a file goes: which paths are written to, which are refused, and how an answer names them.
//!
//! A picture is a new file or takes the place of another picture. Nothing else that is there is touched, and a link is never
//! followed: its creator would choose what is written.

use rustix::fs::{Access, OFlags};
use rustix::process::geteuid;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The bit of a folder in which every user may make and remove names.
const OTHERS_MAY_WRITE: u32 = 0o002;
/// The permissions of new files: a picture of a screen may hold secrets.
pub(super) const FILE_MODE: u32 = 0o600;
/// Those of new folders.
const FOLDER_MODE: u32 = 0o700;
/// How a PNG file begins.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// How a JPEG file begins.
const JPEG: &[u8] = b"\xff\xd8\xff";
/// The devices that keep nothing, as far as a system has them. Their numbers differ from system to system.
const KEEP_NOTHING: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// The meaning of a path that a caller named.
#[derive(Debug)]
pub(super) enum Target {
    /// Nothing yet.
    New,
    /// A picture that may be replaced; open for reading.
    Picture(File),
    /// A device that keeps nothing, such as `/dev/null`; open for writing.
    Device(File),
}

/// Finds out what `path` means, and refuses what must not be written to.
pub(super) fn target(path: &Path) -> io::Result<Target> {
    if path.as_os_str().as_bytes().ends_with(b"/") {
        return Err(ErrorKind::IsADirectory.into());
    }
    refuse_planted_links(path)?;
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Target::New),
        Err(error) => return Err(error),
    };
    let kind = metadata.file_type();
    if kind.is_symlink() {
        return refused("it is a symbolic link, and links are not followed");
    }
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if kind.is_char_device() {
        return device(path, &metadata);
    }
    if !kind.is_file() {
        return refused("it is a pipe, a socket or a disk, not a file");
    }
    // Renaming asks for no permission on the file itself; but a file that is write-protected is not replaced.
    rustix::fs::access(path, Access::WRITE_OK)?;
    let file = open(path, OpenOptions::new().read(true))?;
    may_be_replaced(&file)?;
    Ok(Target::Picture(file))
}

/// Whether this character device is one of those that keep nothing, by whatever name.
fn keeps_nothing(device: &Metadata) -> bool {
    let is_it = |known: Metadata| known.file_type().is_char_device() && known.rdev() == device.rdev();
    KEEP_NOTHING.iter().any(|path| fs::symlink_metadata(path).is_ok_and(is_it))
}

fn device(path: &Path, metadata: &Metadata) -> io::Result<Target> {
    if !keeps_nothing(metadata) {
        return refused("it is a device, not a file");
    }
    let file = open(path, OpenOptions::new().write(true))?;
    let opened = file.metadata()?;
    if opened.file_type().is_char_device() && keeps_nothing(&opened) {
        return Ok(Target::Device(file));
    }
    refused("it was replaced meanwhile")
}

/// Opens what is there, whatever took its place meanwhile: no link is followed and no pipe is waited for.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(flags.bits().cast_signed()).open(path)
}

/// Refuses a file that is not a picture, or not this user's.
pub(super) fn may_be_replaced(file: &File) -> io::Result<()> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return refused("it is not a file");
    }
    if metadata.uid() != geteuid().as_raw() {
        return refused("it belongs to another user");
    }
    if !is_picture(file)? {
        return refused("it is not a picture (PNG, JPEG or WebP), and nothing else is replaced");
    }
    Ok(())
}

/// Whether a file's content begins as a picture does.
fn is_picture(file: &File) -> io::Result<bool> {
    let mut beginning = [0_u8; 12];
    let mut length = 0;
    while length < beginning.len() {
        match file.read_at(&mut beginning[length..], length as u64)? {
            0 => break,
            read => length += read,
        }
    }
    let found = &beginning[..length];
    let webp = found.starts_with(b"RIFF") && found.ends_with(b"WEBP") && length == beginning.len();
    Ok(found.starts_with(PNG) || found.starts_with(JPEG) || webp)
}

/// The permissions that a file keeps when another one takes its place.
pub(super) fn permissions(file: &File) -> io::Result<Permissions> {
    Ok(Permissions::from_mode(file.metadata()?.mode() & 0o777))
}

fn refused<T>(why: &str) -> io::Result<T> {
    Err(io::Error::new(ErrorKind::InvalidInput, why))
}

/// Refuses a folder that is a link, or that another user has put into a folder where every user may write. One that is
/// missing is neither.
pub(super) fn refuse_foreign(folder: &Path) -> io::Result<()> {
    // A path that ends in `/` would be looked at through the link.
    let folder: PathBuf = folder.components().collect();
    refuse_planted_links(&folder)?;
    let Ok(metadata) = fs::symlink_metadata(&folder) else { return Ok(()) };
    if metadata.is_symlink() {
        return refused(&format!("{} is a symbolic link, and links are not followed", folder.display()));
    }
    if is_foreign(&metadata) && is_in_shared_folder(&folder) {
        return refused(&format!("{} is a folder that another user created", folder.display()));
    }
    Ok(())
}

fn is_foreign(metadata: &Metadata) -> bool {
    ![geteuid().as_raw(), 0].contains(&metadata.uid())
}

/// Whether a name is in a folder where every user may write.
fn is_in_shared_folder(path: &Path) -> bool {
    path.parent()
        .and_then(|folder| fs::metadata(folder).ok())
        .is_none_or(|folder| folder.mode() & OTHERS_MAY_WRITE != 0)
}

/// Refuses a path that leads through a symbolic link which another user has put into a folder where every user may write:
/// the other user would choose where this process writes.
pub(super) fn refuse_planted_links(path: &Path) -> io::Result<()> {
    for part in path.ancestors() {
        let Ok(metadata) = fs::symlink_metadata(part) else { continue };
        if metadata.is_symlink() && is_foreign(&metadata) && is_in_shared_folder(part) {
            return refused(&format!("{} is a symbolic link that another user created", part.display()));
        }
    }
    Ok(())
}

/// Makes a folder and those above it, if they are missing; for this user alone.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)
}

/// The `file://` URI of an absolute path (RFC 8089), with everything encoded that is not a plain character of a path.
pub fn uri(path: &Path) -> String {
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
        for (name, content) in [
            ("a.png", &b"\x89PNG\r\n\x1a\n"[..]),
            ("b", b"\xff\xd8\xff\xe0 and more"),
            ("c.webp", b"RIFF\x01\x02\x03\x04WEBPVP8 "),
        ] {
            fs::write(path(name), content).expect("written");
            assert!(matches!(target(&path(name)), Ok(Target::Picture(_))), "{name}");
        }
        for (name, content) in [
            ("text.png", "my letter"),
            ("empty.png", ""),
            ("riff.webp", "RIFF1234WEB"),
            ("x.sh", "#!/bin/sh"),
        ] {
            fs::write(path(name), content).expect("written");
            let error = target(&path(name)).expect_err(name);
            assert!(error.to_string().contains("not a picture"), "{name}: {error}");
        }
        std::os::unix::fs::symlink("a.png", path("link")).expect("a link");
        std::os::unix::fs::symlink("nothing", path("dangling")).expect("a link");
        assert!(matches!(target(&path("new")), Ok(Target::New)));
        assert!(matches!(target(Path::new("/dev/null")), Ok(Target::Device(_))));
        let kind = |path: &Path| target(path).expect_err("refused").kind();
        assert_eq!(kind(folder.path()), ErrorKind::IsADirectory);
        assert_eq!(kind(&path("new/")), ErrorKind::IsADirectory);
        assert_eq!(kind(&path("link")), ErrorKind::InvalidInput);
        assert_eq!(kind(&path("dangling")), ErrorKind::InvalidInput);
        assert_eq!(kind(Path::new("/dev/random")), ErrorKind::InvalidInput);
        assert_eq!(kind(&path("a.png/below")), ErrorKind::NotADirectory);
    }

    #[test]
    fn a_folder_that_is_a_link_is_refused() {
        let base = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(".", base.path().join("link")).expect("a link");
        for path in ["link", "link/", "link/."] {
            let error = refuse_foreign(&base.path().join(path)).expect_err(path);
            assert!(error.to_string().contains("symbolic link"), "{error}");
        }
        for path in ["", "missing", "link/missing"] {
            refuse_foreign(&base.path().join(path)).expect(path);
        }
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

//! Files of X cookies.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file of more than these bytes is not a file of cookies.
const MAX_SIZE: u64 = 1 << 20;
/// Files of a display manager that are looked at.
const MAX_FILES: usize = 16;
/// The only protocol that X libraries use today.
const PROTOCOL: &[u8] = b"MIT-MAGIC-COOKIE-1";
/// Families of addresses: any, and this machine by its name.
const ANY: u16 = 0xffff;
const LOCAL: u16 = 256;
/// Opening a pipe must not wait for its other end.
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

/// What a file of cookies has for a display.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cookie {
    /// This one.
    Found(Vec<u8>),
    /// None for this display.
    Missing,
    /// The file is not there.
    NoFile,
    /// The file belongs to another user, or cannot be read; the text says which.
    Closed(String),
}

/// The name of the protocol that cookies are for.
pub(super) fn protocol() -> Vec<u8> {
    PROTOCOL.to_vec()
}

/// The cookie that `file` has for the local display `number`, chosen as X libraries choose.
pub(super) fn cookie(file: &Path, number: u32, user: u32) -> Cookie {
    let metadata = match file.metadata() {
        Ok(metadata) => metadata,
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => return Cookie::NoFile,
        Err(fault) => return Cookie::Closed(format!("{} cannot be read: {fault}", file.display())),
    };
    if metadata.uid() != user {
        return Cookie::Closed(format!(
            "{} belongs to another user (uid {})",
            file.display(),
            metadata.uid()
        ));
    }
    if !metadata.is_file() || metadata.len() > MAX_SIZE {
        return Cookie::Closed(format!("{} is not an X authority file", file.display()));
    }
    let mut content = Vec::new();
    let read = OpenOptions::new()
        .read(true)
        .custom_flags(NONBLOCK)
        .open(file)
        .and_then(|open| open.take(MAX_SIZE).read_to_end(&mut content));
    match read {
        Ok(_) => in_content(&content, number, &host_name()).map_or(Cookie::Missing, Cookie::Found),
        Err(fault) => Cookie::Closed(format!("{} cannot be read: {fault}", file.display())),
    }
}

/// The first entry for a display in the content of a file. A torn entry ends it.
fn in_content(content: &[u8], number: u32, host: &[u8]) -> Option<Vec<u8>> {
    let mut rest = content;
    loop {
        let family = number_at(&mut rest)?;
        let (address, display) = (field(&mut rest)?, field(&mut rest)?);
        let (name, data) = (field(&mut rest)?, field(&mut rest)?);
        let is_ours = family == ANY || family == LOCAL && address == host;
        if is_ours && (display.is_empty() || display == number.to_string().as_bytes()) && name == PROTOCOL {
            return Some(data.to_vec());
        }
    }
}

fn number_at(rest: &mut &[u8]) -> Option<u16> {
    let (number, after) = rest.split_first_chunk::<2>()?;
    *rest = after;
    Some(u16::from_be_bytes(*number))
}

fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::from(number_at(rest)?);
    let (field, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(field)
}

fn host_name() -> Vec<u8> {
    std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default().trim_ascii().to_vec()
}

/// Where display managers and compositors put the cookie of a session, for those files that are there.
pub(super) fn of_display_managers(
    user: u32,
    runtime: Option<&Path>,
    user_name: Option<&str>,
) -> Vec<PathBuf> {
    let own = PathBuf::from(format!("/run/user/{user}"));
    let folders = runtime.into_iter().chain((runtime != Some(&*own)).then_some(own.as_path()));
    let mut files = Vec::new();
    for folder in folders {
        files.push(folder.join("gdm/Xauthority"));
        // Mutter and KWin add random characters to the name.
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(1024);
        let named = entries.filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(".mutter-Xwaylandauth") || name.starts_with("xauth_")
        });
        files.extend(named.map(|entry| entry.path()));
    }
    if let Some(name) = user_name.filter(|name| !name.contains('/')) {
        files.push(PathBuf::from(format!("/run/lightdm/{name}/xauthority")));
        files.push(PathBuf::from(format!("/var/run/lightdm/{name}/xauthority")));
    }
    files.retain(|file| file.exists());
    files.dedup_by(|one, other| one.canonicalize().ok() == other.canonicalize().ok());
    files.truncate(MAX_FILES);
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn entry(family: u16, address: &[u8], display: &[u8], name: &[u8], data: &[u8]) -> Vec<u8> {
        let mut bytes = family.to_be_bytes().to_vec();
        for field in [address, display, name, data] {
            bytes.extend(u16::try_from(field.len()).expect("short").to_be_bytes());
            bytes.extend(field);
        }
        bytes
    }

    #[test]
    fn the_first_cookie_of_this_machine_for_the_display_is_taken() {
        let content = [
            entry(LOCAL, b"other", b"1", PROTOCOL, b"of another machine"),
            entry(LOCAL, b"here", b"2", PROTOCOL, b"of another display"),
            entry(LOCAL, b"here", b"1", b"XDM-AUTHORIZATION-1", b"of another protocol"),
            entry(LOCAL, b"here", b"1", PROTOCOL, b"right"),
            entry(ANY, b"", b"", PROTOCOL, b"later"),
        ]
        .concat();
        assert_eq!(in_content(&content, 1, b"here").as_deref(), Some(&b"right"[..]));
        assert_eq!(in_content(&content, 7, b"here").as_deref(), Some(&b"later"[..]), "any display");
        for length in 0..content.len() {
            let torn = in_content(&content[..length], 7, b"here");
            assert_eq!(torn, None, "{length}");
        }
    }

    #[test]
    fn a_file_of_another_user_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cookies");
        std::fs::write(&path, entry(ANY, b"", b"", PROTOCOL, b"x")).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("closed");
        let own = rustix::process::geteuid().as_raw();
        assert_eq!(cookie(&path, 0, own), Cookie::Found(b"x".to_vec()));
        assert!(matches!(cookie(&path, 0, own + 1), Cookie::Closed(why) if why.contains("another user")));
        assert_eq!(cookie(&folder.path().join("none"), 0, own), Cookie::NoFile);
        assert!(matches!(cookie(folder.path(), 0, own), Cookie::Closed(_)), "a folder");
    }
}

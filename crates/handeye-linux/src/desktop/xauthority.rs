//! The cookie that lets programs connect to the private X server, in the file format of libXau.

use super::fault::io_error;
use handeye_core::Result;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The name of the only method that every X client knows.
pub(super) const METHOD: &[u8] = b"MIT-MAGIC-COOKIE-1";
/// Matches an address of any kind.
const ANY_FAMILY: u16 = 0xffff;
const COOKIE_LENGTH: usize = 16;

/// Writes a file with a new cookie. It is valid for any display number, as the server finds a free one
/// for itself only after it has read this file.
pub(super) fn write(path: &Path) -> Result<()> {
    let mut cookie = [0; COOKIE_LENGTH];
    let random = Path::new("/dev/urandom");
    File::open(random)
        .and_then(|mut source| source.read_exact(&mut cookie))
        .map_err(|error| io_error("read", random, &error))?;
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(&entry(&cookie)))
        .map_err(|error| io_error("write", path, &error))
}

/// The cookie in the file, which ends with it.
pub(super) fn read_cookie(path: &Path) -> Result<Vec<u8>> {
    let content = std::fs::read(path).map_err(|error| io_error("read", path, &error))?;
    Ok(content[content.len().saturating_sub(COOKIE_LENGTH)..].to_vec())
}

/// One entry: the family, then address, display number, method and data, each after its 16-bit length.
fn entry(cookie: &[u8]) -> Vec<u8> {
    let mut bytes = ANY_FAMILY.to_be_bytes().to_vec();
    for field in [b"".as_slice(), b"".as_slice(), METHOD, cookie] {
        bytes.extend_from_slice(&(field.len() as u16).to_be_bytes());
        bytes.extend_from_slice(field);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_differs_each_time() {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let cookie = |name: &str| {
            let path = scratch.path().join(name);
            write(&path).expect("written");
            read_cookie(&path).expect("read")
        };
        let (one, two) = (cookie("one"), cookie("two"));
        assert_eq!(one.len(), COOKIE_LENGTH);
        assert_ne!(one, two);
    }
}

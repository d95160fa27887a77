//! A private desktop whose programs run in a sandbox of bubblewrap: namespaces of their own, a fresh home folder, and no network but
//! the hosts that are named.
//!
//! ```text
//! supervisor ─┬─ Xvfb, dbus-daemon, at-spi-bus-launcher     outside: they report the real number of a client's process
//!             └─ bwrap ── first process inside ([`inside`]) ─┬─ window manager
//!                              ▲ launcher socket            ├─ applications, scripts
//!                              │                            └─ what the session bus starts on demand
//!   `enter` (one process for each program, outside) ────────┘
//! ```
//!
//! The buses and the X server stay outside, without the user's home and the network ([`outside`]), as they read from the kernel which process a client is: inside, the numbers of another
//! namespace would come out, and the rules for applications could not be judged. What they start themselves goes through [`enter`].

mod bubblewrap;
mod enter;
mod inside;
mod message;
mod network;
mod outside;
mod sandbox;
mod streams;

pub(super) use bubblewrap::OWN_PROGRAM;
pub(super) use enter::{ENTER_ARGUMENT, arguments as entering, enter, words as entering_words};
pub(super) use inside::{INSIDE_ARGUMENT, inside_main};
pub(super) use outside::Outside;
pub(super) use sandbox::{Sandbox, frame};

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What the programs of an isolated desktop have of this machine, beside its installed software.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    /// Files and folders that are seen inside, at the same place.
    pub paths: Vec<SharedPath>,
    /// Hosts that can be reached from inside.
    pub hosts: Vec<NamedHost>,
    /// Whether the desktop's command runs inside. A server of handeye does not: it looks from outside.
    pub command_inside: bool,
}

/// A file or folder that is seen inside of an isolated desktop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedPath {
    /// An absolute path without links.
    pub(super) path: PathBuf,
    /// Whether it can be changed from inside.
    pub(super) writable: bool,
}

impl FromStr for SharedPath {
    type Err = String;

    /// Reads `PATH` or `PATH:rw`; a relative path is one of the current folder. It has to exist.
    fn from_str(text: &str) -> Result<Self, String> {
        let (path, writable) = match text.strip_suffix(":rw") {
            Some(path) => (path, true),
            None => (text.strip_suffix(":ro").unwrap_or(text), false),
        };
        let path = Path::new(path).canonicalize().map_err(|error| format!("'{path}': {error}"))?;
        if path == Path::new("/") {
            return Err("'/' would share everything: name the folders that are needed".into());
        }
        Ok(Self { path, writable })
    }
}

/// A port of a host that can be reached from inside of an isolated desktop by its own name, over TCP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedHost {
    /// A name, or `localhost` for this machine.
    pub(super) host: String,
    /// 1 to 65535.
    pub(super) port: u16,
}

impl NamedHost {
    /// Whether it is this machine.
    pub(super) fn is_local(&self) -> bool {
        self.host == "localhost"
    }
}

impl FromStr for NamedHost {
    type Err = String;

    /// Reads `HOST:PORT`.
    fn from_str(text: &str) -> Result<Self, String> {
        let malformed =
            || format!("'{text}' is not a host and a port such as localhost:3000 or example.org:443");
        let (host, port) = text.rsplit_once(':').ok_or_else(malformed)?;
        let port = port.parse().ok().filter(|port| *port != 0).ok_or_else(malformed)?;
        let host = host.to_ascii_lowercase();
        if ["127.0.0.1", "::1", "[::1]"].contains(&host.as_str()) {
            return Ok(Self { host: "localhost".into(), port });
        }
        // `127.1` and `0x7f000001` are addresses too.
        let last = host.rsplit('.').next().unwrap_or_default();
        let is_number = last.starts_with("0x") || last.chars().all(|c| c.is_ascii_digit());
        let is_address = !last.is_empty() && is_number || host.starts_with('[');
        if is_address {
            return Err(format!("'{text}' names an address: inside, hosts are found by their names alone"));
        }
        let is_label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        };
        if host.len() > 253 || !host.split('.').all(is_label) {
            return Err(malformed());
        }
        Ok(Self { host, port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_with_a_port() {
        let read = |text: &str| text.parse::<NamedHost>().map(|named| (named.host, named.port));
        assert_eq!(read("Example.org:443"), Ok(("example.org".into(), 443)));
        for here in ["localhost:3000", "127.0.0.1:3000", "[::1]:3000"] {
            assert_eq!(read(here), Ok(("localhost".into(), 3000)), "{here}");
        }
        for bad in [
            "",
            "example.org",
            ":443",
            "a b:1",
            "a\n1.2.3.4 b:1",
            "example.org:0",
            "example.org:65536",
            "10.0.0.1:22",
            "127.1:80",
            "0x7f000001:80",
            "a..b:1",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_is_shared_to_be_read_unless_it_says_otherwise() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().canonicalize().expect("a place");
        let text = place.to_str().expect("plain");
        let read = |text: &str| text.parse::<SharedPath>().map(|shared| (shared.path, shared.writable));
        assert_eq!(read(text), Ok((place.clone(), false)));
        assert_eq!(read(&format!("{text}:ro")), Ok((place.clone(), false)));
        assert_eq!(read(&format!("{text}:rw")), Ok((place.clone(), true)));
        assert!(read("/").is_err() && read("/..:rw").is_err());
        assert!(read(&format!("{text}/absent")).is_err());
    }
}

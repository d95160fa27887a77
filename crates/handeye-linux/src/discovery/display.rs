//! Whether a display can be used: its socket accepts connections, and its X server lets this user in.

use super::authority::{self, Cookie};
use super::socket;
use rustix::io::Errno;
use rustix::net::SocketAddrUnix;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use x11rb::errors::ConnectError;
use x11rb::reexports::x11rb_protocol::connect::Connect;

/// How long a server may take to let one client in.
const PATIENCE: Duration = Duration::from_millis(700);
/// Cookies that are tried on one display.
const MAX_TRIES: usize = 8;

/// The number of a local display, from a name such as `:1`, `:1.0` or `unix:1`. A display on another machine has none.
pub(super) fn local_number(name: &str) -> Option<u32> {
    let name = name.strip_prefix("unix/").or_else(|| name.strip_prefix("unix")).unwrap_or(name);
    let number = name.strip_prefix(':')?;
    number.split('.').next()?.parse().ok()
}

/// The socket of a display.
pub(super) fn socket_path(number: u32) -> String {
    format!("/tmp/.X11-unix/X{number}")
}

/// How a display can be used, or why not.
#[derive(Debug)]
pub(super) enum Verdict {
    /// With the cookie in this file, or without one.
    Usable(Option<PathBuf>),
    /// The reason completes `display :1 …`.
    Rejected(String),
}

/// Tries a display with the cookies in `files`, in this order, and then without one.
pub(super) fn examine(number: u32, files: &[PathBuf], user: u32) -> Verdict {
    let deadline = Instant::now() + 2 * PATIENCE;
    let mut notes = Vec::new();
    let mut tried: Vec<(Vec<u8>, &Path)> = Vec::new();
    for file in files.iter().take(MAX_TRIES) {
        match authority::cookie(file, number, user) {
            Cookie::Found(cookie) if tried.iter().any(|(before, _)| *before == cookie) => {}
            Cookie::Found(cookie) => match greet(number, Some(&cookie), user, deadline) {
                Greeting::Welcome => return Verdict::Usable(Some(file.clone())),
                Greeting::Refused => tried.push((cookie, file)),
                Greeting::Unusable(why) => return Verdict::Rejected(why),
            },
            Cookie::Missing => notes.push(format!("{} has no cookie for it", file.display())),
            Cookie::NoFile => {}
            Cookie::Closed(why) => notes.push(why),
        }
    }
    match greet(number, None, user, deadline) {
        Greeting::Welcome => Verdict::Usable(None),
        Greeting::Unusable(why) => Verdict::Rejected(why),
        Greeting::Refused => {
            let wrong =
                tried.iter().map(|(_, file)| format!("the cookie in {} does not match", file.display()));
            let reasons: Vec<String> = wrong.chain(notes).collect();
            let reasons =
                if reasons.is_empty() { "no cookie for it was found".into() } else { reasons.join("; ") };
            Verdict::Rejected(format!("does not let this user in: {reasons}"))
        }
    }
}

/// How a server received a client.
enum Greeting {
    Welcome,
    /// It wants another cookie.
    Refused,
    /// No cookie would help.
    Unusable(String),
}

/// Begins a connection as X libraries do, and ends it.
fn greet(number: u32, cookie: Option<&[u8]>, user: u32, deadline: Instant) -> Greeting {
    let path = socket_path(number);
    let stale = |fault: Errno| match fault {
        Errno::NOENT => format!("does not exist: there is no socket {path}"),
        Errno::AGAIN => format!("does not answer: the queue of {path} is full"),
        Errno::ACCESS | Errno::PERM => format!("belongs to another user: {path} cannot be opened"),
        _ => format!("is stale: nothing accepts connections on {path}"),
    };
    let opened = SocketAddrUnix::new(path.as_str()).and_then(|address| socket::open(&address, PATIENCE));
    let mut stream = match opened {
        Ok(stream) => stream,
        Err(fault) => return Greeting::Unusable(stale(fault)),
    };
    match socket::listener(&stream) {
        Ok(owner) if owner == user || owner == 0 => {}
        Ok(owner) => return Greeting::Unusable(format!("belongs to another user (uid {owner})")),
        Err(fault) => return Greeting::Unusable(format!("does not report its owner: {fault}")),
    }
    let (name, data) =
        cookie.map_or_else(Default::default, |cookie| (authority::protocol(), cookie.to_vec()));
    let (mut handshake, request) = Connect::with_authorization(name, data);
    let silent = || Greeting::Unusable(format!("does not answer within {} ms", PATIENCE.as_millis()));
    if stream.write_all(&request).is_err() {
        return silent();
    }
    loop {
        if Instant::now() > deadline {
            return silent();
        }
        match stream.read(handshake.buffer()) {
            Ok(0) | Err(_) => return silent(),
            Ok(read) if handshake.advance(read) => break,
            Ok(_) => {}
        }
    }
    match handshake.into_setup() {
        Ok(_) => Greeting::Welcome,
        Err(ConnectError::SetupFailed(failed)) => {
            let reason = String::from_utf8_lossy(&failed.reason).trim().to_owned();
            if reason.contains("Maximum number of clients") {
                Greeting::Unusable(format!("accepts no more clients: {reason}"))
            } else {
                Greeting::Refused
            }
        }
        Err(ConnectError::SetupAuthenticate(_)) => Greeting::Refused,
        Err(fault) => Greeting::Unusable(format!("does not speak X11: {fault}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_displays_have_a_number() {
        for (name, number) in [
            (":1", Some(1)),
            (":1.0", Some(1)),
            ("unix:12", Some(12)),
            ("unix/:3.1", Some(3)),
            ("localhost:10.0", None),
            ("", None),
            (":", None),
            (":x", None),
        ] {
            assert_eq!(local_number(name), number, "{name}");
        }
    }
}

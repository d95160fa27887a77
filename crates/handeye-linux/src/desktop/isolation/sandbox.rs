//! The sandbox of a desktop, made and known by the supervisor.

use super::bubblewrap::{self, Place};
use super::message::{Reply, Request, launcher, receive, receive_files, send};
use super::network;
use super::{INSIDE_ARGUMENT, Isolation, SharedPath};
use crate::desktop::fault::io_error;
use crate::desktop::launch::SUPERVISOR_ARGUMENT;
use crate::desktop::processes::children_of;
use crate::own_program::words_of_closed;
use handeye_core::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the first process may take to make its sockets.
const DEADLINE: Duration = Duration::from_secs(10);
/// What programs inside get of the supervisor's environment, beside the variables of the desktop: what they are called with, and how
/// things are written. Nothing of handeye's own settings, and no key.
const PASSED_ON: [&str; 9] =
    ["LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TZ", "USER", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS"];
/// How the names of the variables begin that say how numbers, dates and texts are written.
const LOCALE: &str = "LC_";

/// The sandbox of one desktop.
#[derive(Debug)]
pub(in crate::desktop) struct Sandbox {
    folder: PathBuf,
    /// Its program and arguments.
    command: Vec<OsString>,
    isolation: Isolation,
}

impl Sandbox {
    /// Plans it for the desktop in `folder`, whose display and buses are there already; `variables` are those of the desktop.
    pub(in crate::desktop) fn plan(
        isolation: &Isolation,
        folder: &Path,
        display: u32,
        bwrap: &Path,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self> {
        if isolation.hosts.len() > network::MOST_HOSTS {
            let many = format!("more than {} hosts are named", network::MOST_HOSTS);
            return Err(Error::invalid_parameter("allow_host", many));
        }
        let base = folder.parent().and_then(Path::parent).unwrap_or(folder);
        for SharedPath { path, .. } in &isolation.paths {
            if base.starts_with(path) || path.starts_with(base) {
                let why =
                    format!("{} has what handeye keeps of its desktops, {}", path.display(), base.display());
                return Err(Error::invalid_parameter("allow_path", why)
                    .with_next("Name the folders in it that are needed."));
            }
        }
        let hosts = folder.join("hosts");
        fs::write(&hosts, network::hosts_file(&isolation.hosts))
            .map_err(|error| io_error("write", &hosts, &error))?;
        let program = std::env::current_exe()
            .map_err(|error| Error::internal(format!("own executable unknown: {error}")))?;
        let home = bubblewrap::home();
        let place = Place { isolation, folder, display, home: &home, program: &program, hosts: &hosts };
        // Neither a file that this process was started with, nor a variable (below): the first process keeps both for all to see.
        let mut command = words_of_closed(bwrap.as_os_str());
        command.extend(bubblewrap::arguments(&place));
        command.push("--clearenv".into());
        let mut set = |name: &str, value: OsString| command.extend(["--setenv".into(), name.into(), value]);
        for (name, value) in std::env::vars_os() {
            if let Some(name) = name.to_str()
                && (PASSED_ON.contains(&name) || name.starts_with(LOCALE))
            {
                set(name, value);
            }
        }
        set("HOME", home.into_os_string());
        for (name, value) in variables {
            set(name, value.into());
        }
        command.extend([bubblewrap::OWN_PROGRAM, SUPERVISOR_ARGUMENT, INSIDE_ARGUMENT].map(OsString::from));
        Ok(Self { folder: folder.to_owned(), command, isolation: isolation.clone() })
    }

    /// The program and its arguments, and the socket that it gets as standard input. It writes a line when it takes programs.
    pub(in crate::desktop) fn prepare(&self) -> Result<(&[OsString], UnixListener)> {
        let socket = launcher(&self.folder);
        let listener = UnixListener::bind(&socket).map_err(|error| io_error("listen at", &socket, &error))?;
        Ok((&self.command, listener))
    }

    /// Makes the named hosts reachable for as long as the current runtime works.
    pub(in crate::desktop) async fn connect_hosts(&self) -> Result<()> {
        if self.isolation.hosts.is_empty() {
            return Ok(());
        }
        let (folder, addresses) = (self.folder.clone(), network::addresses(&self.isolation.hosts));
        let listening = tokio::task::spawn_blocking(move || listen_inside(&folder, addresses));
        let sockets = listening.await.map_err(Error::internal)??;
        network::relay(&self.isolation.hosts, sockets).map_err(no_network)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn no_network(error: std::io::Error) -> Error {
    Error::internal(format!("the sandbox has no network: {error}"))
}

/// Has sockets made inside, and returns them. Waits for the first process to answer.
fn listen_inside(folder: &Path, addresses: Vec<SocketAddr>) -> Result<Vec<TcpListener>> {
    let line = UnixStream::connect(launcher(folder)).map_err(no_network)?;
    line.set_read_timeout(Some(DEADLINE)).map_err(no_network)?;
    send(&line, &Request::Listen(addresses)).map_err(no_network)?;
    match receive(&line).map_err(no_network)? {
        Some(Reply::Listening) => {}
        Some(Reply::Failed(why)) => {
            return Err(Error::new(ErrorCode::Io, format!("the sandbox cannot reach its hosts: {why}")));
        }
        _ => return Err(Error::internal("the sandbox did not answer")),
    }
    Ok(receive_files(&line).map_err(no_network)?.into_iter().map(TcpListener::from).collect())
}

/// The processes that are the sandbox itself, of which `bwrap` is the outermost: it has one child, the first process of the namespace,
/// and that one starts the process that takes programs.
pub(in crate::desktop) fn frame(bwrap: i32) -> Vec<i32> {
    let mut frame = vec![bwrap];
    for _ in 0..2 {
        let first =
            frame.last().and_then(|outer| children_of(*outer).into_iter().min_by_key(|child| child.started));
        frame.extend(first.map(|first| first.pid));
    }
    frame
}

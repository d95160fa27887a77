//! What `desktop run` owes to its command: that it can be found, and that signals reach it.

use super::channel::{self, Order};
use super::requirements::find_in;
use handeye_core::{Error, Result};
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::task::Poll;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Refuses a command that cannot be found before a desktop is built for it.
pub(super) fn check_program(program: &OsStr) -> Result<()> {
    let found = if Path::new(program).components().count() > 1 {
        Path::new(program).exists()
    } else {
        find_in(&std::env::var_os("PATH").unwrap_or_default(), &program.to_string_lossy()).is_some()
    };
    if found {
        return Ok(());
    }
    let name = program.to_string_lossy().into_owned();
    Err(Error::invalid_parameter("command", format!("there is no program '{name}'"))
        .with_next("Give a program on the PATH or a path to one, then its arguments."))
}

/// The signals that are meant for the command although this process gets them. Listening begins before the
/// desktop is built, so that none ends this process in between.
pub(super) struct Signals {
    runtime: Runtime,
    listeners: Vec<(SignalKind, Signal)>,
}

impl Signals {
    pub(super) fn listen() -> Result<Self> {
        let fault = |error: std::io::Error| Error::internal(format!("cannot listen for signals: {error}"));
        let runtime = Builder::new_current_thread().enable_all().build().map_err(fault)?;
        let context = runtime.enter();
        let listeners: std::io::Result<_> = [
            SignalKind::interrupt(),
            SignalKind::quit(),
            SignalKind::terminate(),
            SignalKind::hangup(),
            SignalKind::user_defined1(),
            SignalKind::user_defined2(),
        ]
        .into_iter()
        .map(|kind| Ok((kind, signal(kind)?)))
        .collect();
        drop(context);
        Ok(Self { runtime, listeners: listeners.map_err(fault)? })
    }

    /// Sends each signal down the line to the supervisor, on a thread that ends with the line or the process.
    pub(super) fn forward_to(self, line: UnixStream) -> Result<()> {
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || self.forward(line))
            .map(|_| ())
            .map_err(|error| Error::internal(format!("no thread for signals: {error}")))
    }

    fn forward(mut self, mut line: UnixStream) {
        loop {
            let kind = self.next();
            let by_key = kind == SignalKind::interrupt() || kind == SignalKind::quit();
            let order =
                Order::Signal { number: kind.as_raw_value(), from_terminal: by_key && in_foreground() };
            let sent = channel::encode(&order)
                .and_then(|bytes| line.write_all(&bytes).map_err(|error| Error::internal(error.to_string())));
            if let Err(error) = sent {
                tracing::debug!(%error, "signals are no longer passed on");
                return;
            }
        }
    }

    fn next(&mut self) -> SignalKind {
        let Self { runtime, listeners } = self;
        runtime.block_on(std::future::poll_fn(|context| {
            let mut ready = listeners
                .iter_mut()
                .filter_map(|(kind, listener)| listener.poll_recv(context).is_ready().then_some(*kind));
            ready.next().map_or(Poll::Pending, Poll::Ready)
        }))
    }
}

/// Whether a key pressed in the terminal reaches this process's whole group, the command included.
fn in_foreground() -> bool {
    let terminal = std::fs::File::open("/dev/tty");
    terminal.is_ok_and(|terminal| {
        rustix::termios::tcgetpgrp(&terminal).is_ok_and(|group| group == rustix::process::getpgrp())
    })
}

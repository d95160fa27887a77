//! An X server of its own for each test, with a window manager and small applications.

use handeye_core::platform::Screen;
use handeye_core::{Authority, Error, Permit, Rect, Result, Seat, SeatState, Window, WindowId};
use handeye_x11::{Caretaker, Held, SeatKeeper, X11Desktop};
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take to come true.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// How long a test may take, with all that it waits for.
const LONGEST_TEST: Duration = Duration::from_secs(300);

/// The right to act. Here no person has to be asked.
#[expect(clippy::disallowed_methods, reason = "a test of the platform has no guard")]
pub(crate) fn permit() -> Permit {
    Authority::new().grant()
}

/// Ends the run of the tests, and names the one that hangs: nothing else would, and the whole run would hang with it.
struct Watchdog {
    /// Ends the watch when it is dropped.
    _end: mpsc::Sender<()>,
}

impl Watchdog {
    fn new() -> Self {
        let (sender, end) = mpsc::channel::<()>();
        let current = thread::current();
        let test = current.name().unwrap_or("a test").to_owned();
        thread::spawn(move || {
            if end.recv_timeout(LONGEST_TEST) == Err(mpsc::RecvTimeoutError::Timeout) {
                eprintln!("{test} has not ended within {} s", LONGEST_TEST.as_secs());
                std::process::abort();
            }
        });
        Self { _end: sender }
    }
}

/// What background mode must leave alone: the state of the user's seat, and the windows from the topmost down.
pub(crate) async fn seat_and_stacking(desktop: &X11Desktop) -> (SeatState, Vec<WindowId>) {
    let windows = desktop.windows().await.expect("the windows are listed");
    let state = desktop.state().await.expect("the seat is read");
    (state, windows.iter().map(|window| window.id).collect())
}

/// A running process that ends with the test.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap_or_else(|error| panic!("{command:?} does not start: {error}")))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, signal).expect("the process runs");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        for step in [self.0.kill(), self.0.wait().map(drop)] {
            if let Err(error) = step {
                eprintln!("a process of the test could not be ended: {error}");
            }
        }
    }
}

/// An X server, perhaps with a window manager.
pub(crate) struct Bed {
    pub(crate) display: String,
    pub(crate) folder: TempDir,
    manager: Option<Process>,
    server: Option<Process>,
    _watchdog: Watchdog,
}

/// The keeper of what is tested.
pub(crate) fn keeper() -> Arc<dyn SeatKeeper> {
    Arc::new(Keeper::default())
}

/// Does what the keeper process does, in the process of the test: releases by a connection of its own what a lost one held.
#[derive(Default)]
struct Keeper(Mutex<(Caretaker, HashMap<Option<String>, Held>)>);

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keeper")
    }
}

impl SeatKeeper for Keeper {
    fn hold(&self, held: &Held) -> Result<()> {
        let (caretaker, kept) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        caretaker.prepare(held.display.as_deref()).map_err(Error::internal)?;
        kept.insert(held.seat().map(str::to_owned), held.clone());
        Ok(())
    }

    fn let_go(&self, seat: Option<&str>, released: bool) {
        let (caretaker, kept) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = kept.remove(&seat.map(str::to_owned)).unwrap_or_default();
        if !released && let Err(why) = caretaker.undo(&held) {
            eprintln!("what was held could not be released: {why}");
        }
    }
}

impl Bed {
    /// An X server with a window manager.
    pub(crate) fn managed() -> Self {
        let mut bed = Self::bare(&[]);
        bed.manager = Some(Process::start(
            bed.command("openbox").arg("--sm-disable").stdout(Stdio::null()).stderr(Stdio::null()),
        ));
        bed.wait("the window manager", || {
            let answer = bed
                .command("xprop")
                .args(["-root", "_NET_SUPPORTING_WM_CHECK"])
                .output()
                .expect("xprop runs");
            String::from_utf8_lossy(&answer.stdout).contains("window id").then_some(())
        });
        bed
    }

    /// An X server alone.
    pub(crate) fn bare(options: &[&str]) -> Self {
        let folder = TempDir::new().expect("a folder for the test");
        let (display, server) = start_server(None, options);
        Self { display, folder, manager: None, server: Some(server), _watchdog: Watchdog::new() }
    }

    /// An X server alone that can be started again: its number is far above those that servers take by themselves, so that no other test
    /// takes it meanwhile.
    pub(crate) fn restartable() -> Self {
        let folder = TempDir::new().expect("a folder for the test");
        let number = 1_000 + std::process::id() % 30_000;
        let (display, server) = start_server(Some(&format!(":{number}")), &[]);
        Self { display, folder, manager: None, server: Some(server), _watchdog: Watchdog::new() }
    }

    /// Has the window manager call itself so.
    pub(crate) fn rename_manager(&self, name: &str) {
        let asked =
            self.command("xprop").args(["-root", "_NET_SUPPORTING_WM_CHECK"]).output().expect("xprop runs");
        let answer = String::from_utf8_lossy(&asked.stdout).into_owned();
        let window = answer.split("# ").nth(1).expect("a window manager runs").trim().to_owned();
        let set = ["-id", &window, "-f", "_NET_WM_NAME", "8u", "-set", "_NET_WM_NAME", name];
        assert!(self.command("xprop").args(set).status().expect("xprop runs").success());
    }

    /// What is tested, connected to this server.
    pub(crate) fn desktop(&self) -> X11Desktop {
        X11Desktop::new(Some(self.display.clone()), keeper())
    }

    /// The window manager, if there is one.
    pub(crate) fn manager(&self) -> Option<&Process> {
        self.manager.as_ref()
    }

    pub(crate) fn server(&self) -> &Process {
        self.server.as_ref().expect("the server was not ended")
    }

    /// Ends the X server with everything on it.
    pub(crate) fn end_server(&mut self) {
        self.server = None;
    }

    /// Starts the X server again on the same display.
    pub(crate) fn restart_server(&mut self) {
        self.server = Some(start_server(Some(&self.display), &[]).1);
    }

    /// A program that will run on this display.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("DISPLAY", &self.display)
            .env("HOME", self.folder.path())
            .env("NO_AT_BRIDGE", "1")
            .env("GTK_IM_MODULE", "gtk-im-context-simple")
            .env("LC_ALL", "C.UTF-8")
            .env("GDK_BACKEND", "x11")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("DBUS_SESSION_BUS_ADDRESS");
        command
    }

    /// Starts the recording application and waits until its window is there.
    pub(crate) async fn recorder(&self, desktop: &X11Desktop, title: &str, options: &[&str]) -> Recorder {
        let log = self.folder.path().join(format!("{title}.log"));
        let text = self.folder.path().join(format!("{title}.txt"));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gtk3_recorder.py");
        let mut command = self.command("/usr/bin/python3");
        command.arg(script).args(["--title", title, "--log"]).arg(&log);
        for option in options {
            match *option {
                "--text" => command.arg("--text").arg(&text),
                other => command.arg(other),
            };
        }
        let process = Process::start(&mut command);
        self.window(desktop, title).await;
        Recorder { process, log, text }
    }

    /// The window of that title, as soon as it is there.
    pub(crate) async fn window(&self, desktop: &X11Desktop, title: &str) -> Window {
        let until = Instant::now() + PATIENCE;
        loop {
            let windows = desktop.windows().await.expect("windows are listed");
            if let Some(window) = windows.iter().find(|window| window.title == title) {
                return window.clone();
            }
            assert!(Instant::now() < until, "no window '{title}' among {windows:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until `look` finds something.
    pub(crate) fn wait<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(Instant::now() < until, "waited in vain for {what} on {}", self.display);
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn start_server(display: Option<&str>, options: &[&str]) -> (String, Process) {
    let mut command = Command::new("Xvfb");
    command.args(display).args([
        "-displayfd",
        "1",
        "-screen",
        "0",
        "800x600x24",
        "-nolisten",
        "tcp",
        "-noreset",
    ]);
    command.args(options).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Process::start(&mut command);
    let mut number = String::new();
    let output = server.0.stdout.take().expect("its output is piped");
    BufReader::new(output).read_line(&mut number).expect("the server names its display");
    assert!(!number.trim().is_empty(), "the X server does not start");
    (format!(":{}", number.trim()), server)
}

/// The recording application.
pub(crate) struct Recorder {
    pub(crate) process: Process,
    log: PathBuf,
    text: PathBuf,
}

impl Recorder {
    /// What it has written down so far.
    pub(crate) fn entries(&self) -> Vec<serde_json::Value> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The text of its field.
    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.text).unwrap_or_default()
    }
}

/// The middle of a rectangle without its outermost pixels, where a frame or a shadow may begin.
pub(crate) fn inside(area: Rect) -> Rect {
    Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2)
}

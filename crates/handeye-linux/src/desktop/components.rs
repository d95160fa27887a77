//! Starts what a desktop consists of and waits until each part really answers.
//!
//! The X server and the session bus start side by side; the accessibility bus and the window manager follow, side by side too.

use super::fault::io_error;
use super::folder::{DesktopInfo, log_folder, runtime_folder};
use super::isolation::{self, Outside, Sandbox};
use super::launch::{Kind, member};
use super::options::{ISOLATED_VARIABLE, Plan, environment};
use super::processes::Process;
use super::requirements::{Programs, bubblewrap};
use super::{a11y, display};
use handeye_core::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// Bringing everything up takes a third of a second; a machine under heavy load gets much more.
const START_DEADLINE: Duration = Duration::from_secs(20);
/// The longest line that a component announces itself with.
const LONGEST_ANNOUNCEMENT: usize = 1024;
/// How much of a component's log an error shows.
const LOG_LINES: usize = 5;

/// The component that all programs of an isolated desktop are in.
pub(super) const SANDBOX: &str = "sandbox";

/// The component processes of a desktop, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct Components {
    pids: Vec<(&'static str, i32)>,
}

impl Components {
    /// The component that has the process number.
    pub(super) fn name_of(&self, pid: i32) -> Option<&'static str> {
        self.pids.iter().find(|(_, known)| *known == pid).map(|(name, _)| *name)
    }

    /// The process number of the sandbox.
    pub(super) fn sandbox(&self) -> Option<i32> {
        self.pids.iter().find(|(name, _)| *name == SANDBOX).map(|(_, pid)| *pid)
    }

    /// Every component's process number.
    pub(super) fn pids(&self) -> impl Iterator<Item = i32> {
        self.pids.iter().map(|(_, pid)| *pid)
    }

    /// Starts everything. What was started is in `self` even when this fails, to be ended by the caller.
    pub(super) async fn start(&mut self, plan: &Plan, folder: &Path) -> Result<DesktopInfo> {
        let started = tokio::time::timeout(START_DEADLINE, self.start_all(plan, folder)).await;
        started.unwrap_or_else(|_| {
            Err(Error::new(
                ErrorCode::Timeout,
                format!("the private desktop did not start within {} s", START_DEADLINE.as_secs()),
            )
            .with_found(last_lines_of_all(folder)))
        })
    }

    async fn start_all(&mut self, plan: &Plan, folder: &Path) -> Result<DesktopInfo> {
        let programs = Programs::find()?;
        let runtime = runtime_folder(folder);
        let mut variables = environment(plan, folder, &runtime, 0);
        variables.remove("DISPLAY");

        let outside = match &plan.isolation {
            Some(_) => Some(Outside::write(folder, &bubblewrap()?)?),
            None => None,
        };
        let outside = outside.as_ref();
        let x_announcement = self.spawn_x_server(&programs, plan, folder, &variables, outside)?;
        let bus_address = format!("unix:path={}", runtime.join("bus").display());
        let bus_announcement = self.spawn_bus(&programs, &bus_address, folder, &variables, outside)?;
        let display = read_announcement("xserver", x_announcement, folder).await?;
        let display: u32 = display
            .trim()
            .parse()
            .map_err(|_| Error::internal(format!("the X server announced '{display}' as its display")))?;
        read_announcement("bus", bus_announcement, folder).await?;

        let mut variables = environment(plan, folder, &runtime, display);
        let screen = display::Setup::open(display, &folder.join("Xauthority"), plan).await?;
        self.spawn_accessibility(&programs, folder, &variables, outside)?;
        if let (Some(isolation), Some(outside)) = (&plan.isolation, outside) {
            // The sandbox is made with the sockets of the buses, so these come first.
            let accessibility = a11y::switch_on(&bus_address, None).await?;
            outside.keep_names()?;
            a11y::reload_configuration(&bus_address).await?;
            // handeye need not ask for the address: nobody can answer with another one.
            variables.insert("AT_SPI_BUS_ADDRESS".into(), accessibility);
            variables.insert(ISOLATED_VARIABLE.into(), "1".into());
            let sandbox = Sandbox::plan(isolation, folder, display, &bubblewrap()?, &variables)?;
            self.start_sandbox(&sandbox, folder, &variables).await?;
            let words = isolation::entering_words(folder);
            self.spawn_window_manager(&programs, folder, &variables, words)?;
            screen.wait_for_window_manager().await?;
        } else {
            self.spawn_window_manager(&programs, folder, &variables, Vec::new())?;
            tokio::try_join!(
                screen.wait_for_window_manager(),
                a11y::switch_on(&bus_address, Some(&variables))
            )?;
        }

        let process =
            Process::current().ok_or_else(|| Error::internal("/proc does not show this process"))?;
        Ok(DesktopInfo {
            name: plan.name.clone(),
            display: format!(":{display}"),
            width: plan.width,
            height: plan.height,
            scale: plan.scale,
            detached: plan.detached,
            isolated: plan.isolation.is_some(),
            supervisor: process.pid,
            folder: folder.to_owned(),
            environment: variables,
            process,
        })
    }

    /// Starts the X server, which announces its display. Its screen is as large as `plan` says.
    fn spawn_x_server(
        &mut self,
        programs: &Programs,
        plan: &Plan,
        folder: &Path,
        variables: &BTreeMap<String, String>,
        outside: Option<&Outside>,
    ) -> Result<pipe::Receiver> {
        let server = &programs.x_server;
        self.spawn_announced(
            "xserver",
            outside.map_or_else(|| vec![server.into()], |outside| outside.x_words(server)),
            folder,
            variables,
            &[
                "-displayfd",
                "1",
                "-screen",
                "0",
                &format!("{}x{}x24", plan.width, plan.height),
                "-dpi",
                &format!("{}", (96.0 * plan.scale).round()),
                "-noreset",
                "-nolisten",
                "tcp",
                "-auth",
                &folder.join("Xauthority").to_string_lossy(),
            ],
        )
    }

    /// Starts the session bus at `address`, which announces that when it listens.
    fn spawn_bus(
        &mut self,
        programs: &Programs,
        address: &str,
        folder: &Path,
        variables: &BTreeMap<String, String>,
        outside: Option<&Outside>,
    ) -> Result<pipe::Receiver> {
        let bus = &programs.message_bus;
        let words = match outside {
            Some(outside) => outside.session_words(bus),
            None => vec![bus.into(), "--session".into()],
        };
        let address = format!("--address={address}");
        let arguments = ["--nofork", "--nopidfile", "--print-address=1", &address];
        self.spawn_announced("bus", words, folder, variables, &arguments)
    }

    /// Starts the accessibility bus.
    fn spawn_accessibility(
        &mut self,
        programs: &Programs,
        folder: &Path,
        variables: &BTreeMap<String, String>,
        outside: Option<&Outside>,
    ) -> Result<()> {
        let launcher = &programs.accessibility_launcher;
        let mut words = match outside {
            Some(outside) => outside.accessibility_words(launcher),
            None => vec![launcher.into()],
        };
        words.push("--launch-immediately".into());
        self.spawn("accessibility", &words, folder, variables)
    }

    /// Starts the window manager, by the words that come before it.
    fn spawn_window_manager(
        &mut self,
        programs: &Programs,
        folder: &Path,
        variables: &BTreeMap<String, String>,
        mut words: Vec<OsString>,
    ) -> Result<()> {
        words.push(programs.window_manager.clone().into_os_string());
        words.extend(programs.window_manager_arguments.iter().map(OsString::from));
        self.spawn("windowmanager", &words, folder, variables)
    }

    /// Starts the sandbox, and returns when it takes programs and reaches its hosts.
    async fn start_sandbox(
        &mut self,
        sandbox: &Sandbox,
        folder: &Path,
        variables: &BTreeMap<String, String>,
    ) -> Result<()> {
        let (words, socket) = sandbox.prepare()?;
        let standard_input = Stdio::from(OwnedFd::from(socket));
        let output = self.spawn_with(SANDBOX, words, folder, variables, standard_input, Stdio::piped())?;
        read_announcement(SANDBOX, announcement(output)?, folder).await?;
        sandbox.connect_hosts().await
    }

    /// Starts a component that writes a line to its standard output when it is ready.
    fn spawn_announced(
        &mut self,
        name: &'static str,
        mut words: Vec<OsString>,
        folder: &Path,
        variables: &BTreeMap<String, String>,
        arguments: &[&str],
    ) -> Result<pipe::Receiver> {
        words.extend(arguments.iter().map(OsString::from));
        let output = self.spawn_with(name, &words, folder, variables, Stdio::null(), Stdio::piped())?;
        announcement(output)
    }

    fn spawn(
        &mut self,
        name: &'static str,
        words: &[OsString],
        folder: &Path,
        variables: &BTreeMap<String, String>,
    ) -> Result<()> {
        self.spawn_with(name, words, folder, variables, Stdio::null(), Stdio::null()).map(|_| ())
    }

    /// Starts a component; `words` are its program and arguments.
    fn spawn_with(
        &mut self,
        name: &'static str,
        words: &[OsString],
        folder: &Path,
        variables: &BTreeMap<String, String>,
        stdin: Stdio,
        stdout: Stdio,
    ) -> Result<Option<OwnedFd>> {
        let (program, arguments) =
            words.split_first().ok_or_else(|| Error::internal("a component has no program"))?;
        let log = log_folder(folder).join(name);
        let file = File::create(&log).map_err(|error| io_error("create", &log, &error))?;
        let kind = if name == SANDBOX { Kind::Sandbox } else { Kind::Component };
        let child = member(kind, program, folder, variables)
            .args(arguments)
            .current_dir("/")
            .stdin(stdin)
            .stdout(stdout)
            .stderr(file)
            .spawn()
            .map_err(|error| io_error("start", Path::new(program), &error))?;
        // The supervisor reaps all its children itself, so the handle is let go.
        self.pids.push((name, child.id().cast_signed()));
        Ok(child.stdout.map(OwnedFd::from))
    }
}

/// The piped output of a component.
fn announcement(output: Option<OwnedFd>) -> Result<pipe::Receiver> {
    let output = output.ok_or_else(|| Error::internal("a piped output is missing"))?;
    pipe::Receiver::from_owned_fd(output)
        .map_err(|error| Error::internal(format!("a component's output: {error}")))
}

/// Reads the line with which a component says that it is ready.
async fn read_announcement(name: &str, mut output: pipe::Receiver, folder: &Path) -> Result<String> {
    let mut line = Vec::new();
    while !line.contains(&b'\n') && line.len() < LONGEST_ANNOUNCEMENT {
        let read = output.read_buf(&mut line).await;
        if !matches!(read, Ok(1..)) {
            return Err(Error::new(
                ErrorCode::DisplayUnavailable,
                format!("the {name} of the private desktop ended at once"),
            )
            .with_found(last_lines(&log_folder(folder).join(name))));
        }
    }
    Ok(String::from_utf8_lossy(&line).lines().next().unwrap_or_default().to_owned())
}

fn last_lines(log: &Path) -> Vec<String> {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text[text.len().saturating_sub(4096)..]).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].iter().map(|line| (*line).to_owned()).collect()
}

fn last_lines_of_all(folder: &Path) -> Vec<String> {
    ["xserver", "bus", "accessibility", SANDBOX, "windowmanager"]
        .iter()
        .flat_map(|name| {
            last_lines(&log_folder(folder).join(name)).into_iter().map(move |line| format!("{name}: {line}"))
        })
        .collect()
}

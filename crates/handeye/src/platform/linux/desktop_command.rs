//! `handeye desktop`: private desktops from the shell.
//!
//! When it is chosen, `run(matches)` is called outside of any runtime, as it blocks and has one of its own.

use crate::screen_size::parse_size;
use clap::{Args, FromArgMatches, Subcommand};
use handeye_cli::{Format, Output};
use handeye_core::{Error, ErrorCode, Point, Result, Size};
use handeye_linux::desktop::{
    self, DesktopInfo, Isolation, MonitorOption, NamedHost, Options, REMOVED_VARIABLES, SharedPath,
};
use std::ffi::OsString;
use std::process::ExitCode;

/// What can be done with private desktops.
#[derive(Debug, Subcommand)]
pub(super) enum DesktopCommand {
    /// Run a command in a private desktop and end the desktop with it
    ///
    /// The command has this process's terminal and streams; signals are passed on to it; its exit code is returned.
    Run {
        #[command(flatten)]
        screen: ScreenOptions,
        #[command(flatten)]
        sandbox: SandboxOptions,
        /// The command and its arguments
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<OsString>,
    },
    /// Start a private desktop that stays, and print its environment
    ///
    /// Join it with: eval "$(handeye desktop start)"
    Start {
        #[command(flatten)]
        screen: ScreenOptions,
        /// Name for it; the first free desktop-N without one
        #[arg(long)]
        name: Option<String>,
        /// Print a JSON object instead of shell commands
        #[arg(long)]
        json: bool,
    },
    /// List the private desktops that are up
    Status {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// End private desktops, with everything that runs in them
    Stop {
        /// Which one; without it that of this shell, else the only one
        #[arg(conflicts_with = "all")]
        name: Option<String>,
        /// End every one
        #[arg(long)]
        all: bool,
    },
}

/// What a desktop should look like.
#[derive(Debug, Args)]
pub(super) struct ScreenOptions {
    /// Size of the screen, in pixels
    #[arg(long, value_name = "WxH", default_value = "1920x1080", value_parser = parse_size)]
    size: Size,
    /// A monitor instead of one screen of --size; may be given several times, the primary one first. Without a
    /// position it is at the right of the one before it
    #[arg(
        long = "monitor",
        value_name = "WxH[+X+Y][@SCALE]",
        value_parser = parse_monitor,
        allow_hyphen_values = true,
        conflicts_with = "size"
    )]
    monitors: Vec<MonitorOption>,
    /// Physical pixels for one logical pixel
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
}

/// What the programs of a desktop can reach.
#[derive(Debug, Args)]
pub(super) struct SandboxOptions {
    /// Run the desktop's programs in a sandbox (bubblewrap): namespaces of their own, an empty home folder, no network
    #[arg(long)]
    isolate: bool,
    /// A file or folder that programs in the sandbox see at its place, and can change with :rw; may be given several times
    #[arg(long, value_name = "PATH[:rw]", requires = "isolate")]
    allow_path: Vec<SharedPath>,
    /// A host that programs in the sandbox reach over TCP, by its name; may be given several times
    #[arg(long, value_name = "HOST:PORT", requires = "isolate")]
    allow_host: Vec<NamedHost>,
}

/// The subcommand's name.
pub(super) const NAME: &str = "desktop";

/// The subcommand's definition.
pub(super) fn command() -> clap::Command {
    let command = clap::Command::new(NAME)
        .about("Run programs in a private desktop that is not visible")
        .subcommand_required(true)
        .arg_required_else_help(true);
    DesktopCommand::augment_subcommands(command)
}

/// Runs the subcommand that `matches` holds.
pub(super) fn run(matches: &clap::ArgMatches, output: &Output) -> Result<ExitCode> {
    DesktopCommand::from_arg_matches(matches)
        .map_err(|fault| Error::new(ErrorCode::InvalidParameter, fault.to_string()))?
        .run(output)
}

impl DesktopCommand {
    /// Does it.
    fn run(self, output: &Output) -> Result<ExitCode> {
        match self {
            Self::Run { screen, sandbox, command } => {
                let options = screen.options(None, sandbox.isolation(true));
                Ok(ExitCode::from(desktop::run(&options, &command)?))
            }
            Self::Start { screen, name, json } => {
                let info = desktop::start_detached(&screen.options(name, None))?;
                print(&info, json, output, || shell_commands(&info))
            }
            Self::Status { json } => {
                let desktops = desktop::list()?;
                print(&desktops, json, output, || table(&desktops))
            }
            Self::Stop { all: true, .. } => stop(desktop::list()?.into_iter().map(|info| info.name), output),
            Self::Stop { name: Some(name), .. } => stop([name], output),
            Self::Stop { name: None, .. } => stop([the_one_meant()?], output),
        }
    }
}

impl ScreenOptions {
    pub(super) fn options(&self, name: Option<String>, isolation: Option<Isolation>) -> Options {
        let monitors = self.monitors.clone();
        Options { size: self.size, monitors, scale: self.scale, name, isolation, ..Options::default() }
    }
}

impl SandboxOptions {
    /// What is asked for; `None` without a sandbox.
    pub(super) fn isolation(&self, command_inside: bool) -> Option<Isolation> {
        let mut hosts: Vec<NamedHost> = Vec::new();
        for host in &self.allow_host {
            if !hosts.contains(host) {
                hosts.push(host.clone());
            }
        }
        self.isolate.then(|| Isolation { paths: self.allow_path.clone(), hosts, command_inside })
    }
}

fn stop(names: impl IntoIterator<Item = String>, output: &Output) -> Result<ExitCode> {
    let names: Vec<String> = names.into_iter().collect();
    for name in &names {
        desktop::stop(name)?;
    }
    print(&serde_json::json!({ "stopped": names }), false, output, || {
        format!("Stopped {}.\n", names.join(", "))
    })
}

/// The name of the desktop that this shell is in, else of the only one that is up.
fn the_one_meant() -> Result<String> {
    let mut desktops = desktop::list()?;
    let own = std::env::var("HANDEYE_DESKTOP").ok();
    let is_own =
        |info: &&DesktopInfo| own.is_some() && info.environment.get("HANDEYE_DESKTOP") == own.as_ref();
    if let Some(own) = desktops.iter().find(is_own) {
        return Ok(own.name.clone());
    }
    let why = match (&own, desktops.len()) {
        (None, 1) => return Ok(desktops.remove(0).name),
        (None, several) => format!("is needed, as {several} desktops are running"),
        // The others belong to another user, or another shell.
        (Some(_), _) => "is needed, as the desktop of this shell has ended".to_owned(),
    };
    Err(Error::invalid_parameter("name", why)
        .with_found(desktops.into_iter().map(|info| info.name))
        .with_next("Name one of them, or end all with: handeye desktop stop --all"))
}

/// Reads `1920x1080`, `2560x1440+1920+0` or `1280x1024-1280+0@1.5`.
fn parse_monitor(text: &str) -> std::result::Result<MonitorOption, String> {
    let malformed =
        || format!("'{text}' is not a monitor such as 1920x1080, 2560x1440+1920+0 or 1280x1024@1.5");
    let (place, scale) = match text.split_once('@') {
        Some((place, scale)) => (place, Some(scale.parse().map_err(|_| malformed())?)),
        None => (text, None),
    };
    // Both are written: `-1280`, and `+-1280` as xrandr does.
    let place = place.replace("+-", "-");
    let (size, position) = place.split_at(place.find(['+', '-']).unwrap_or(place.len()));
    let size = parse_size(size).map_err(|_| malformed())?;
    let position = match position.rfind(['+', '-']) {
        None => None,
        Some(second) => {
            let (x, y) = position.split_at(second);
            Some(Point::new(x.parse().map_err(|_| malformed())?, y.parse().map_err(|_| malformed())?))
        }
    };
    Ok(MonitorOption { size, position, scale })
}

/// Commands for a POSIX shell to join the desktop with.
fn shell_commands(info: &DesktopInfo) -> String {
    let gone = REMOVED_VARIABLES.iter().filter(|name| !info.environment.contains_key(**name));
    let unset: Vec<&str> = gone.copied().collect();
    // Another desktop that this shell joined before is not shown any more.
    let mut lines = vec![
        r#"[ -z "${PS1-}" ] || PS1="${PS1#"(${HANDEYE_DESKTOP##*/}) "}""#.to_owned(),
        format!("unset {}", unset.join(" ")),
    ];
    for (name, value) in &info.environment {
        lines.push(format!("export {name}='{}'", value.replace('\'', r"'\''")));
    }
    // An interactive shell shows where it is, as with Python's virtual environments. Names have no character that means anything to a shell.
    lines.push(format!("[ -z \"${{PS1-}}\" ] || PS1=\"({}) $PS1\"", info.name));
    lines.push(format!("# handeye desktop stop {}", info.name));
    lines.join("\n") + "\n"
}

fn table(desktops: &[DesktopInfo]) -> String {
    if desktops.is_empty() {
        return "No private desktop is running.\n".into();
    }
    let mut text =
        format!("{:<24} {:<8} {:<12} {:<6} {}\n", "NAME", "DISPLAY", "SIZE", "SCALE", "SUPERVISOR");
    for info in desktops {
        let size = format!("{}x{}", info.width, info.height);
        text += &format!(
            "{:<24} {:<8} {size:<12} {:<6} {}\n",
            info.name, info.display, info.scale, info.supervisor
        );
    }
    text
}

/// Prints an answer; `--json` of the subcommand is the older name of `--format json`.
fn print(
    fields: &impl serde::Serialize,
    json: bool,
    output: &Output,
    text: impl FnOnce() -> String,
) -> Result<ExitCode> {
    let json_instead_of_text = json && output.format == Format::Text;
    let format = if json_instead_of_text { Format::Json } else { output.format };
    Output { format, ..output.clone() }
        .answer(fields, &[], text)
        .map_err(|error| Error::new(ErrorCode::Io, format!("cannot write to standard output: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitors_are_read_as_xrandr_writes_them() {
        let size = Size { width: 800, height: 600 };
        let at = |x, y| Some(Point::new(x, y));
        for (text, position, scale) in [
            ("800x600", None, None),
            ("800x600@2", None, Some(2.0)),
            ("800x600+1920+0", at(1920, 0), None),
            ("800x600+-1280+10@1.5", at(-1280, 10), Some(1.5)),
            ("800x600-1280-10", at(-1280, -10), None),
        ] {
            assert_eq!(parse_monitor(text), Ok(MonitorOption { size, position, scale }), "{text}");
        }
        for bad in ["", "800", "800x600+1", "800x600+1+", "800x600@", "800x600@x", "+1+1", "800x600+1+2+3"] {
            assert!(parse_monitor(bad).is_err(), "{bad}");
        }
    }
}

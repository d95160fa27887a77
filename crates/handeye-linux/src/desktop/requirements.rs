//! The programs that a private desktop is made of, and the packages that have them.

use handeye_core::{Error, ErrorCode, Result};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A window manager that handeye knows how to start alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KnownWindowManager {
    program: &'static str,
    arguments: &'static [&'static str],
}

/// In the order of preference: the lightest first.
const WINDOW_MANAGERS: &[KnownWindowManager] = &[
    KnownWindowManager { program: "openbox", arguments: &["--sm-disable"] },
    KnownWindowManager { program: "xfwm4", arguments: &["--sm-client-disable", "--compositor=off"] },
    KnownWindowManager { program: "metacity", arguments: &["--sm-disable", "--no-composite"] },
    KnownWindowManager { program: "marco", arguments: &["--sm-disable", "--no-composite"] },
    KnownWindowManager { program: "kwin_x11", arguments: &[] },
];

/// Folders outside of `PATH` where distributions keep the accessibility bus launcher.
const LAUNCHER_FOLDERS: &[&str] =
    &["/usr/libexec", "/usr/lib/at-spi2-core", "/usr/lib/at-spi2", "/usr/libexec/at-spi2", "/usr/lib"];

/// Where the programs of a private desktop are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Programs {
    pub(super) x_server: PathBuf,
    pub(super) message_bus: PathBuf,
    pub(super) accessibility_launcher: PathBuf,
    pub(super) window_manager: PathBuf,
    pub(super) window_manager_arguments: &'static [&'static str],
}

impl Programs {
    /// Finds every program, or names all that are missing at once, each with its package.
    pub(super) fn find() -> Result<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let x_server = find_in(&path, "Xvfb");
        let message_bus = find_in(&path, "dbus-daemon");
        let launcher = find_in(&path, "at-spi-bus-launcher").or_else(|| {
            LAUNCHER_FOLDERS
                .iter()
                .map(|folder| Path::new(folder).join("at-spi-bus-launcher"))
                .find(|program| is_executable(program))
        });
        let window_manager =
            WINDOW_MANAGERS.iter().find_map(|known| Some((find_in(&path, known.program)?, known.arguments)));
        match (x_server, message_bus, launcher, window_manager) {
            (
                Some(x_server),
                Some(message_bus),
                Some(accessibility_launcher),
                Some((window_manager, arguments)),
            ) => Ok(Self {
                x_server,
                message_bus,
                accessibility_launcher,
                window_manager,
                window_manager_arguments: arguments,
            }),
            (x_server, message_bus, launcher, window_manager) => Err(missing(&[
                ("Xvfb", "the X server", "xvfb", x_server.is_some()),
                ("dbus-daemon", "the session bus", "dbus-daemon", message_bus.is_some()),
                ("at-spi-bus-launcher", "the accessibility bus", "at-spi2-core", launcher.is_some()),
                ("openbox", "a window manager", "openbox", window_manager.is_some()),
            ])),
        }
    }
}

/// The names of the programs that a private desktop consists of.
///
/// # Errors
/// [`ErrorCode::MissingDependency`] names every program that is missing, with its package.
pub(crate) fn components() -> Result<String> {
    let Programs { x_server, message_bus, accessibility_launcher, window_manager, .. } = Programs::find()?;
    let paths = [x_server, message_bus, accessibility_launcher, window_manager];
    let names = paths.iter().filter_map(|path| path.file_name()).map(OsStr::to_string_lossy);
    Ok(names.collect::<Vec<_>>().join(", "))
}

fn missing(wanted: &[(&str, &str, &str, bool)]) -> Error {
    let absent = || wanted.iter().filter(|(.., found)| !found);
    let names: Vec<&str> = absent().map(|(program, ..)| *program).collect();
    let packages: Vec<&str> = absent().map(|(_, _, package, _)| *package).collect();
    let message = format!("a private desktop needs programs that were not found: {}", names.join(", "));
    Error::new(ErrorCode::MissingDependency, message)
        .with_found(
            absent()
                .map(|(program, role, package, _)| format!("{program} ({role}): Debian package {package}")),
        )
        .with_next(format!("sudo apt-get install --no-install-recommends {}", packages.join(" ")))
}

/// Where the program is that makes sandboxes.
///
/// # Errors
/// [`ErrorCode::MissingDependency`] if it is not installed.
pub(super) fn bubblewrap() -> Result<PathBuf> {
    find_program("bwrap").ok_or_else(|| missing(&[("bwrap", "the sandbox", "bubblewrap", false)]))
}

/// Where a program is that is looked up in `PATH`.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    find_in(&std::env::var_os("PATH").unwrap_or_default(), program)
}

/// The first executable file called `program` in the folders of `path`.
pub(super) fn find_in(path: &OsStr, program: &str) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_missing_is_named_at_once() {
        let error = missing(&[
            ("Xvfb", "the X server", "xvfb", false),
            ("dbus-daemon", "the session bus", "dbus-daemon", true),
            ("openbox", "a window manager", "openbox", false),
        ]);
        assert_eq!(error.code, ErrorCode::MissingDependency);
        assert_eq!(error.found.len(), 2);
        assert!(error.message.contains("Xvfb, openbox"));
        assert!(error.next.expect("there is advice").ends_with("xvfb openbox"));
    }

    #[test]
    fn only_executable_files_of_absolute_folders_count() {
        assert!(find_in(OsStr::new("/usr/bin:/bin"), "sh").is_some());
        assert_eq!(find_in(OsStr::new("/etc"), "passwd"), None);
        assert_eq!(find_in(OsStr::new(""), "sh"), None);
    }
}

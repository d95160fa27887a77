//! The environment of a script: that of the desktop session, and nothing of handeye, whose settings and keys of AI providers are not its
//! business.

use super::{MARK, SHELL};
use crate::desktop::Surrounding;
use std::ffi::{OsStr, OsString};
use std::process::Command;

/// What is passed on, where it is set.
const PASSED_ON: [&str; 24] = [
    "AT_SPI_BUS_ADDRESS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "GTK_MODULES",
    "HANDEYE_DESKTOP",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "QT_ACCESSIBILITY",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON",
    "TMPDIR",
    "TZ",
    "USER",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CURRENT_DESKTOP",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
];
/// How the names of the variables begin that say how numbers, dates and texts are written.
const LOCALE: &str = "LC_";
/// Where programs are, if the environment does not say.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Gives `command` the environment of a script, with its mark.
pub(super) fn prepare(command: &mut Command, mark: &str) {
    command.env_clear().env("PATH", USUAL_PATH).envs(passed_on(std::env::vars_os()));
    command.env("SHELL", SHELL).env(MARK, mark);
    if let Some(desktop) = Surrounding::of_this_process() {
        desktop.admit(command);
    }
}

fn passed_on(all: impl Iterator<Item = (OsString, OsString)>) -> impl Iterator<Item = (OsString, OsString)> {
    all.filter(|(name, _)| is_passed_on(name))
}

fn is_passed_on(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| PASSED_ON.contains(&name) || name.starts_with(LOCALE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_and_no_setting_is_passed_on() {
        for name in ["DISPLAY", "HOME", "LC_ALL", "DBUS_SESSION_BUS_ADDRESS"] {
            assert!(is_passed_on(OsStr::new(name)), "{name}");
        }
        for name in
            ["ANTHROPIC_API_KEY", "HANDEYE_AI_PROVIDERS", "AWS_SECRET", "LD_PRELOAD", "ENV", "GITHUB_TOKEN"]
        {
            assert!(!is_passed_on(OsStr::new(name)), "{name}");
        }
    }
}

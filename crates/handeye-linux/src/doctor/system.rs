//! What handeye runs on.

use handeye_core::platform::Session;
use std::sync::LazyLock;

/// Name and version of the system, which do not change while this process lives.
static SYSTEM: LazyLock<String> = LazyLock::new(|| {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    pretty_name(&release).unwrap_or("Linux").to_owned()
});

/// The session that the environment of this process names.
pub(super) fn session() -> Session {
    let display = std::env::var("DISPLAY").ok().filter(|display| !display.is_empty());
    Session {
        system: SYSTEM.clone(),
        machine: std::env::consts::ARCH,
        display: display.map(|display| format!("X11 display {display}")),
    }
}

/// The name in the text of `os-release(5)`.
fn pretty_name(release: &str) -> Option<&str> {
    let value = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\''])).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::pretty_name;

    #[test]
    fn the_name_of_the_system_is_read() {
        assert_eq!(pretty_name("ID=debian\nPRETTY_NAME=\"Debian 12\"\n"), Some("Debian 12"));
        assert_eq!(pretty_name("PRETTY_NAME=Arch"), Some("Arch"));
        assert_eq!(pretty_name("ID=x"), None);
    }
}
